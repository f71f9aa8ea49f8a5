/**
 * nginx as a model: a text on the disk, a shared memory with records and its journal, and
 * generations of workers, of which the old ones stop to accept connections some time after the new
 * ones have begun. It outlives the controller if the Pod has it in a container of its own.
 */
import { createHmac } from "node:crypto";
import { crc32 } from "node:zlib";
import type { RenderedText } from "../../../src/core/render/rendering.ts";
import { readJournal } from "../../../src/nginx/folder/journal-text.ts";
import type { InstalledNginx, Nginx, NginxOptions, OpenedNginx, ReloadOutcome } from "../../../src/nginx/index.ts";
import type { Chance } from "../../support/chance.ts";
import type { Time } from "../time.ts";
import type { Opened, SimulatedDisk } from "./disk.ts";

/** Text that nginx refuses, as a user writes it in a snippet. */
export const brokenDirective = "sluice_simulated_mistake";

export interface Memory {
  readonly records: Map<string, string>;
  /** The number of writes so far. */
  writing: number;
  readonly size: string;
}

/** Workers with one text. */
export interface Generation {
  readonly text: RenderedText;
  readonly memory: Memory;
  accepts: boolean;
  isGone: boolean;
}

export interface NginxParts {
  readonly time: Time;
  readonly chance: Chance;
  readonly disk: SimulatedDisk;
  readonly journal: string;
  readonly conf: string;
  readonly effect: (what: string) => void;
  /** Called when it has filled a new memory from the journal. */
  readonly started: () => void;
  /** Called whenever requests may get other answers. */
  readonly changed: (what: string) => void;
}

/** The limit of the real supervisor for a reload. */
const limitMs = 60_000;

export class SimulatedNginx {
  readonly #parts: NginxParts;
  #generations: Generation[] = [];
  #onDisk: RenderedText | undefined;
  #pid = 0;
  #starts = 0;
  restarts = 0;
  /** Whether it was started with a first text, and not with one of an earlier program. */
  isFresh = true;
  /** The last values that each record has had, with the moments at which they were published. */
  readonly published = new Map<string, { readonly value: string | undefined; readonly at: number }[]>();
  /** What the next reload does. */
  nextReload: "works" | "hangs" | "dies" = "works";
  /** Whether no worker answers. */
  isHung = false;
  /** The number of the next writes that find no memory. */
  fullWrites = 0;

  constructor(parts: NginxParts) {
    this.#parts = parts;
  }

  get runs(): boolean {
    return this.#pid > 0;
  }

  get generations(): readonly Generation[] {
    return this.#generations;
  }

  /** The workers that may get a new connection. */
  get accepting(): readonly Generation[] {
    return this.runs && !this.isHung ? this.#generations.filter(({ accepts }) => accepts) : [];
  }

  /** Ends all its processes. */
  kill(): void {
    if (!this.runs) return;
    this.#pid = 0;
    for (const one of this.#generations) one.isGone = true;
    this.#generations = [];
    this.#parts.changed("nginx is killed");
  }

  /** Drops the text, as on a new disk. */
  loseText(): void {
    this.#onDisk = undefined;
  }

  /** Returns it for one program. `outlives` says whether it stays when the program ends. */
  for(program: Opened, outlives: boolean): Pick<InstalledNginx, "open" | "pass" | "socket"> {
    return {
      pass: { authorization: "" } as NonNullable<InstalledNginx["pass"]>,
      socket: { send: (request) => this.#send(program, request), close: () => {} },
      open: (options) => this.#open(program, options as NginxOptions, outlives),
    };
  }

  async #open(program: Opened, { report }: NginxOptions, outlives: boolean): Promise<OpenedNginx> {
    const wasRunning = this.runs;
    if (wasRunning || this.#onDisk !== undefined) this.isFresh = false;
    if (!wasRunning && this.#onDisk !== undefined) {
      await this.#pause(program, 30 + this.#parts.chance.below(60));
      this.#start(this.#onDisk);
    }
    const kind = wasRunning ? "running" : this.runs ? "last-good" : "nothing";
    const stopped = new AbortController();
    this.#revive(program, stopped.signal, report);
    const draining = () => this.#generations.filter((one) => !one.accepts && !one.isGone).length;
    const nginx: Nginx = {
      apply: (text, signal) => this.#apply(program, text as unknown as RenderedText, signal),
      test: async () => ({ kind: "accepted", warnings: [] }),
      generations: () => ({ draining: draining(), drainingWorkers: draining(), workers: 1 }),
      processes: () => ({}) as never,
      closeConnections: async () => {},
      stop: async () => {
        stopped.abort();
        if (!outlives) this.kill();
      },
      get pid() {
        return self.runs ? self.#pid : undefined;
      },
      get restarts() {
        return self.restarts;
      },
    };
    const self = this;
    return { ok: true, nginx, found: { kind } };
  }

  /** Starts it again whenever it has died, as long as the program lives. */
  #revive(program: Opened, signal: AbortSignal, report: NginxOptions["report"]): void {
    const look = () => {
      if (program.isDead() || signal.aborted) return;
      if (!this.runs && this.#starts > 0 && this.#onDisk !== undefined) {
        this.#start(this.#onDisk);
        this.restarts += 1;
        report({ kind: "started", pid: this.#pid, orphans: 0 });
      }
      this.#parts.time.after(100, look);
    };
    this.#parts.time.after(100, look);
  }

  #start(text: RenderedText): void {
    this.#pid = ++this.#starts;
    this.isHung = false;
    this.#generations = [{ text, memory: this.#newMemory(text), accepts: true, isGone: false }];
    this.#parts.started();
    this.#parts.changed("nginx is started");
  }

  /** Fills a memory from the journal, as journal.lua does. */
  #newMemory(text: RenderedText): Memory {
    const bytes = this.#parts.disk.read(this.#parts.journal);
    const records = bytes === undefined ? new Map<string, string>() : readJournal(bytes).records;
    return { records, writing: 1, size: sizeOf(text) };
  }

  async #apply(program: Opened, text: RenderedText, signal: AbortSignal): Promise<ReloadOutcome> {
    const { disk, chance, effect, conf } = this.#parts;
    const begun = this.#parts.time.now;
    await this.#pause(program, 1);
    effect("nginx.conf");
    if (disk.isFaulty) {
      const cause = Object.assign(new Error("the run folder cannot be written: ENOSPC"), { syscall: "write" });
      return { kind: "unreachable", cause };
    }
    const newest = this.#generations.at(-1)?.text;
    if (this.runs && newest?.generation === text.generation) return { kind: "unchanged" };
    await this.#pause(program, 20 + chance.below(60));
    const line = text.conf.split("\n").findIndex((one) => one.includes(brokenDirective));
    if (line >= 0) {
      const stderr = `nginx: [emerg] unknown directive "${brokenDirective}" in ${conf}:${line + 1}`;
      return { kind: "refused", stderr, at: { file: conf, line: line + 1 } };
    }
    const before = this.#onDisk;
    this.#onDisk = text;
    effect("reload");
    const started = !this.runs && this.#starts === 0;
    if (started) {
      await this.#pause(program, 30 + chance.below(60));
      this.#start(text);
    } else if (!(await this.#reload(program, text, signal))) {
      this.#onDisk = before;
      return { kind: "unreachable", cause: new Error(`nginx did not take the configuration within ${limitMs} ms`) };
    }
    return {
      kind: "reloaded",
      tookMs: this.#parts.time.now - begun,
      warnings: [],
      ...(started ? { started } : {}),
    };
  }

  /** Signals the master, and waits for the proof that the reload has worked. */
  async #reload(program: Opened, text: RenderedText, signal: AbortSignal): Promise<boolean> {
    const { time } = this.#parts;
    const how = this.nextReload;
    this.nextReload = "works";
    if (how === "dies") this.kill();
    else if (how === "works") this.#hup(text);
    const deadline = time.now + limitMs;
    while (time.now < deadline && !signal.aborted) {
      await this.#pause(program, 10);
      const accepting = this.#generations.filter(({ accepts }) => accepts);
      if (this.runs && accepting.length === 1 && accepting[0]!.text.generation === text.generation) return true;
    }
    return false;
  }

  /** The new workers accept connections at once, and the old ones stop a moment later. */
  #hup(text: RenderedText): void {
    const { time, chance, changed } = this.#parts;
    const pid = this.#pid;
    time.after(20 + chance.below(80), () => {
      if (this.#pid !== pid) return;
      const old = this.#generations.filter(({ accepts }) => accepts);
      const [same] = old.filter(({ memory }) => memory.size === sizeOf(text)).map(({ memory }) => memory);
      this.#generations.push({ text, memory: same ?? this.#newMemory(text), accepts: true, isGone: false });
      changed("new workers");
      time.after(5 + chance.below(95), () => {
        for (const one of old) one.accepts = false;
        if (this.#pid === pid) changed("old workers stop");
        time.after(chance.below(20_000), () => {
          for (const one of old) one.isGone = true;
          this.#generations = this.#generations.filter(({ isGone }) => !isGone);
        });
      });
    });
  }

  /** Answers the controller's requests on the socket. */
  async #send(program: Opened, { path, body }: { readonly path: string; readonly body?: string | undefined }) {
    const { chance } = this.#parts;
    await this.#pause(program, 1 + chance.below(3));
    if (this.isHung) await this.#pause(program, 10_000);
    const workers = this.accepting;
    if (workers.length === 0) throw new Error("connect ECONNREFUSED");
    const { memory } = chance.oneOf(workers);
    const reply = (status: number, word: string) => {
      const free = 1_000_000 - 200 * memory.records.size;
      return { status, text: `${word}\n1000000\n${free}\n${memory.writing}\n` };
    };
    const [where, query = ""] = path.split("?");
    if (where === "/digests") return { status: 200, text: digests(memory.records, new URLSearchParams(query)) };
    if (where === "/connections") return { status: 200, text: "1 1 1 1 1 1 1" };
    if (where !== "/records") return { status: 200, text: "" };
    if (body === undefined) return reply(200, memory.records.get("instance") ?? "");
    this.#parts.effect("records");
    if (program.isDead()) return new Promise<never>(() => {});
    memory.writing += 1;
    if (this.fullWrites > 0) {
      this.fullWrites -= 1;
      return reply(507, "no memory");
    }
    for (const line of body.split("\n").filter((one) => one !== "")) {
      const [key, value] = JSON.parse(line) as [string, string?];
      if (value === undefined) memory.records.delete(key);
      else memory.records.set(key, value);
      const all = this.published.get(key) ?? [];
      this.published.set(key, [...all.slice(-5), { value, at: this.#parts.time.now }]);
    }
    this.#parts.changed("records are published");
    return reply(200, "applied");
  }

  #pause(program: Opened, ms: number): Promise<void> {
    return new Promise((resolve) => this.#parts.time.after(ms, () => !program.isDead() && resolve()));
  }
}

const sizeOf = ({ parts }: RenderedText): string => parts["shared memory size"] ?? "";

/** The answer of digest.lua. */
function digests(records: ReadonlyMap<string, string>, query: URLSearchParams): string {
  const textOf = (key: string) => {
    const value = records.get(key)!;
    return `${Buffer.byteLength(key)}:${key}${Buffer.byteLength(value)}:${value}`;
  };
  const digest = (text: string) =>
    createHmac("sha1", query.get("word") ?? "")
      .update(text)
      .digest("base64");
  const parts: string[][] = Array.from({ length: 256 }, () => []);
  for (const key of records.keys()) parts[crc32(key) % 256]!.push(key);
  const only = query.get("part");
  if (only !== null)
    return parts[Number(only)]!.map((key) => `${digest(textOf(key))} ${encodeURIComponent(key)}\n`).join("");
  return parts.map((keys) => `${digest(keys.sort().map(textOf).join(""))}\n`).join("");
}
