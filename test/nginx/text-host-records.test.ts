/**
 * A host that gets a server block of its own, such as one that asks for client certificates. Until
 * nginx has the block, the block of all other hosts must not serve the host by its newest record.
 */
import { expect, test } from "vitest";
import { fakeCertificate } from "../../src/core/certificates/fake.ts";
import { translate } from "../../src/core/table/translator.ts";
import { emptyInputs } from "../../src/core/table/turn.ts";
import { ingress, ingressClass } from "../support/ingress.ts";
import { snapshotOf, worldOptions } from "../support/world-options.ts";
import { startWorlds } from "./support/worlds.ts";

const base = 18_860;
const services = ["ns/web"];
const plain = ingress({ name: "plain", host: "plain.example" });

test("a host that asks for certificates is closed before nginx has its server block", async () => {
  const it = await startWorlds(base);
  const fake = await fakeCertificate(new Date());
  const served = (...objects: readonly object[]) => {
    const world = { services, objects: [ingressClass, ...objects] as never };
    return translate({ ...emptyInputs, snapshot: snapshotOf(world) }, worldOptions(base), fake);
  };
  const asking = { "auth-tls-secret": "ns/missing", "auth-tls-verify-client": "on" };
  const ask = (host: string) => it.ask({ scheme: "http", host, method: "GET", target: "/", headers: {} });
  await it.put(served(plain), services);
  expect((await ask("plain.example")).text).toBe("ns/web /");
  await it.put(served(plain, ingress({ name: "asks", host: "asks.example", annotations: asking })), services, true);
  expect((await ask("plain.example")).text).toBe("ns/web /");
  expect((await ask("asks.example")).text).toBe("503");
  await it.put(served(plain, ingress({ name: "asks", host: "asks.example", annotations: asking })), services);
  expect((await ask("asks.example")).text).toBe("403");
});
