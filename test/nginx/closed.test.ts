/**
 * A closed path answers 503 to every request, and gives its reason to a log format that names it
 * and to the error log.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ingress, startConfigured } from "./support/configured.ts";
import { until } from "./support/until.ts";

test.each([
  ["dynamic", 23_280],
  ["static", 23_380],
] as const)("in %s mode the log has the reason of a closed path", async (mode, port) => {
  const it = await startConfigured({ port, mode });
  onTestFinished(() => it.stop());
  const [access, errors] = [join(it.folder, "access.log"), join(it.folder, "errors.log")];
  const content = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const settings = {
    "access-log-path": access,
    "log-format-escape-none": "true",
    "log-format-upstream": "$status $host $closed_reason;",
    "error-log-path": errors,
    "error-log-level": "info",
  };
  const annotations = { "whitelist-source-range": "nowhere" };
  await it.set(settings, [ingress("closed", "closed.example", "web", { annotations })]);
  expect((await it.ask({ host: "closed.example" })).status).toBe(503);
  await it.ask({});
  const reason = 'annotation whitelist-source-range: "nowhere" is neither an IP address';
  await until("both requests in the access log", () => content(access).split("\n").length > 2);
  expect(content(access)).toContain(`503 closed.example Ingress keys/closed: ${reason}`);
  expect(content(access)).toMatch(/^200 \S+ ;$/m);
  // nginx itself logs nothing for a `return`.
  if (mode === "dynamic") expect(content(errors)).toContain(`503 for closed.example: Ingress keys/closed: ${reason}`);
});
