/** Limits and guards of an http-snippet concern clients, and never the controller. */
import { expect, onTestFinished, test } from "vitest";
import { startConfigured } from "./support/configured.ts";

test("a limit of requests and a list of addresses in the http-snippet leave the controller free", async () => {
  const it = await startConfigured({ port: 23_140 });
  onTestFinished(it.stop);
  // A worker may count the connection of the request before for another moment.
  const snippet = `limit_req_zone $host zone=host:1m rate=1r/m;
limit_req zone=host burst=3 nodelay;
limit_conn_zone $host zone=connections:1m;
limit_conn connections 3;
allow 0.0.0.0/0;
allow ::/0;
deny all;`;
  for (const seconds of ["31", "32", "33", "34", "35"]) {
    await it.set({ "http-snippet": snippet, "proxy-read-timeout": seconds });
    expect(it.values("proxy_read_timeout")).toContain(`${seconds}s`);
  }
  const statuses = [];
  for (let count = 0; count < 6; count++) statuses.push((await it.ask()).status);
  expect(statuses).toEqual([200, 200, 200, 200, 503, 503]);
});
