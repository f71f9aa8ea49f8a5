/**
 * The controller without its nginx processes: the real sync with its quarantine, and `nginx -t` in
 * the place of a reload. So thousands of objects can be tried in a minute, and what nginx refuses
 * is set aside by the product's own code.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { TokenBucket } from "../../../src/base/timing/token-bucket.ts";
import { machineFlags, translateOptions } from "../../../src/controller/flags/options.ts";
import { machineOf } from "../../../src/controller/machine.ts";
import { fakeCertificate } from "../../../src/core/certificates/fake.ts";
import { type KubernetesObject, keyOf } from "../../../src/core/model/objects.ts";
import type { Problem } from "../../../src/core/model/problem.ts";
import { compileTemplate } from "../../../src/core/render/compile-template.ts";
import { openRenderer } from "../../../src/core/render/open-renderer.ts";
import type { RenderedFile } from "../../../src/core/render/rendered-files.ts";
import type { RenderedText } from "../../../src/core/render/rendering.ts";
import type { ApplyOutcome } from "../../../src/core/sync/ports.ts";
import { Sync } from "../../../src/core/sync/sync.ts";
import { emptyLastGood } from "../../../src/core/table/last-good.ts";
import { emptyQuarantine } from "../../../src/core/table/quarantine.ts";
import { Translator } from "../../../src/core/table/translator.ts";
import { nginxHere, openRunFolder } from "../../../src/nginx/index.ts";
import { builtInTemplates, readTemplateFiles } from "../../../src/nginx/template/files.ts";
import { flagsOf, MemorySource, type Mode, present } from "../../parity/subject.ts";

export interface Workshop {
  /**
   * Replaces the objects of the last call by these, and waits until nginx has accepted those that
   * are not set aside.
   */
  bring(objects: readonly KubernetesObject[]): Promise<Tried>;
  /** Renders the present objects without any cache. */
  rendered(): {
    readonly conf: string;
    readonly records: ReadonlyMap<string, string>;
    readonly files: readonly RenderedFile[];
  };
  stop(): Promise<void>;
}

export interface Tried {
  readonly problems: readonly Problem[];
  /** The number of tests by nginx. */
  readonly tests: number;
  /** The longest turn of translation and rendering. */
  readonly slowestTurnMs: number;
}

export async function openWorkshop(
  mode: Mode,
  flags: readonly string[],
  standing: readonly KubernetesObject[],
): Promise<Workshop> {
  const root = mkdtempSync(join(tmpdir(), "workshop-"));
  const opened = openRunFolder(root);
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!opened.ok || !compiled.ok) throw new Error("no workshop");
  const { folder } = opened;
  const { template } = compiled;
  const found = await nginxHere("nginx", process.env.PATH ?? "");
  if (!found.ok) throw new Error(found.why);
  const { capabilities, place } = found.nginx;
  const parsed = flagsOf(mode, flags);
  const machine = machineOf(
    capabilities,
    place,
    folder,
    machineFlags(parsed, { accessLog: "/dev/null", errorLog: "stderr" }),
  );
  const source = new MemorySource();
  source.change(standing.map(present));
  let problems: readonly Problem[] = [];
  let [tests, slowestTurnMs] = [0, 0];
  const write = (file: RenderedFile): void => {
    const path = join(folder.root, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.content, { mode: 0o600 });
  };
  const test = async (text: RenderedText): Promise<ApplyOutcome> => {
    tests += 1;
    for (const file of text.files) write(file);
    writeFileSync(folder.conf, text.conf);
    const run = await execa(capabilities.binary, ["-t", "-p", folder.root, "-c", folder.conf, "-e", "stderr"], {
      ...{ reject: false, stdin: "ignore", stdout: "ignore", timeout: 60_000, cwd: folder.root },
    });
    if (run.exitCode === 0) return { kind: "reloaded", tookMs: 0, warnings: [] };
    const stderr = run.stderr
      .split("\n")
      .filter((line) => line.includes("[emerg]"))
      .join("\n");
    if (stderr === "") throw new Error(`nginx -t ended with ${run.exitCode ?? run.signal}: ${run.stderr}`);
    const at = / in (\S+):(\d+)$/.exec(stderr);
    return { kind: "refused", stderr, ...(at === null ? {} : { at: { file: at[1]!, line: Number(at[2]) } }) };
  };
  const renderer = openRenderer(machine, template);
  const sync = new Sync({
    ...{
      source,
      renderer,
      configMaps: { settings: "ingress-nginx/ingress-nginx-controller", tcp: undefined, udp: undefined },
    },
    translator: new Translator(translateOptions(parsed, "run", undefined), await fakeCertificate(new Date())),
    memory: {
      ...{ records: new Map(), keep: async () => {}, isOurs: async () => true },
      publish: async () => ({ kind: "published" }),
    },
    nginx: { apply: test, keepOpened: async (files) => files.forEach(write), hasOlderWorkers: () => false },
    bucket: new TokenBucket({ perSecond: 1_000_000, burst: 1_000_000 }, systemClock),
    clock: systemClock,
    listener: {
      problems: (all) => {
        problems = [...all.values()].flat();
      },
      synced: ({ translateMs, renderMs }) => {
        slowestTurnMs = Math.max(slowestTurnMs, translateMs + renderMs);
      },
    },
    state: { load: () => ({ lastGood: emptyLastGood, quarantine: emptyQuarantine }), save: async () => {} },
    problemsOf: () => [],
  });
  const ending = new AbortController();
  const running = sync.run(ending.signal);
  running.catch(() => {});
  await sync.settled();
  const idOf = (object: KubernetesObject): string => `${object.kind} ${keyOf(object)}`;
  const stands = new Map(standing.map((object) => [idOf(object), object]));
  let brought: readonly KubernetesObject[] = [];
  return {
    bring: async (objects) => {
      [tests, slowestTurnMs] = [0, 0];
      const gone = brought.map((object) => ({ ...present(object), object: stands.get(idOf(object)) }));
      source.change([...gone, ...objects.map(present)]);
      brought = objects;
      await sync.settled();
      return { problems, tests, slowestTurnMs };
    },
    rendered: () => {
      const fresh = openRenderer(machine, template);
      const { text, opened: files } = fresh.render(sync.configuration!);
      return { conf: text.conf, records: fresh.records, files: [...text.files, ...files] };
    },
    stop: async () => {
      ending.abort();
      await running;
      rmSync(root, { recursive: true });
    },
  };
}
