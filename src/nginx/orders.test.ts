import { expect, test } from "vitest";
import { type Outcome, readOutcome, readRendered, writeOutcome, writeRendered } from "./orders.ts";

test("a configuration arrives unchanged, with texts and bytes", () => {
  const files = [
    { path: "auth/users", content: "anna:ä$apr1\n" },
    { path: "tls/key.pem", content: Buffer.from([0, 255, 10, 200]) },
  ];
  const rendered = { conf: 'server_name "ü";\n', generation: "abc", alone: true, files };
  expect(readRendered(writeRendered(rendered))).toEqual(rendered);
});

test.each<Outcome>([
  { kind: "reloaded", tookMs: 12.5, warnings: ["[warn] conflicting server name"] },
  { kind: "unchanged" },
  { kind: "accepted", warnings: [] },
  { kind: "refused", stderr: "nginx: [emerg] unknown directive", at: { file: "nginx.conf", line: 7 } },
  { kind: "unreachable", cause: new Error("No space left on device.") },
  { kind: "unreachable", cause: new Error("nginx cannot listen on 192.0.2.1:80."), names: "192.0.2.1:80" },
])("an outcome arrives unchanged: $kind", (outcome) => {
  expect(readOutcome(writeOutcome(outcome))).toEqual(outcome);
});
