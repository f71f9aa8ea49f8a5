/** Keys about TLS, as handshakes show them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Configured, startConfigured } from "./support/configured.ts";

let it: Configured;

beforeAll(async () => {
  it = await startConfigured({ port: 23_060 });
});
afterAll(() => it.stop());

test("ssl-ecdh-curve says which curves are spoken", async () => {
  const spoken = async (curve: string) => (await it.ask({ scheme: "https", tls: { curve } })).status === 200;
  await it.set({ "ssl-ecdh-curve": "secp384r1" });
  expect([await spoken("secp384r1"), await spoken("prime256v1")]).toEqual([true, false]);
  await it.set({ "ssl-ecdh-curve": "auto" });
  expect(await spoken("prime256v1")).toBe(true);
});

test("ssl-session-timeout ends the life of a session", async () => {
  const tls = { version: "TLSv1_2", resume: true, resumeAfter: 2.5 } as const;
  const resumed = async () => (await it.ask({ scheme: "https", tls })).resumed;
  await it.set({ "ssl-session-timeout": "1s" });
  expect(await resumed()).toBe(false);
  await it.set({ "ssl-session-timeout": "5m" });
  expect(await resumed()).toBe(true);
});
