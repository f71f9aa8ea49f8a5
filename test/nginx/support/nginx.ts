/**
 * A real nginx for a behaviour test, run by the product's own code in a temporary run folder. Its
 * error log is kept, and stopping it fails when anything in there was worse than a warning and not
 * expected.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import {
  type Capabilities,
  type Nginx,
  type NginxEvent,
  openNginx,
  openRunFolder,
  type ReloadOutcome,
  type RunFolder,
} from "../../../src/nginx/index.ts";
import { type ConfParts, rendered } from "./conf.ts";
import { installedNginx } from "./installed.ts";

export interface TestNginx {
  readonly folder: RunFolder;
  readonly capabilities: Capabilities;
  readonly nginx: Nginx;
  /** Everything that has happened to this nginx so far. */
  readonly events: readonly NginxEvent[];
  /** Makes it serve these lines, whether it runs already or not. Throws when nginx refuses them. */
  serve(parts: ConfParts): Promise<void>;
  /** Does the same as `serve`, and returns the outcome instead of throwing. */
  apply(parts: ConfParts): Promise<ReloadOutcome>;
  /** The lines of the error log at level error or worse. */
  errors(): readonly string[];
  /** Allows lines that match the pattern, because the test provokes them. */
  expectError(pattern: RegExp): void;
  /**
   * Ends it, removes its folder, and throws when its log holds an error that was not expected.
   * Belongs in `afterAll` or `onTestFinished`.
   */
  stop(limitMs?: number): Promise<void>;
}

const serious = /\[(error|crit|alert|emerg)\]|lua (tcp|udp|entry|user) |stack traceback/;

/** Makes a run folder in the system's temporary folder. */
export function temporaryFolder(): RunFolder {
  const opened = openRunFolder(mkdtempSync(join(tmpdir(), "sluice-nginx-")));
  if (!opened.ok) throw new Error(opened.why);
  return opened.folder;
}

/** Makes an nginx that does not serve yet. The caller also calls `stop`. */
export async function testNginx(
  options: { readonly maxDraining?: number; readonly limitMs?: number; readonly binary?: string } = {},
): Promise<TestNginx> {
  const folder = temporaryFolder();
  const capabilities = await installedNginx();
  const events: NginxEvent[] = [];
  const opened = await openNginx({
    binary: options.binary ?? capabilities.binary,
    folder,
    endWithController: true,
    maxDraining: options.maxDraining ?? 4,
    limitMs: options.limitMs ?? 20_000,
    pruneEveryMs: 10,
    report: (event) => events.push(event),
  });
  if (!opened.ok) throw new Error(opened.why);
  const { nginx } = opened;
  const expected: RegExp[] = [];
  const errors = (): readonly string[] =>
    events.flatMap((event) => (event.kind === "line" && serious.test(event.text) ? [event.text] : []));
  const apply = (parts: ConfParts): Promise<ReloadOutcome> =>
    nginx.apply(rendered(folder, capabilities, parts), new AbortController().signal);
  return {
    folder,
    capabilities,
    nginx,
    events,
    apply,
    async serve(parts) {
      const outcome = await apply(parts);
      if (outcome.kind === "refused") throw new Error(outcome.stderr);
      if (outcome.kind === "unreachable") throw outcome.cause;
    },
    errors,
    expectError: (pattern) => expected.push(pattern),
    async stop(limitMs = 2_000) {
      await nginx.stop(limitMs);
      rmSync(folder.root, { recursive: true });
      const unexpected = errors().filter((line) => !expected.some((pattern) => pattern.test(line)));
      expect(unexpected, "nginx's error log").toEqual([]);
    },
  };
}
