import { expect, test } from "vitest";
import { notingPlace, printed, readingOf, settingsOf, valuesOf } from "../../../test/support/reading.ts";
import { fakeCertificate } from "../certificates/fake.ts";
import { sentence } from "../model/problem.ts";
import { certificateWord, clientCertificate } from "./client-certificate.ts";

const { chain: authority } = await fakeCertificate(new Date("2026-01-01"));
const world = { secrets: { "shop/ca": { "ca.crt": authority } } };
const asked = { "auth-tls-secret": "shop/ca" };

test("a Secret alone makes certificates required, with one authority in their chain", () => {
  const place = notingPlace();
  const value = valuesOf(asked, world).clientCertificate;
  expect(printed(clientCertificate.serverView!(value, place, settingsOf()))).toEqual({
    refused: false,
    authorities: `"/run/${place.noted.files[0]!.path}"`,
    revoked: false,
    verify: "on",
    depth: "1",
    errorPage: false,
    subject: false,
  });
  expect(place.noted.files).toEqual([{ path: expect.any(String), content: authority, opened: false }]);
});

test.each([
  ["shop/none", {}, "Secret shop/none not found"],
  ["ca", { ca: {} }, "ca is not namespace/name"],
  [
    "other/ca",
    { "other/ca": { "ca.crt": authority } },
    "Secret other/ca is in another namespace, and allow-cross-namespace-resources is off",
  ],
  ["shop/ca", { "shop/ca": { "tls.crt": authority } }, "Secret shop/ca has no ca.crt"],
  ["shop/ca", { "shop/ca": { "ca.crt": "x" } }, "Secret shop/ca has a ca.crt that does not hold certificates in PEM"],
  [
    "shop/ca",
    { "shop/ca": { "ca.crt": `${authority}${authority.replace(/M/, "N")}` } },
    "Secret shop/ca has a ca.crt that does not hold certificates in PEM",
  ],
  [
    "shop/ca",
    { "shop/ca": { "ca.crt": authority, "ca.crl": "x" } },
    "Secret shop/ca has a ca.crl that does not hold revocation lists in PEM",
  ],
])(
  "auth-tls-secret %s with the Secrets %o closes the host",
  (secret, secrets: Record<string, Record<string, string>>, why) => {
    const { values, problems, verdict } = readingOf({ "auth-tls-secret": secret }, { secrets });
    expect(values.clientCertificate).toEqual({ kind: "refuse" });
    expect(clientCertificate.provides!(values.clientCertificate)).toBe(true);
    expect(verdict).toBe("serve");
    expect(problems.map(sentence)).toEqual([`annotation auth-tls-secret: ${why}; every request to its hosts gets 403`]);
  },
);

test("without a Secret the other keys have no effect, and the host needs no server block", () => {
  const { clientCertificate: value } = valuesOf({ "auth-tls-verify-client": "optional" }, world);
  expect(value).toEqual({ kind: "none" });
  expect(clientCertificate.textServer!(value)).toBe(false);
});

test("a pattern that holds nginx's syntax characters is one word (CVE-2025-1097)", () => {
  expect(readingOf({ ...asked, "auth-tls-match-cn": 'CN="x" { ; # \\' }, world).verdict).toBe("reject");
  const tried = valuesOf({ ...asked, "auth-tls-match-cn": 'CN="x" { ; # \\d' }, world).clientCertificate;
  expect(printed(clientCertificate.serverView!(tried, notingPlace(), settingsOf()))).toMatchObject({
    subject: '"(*LIMIT_MATCH=2048)^(?!(?s:.{1001}))(?s:.*?)(?:CN=\\"x\\" { ; # \\\\d)"',
  });
});

test("the client certificate is sent to the backend only where an annotation requests it", () => {
  const words = ["false", "true"].map((pass) =>
    certificateWord(valuesOf({ ...asked, "auth-tls-pass-certificate-to-upstream": pass }, world)),
  );
  expect(words).toEqual(["checked", "passed"]);
});
