import { expect, test } from "vitest";
import { endpointWords, Failures, readFailed, requestWords } from "./failures.ts";

const now = 1_000_000;
const error = (message: string, { upstream = "http://192.0.2.1:80/a?token=secret", rest = "" } = {}) =>
  `2026/11/29 10:00:00 [error] 12#12: *5 ${message}, client: 127.0.0.1, server: _, request: "GET /a?token=secret HTTP/1.1", upstream: "${upstream}", host: "a.example"${rest}\n`;
const refused = "connect() failed (111: Connection refused) while connecting to upstream";

test.each([
  [refused, "refused"],
  ["upstream timed out (110: Connection timed out) while reading response header from upstream", "timeout"],
  ["recv() failed (104: Connection reset by peer) while reading response header from upstream", "reset"],
  ["upstream prematurely closed connection while reading response header from upstream", "closed"],
  [
    "SSL_do_handshake() failed (SSL: error:0A00010B:SSL routines::wrong version number) while SSL handshaking to upstream",
    "tls",
  ],
  ["upstream sent too big header while reading response header from upstream", "header"],
  ["connect() failed (113: No route to host) while connecting to upstream", "unreachable"],
  ["no live upstreams while connecting to upstream", "other"],
])("%s is kept in nginx's words and counted as %s", (message, reason) => {
  const failures = new Failures(() => now);
  failures.errors(error(message) + error(message));
  expect(failures.of("192.0.2.1:80")).toEqual({ words: message, at: now, count: 2 });
  expect([...failures.counts].filter(([, count]) => count > 0)).toEqual([[reason, 2]]);
});

test.each([
  ["http://[2001:db8::1]:8080/", "[2001:db8::1]:8080"],
  ["grpc://192.0.2.9:50051", "192.0.2.9:50051"],
  ["fastcgi://192.0.2.9:9000", "192.0.2.9:9000"],
  ["http://unix:/run/app.sock:/a", "unix:/run/app.sock"],
])("the endpoint of %s is %s", (upstream, address) => {
  const failures = new Failures(() => now);
  failures.errors(error(refused, { upstream }));
  expect(failures.of(address)?.count).toBe(1);
});

test("text of a backend or of a client is not shown, and cannot accuse another endpoint", () => {
  const failures = new Failures(() => now);
  failures.errors(
    error('upstream sent invalid header: "Set-Cookie: secret\\x0a..." while reading response header from upstream'),
  );
  expect(failures.of("192.0.2.1:80")?.words).toBe(
    "upstream sent invalid header: while reading response header from upstream",
  );
  failures.errors(error('upstream sent invalid header: "x, client: 1, upstream: "http://192.0.2.7:80/"'));
  failures.errors(error(refused, { rest: ', referrer: "http://x/, upstream: "http://192.0.2.8:80/"' }));
  expect([failures.of("192.0.2.7:80"), failures.of("192.0.2.8:80")]).toEqual([undefined, undefined]);
  failures.errors("2026/11/29 10:00:00 [error] 12#12: *5 open() failed, client: 127.0.0.1, server: _\nwords\n\n");
  expect(failures.of("192.0.2.1:80")?.count).toBe(1);
});

test("the last five failed requests of a route are kept, and the memory is bounded", () => {
  const failures = new Failures(() => now);
  const route = { host: "a.example", owner: "shop/web", path: "/" };
  for (let at = 0; at < 9; at++) failures.request(route, readFailed(`50${at}`, ["0.01", "0.01", "-"], "GET"));
  expect(failures.requests(route).map(({ status }) => status)).toEqual(["508", "507", "506", "505", "504"]);
  for (let at = 0; at < 3_000; at++) {
    failures.request({ ...route, path: `/${at}` }, readFailed("500", ["1", "1", "1"], "GET"));
    failures.errors(error(refused, { upstream: `http://192.0.2.1:${at + 1000}/` }));
  }
  expect(failures.requests(route)).toEqual([]);
  expect([failures.of("192.0.2.1:1000"), failures.of("192.0.2.1:3999")?.count]).toEqual([undefined, 1]);
});

test("a route fails for a minute after its last failure", () => {
  let at = now;
  const failures = new Failures(() => at);
  const route = { host: "a.example", owner: "shop/web", path: "/" };
  failures.errors(error(refused));
  expect(failures.isFailing(route, ["192.0.2.1:80"])).toBe(true);
  expect(failures.isFailing(route, ["192.0.2.2:80"])).toBe(false);
  at += 60_000;
  expect(failures.isFailing(route, ["192.0.2.1:80"])).toBe(false);
  failures.request(route, readFailed("500", ["1", "1", "1"], "GET"));
  expect(failures.isFailing(route, [])).toBe(true);
});

test("failures are described in words, without times of the backend for error pages", () => {
  const words = (status: string, times: string[]) =>
    requestWords({ ...readFailed(status, times, "GET"), at: now }, now + 3_000);
  expect(words("502", ["0.004", "0.001, 0.002", "-, -"])).toBe(
    "GET 502 after 0.004 s from nginx, which got no answer (2 tries took 0.001, 0.002 s), 3 s ago",
  );
  expect(words("500", ["0.012", "0.012", "0.011"])).toBe(
    "GET 500 after 0.012 s from the backend (the try took 0.012 s), 3 s ago",
  );
  expect(words("503", ["0.000", "-", "-"])).toBe("GET 503 after 0 s from nginx, without asking a backend, 3 s ago");
  expect(words("502", ["0.1", "0.05 : 0.001", "- : 0.001"])).toContain(
    "from nginx, which got no answer (the try took 0.05 s)",
  );
  expect(endpointWords({ words: refused, at: now, count: 12 }, now + 300_000)).toBe(
    `${refused}, 12 times, last 5 min ago`,
  );
});
