import { expect, test } from "vitest";
import type { StatusAnswer } from "../../ask/page/api/status.ts";
import { statusText } from "./print.ts";

const at = (secondsAgo: number) => new Date(now.getTime() - secondsAgo * 1000).toISOString();
const now = new Date("2026-01-02T00:00:00Z");
const answer: StatusAnswer = {
  version: 1,
  controller: { release: "1.0.0", startedAt: at(90_000), mode: "dynamic", nginx: "1.26.3" },
  live: { generation: "0123456789abcdef", since: at(3_900), changedAt: at(4) },
  attention: [],
  counts: {
    ...{ hosts: 1, routes: 2, endpoints: 3, certificates: 0, gateways: 0, streams: 0 },
    ...{ problems: { error: 1, warning: 0 }, quarantined: 0 },
  },
  reloads: { succeeded: 2, failed: 1, why: [{ reason: "new shapes", count: 2 }] },
  changes: [
    {
      ...{ at: at(4), objects: ["Ingress shop/web changed"], more: 3, published: { host: 1 } },
      ...{ outcome: "live", tookMs: 12.4 },
    },
    {
      ...{ at: at(3_900), objects: ["ConfigMap own/\u001b[2Jset changed"], more: 0, published: {} },
      ...{ outcome: "refused", tookMs: 80, reload: { why: ["settings"] }, problem: "unknown directive" },
    },
  ],
  nginx: { isRunning: true, workers: 4, drainingGenerations: 1, drainingWorkers: 2, restarts: 0, connections: 17 },
  memory: { capacityBytes: 64 * 2 ** 20, freeBytes: 48 * 2 ** 20 },
  leader: { isOwn: false, name: "sluice-2" },
};

test("each fact has a line, and text of users cannot move the cursor", () => {
  expect(statusText(answer, { now, colours: false, changes: 10 })).toBe(`controller  1.0.0, dynamic mode, up for 1d 1h
nginx       1.26.3, 4 workers, 17 connections
live        nginx.conf 0123456789ab since 1h 5m; last change 4s ago
serves      1 host, 2 routes, 3 endpoints, no certificates
problems    1 error, no warnings
reloads     2, and 1 failed; most often for new shapes (2)
draining    2 workers of 1 older generation finish requests
memory      25 % of 64 MiB used
leader      sluice-2

CHANGED    OUTCOME          WHAT
4s ago     live in 12 ms    Ingress shop/web changed and 3 more
1h 5m ago  refused, reload  ConfigMap own/\\u001b[2Jset changed; reload for settings
  unknown directive
`);
});

test("the number of printed changes is limited by the argument", () => {
  const text = statusText(answer, { now, colours: false, changes: 1 });
  expect(text).toContain("and 1 more: sluice status --all\n");
  expect(text).not.toContain("unknown directive");
});
