import { beforeAll, expect, test } from "vitest";
import { fake, put, tlsSecret, turnTo } from "../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../certificates/fake.ts";
import type { Secret } from "../../model/objects.ts";
import { emptySnapshot } from "../../model/snapshot.ts";
import { emptyLastGood } from "../last-good.ts";
import { Certificates } from "./certificates.ts";

let good: Secret;
beforeAll(async () => {
  const { chain, key } = await fakeCertificate(new Date());
  good = tlsSecret(chain, key.reveal());
});

test("a Certificate exists while a host uses its Secret", () => {
  const certificates = new Certificates(undefined, fake);
  certificates.update(turnTo(put(emptySnapshot, good)));
  certificates.renew();
  expect(certificates.all.size).toBe(0);
  certificates.use("a.example", ["ns/tls"]);
  certificates.renew();
  expect(certificates.all.get("ns/tls")?.names).toEqual(["ingress.local"]);
  certificates.use("a.example", []);
  certificates.renew();
  expect(certificates.all.size).toBe(0);
});

test("a Secret without a usable key pair keeps its last good Certificate until it is corrected or deleted", () => {
  const certificates = new Certificates("ns/tls", fake);
  const broken = tlsSecret("no certificate", "no key");
  const [first, second] = [put(emptySnapshot, good), put(emptySnapshot, broken)];
  certificates.use("a.example", ["ns/tls"]);
  certificates.update(turnTo(first));
  certificates.update(turnTo(second, first));
  certificates.renew();
  expect(certificates.secret("ns/tls")).toBe(good);
  expect(certificates.all.get("ns/tls")?.id).toBe("ns/tls");
  expect(certificates.default.id).toBe("ns/tls");
  const lastGood = { ...emptyLastGood, secrets: certificates.lastGood };
  certificates.update(turnTo(emptySnapshot, second, { lastGood }));
  certificates.renew();
  expect(certificates.all.size).toBe(0);
  expect(certificates.lastGood.size).toBe(0);
  expect(certificates.default).toBe(fake);
});
