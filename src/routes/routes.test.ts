import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OperatorToken } from "../operator-token.ts";
import { askRoutes, openRouteSocket } from "./socket.ts";

const route = {
  host: "a.example",
  path: "/",
  type: "Prefix",
  ingress: "shop/web",
  service: "shop/web:80",
  endpoints: ["192.0.2.1:80"],
  notReady: 0,
  canaries: [],
  denied: false,
} as const;

test("the socket tells the routes of one host, of all, or that there are none yet", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-routes-"));
  const place = { routesSocket: join(folder, "routes.sock"), token: join(folder, "operator.token") };
  const token = new OperatorToken();
  writeFileSync(place.token, token.text);
  const all = [route, { ...route, host: "b.example" }];
  let served: typeof all | undefined;
  const close = await openRouteSocket(place.routesSocket, token, (host) =>
    served?.filter((one) => host === undefined || one.host === host),
  );
  try {
    expect(await askRoutes(place, undefined)).toEqual({
      ok: false,
      why: "the controller has not applied anything yet",
    });
    served = all;
    expect(await askRoutes(place, undefined)).toEqual({ ok: true, routes: all });
    expect(await askRoutes(place, "b.example")).toEqual({ ok: true, routes: [all[1]] });
    writeFileSync(place.token, "another");
    expect(await askRoutes(place, undefined)).toEqual({
      ok: false,
      why: `the controller does not take the token in ${place.token}`,
    });
  } finally {
    await close();
  }
  expect(await askRoutes(place, undefined)).toMatchObject({
    ok: false,
    why: expect.stringContaining(`no controller answers at ${place.routesSocket}`),
  });
  rmSync(folder, { recursive: true });
});
