/**
 * The system under test with the smallest interface that the cases need: a whole controller whose
 * source is this process. `settled` resolves when everything applied so far is live in every
 * worker, so no case waits for a fixed time or sends probes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../src/base/timing/clock.ts";
import { type Controller, startController } from "../../src/controller/controller.ts";
import { machineFlags, translateOptions } from "../../src/controller/flags/options.ts";
import { parseFlags } from "../../src/controller/flags/parse.ts";
import type { Flags } from "../../src/controller/flags.ts";
import { machineOf } from "../../src/controller/machine.ts";
import { fakeCertificate } from "../../src/core/certificates/fake.ts";
import { type KubernetesObject, keyOf } from "../../src/core/model/objects.ts";
import type { Problem } from "../../src/core/model/problem.ts";
import {
  emptySnapshot,
  type ObjectChange,
  tableOf,
  type WatchedKind,
  withObjects,
} from "../../src/core/model/snapshot.ts";
import { compileTemplate } from "../../src/core/render/compile-template.ts";
import type { Source } from "../../src/core/sync/ports.ts";
import { inMode, lackingOf } from "../../src/core/tokens/capabilities.ts";
import { type FoundNginx, type JournalState, nginxHere, openRunFolder } from "../../src/nginx/index.ts";
import { builtInTemplates, readTemplateFiles } from "../../src/nginx/template/files.ts";

export interface Subject {
  /**
   * Creates or replaces objects. Returns one line, `Kind name: why`, for each object that an API
   * server would refuse.
   */
  readonly apply: (objects: readonly KubernetesObject[]) => Promise<readonly string[]>;
  readonly remove: (objects: readonly KubernetesObject[]) => Promise<void>;
  /** Resolves when all changes are live; rejects when that has become impossible. */
  readonly settled: () => Promise<void>;
  /** Returns the process id of nginx's master, if it is a child of this process. */
  readonly nginxPid?: () => number | undefined;
  readonly stop: () => Promise<void>;
}

export interface LocalSubject extends Subject {
  /** Its run folder. */
  readonly root: string;
}

export interface SubjectOptions {
  readonly mode: Mode;
  /** Flags as an operator writes them, `--http-port=8088`; ingress-nginx's defaults are added. */
  readonly flags: readonly string[];
  /** Objects that are in the cluster before the controller starts; flags may name them. */
  readonly objects: readonly KubernetesObject[];
  /** Receives all Problems after each turn. */
  readonly onProblems?: (all: readonly Problem[]) => void;
}
export type Mode = "dynamic" | "static";
export type StartSubject = (options: SubjectOptions) => Promise<Subject>;

export async function startSubject({
  mode,
  flags,
  objects,
  onProblems = () => {},
}: SubjectOptions): Promise<LocalSubject> {
  const source = new MemorySource();
  source.change(objects.map(present));
  const root = mkdtempSync(join(tmpdir(), "subject-"));
  const controller = await startOn(source, root, flagsOf(mode, flags), onProblems);
  return {
    apply: async (some) => {
      source.change(some.map(present));
      return [];
    },
    remove: async (some) => source.change(some.map((object) => ({ ...present(object), object: undefined }))),
    settled: () => controller.settled(),
    nginxPid: () => controller.nginx.pid,
    root,
    stop: async () => {
      await controller.stop(1000);
      rmSync(root, { recursive: true });
    },
  };
}

/** Replaces facts about the machine. */
export interface InPlaceOf {
  readonly nginx?: FoundNginx | undefined;
  readonly nameservers?: readonly string[] | undefined;
  readonly strangeRecords?: (keys: readonly string[]) => void;
  /** Whether Gateways use the ports of Ingresses. */
  readonly sharesPorts?: boolean;
  readonly journal?: (found: JournalState) => void;
  /** See `ControllerOptions`. */
  readonly clock?: Clock;
  /** False leaves nginx running, and takes over the one that runs. */
  readonly endWithController?: boolean;
}

export async function startOn(
  source: Source,
  root: string,
  flags: Flags,
  onProblems: (all: readonly Problem[]) => void,
  {
    nginx,
    nameservers,
    strangeRecords = () => {},
    sharesPorts = false,
    journal = () => {},
    clock,
    endWithController = true,
  }: InPlaceOf = {},
): Promise<Controller> {
  const found = nginx ?? (await nginxHere("nginx", process.env.PATH ?? ""));
  const opened = openRunFolder(root);
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!found.ok) throw new Error(found.why);
  if (!opened.ok) throw new Error(opened.why);
  if (!compiled.ok) throw new Error(compiled.why);
  const options = translateOptions(flags, "run", undefined);
  const started = await startController({
    source,
    translate: {
      ...options,
      gateway: { ...options.gateway, sharesPorts },
      lacks: lackingOf(inMode(flags.mode, found.nginx.capabilities)),
    },
    machine: machineOf(
      found.nginx.capabilities,
      nameservers === undefined ? found.nginx.place : { ...found.nginx.place, nameservers },
      opened.folder,
      machineFlags(flags, { accessLog: "/dev/null", errorLog: "stderr" }),
    ),
    installed: found.nginx,
    folder: opened.folder,
    fake: fakeCertificate(new Date()),
    template: compiled.template,
    pace: { syncRateLimit: 1000, reloadBurst: 1000, maxDraining: 100, auditMs: 1_000 },
    endWithController,
    ...(clock === undefined ? {} : { clock }),
    listener: {
      problems: (all) => onProblems([...all.values()].flat()),
      synced: ({ reload }) => {
        if (reload?.kind === "refused") process.stderr.write(`nginx refused: ${reload.stderr}\n`);
        if (reload?.kind === "failed") process.stderr.write(`a turn failed: ${reload.cause.stack}\n`);
        if (reload?.kind === "unreachable") process.stderr.write(`nginx did not take it: ${reload.cause.message}\n`);
      },
    },
    events: {
      nginx: printed,
      staple: printed,
      journal,
      nameCheck: printed,
      streams: printed,
      templateGaveUp: () => {},
      strangeRecords,
    },
  });
  if (!started.ok) throw new Error(started.why);
  return started.controller;
}

function printed(event: object): void {
  if (process.env.PARITY_PRINT) process.stderr.write(`${JSON.stringify(event)}\n`);
}

export function flagsOf(mode: Mode, given: readonly string[]): Flags {
  const configMap = "--configmap=ingress-nginx/ingress-nginx-controller";
  const parsed = parseFlags([`--mode=${mode}`, configMap, ...given], "run");
  if (parsed.kind !== "flags") throw new Error(JSON.stringify(parsed));
  return parsed.flags;
}

/** A source whose Snapshot the test edits directly. */
export class MemorySource implements Source {
  #snapshot = emptySnapshot;
  readonly #listeners = new Set<() => void>();

  snapshot() {
    return this.#snapshot;
  }

  onChange(listener: () => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(changes: readonly ObjectChange[]): void {
    this.#snapshot = withObjects(
      this.#snapshot,
      changes.filter(({ kind }) => kind in tableOf),
    );
    for (const listener of this.#listeners) listener();
  }
}

export function present(object: KubernetesObject): ObjectChange {
  return { kind: object.kind as WatchedKind, key: keyOf(object), object };
}
