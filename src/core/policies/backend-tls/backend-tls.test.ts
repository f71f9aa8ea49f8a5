import { expect, test } from "vitest";
import { notingPlace, printed, readingOf, settingsOf, valuesOf } from "../../../../test/support/reading.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import { sentence } from "../../model/problem.ts";
import { proxySsl } from "./declaration.ts";

const { chain, key } = await fakeCertificate(new Date("2026-01-01"));
const other = await fakeCertificate(new Date("2026-01-01"));
const pair = { "tls.crt": chain, "tls.key": key.reveal() };
const whole = { ...pair, "ca.crt": chain };
const asked = { "proxy-ssl-secret": "shop/identity" };

const viewOf = (annotations: Record<string, string>, secret: Record<string, string> = whole) => {
  const place = notingPlace();
  const value = valuesOf({ ...asked, ...annotations }, { secrets: { "shop/identity": secret } }).proxySsl;
  const lines = printed(proxySsl.view!(value, place, settingsOf())) as { name: string; value: string }[];
  return { place, directives: Object.fromEntries(lines.map((line) => [line.name, line.value])) };
};

test("a whole Secret gives a key pair and an authority, and backends are verified only on request", () => {
  expect(viewOf({}).directives).toEqual({
    proxy_ssl_certificate: expect.stringMatching(/^"\/run\/tls\/[\da-f]{32}"$/),
    proxy_ssl_certificate_key: expect.stringMatching(/^"\/run\/tls\/[\da-f]{32}"$/),
    proxy_ssl_trusted_certificate: expect.stringMatching(/^"\/run\/tls\/[\da-f]{32}"$/),
    proxy_ssl_verify: "off",
    proxy_ssl_verify_depth: "1",
    proxy_ssl_protocols: "TLSv1.2",
    proxy_ssl_ciphers: '"DEFAULT"',
    proxy_ssl_server_name: "off",
  });
});

test("each difference in the annotations keeps connections apart", () => {
  const different = [{}, { "proxy-ssl-verify": "on" }, { "proxy-ssl-name": "a" }, { "proxy-ssl-name": "b" }];
  const pools = different.map((annotations) => viewOf(annotations).place.noted.apart.join());
  expect(new Set([...pools, viewOf({}, pair).place.noted.apart.join()]).size).toBe(5);
  expect(viewOf({}).place.noted.apart).toEqual(viewOf({}).place.noted.apart);
});

test("without ca.crt only the name is sent, and a Problem says so", () => {
  const { directives } = viewOf({ "proxy-ssl-name": "backend.example", "proxy-ssl-server-name": "on" }, pair);
  expect(directives).toEqual({ proxy_ssl_name: '"backend.example"', proxy_ssl_server_name: "on" });
  expect(readingOf(asked, { secrets: { "shop/identity": pair } }).problems.map(sentence)).toEqual([
    "annotation proxy-ssl-secret has no effect: Secret shop/identity has no ca.crt, and without it no certificate is shown to backends",
  ]);
});

test.each([
  [asked, {}, "Secret shop/identity not found"],
  [{ "proxy-ssl-secret": "identity" }, { "shop/identity": whole }, "identity is not namespace/name"],
  [asked, { "shop/identity": { a: "b" } }, "Secret shop/identity has neither a key pair nor a ca.crt"],
  [
    asked,
    { "shop/identity": { ...whole, "ca.crt": "x" } },
    "Secret shop/identity has a ca.crt that does not hold certificates in PEM",
  ],
  [
    asked,
    { "shop/identity": { ...pair, "tls.key": other.key.reveal() } },
    "Secret shop/identity has a tls.key that does not belong to its tls.crt",
  ],
  [
    { ...asked, "proxy-ssl-verify": "on" },
    { "shop/identity": pair },
    "Secret shop/identity has no ca.crt, and proxy-ssl-verify needs it",
  ],
])("the annotations %o fail closed: %#", (annotations, secrets: Record<string, Record<string, string>>, why) => {
  const { problems, verdict } = readingOf(annotations, { secrets });
  expect(verdict).toBe("deny");
  expect(problems.map(sentence)).toEqual([`annotation proxy-ssl-secret: ${why}; its paths answer 503`]);
});

test("a value of proxy-ssl-verify that is neither on nor off closes the paths (CVE-2025-66491)", () => {
  const world = { secrets: { "shop/identity": whole } };
  expect(readingOf({ ...asked, "proxy-ssl-verify": "true" }, world).verdict).toBe("deny");
});
