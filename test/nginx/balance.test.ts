/**
 * Tests by requests how peers are chosen: shares, stickiness, retries. The choice is random, so
 * shares are compared with a tolerance.
 */
import { expect, test } from "vitest";
import type { AffinityCookie, Balance } from "../../src/core/model/configuration.ts";
import { dead, startBalancing } from "./support/balancing.ts";

const hash = (by: string, subset = 0): Balance => ({ algorithm: "hash", by, subset });
const cookie = (more: Partial<AffinityCookie> = {}): Balance => ({
  algorithm: "cookie",
  cookie: {
    name: "route",
    mode: "balanced",
    path: "",
    domain: "",
    expires: undefined,
    maxAge: undefined,
    sameSite: undefined,
    conditionalSameSiteNone: false,
    secure: false,
    changeOnFailure: false,
    ...more,
  },
});
const pair = (text: string | undefined) => text?.split(";")[0] ?? "";

/**
 * Each share is within `tolerance` of all requests: with 10,000 draws, chance exceeds that less
 * than once in a million runs.
 */
function expectShares(counts: Record<string, number>, shares: Record<string, number>, tolerance = 0.025): void {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  expect(Object.keys(counts).sort()).toEqual(Object.keys(shares).sort());
  for (const [name, share] of Object.entries(shares)) {
    expect(Math.abs((counts[name] ?? 0) / total - share), `${name} got ${counts[name]} of ${total}`).toBeLessThan(
      tolerance,
    );
  }
}

test("round robin gives every endpoint its share of 10,000 requests, one after the other in each worker", async () => {
  const { put, route, tally, ask } = await startBalancing({ workers: 1 });
  await put({ id: "u", backends: [1, 2, 3, 4] });
  await route("a.example", "u");
  expectShares(await tally("a.example", 10_000), { 1: 0.25, 2: 0.25, 3: 0.25, 4: 0.25 }, 0.001);
  const order = [];
  for (let i = 0; i < 8; i++) order.push((await ask("a.example")).backend);
  expect(order.slice(0, 4)).toEqual(order.slice(4));
  expect(order.slice(0, 4).toSorted()).toEqual(["1", "2", "3", "4"]);
});

test("round robin begins at a random endpoint, so many upstreams with one request each share evenly", async () => {
  const { put, route, ask } = await startBalancing();
  const counts: Record<string, number> = {};
  for (let i = 0; i < 400; i++) {
    await put({ id: `u${i}`, backends: [1, 2] });
    await route(`h${i}.example`, `u${i}`);
    const { backend } = await ask(`h${i}.example`);
    counts[backend] = (counts[backend] ?? 0) + 1;
  }
  expectShares(counts, { 1: 0.5, 2: 0.5 }, 0.15);
});

test("ewma gives equal endpoints equal shares, and avoids a slow one", async () => {
  const { put, route, tally } = await startBalancing();
  await put({ id: "u", backends: [1, 2, 3], balance: { algorithm: "ewma" } });
  await route("a.example", "u");
  const alike = await tally("a.example", 3_000);
  // nginx draws two peers and takes the faster one. So three equal peers may get shares of 2 : 1 :
  // 0 for a while, because of differences of a millisecond, but not more.
  expect(Math.max(...Object.values(alike))).toBeLessThan(2_400);
  // This endpoint is so slow that delays of a busy machine at the others do not matter.
  const slow = { path: "/?wait=2" };
  for (let i = 0, known = false; i < 20 && !known; i++) known = "1" in (await tally("a.example", 3, slow));
  const turned = await tally("a.example", 300, slow);
  expect(turned["1"] ?? 0).toBeLessThan(60);
});

test("ewma avoids an endpoint that refuses connections, and no request fails", async () => {
  const { put, route, ask, nginx } = await startBalancing();
  nginx.expectError(/Connection refused/);
  await put({ id: "u", backends: [1, 2, dead], balance: { algorithm: "ewma" } });
  await route("a.example", "u");
  let tried = 0;
  for (let i = 0; i < 200; i++) {
    const { status, headers } = await ask("a.example");
    expect(status).toBe(200);
    if (String(headers["x-tried"]).includes(`.${dead}:`)) tried++;
  }
  expect(tried).toBeLessThan(20);
});

test("hashing sends equal values to one endpoint and different ones to all, and few move when one is removed", async () => {
  const { put, route, tally, ask } = await startBalancing();
  await put({ id: "u", backends: [1, 2, 3, 4, 5], balance: hash("$http_x_user") });
  await route("a.example", "u");
  expect(Object.keys(await tally("a.example", 50, { headers: { "x-user": "one" } }))).toHaveLength(1);
  const users = Array.from({ length: 1_000 }, (_, i) => `user-${i}`);
  const homes = async () =>
    Promise.all(users.map(async (user) => (await ask("a.example", { headers: { "x-user": user } })).backend));
  const before = await homes();
  const counts = Object.fromEntries(
    ["1", "2", "3", "4", "5"].map((name) => [name, before.filter((home) => home === name).length]),
  );
  expectShares(counts, { 1: 0.2, 2: 0.2, 3: 0.2, 4: 0.2, 5: 0.2 }, 0.08);
  await put({ id: "u", backends: [1, 2, 4, 5], balance: hash("$http_x_user") });
  const after = await homes();
  const moved = users.filter((_, i) => before[i] !== after[i]);
  expect(moved).toEqual(users.filter((_, i) => before[i] === "3"));
});

test("hashing uses text around variables, and an empty value for a missing variable", async () => {
  const { put, route, ask } = await startBalancing();
  await put({ id: "plain", backends: [1, 2, 3, 4, 5], balance: hash("$http_x_user") });
  await put({ id: "mixed", backends: [1, 2, 3, 4, 5], balance: hash("a${http_x_user}$nothing") });
  await route("plain.example", "plain");
  await route("mixed.example", "mixed");
  for (const user of ["u1", "u2", "u3", "u4", "u5", "u6"]) {
    const mixed = await ask("mixed.example", { headers: { "x-user": user } });
    const plain = await ask("plain.example", { headers: { "x-user": `a${user}` } });
    expect(mixed.backend).toBe(plain.backend);
  }
});

test("hashing by subsets gives a value one subset, of which each endpoint gets its share", async () => {
  const { put, route, tally } = await startBalancing();
  await put({ id: "u", backends: [1, 2, 3, 4, 5, 6], balance: hash("$http_x_user", 3) });
  await route("a.example", "u");
  const groups = new Set<string>();
  for (let i = 0; i < 10; i++) {
    groups.add(
      Object.keys(await tally("a.example", 60, { headers: { "x-user": `user-${i}` } }))
        .sort()
        .join(),
    );
  }
  const counts = await tally("a.example", 10_000, { headers: { "x-user": "user-0" } });
  for (const share of Object.values(counts)) expect(Math.abs(share / 10_000 - 1 / 3)).toBeLessThan(0.025);
  expect([...groups].sort()).toEqual(["1,2,3", "4,5,6"]);
});

test.each(["balanced", "persistent"] as const)(
  "affinity %s keeps a client at its endpoint, and clients share the endpoints",
  async (mode) => {
    const { put, route, ask } = await startBalancing();
    await put({ id: "u", backends: [1, 2, 3, 4], balance: cookie({ mode }) });
    await route("a.example", "u", { sticky: true, path: "/shop" });
    const counts: Record<string, number> = {};
    const first = await Promise.all(Array.from({ length: 10_000 }, () => ask("a.example")));
    for (const { backend } of first) counts[backend] = (counts[backend] ?? 0) + 1;
    expectShares(counts, { 1: 0.25, 2: 0.25, 3: 0.25, 4: 0.25 });
    for (const { backend, cookies } of first.slice(0, 50)) {
      expect(cookies[0]).toMatch(/^route=[\d.a-f]+\|[\da-f]{32}; Path=\/shop; HttpOnly$/);
      const again = await ask("a.example", { headers: { cookie: pair(cookies[0]) } });
      expect(again).toMatchObject({ status: 200, backend, cookies: [] });
    }
  },
);

test("after a change of endpoints balanced affinity moves some clients without a new cookie, and persistent affinity only lost ones with one", async () => {
  const { put, route, ask } = await startBalancing();
  for (const mode of ["balanced", "persistent"] as const) {
    await put({ id: mode, backends: [1, 2, 3, 4], balance: cookie({ mode }) });
    await route(`${mode}.example`, mode, { sticky: true });
    const clients = await Promise.all(Array.from({ length: 60 }, () => ask(`${mode}.example`)));
    await put({ id: mode, backends: [1, 2, 4, 5], balance: cookie({ mode }) });
    for (const { backend, cookies } of clients) {
      const again = await ask(`${mode}.example`, { headers: { cookie: pair(cookies[0]) } });
      expect(again.backend).not.toBe("3");
      if (mode === "balanced") expect(again.cookies).toEqual([]);
      if (mode === "persistent") expect(again.cookies).toHaveLength(backend === "3" ? 1 : 0);
      if (mode === "persistent" && backend !== "3") expect(again.backend).toBe(backend);
    }
  }
});

test("a path without affinity uses an existing cookie of the upstream and sets none", async () => {
  const { put, route, ask } = await startBalancing();
  await put({ id: "u", backends: [1, 2, 3, 4], balance: cookie() });
  await route("sticky.example", "u", { sticky: true });
  await route("plain.example", "u");
  const { backend, cookies } = await ask("sticky.example");
  for (let i = 0; i < 10; i++) {
    const headers = { cookie: pair(cookies[0]) };
    expect(await ask("plain.example", { headers })).toMatchObject({ backend, cookies: [] });
  }
  expect((await ask("plain.example")).cookies).toEqual([]);
});

test("the cookie has every attribute in the order of ingress-nginx, and comes before the backend's own", async () => {
  const { put, route, ask } = await startBalancing();
  const balance = cookie({
    path: "/x",
    domain: "a.example",
    expires: 60,
    maxAge: 5,
    secure: true,
    sameSite: "None",
    conditionalSameSiteNone: true,
  });
  await put({ id: "u", backends: [1], balance });
  await route("a.example", "u", { sticky: true });
  const plain = /^route=[^;]+; Expires=\w{3}, [^;]+ GMT; Max-Age=5; Domain=a\.example; Path=\/x; Secure; HttpOnly/;
  const { cookies } = await ask("a.example", { path: "/?cookie=theirs" });
  expect(cookies[0]).toMatch(new RegExp(`${plain.source}; SameSite=None$`));
  expect(cookies[1]).toBe("theirs=own");
  const old = await ask("a.example", {
    headers: { "user-agent": "Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/60.0.1 Safari/537.36" },
  });
  expect(old.cookies[0]).toMatch(new RegExp(`${plain.source}$`));
});

test("a retry uses another endpoint as long as there is one, with any algorithm, and the cookie is that of the last try", async () => {
  const { put, route, ask } = await startBalancing();
  const algorithms: readonly Balance[] = [
    { algorithm: "round_robin" },
    { algorithm: "ewma" },
    hash("$request_id"),
    hash("$request_id", 2),
    cookie(),
    cookie({ mode: "persistent" }),
  ];
  for (const [i, balance] of algorithms.entries()) {
    await put({ id: `u${i}`, backends: [1, 2, 3], balance });
    await route(`h${i}.example`, `u${i}`, { sticky: true });
    const together = await Promise.all(Array.from({ length: 200 }, () => ask(`h${i}.example`, { path: "/?fail=1,2" })));
    for (const { headers } of together) {
      const tried = String(headers["x-tried"]).split(", ");
      expect(new Set(tried).size, JSON.stringify(balance)).toBe(tried.length);
    }
    for (let n = 0; n < 40; n++) {
      const { status, backend, cookies } = await ask(`h${i}.example`, { path: "/?fail=1,2" });
      expect([status, backend], JSON.stringify(balance)).toEqual([200, "3"]);
      if (balance.algorithm !== "cookie") continue;
      expect(cookies).toHaveLength(1);
      expect((await ask(`h${i}.example`, { headers: { cookie: pair(cookies[0]) } })).backend).toBe("3");
    }
  }
});

test("a client without a cookie gets the only working endpoint of ten, and its cookie names it", async () => {
  const { put, route, ask } = await startBalancing({ tries: 10 });
  await put({ id: "u", backends: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], balance: cookie() });
  await route("a.example", "u", { sticky: true });
  for (let n = 0; n < 100; n++) {
    const { status, backend, cookies } = await ask("a.example", { path: "/?fail=1,2,3,4,5,6,7,8,9" });
    expect([status, backend]).toEqual([200, "10"]);
    expect((await ask("a.example", { headers: { cookie: pair(cookies[0]) } })).backend).toBe("10");
  }
});

test("a client with a cookie gets its endpoint's failure, unless the cookie may change after one", async () => {
  const { put, route, ask } = await startBalancing();
  for (const changeOnFailure of [false, true]) {
    const id = String(changeOnFailure);
    await put({ id, backends: [1, 2, 3], balance: cookie({ changeOnFailure }) });
    await route(`${id}.example`, id, { sticky: true });
    const { backend, cookies } = await ask(`${id}.example`);
    const headers = { cookie: pair(cookies[0]) };
    const failed = await ask(`${id}.example`, { path: `/?fail=${backend}`, headers });
    expect(failed).toMatchObject(changeOnFailure ? { status: 200 } : { status: 503, backend, cookies: [] });
    const tried = String(failed.headers["x-tried"]).split(", ");
    expect(new Set(tried).size).toBe(changeOnFailure ? 2 : 1);
    expect(failed.cookies).toHaveLength(changeOnFailure ? 1 : 0);
  }
});

test.each([
  [3, 3],
  [0, 10],
])("with proxy-next-upstream-tries %i the only endpoint gets %i tries", async (tries, expected) => {
  const { put, route, ask } = await startBalancing({ tries });
  await put({ id: "u", backends: [1] });
  await route("a.example", "u");
  const { status, headers } = await ask("a.example", { path: "/?fail=1" });
  expect([status, String(headers["x-tried"]).split(", ").length]).toEqual([503, expected]);
});

test("after an endpoint is removed, no worker sends it a request", async () => {
  const { put, route, tally } = await startBalancing({ workers: 4 });
  for (const balance of [{ algorithm: "round_robin" }, { algorithm: "ewma" }, hash("$request_id"), cookie()] as const) {
    await put({ id: "u", backends: [1, 2], balance });
    await route("a.example", "u");
    await tally("a.example", 200);
    await put({ id: "u", backends: [2, 3], balance });
    const asked = Object.keys(await tally("a.example", 400));
    expect(["2", "3"]).toEqual(expect.arrayContaining(asked));
  }
});
