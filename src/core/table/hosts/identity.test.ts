import { expect, test } from "vitest";
import { settingsOf } from "../../../../test/support/reading.ts";
import { SecretText } from "../../model/configuration.ts";
import { unannotated } from "../../policies/read.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Claim } from "../claim.ts";
import { withHostIdentity } from "./identity.ts";

const settings = settingsOf();
const plain = unannotated(settings);
const identity = (name: string): FeatureValues => ({
  ...plain,
  proxySsl: {
    kind: "identity",
    chain: "",
    key: new SecretText(""),
    authorities: "PEM",
    verify: true,
    depth: 1,
    name,
    sni: false,
    protocols: [],
    ciphers: "",
  },
});
const claim = (namespace: string, values: FeatureValues) =>
  ({ owner: { kind: "Ingress", namespace, name: "x" }, features: values }) as unknown as Claim;
const names = (claims: readonly Claim[]) =>
  claims.map(({ features }) => (features.proxySsl.kind === "identity" ? features.proxySsl.name : undefined));

test("a path without a client certificate for its backend has that of the oldest Ingress of its host and namespace", () => {
  const claims = [claim("a", plain), claim("a", identity("first")), claim("a", identity("second")), claim("b", plain)];
  expect(names(withHostIdentity(claims, settings))).toEqual(["first", "first", "second", undefined]);
});

test("with proxy-ssl-location-only a client certificate is for the paths of its Ingress alone", () => {
  const claims = [claim("a", plain), claim("a", identity("first"))];
  expect(names(withHostIdentity(claims, settingsOf({ "proxy-ssl-location-only": "true" })))).toEqual([
    undefined,
    "first",
  ]);
});
