/**
 * Sessions of routes: which clients stay at an endpoint, for how long, and the limits of a token.
 */
import { expect, test } from "vitest";
import type { Filters, Session } from "../../src/core/model/filters.ts";
import { host, port, prefix, type Rule, startGateways } from "./support/gateways.ts";
import { type RequestOptions, request } from "./support/request.ts";

const to = "127.0.0.61:18850";

const session = (more: Partial<Session>): Session => ({
  type: "cookie",
  name: "S",
  binding: "ab",
  path: "/x",
  seconds: undefined,
  isPermanent: false,
  ...more,
});

const rule = (path: string, more: Partial<Session>, others: Partial<Rule> = {}, filters: Filters = {}): Rule => ({
  to: [{ upstream: "four" }],
  routes: prefix(path),
  filters: { ...filters, session: session(more) },
  ...others,
});

test("a client stays with its first endpoint, and no token leads to another address", async () => {
  const it = await startGateways(18_840);
  it.nginx.expectError(/Connection refused|connect\(\) failed/);
  const all = [1, 2, 3, 4].map((n) => `127.101.0.${n}:9000`);
  const put = (weights: readonly [number, number], endpoints = all) =>
    it.put({
      ports: [port("a", "127.0.0.61", 18_850, { web: "" }, { port: 80 })],
      hosts: [
        host("shop/a/web", "_", [
          rule("/cookie", {}),
          rule("/other", { binding: "cd" }),
          rule("/header", { type: "header", name: "X-Session", binding: "ef" }),
          rule("/timed", { seconds: 60, isPermanent: true, binding: "12" }),
          rule(
            "/split",
            { binding: "34" },
            {
              to: [
                { upstream: "b1", weight: weights[0] },
                {
                  upstream: "b2",
                  weight: weights[1],
                  filters: { requestHeaders: { set: [{ name: "X-To", value: "two" }], add: [], remove: [] } },
                },
              ],
            },
          ),
        ]),
      ],
      upstreams: { four: endpoints },
    });
  await put([1, 0]);

  const ask = async (path: string, headers: RequestOptions["headers"] = {}) => {
    const answer = await request({ to, host: "a.example", path, headers });
    const { backend, headers: seen } = answer.status === 200 ? JSON.parse(answer.body) : { backend: 0, headers: {} };
    const [cookie] = (answer.headers["set-cookie"] as unknown as string[] | undefined) ?? [];
    return {
      status: answer.status,
      backend: backend as number,
      seen,
      cookie,
      token: answer.headers["x-session"] as string,
    };
  };
  const tokenIn = (cookie: string | undefined) => /^S=([^;]+)/.exec(cookie ?? "")![1]!;
  const spread = async (path: string, headers: RequestOptions["headers"]) => {
    const answers = await Promise.all(Array.from({ length: 24 }, () => ask(path, headers)));
    return [...new Set(answers.map(({ backend }) => backend))].sort();
  };

  const first = await ask("/cookie/a?header=Set-Cookie:own=1");
  const set = (await request({ to, host: "a.example", path: "/cookie/a?header=Set-Cookie:own=1" })).headers[
    "set-cookie"
  ];
  expect(set, "the backend's own cookie stays").toMatchObject(["own=1", expect.stringMatching(/^S=/)]);
  const made = (await ask("/cookie")).cookie;
  expect(made).toMatch(/^S=[0-9a-f]{32}\.ab; Path=\/x; HttpOnly; SameSite=Lax$/);
  expect(first.status).toBe(200);
  expect(await spread("/cookie", {}), "without a token any endpoint may answer").toHaveLength(4);
  const mine = await ask("/cookie");
  const bound = { cookie: `a=b; S=${tokenIn(mine.cookie)}` };
  expect(await spread("/cookie", bound)).toEqual([mine.backend]);
  expect((await ask("/cookie", bound)).cookie, "one token is enough").toBeUndefined();

  expect((await ask("/other", bound)).cookie, "another rule has sessions of its own").toMatch(/\.cd; /);
  for (const forged of [`${"f".repeat(32)}.ab`, "127.0.0.1:18850.ab", "", `${tokenIn(mine.cookie)}x`, "%00.ab"]) {
    const answer = await ask("/cookie", { cookie: `S=${forged}` });
    expect(answer, forged).toMatchObject({ status: 200, cookie: expect.stringMatching(/^S=[0-9a-f]{32}\.ab;/) });
  }

  const header = await ask("/header");
  expect(header.token).toMatch(/^[0-9a-f]{32}\.ef$/);
  expect(await spread("/header", { "x-session": header.token })).toEqual([header.backend]);

  const timed = await ask("/timed");
  expect(timed.cookie).toMatch(/^S=[0-9a-f]{32}\.12\.\d+; Max-Age=60; Path=/);
  const [key, , end] = tokenIn(timed.cookie).split(".");
  expect(Math.abs(Number(end) - Date.now() / 1000 - 60)).toBeLessThan(20);
  expect((await ask("/timed", { cookie: `S=${tokenIn(timed.cookie)}` })).cookie).toBeUndefined();
  for (const other of ["", ".", `.${Number(end) - 120}`, `.${Number(end) + 1_000}`, ".1e99"]) {
    const answer = await ask("/timed", { cookie: `S=${key}.12${other}` });
    expect(answer.cookie, `its end is ${other}`).toMatch(/^S=/);
  }

  const split = await ask("/split");
  expect(split.backend).toBe(1);
  await put([0, 1]);
  const kept = { cookie: `S=${tokenIn(split.cookie)}` };
  expect(await spread("/split", kept), "a session goes on where the weight is 0").toEqual([1]);
  const next = await ask("/split");
  expect([next.backend, next.seen["x-to"]]).toEqual([2, "two"]);
  expect((await ask("/split", { cookie: `S=${tokenIn(next.cookie)}` })).seen["x-to"], "with its filters").toBe("two");

  await put(
    [0, 1],
    all.filter((_, at) => at + 1 !== mine.backend),
  );
  const moved = await ask("/cookie", bound);
  expect(moved.backend, "an endpoint that has gone").not.toBe(mine.backend);
  expect(await spread("/cookie", { cookie: `S=${tokenIn(moved.cookie)}` })).toEqual([moved.backend]);

  const away = all.with(moved.backend - 1, "127.101.0.9:9");
  await put([0, 1], away);
  const lost = new Set<number>();
  for (let n = 0; n < 12; n++) {
    const answer = await ask("/cookie");
    expect(answer.status).toBe(200);
    lost.add((await ask("/cookie", { cookie: `S=${tokenIn(answer.cookie)}` })).backend);
  }
  expect(lost.has(moved.backend), "a token is for the endpoint that answered, not for the one that failed").toBe(false);
});
