import { expect, test } from "vitest";
import { tlsSecret } from "../../../test/support/sketch.ts";
import { certificateOf } from "./certificate.ts";
import { fakeCertificate } from "./fake.ts";

test("a chain that does not begin with the key's own certificate gets another message than a foreign key", async () => {
  const own = await fakeCertificate(new Date());
  const other = await fakeCertificate(new Date());
  const key = own.key.reveal();
  expect(certificateOf(tlsSecret(own.chain + other.chain, key))).toMatchObject({ ok: true });
  expect(certificateOf(tlsSecret(other.chain + own.chain, key))).toEqual({
    ok: false,
    why: "has a tls.crt that begins with another certificate than that of its tls.key, which must come first",
  });
  expect(certificateOf(tlsSecret(other.chain, key))).toEqual({
    ok: false,
    why: "has a tls.key that does not belong to its tls.crt",
  });
});

test("the message about an unreadable issuer names its position in the chain", async () => {
  const own = await fakeCertificate(new Date());
  const broken = own.chain.replace(/\n\w{20}/, `\n${"A".repeat(20)}`);
  const cut = own.chain.slice(0, -30);
  for (const unreadable of [broken, cut])
    expect(certificateOf(tlsSecret(own.chain + own.chain + unreadable, own.key.reveal()))).toEqual({
      ok: false,
      why: "has a tls.crt whose certificate 3 cannot be read",
    });
});
