import { expect, test } from "vitest";
import { liveBytes } from "../../../test/support/live-bytes.ts";
import { defaultSettings, type Settings } from "../settings/registry.ts";
import { readAnnotations } from "./read.ts";

const prefix = "nginx.ingress.kubernetes.io";
const none = () => undefined;
const lookup = { secret: none, configMap: none, service: none };

function valuesOf(timeout: number, settings: Settings) {
  const annotations = { [`${prefix}/proxy-read-timeout`]: `${timeout}` };
  const metadata = { name: "web", namespace: "shop", annotations };
  return readAnnotations({ apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata }, prefix, settings, lookup)
    .values;
}

test("equal texts have one value while it is in use, and it is dropped afterwards", async () => {
  const settings = { ...defaultSettings };
  const held = valuesOf(1, settings);
  const before = await liveBytes();
  for (let timeout = 2; timeout < 10_000; timeout++) valuesOf(timeout, settings);
  // Ten thousand kept readings would take many times as much memory. Finalizers may run a moment
  // later.
  await expect.poll(async () => (await liveBytes()) - before).toBeLessThan(2_000_000);
  expect(valuesOf(1, settings)).toBe(held);
});
