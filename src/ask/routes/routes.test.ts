import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OperatorToken } from "../../edges/operator-token.ts";
import { canaryRule } from "./routes.ts";
import { askController, openOperatorSocket } from "./socket.ts";

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

const none = { header: "", headerValue: "", headerPattern: "", cookie: "", weight: 0, weightTotal: 100 };

test("the rule of a canary names the value or the pattern of its header", () => {
  const regional = { ...none, header: "Region", headerPattern: "fr|us" };
  expect(canaryRule(regional)).toBe('header Region matching "fr|us"');
  // With a value, the pattern has no effect.
  expect(canaryRule({ ...regional, headerValue: "de" })).toBe('header Region with the value "de"');
});

test("the rule of a canary says so if no request can reach it", () => {
  expect(canaryRule({ ...none, header: "X-Canary", weight: 20 })).toBe("header X-Canary, 20 of 100");
  expect(canaryRule(none)).toBe("no request, since it has no header, cookie or weight");
});

test("the socket answers with the routes of one host or of all, or reports that nothing is applied yet", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-routes-"));
  const place = { routesSocket: join(folder, "routes.sock"), token: join(folder, "operator.token") };
  const token = new OperatorToken();
  writeFileSync(place.token, token.text);
  const all = [route, { ...route, host: "b.example" }];
  let served: typeof all | undefined;
  const close = await openOperatorSocket(place.routesSocket, token, {
    "/routes": (query) => served?.filter(({ host }) => [null, host].includes(query.get("host"))),
    "/bug": () => {
      throw new Error("a bug");
    },
  });
  const askRoutes = (host?: string) => askController(place, "/routes", { host });
  try {
    expect(await askRoutes()).toEqual({
      ok: false,
      why: "the controller has not applied anything yet",
    });
    served = all;
    expect(await askRoutes()).toEqual({ ok: true, answer: all });
    expect(await askRoutes("b.example")).toEqual({ ok: true, answer: [all[1]] });
    expect(await askController(place, "/bug")).toEqual({ ok: false, why: "the controller answered 500: a bug" });
    expect(await askController(place, "/else")).toMatchObject({
      ok: false,
      why: expect.stringContaining("another version"),
    });
    writeFileSync(place.token, "another");
    expect(await askRoutes()).toEqual({
      ok: false,
      why: `the controller does not take the token in ${place.token}`,
    });
  } finally {
    await close();
  }
  expect(await askRoutes()).toMatchObject({
    ok: false,
    isAway: true,
    why: expect.stringContaining(`no controller answers at ${place.routesSocket}`),
  });
  rmSync(folder, { recursive: true });
});
