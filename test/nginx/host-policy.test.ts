/**
 * Tests `--host-policy`: a changed policy changes which namespace serves a host, without a reload,
 * and no namespace serves a host that belongs to another.
 */
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { serving, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const names = ["shop", "pay"] as const;
const portOf = { shop: 21_905, pay: 21_906 };
const backends: Server[] = [];

beforeAll(async () => {
  for (const name of names) {
    const server = createServer((_request, response) => response.end(name));
    await new Promise<void>((resolve) => server.listen(portOf[name], "127.0.0.1", resolve));
    backends.push(server);
  }
});
afterAll(() => {
  for (const server of backends) {
    server.close();
    server.closeAllConnections();
  }
});

const policy = (data: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: hosts, namespace: edge }
data: ${data}
`;
const inPay = (text: string) => text.replaceAll("namespace: shop", "namespace: pay");
/** Both namespaces want the host, and the shop's Ingress comes first by name. */
const files = {
  "a-shop.yaml": toWeb({ host: "pay.example", name: "a" }),
  "b-pay.yaml": inPay(toWeb({ host: "pay.example", name: "b" })),
  "shop.yaml": webAt(portOf.shop),
  "pay.yaml": inPay(webAt(portOf.pay)),
};

test("a host is served for the namespace that the ConfigMap names, and moves when the ConfigMap changes", async () => {
  const served = await serving({
    files: { ...files, "policy.yaml": policy("{}") },
    flags: ["--host-policy=edge/hosts"],
  });
  onTestFinished(served.remove);
  const body = async () => (await served.ask("pay.example")).body;
  const first = await body();
  const other = first === "shop" ? "pay" : "shop";
  served.write("policy.yaml", policy(`{ ${other}: .pay.example }`));
  await until("the host to be the other's", async () => (await body()) === other);
  const refusal = await served.logged(/the host policy gives pay\.example to namespace/);
  expect(refusal.object).toMatch(new RegExp(`^Ingress ${first}/`));
  served.write("policy.yaml", policy("{ nobody: pay.example }"));
  await until("no namespace to serve it", async () => (await served.ask("pay.example")).status === 404);
  const reloads = served.lines().filter(({ msg, why }) => msg === "applied with a reload" && why !== "start");
  expect(reloads).toEqual([]);
});

test("labels of Namespaces give hosts to namespaces as well", async () => {
  const namespace = `apiVersion: v1
kind: Namespace
metadata: { name: pay, labels: { hosts.sluice.dev/pay.example: suffix } }
`;
  const served = await serving({ files: { ...files, "namespace.yaml": namespace }, flags: ["--host-policy=labels"] });
  onTestFinished(served.remove);
  expect((await served.ask("pay.example")).body).toBe("pay");
});
