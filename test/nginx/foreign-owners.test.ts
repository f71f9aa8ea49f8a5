/**
 * Starts the program on a run folder that an earlier process has left, with parts that belong to
 * another account, or with a journal of a newer release. A part that can be made again costs
 * nothing or one line; without another one the program ends with one sentence that names it.
 */
import { chmodSync, chownSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { expect, onTestFinished, test } from "vitest";
import { program, startServe, toWeb, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_911;
/** Not `nobody`, which nginx gives its workers. */
const other = 54_321;
const as = (account: number, command: readonly string[]) =>
  account === 0 ? command : ["setpriv", `--reuid=${account}`, `--regid=${account}`, "--clear-groups", ...command];
const files = { "web.yaml": toWeb({ host: "web.example" }), "backends.yaml": webAt(backendPort) };

/** Starts it, and returns its status or its exit code, with its own lines that are no news. */
async function start(earlier: string, account: number) {
  const served = startServe({ files, earlier, through: (command) => as(account, command) });
  for (const path of [served.folder, dirname(served.folder)]) chmodSync(path, 0o755);
  let code: number | string | undefined;
  void served.ended.then((ended) => {
    code = ended;
  });
  const isHealthy = async () => (await served.health().catch(() => undefined))?.status === 200;
  await until("it to be healthy or to end", async () => code !== undefined || (await isHealthy()));
  const ended = code ?? (await served.ask("web.example")).status;
  await served.remove();
  const lines = served.printed().trim().split("\n");
  return { ended, lines: lines.filter((line) => !/^nginx: |"level":"info"/.test(line)) };
}

const noRight = "this account has no right to it";
test("files of another account, and a newer journal, are made again or named in one sentence", async (context) => {
  // A user namespace may lack the account, and a checkout may be closed to it.
  const [command = "", ...rest] = as(other, ["test", "-r", program]);
  if ((await execa(command, rest, { reject: false })).exitCode !== 0) context.skip();
  const plain = createServer((_, response) => response.end()).listen(backendPort, "127.0.0.1");
  onTestFinished(() => void plain.close());
  const earlier = mkdtempSync(join(tmpdir(), "sluice-foreign-"));
  onTestFinished(() => rmSync(earlier, { recursive: true }));
  const own = (account: number, ...parts: readonly string[]) => {
    for (const part of parts) chownSync(join(earlier, part), account, account);
  };
  const all = () => ["", ...globSync("**/*", { cwd: earlier })];

  expect(await start(earlier, 0)).toEqual({ ended: 200, lines: [] });
  const refused = (why: string) => ({ ended: 1, lines: [`sluice serve: The run folder ${why}.`] });
  expect(await start(earlier, other)).toEqual(refused(`${earlier} cannot be used: ${noRight}`));
  own(other, "");
  expect(await start(earlier, other)).toEqual(refused(`${earlier} cannot be used: keys/controller: ${noRight}`));
  own(other, ...all());
  expect(await start(earlier, other)).toEqual({ ended: 200, lines: [] });
  expect(await start(earlier, 0)).toEqual({ ended: 200, lines: [] });
  own(other, ...all());
  own(0, "controller.lock");
  expect(await start(earlier, other)).toEqual(refused(`cannot be used: ${earlier}/controller.lock: ${noRight}`));
  own(other, ...all());
  own(0, "data/records.journal", "keys/names", "keys/nginx", "operator.token");
  const dropped = (why: string) => ({ ended: 200, lines: [expect.stringMatching(`"why":"${why}`)] });
  expect(await start(earlier, other)).toEqual(dropped(`it cannot be read: ${noRight}`));
  own(other, ...all());
  writeFileSync(join(earlier, "data/records.journal"), "sluice-journal 999 \n");
  expect(await start(earlier, other)).toEqual(dropped("it has version 999, and this release reads version "));
}, 300_000);
