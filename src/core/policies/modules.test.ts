/** ModSecurity and OpenTelemetry are modules that an nginx may or may not have. */
import { expect, test } from "vitest";
import { notingPlace, printed, readingOf, settingsOf, valuesOf } from "../../../test/support/reading.ts";
import { emptySnapshot } from "../model/snapshot.ts";
import { readIngress } from "../sources/ingress/reading.ts";
import { defaultOptions } from "../table/options.ts";
import { modsecurity } from "./modsecurity.ts";
import { opentelemetry } from "./opentelemetry.ts";

type Texts = Readonly<Record<string, string>>;

const inspected = (annotations: Texts, settings: Texts = {}) =>
  printed(modsecurity.view!(valuesOf(annotations, { settings }).modsecurity, notingPlace(), settingsOf(settings)));
const traced = (annotations: Texts, settings: Texts = {}) =>
  printed(opentelemetry.view!(valuesOf(annotations, { settings }).opentelemetry, notingPlace(), settingsOf(settings)));

const all = { "enable-modsecurity": "true" };

test("enable-modsecurity alone has the stock rules, and off writes a line only where the ConfigMap turns it on", () => {
  expect(inspected({})).toBe(false);
  expect(inspected({}, all)).toMatchObject({ begins: false, stock: false, rules: [] });
  expect(inspected({ "enable-modsecurity": "true" })).toMatchObject({ begins: true, stock: true, owasp: false });
  expect(inspected({ "enable-modsecurity": "false" })).toBe(false);
  expect(inspected({ "enable-modsecurity": "false" }, all)).toEqual({ on: false });
  expect(
    inspected({ "enable-owasp-core-rules": "true", "modsecurity-transaction-id": "$request_id" }, all),
  ).toMatchObject({
    owasp: true,
    transaction: '"${request_id}"',
  });
});

test("ModSecurity rules of an Ingress replace the stock ones, and need the operator's permission", () => {
  const own = { "enable-modsecurity": "true", "modsecurity-snippet": "SecRuleEngine On" };
  const open = { "annotations-risk-level": "Critical", "allow-snippet-annotations": "true" };
  expect(inspected(own, open)).toMatchObject({ stock: false, rules: ['"SecRuleEngine On"'] });
  const { problems, values } = readingOf(own, { settings: { "annotations-risk-level": "Critical" } });
  expect(values.modsecurity.rules).toBe("");
  expect(problems).toEqual([expect.objectContaining({ kind: "annotation-useless", key: "modsecurity-snippet" })]);
  expect(readingOf(own).verdict).toBe("reject");
});

test("OpenTelemetry is on where the annotation or else the ConfigMap says so", () => {
  const global = { "enable-opentelemetry": "true", "opentelemetry-trust-incoming-span": "false" };
  const own = { "enable-opentelemetry": "true", "opentelemetry-operation-name": "shop" };
  expect(traced({})).toBe(false);
  expect(traced({}, global)).toEqual({ on: true, trusts: false, operation: false });
  expect(traced({ "enable-opentelemetry": "false" }, global)).toEqual({ on: false });
  expect(traced(own)).toEqual({ on: true, trusts: true, operation: "shop" });
  expect(traced({ ...own, "opentelemetry-trust-incoming-span": "false" })).toMatchObject({ trusts: false });
});

test("an annotation for a module that nginx lacks is a Problem, and the Ingress is served", () => {
  const annotations = { "nginx.ingress.kubernetes.io/enable-modsecurity": "true" };
  const ingress = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web", annotations },
  } as const;
  const read = (lacks: readonly ("modsecurity" | "otel")[]) =>
    readIngress(ingress, emptySnapshot, settingsOf(), { ...defaultOptions, lacks: new Set(lacks) });
  expect(read(["otel"]).problems).toEqual([]);
  const { problems, verdict } = read(["modsecurity"]);
  expect(verdict).toBe("serve");
  expect(problems).toEqual([expect.objectContaining({ kind: "annotation-useless", key: "enable-modsecurity" })]);
});
