/** Tests by requests what a canary takes. The result is random only if a weight decides. */
import { expect, test } from "vitest";
import type { Balance, Canary, CanaryPolicy } from "../../src/core/model/configuration.ts";
import { startBalancing } from "./support/balancing.ts";

const canary = (upstream: string, policy: Partial<CanaryPolicy>): Canary => ({
  upstream,
  policy: { header: "", headerValue: "", headerPattern: "", cookie: "", weight: 0, weightTotal: 100, ...policy },
});
const main = { id: "main", backends: [1] };
const one = { id: "one", backends: [2] };
const two = { id: "two", backends: [3] };

test.each<readonly [string, readonly Canary[], Record<string, number>]>([
  ["weight 30", [canary("one", { weight: 30 })], { 1: 0.7, 2: 0.3 }],
  ["weight 30 of 1000", [canary("one", { weight: 30, weightTotal: 1000 })], { 1: 0.97, 2: 0.03 }],
  ["weight 0", [canary("one", { weight: 0 })], { 1: 1 }],
  ["weight 100", [canary("one", { weight: 100 })], { 2: 1 }],
  [
    "two canaries of weight 20 and 30",
    [canary("one", { weight: 20 }), canary("two", { weight: 30 })],
    { 1: 0.5, 2: 0.2, 3: 0.3 },
  ],
  [
    "two canaries that want more than there is",
    [canary("one", { weight: 80 }), canary("two", { weight: 30 })],
    { 2: 0.8, 3: 0.2 },
  ],
  [
    "a canary without endpoints before another",
    [canary("none", { weight: 50 }), canary("two", { weight: 20 })],
    { 1: 0.8, 3: 0.2 },
  ],
])("requests have the expected shares with %s", async (_, canaries, shares) => {
  const { put, route, tally } = await startBalancing();
  await put(main, one, two, { id: "none", backends: [] });
  await route("a.example", "main", { canaries });
  const requests = Object.keys(shares).length === 1 ? 500 : 10_000;
  const counts = await tally("a.example", requests);
  expect(Object.keys(counts).sort()).toEqual(Object.keys(shares));
  for (const [name, share] of Object.entries(shares))
    expect(Math.abs((counts[name] ?? 0) / requests - share)).toBeLessThan(0.025);
});

test("header, value, pattern and cookie select a canary in the documented order", async () => {
  const { put, route, ask } = await startBalancing();
  await put(main, one, two);
  const asked = async (canaries: readonly Canary[], headers: Readonly<Record<string, string>> = {}) => {
    await route("a.example", "main", { canaries });
    const { backend, headers: got } = await ask("a.example", { headers });
    expect(got["x-alternative"] ?? "").toBe({ 1: "", 2: "one", 3: "two" }[backend]);
    return backend;
  };
  const word = [canary("one", { header: "X-Try", cookie: "beta", weight: 100 })];
  expect(await asked(word)).toBe("2");
  expect(await asked(word, { "x-try": "never" })).toBe("1");
  expect(await asked(word, { "x-try": "other", cookie: "a=b; Beta=never" })).toBe("1");
  expect(await asked(word, { x_try: "never" })).toBe("2");
  const rules = [canary("one", { header: "X-Try", cookie: "beta" })];
  expect(await asked(rules)).toBe("1");
  expect(await asked(rules, { "x-try": "always", cookie: "beta=never" })).toBe("2");
  expect(await asked(rules, { "x-try": "never", cookie: "beta=always" })).toBe("1");
  expect(await asked(rules, { cookie: "beta=always" })).toBe("2");
  const value = [canary("one", { header: "X-Try", headerValue: "a b", headerPattern: "z" })];
  expect(await asked(value, { "x-try": "a b" })).toBe("2");
  for (const text of ["always", "A b", "z"]) expect(await asked(value, { "x-try": text })).toBe("1");
  const pattern = [canary("one", { header: "X-Try", headerPattern: "^eu|us-[0-9]+$" })];
  expect(await asked(pattern, { "x-try": "zone us-12" })).toBe("2");
  for (const text of ["EU", "us-1 b", "always"]) expect(await asked(pattern, { "x-try": text })).toBe("1");
  const broken = [canary("one", { header: "X-Try", headerPattern: "(", weight: 100 })];
  expect(await asked(broken, { "x-try": "x" })).toBe("1");
  expect(await asked(broken)).toBe("2");
});

test("with several canaries a header wins over another one's cookie, a cookie over a weight, and the oldest canary over equals", async () => {
  const { put, route, ask } = await startBalancing();
  await put(main, one, two);
  const canaries = [
    canary("one", { header: "X-One", cookie: "beta", weight: 100 }),
    canary("two", { header: "X-Two", cookie: "beta" }),
  ];
  await route("a.example", "main", { canaries });
  const asked = async (headers: Readonly<Record<string, string>>) => (await ask("a.example", { headers })).backend;
  expect(await asked({ "x-two": "always" })).toBe("3");
  expect(await asked({ "x-two": "always", cookie: "beta=always" })).toBe("3");
  expect(await asked({ "x-one": "always", "x-two": "always" })).toBe("2");
  expect(await asked({ cookie: "beta=always" })).toBe("2");
  expect(await asked({ "x-one": "never", cookie: "beta=always" })).toBe("3");
  expect(await asked({ "x-one": "never" })).toBe("1");
});

test("a client whose cookie binds it to the main Service or a canary stays there, whatever the rules are", async () => {
  const { put, route, ask } = await startBalancing();
  const cookie = {
    name: "route",
    path: "",
    domain: "",
    expires: undefined,
    maxAge: undefined,
    sameSite: undefined,
  } as const;
  const flags = { conditionalSameSiteNone: false, secure: false, changeOnFailure: false } as const;
  const balance: Balance = { algorithm: "cookie", cookie: { ...cookie, ...flags, mode: "balanced" } };
  await put({ ...main, balance }, { ...one, balance }, { ...two, balance: { algorithm: "round_robin" } });
  await route("a.example", "main", {
    canaries: [canary("one", { header: "X-Try" }), canary("two", { header: "X-Two" })],
    sticky: true,
  });
  const bound = async (headers: Readonly<Record<string, string>>) => {
    const { cookies, backend } = await ask("a.example", { headers });
    return { backend, cookie: cookies[0]?.split(";")[0] ?? "" };
  };
  const ofMain = await bound({});
  const ofCanary = await bound({ "x-try": "always" });
  const ofLegacy = await bound({ "x-two": "always" });
  expect([ofMain.backend, ofCanary.backend, ofLegacy]).toEqual(["1", "2", { backend: "3", cookie: "" }]);
  expect(await bound({ "x-try": "always", cookie: ofMain.cookie })).toEqual({ backend: "1", cookie: "" });
  expect(await bound({ "x-two": "always", cookie: ofCanary.cookie })).toEqual({ backend: "2", cookie: "" });
  await put({ ...one, backends: [], balance });
  expect((await bound({ cookie: ofCanary.cookie })).backend).toBe("1");
});

test("a main Service without endpoints answers 503, although a canary has some", async () => {
  const { put, route, ask } = await startBalancing();
  await put({ id: "main", backends: [] }, one);
  await route("a.example", "main", { canaries: [canary("one", { weight: 100 })] });
  expect((await ask("a.example")).status).toBe(503);
});
