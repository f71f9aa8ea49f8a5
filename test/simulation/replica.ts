/**
 * One replica: a Pod with a disk, an nginx and a program. The program is the real controller of
 * `sluice run`, with the parts of `src/cli/run.ts` that matter here; its clock, network, disk and
 * nginx are simulated.
 */
import { startController } from "../../src/controller/controller.ts";
import { translateOptions } from "../../src/controller/flags/options.ts";
import { defaultFlags, type Flags } from "../../src/controller/flags.ts";
import { openClusterSide } from "../../src/controller/run/cluster-side.ts";
import { Ending } from "../../src/controller/run/ending.ts";
import { Running, whyNotServing, whyStuck } from "../../src/controller/run/running.ts";
import { UnansweredWrites } from "../../src/controller/run/unanswered-writes.ts";
import type { Certificate } from "../../src/core/model/configuration.ts";
import type { Snapshot } from "../../src/core/model/snapshot.ts";
import type { Template } from "../../src/core/render/template.ts";
import type { Source } from "../../src/core/sync/ports.ts";
import type { TranslateOptions } from "../../src/core/table/options.ts";
import { Health } from "../../src/edges/health/health.ts";
import type { Log } from "../../src/edges/log/log.ts";
import type { Found, Lookup } from "../../src/edges/names/lookup.ts";
import { Client, type Credentials } from "../../src/kube/index.ts";
import { pathsOf } from "../../src/nginx/index.ts";
import { Chance } from "../support/chance.ts";
import { machineAt } from "../support/machine.ts";
import { Connection, Trouble } from "./api/connection.ts";
import type { ApiServer } from "./api/server.ts";
import { SimulatedDisk } from "./machine/disk.ts";
import { Meanings } from "./machine/meanings.ts";
import { SimulatedNginx } from "./machine/nginx.ts";
import { ProgramClock, type Time } from "./time.ts";

export const flags: Flags = {
  ...defaultFlags("run"),
  publishStatusAddress: ["192.0.2.1"],
  configmap: "sluice/settings",
  sharedGateway: "infra/gw",
  enableMetrics: false,
  // Reloads that wait for others would make each rule about time depend on their number.
  syncRateLimit: 2,
  reloadBurst: 20,
};
export const folder = { ...pathsOf("/run/sluice"), nameKey: "simulated" };
export const options: TranslateOptions = {
  ...translateOptions(flags, "run", undefined, "sluice"),
  // These depend on the machine.
  asked: { loopback: false, loopbackPorts: new Set(), ownPorts: new Set(), ownAddresses: new Set() },
};

export interface Surroundings {
  readonly time: Time;
  readonly server: ApiServer;
  readonly fake: Certificate;
  readonly template: Template;
  readonly names: (name: string) => Found;
  /** Notes an event for the trace. */
  readonly note: (words: string) => void;
  /** Called whenever a replica's nginx may answer differently. */
  readonly changed: (replica: Replica, what: string) => void;
  /** Called when a replica's nginx has filled a new memory. */
  readonly started: (replica: Replica) => void;
  /** Called when a program ends by itself. */
  readonly ended: (replica: Replica, why: string) => void;
}

export interface ReplicaOptions {
  readonly name: string;
  readonly seed: number;
  /** Whether nginx has a container of its own. */
  readonly hasOwnNginx: boolean;
}

export class Replica {
  readonly name: string;
  readonly disk: SimulatedDisk;
  readonly nginx: SimulatedNginx;
  readonly trouble = new Trouble();
  readonly meanings = new Meanings();
  readonly hasOwnNginx: boolean;
  readonly #around: Surroundings;
  readonly #chance: Chance;
  #program: Program | undefined;
  /** The effects that are left until the program is killed. */
  killAfter = Number.POSITIVE_INFINITY;
  /** Whether the next death also takes the power. */
  losesPower = false;
  skewMs = 0;
  /** The last Snapshots of its programs. */
  readonly seen: Snapshot[] = [];

  constructor(around: Surroundings, { name, seed, hasOwnNginx }: ReplicaOptions) {
    this.name = name;
    this.hasOwnNginx = hasOwnNginx;
    this.#around = around;
    this.#chance = new Chance(seed);
    const { time } = around;
    const effect = (what: string) => this.#effect(what);
    this.disk = new SimulatedDisk({ time, chance: new Chance(seed + 1), effect });
    this.nginx = new SimulatedNginx({
      ...{ time, chance: new Chance(seed + 2), disk: this.disk, effect },
      ...{ journal: folder.journal, conf: folder.conf },
      changed: (what) => around.changed(this, what),
      started: () => around.started(this),
    });
  }

  get program(): Program | undefined {
    return this.#program;
  }

  start(): void {
    if (this.#program !== undefined) return;
    this.#around.note(`${this.name} starts`);
    this.#program = new Program(this, this.#around, new Chance(this.#chance.below(2 ** 31)));
  }

  /** Kills the program, and nginx with it unless it has a container of its own. */
  kill(why: string): void {
    if (this.#program === undefined) return;
    this.#around.note(`${this.name} is killed: ${why}`);
    this.#program.kill();
    this.#program = undefined;
    this.killAfter = Number.POSITIVE_INFINITY;
    if (!this.hasOwnNginx || this.losesPower) this.nginx.kill();
    if (this.losesPower) this.disk.losePower();
    this.losesPower = false;
  }

  /** Ends the program in order. */
  async stop(): Promise<void> {
    const program = this.#program;
    await program?.stop();
    if (this.#program === program) this.kill("it has ended");
  }

  see(snapshot: Snapshot): void {
    if (this.seen.at(-1) === snapshot) return;
    this.seen.push(snapshot);
    if (this.seen.length > mostSeen) this.seen.shift();
  }

  #effect(what: string): void {
    this.#around.note(`${this.name} ${what}`);
    this.killAfter -= 1;
    if (this.killAfter <= 0) this.kill(`before ${what}`);
  }
}

const mostSeen = 40;

/** A program that runs. */
export class Program {
  readonly clock: ProgramClock;
  readonly running: Running;
  readonly health: Health;
  readonly #replica: Replica;
  readonly #around: Surroundings;
  readonly #client: Client;
  readonly #cluster: ReturnType<typeof openClusterSide>;
  readonly ending = new Ending();
  readonly startedAt: number;
  isDead = false;
  #isStopping = false;

  constructor(replica: Replica, around: Surroundings, chance: Chance) {
    const { time, server } = around;
    this.#replica = replica;
    this.#around = around;
    this.startedAt = time.now;
    this.clock = new ProgramClock(time, (error) => this.#crash(error));
    this.clock.skewMs = replica.skewMs;
    this.running = new Running(() => (time.now - this.startedAt) / 1000);
    this.running.templateTried = true;
    this.health = new Health({
      nginx: () => whyNotServing(this.running, 10_000),
      stuck: () => whyStuck(this.running, 10_000),
      notes: () => [],
    });
    const writes = new UnansweredWrites();
    const isDead = () => this.isDead;
    const transport = new Connection({
      ...{ time, server, trouble: replica.trouble, isDead },
      ...{ chance: new Chance(chance.below(2 ** 31)), program: replica.name },
    });
    const credentials = {} as Credentials;
    const { clock } = this;
    this.#client = new Client(credentials, { transport, clock, report: (request) => writes.note(request) });
    const log = quietLog((words) => around.note(`${replica.name} says: ${words}`));
    const env = { POD_NAME: replica.name, POD_NAMESPACE: "sluice" };
    const random = () => chance.share();
    this.#cluster = openClusterSide({
      ...{ client: this.#client, flags, accept: options, env, log, clock, random, writes, ending: this.ending },
      metrics: silent as never,
      lookup: lookupOf(around, isDead),
    });
    this.ending.ended.then(
      (why) => this.#end(String(why)),
      (bug) => this.#crash(bug),
    );
    this.#start().catch((bug: unknown) => this.#crash(bug));
  }

  get leads(): boolean {
    return !this.isDead && this.#cluster.leads;
  }

  async isReady(): Promise<boolean> {
    const answer = await this.health.answer(undefined, new Set(), false);
    return answer?.status === 200;
  }

  kill(): void {
    this.isDead = true;
    this.clock.kill();
  }

  /** Stops the parts in the order of `src/cli/run.ts`. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.ending.because("SIGTERM");
    this.health.end();
    await this.#cluster.leave();
    await this.running.controller?.stop(0);
    await this.#cluster.end();
    this.#client.close();
  }

  async #start(): Promise<void> {
    const replica = this.#replica;
    const { fake, template, note } = this.#around;
    const isDead = () => this.isDead;
    const machine = machineAt(folder.root, 80, {
      ports: { http: 80, https: 443, defaultServer: 8181, status: 10246, nameCheck: 10250, stream: 10247 },
    });
    const installed = {
      ...{ capabilities: machine.capabilities as never, place: machine, outlives: replica.hasOwnNginx },
      ...replica.nginx.for({ isDead }, replica.hasOwnNginx),
    };
    const started = await startController({
      ...{ source: this.#source(), translate: options, machine, installed, folder, template },
      ...{ fake: Promise.resolve(fake), endWithController: false, clock: this.clock },
      disk: replica.disk.for({ isDead }),
      answerNames: () => async () => {},
      pace: { syncRateLimit: flags.syncRateLimit, reloadBurst: flags.reloadBurst, maxDraining: 16 },
      listener: {
        problems: (all) => this.#cluster.listener.problems(all),
        synced: (report) => {
          if (report.reload?.kind === "failed") this.#crash(report.reload.cause);
          note(`${replica.name} turn: ${report.change.kind} ${report.reload?.kind ?? ""}`);
          this.running.synced(report, () => {}, this.ending);
          this.#cluster.listener.synced(report);
        },
        statuses: (wanted, progress) => this.#cluster.listener.statuses?.(wanted, progress),
      },
      events: {
        ...{ nginx: () => {}, staple: () => {}, nameCheck: () => {}, streams: () => {}, templateGaveUp: () => {} },
        journal: ({ kind }) => note(`${replica.name} journal: ${kind}`),
        strangeRecords: (keys) => note(`${replica.name} repairs ${keys.length} records`),
      },
    });
    if (!started.ok) return this.ending.because(new Error(started.why));
    const { controller } = started;
    const { renderer } = controller;
    const render = renderer.render.bind(renderer);
    renderer.render = (next, circumstances) => {
      const rendered = render(next, circumstances);
      replica.meanings.learn(next, rendered, renderer.records);
      return rendered;
    };
    this.running.controller = controller;
    controller.running.catch((bug: unknown) => this.#crash(bug));
  }

  /** The source, which notes each Snapshot that a turn has used. */
  #source(): Source {
    const { source } = this.#cluster;
    const snapshot = () => {
      const seen = source.snapshot();
      this.#replica.see(seen);
      return seen;
    };
    return { synced: source.synced!, snapshot, onChange: (listener) => source.onChange(listener) };
  }

  #crash(bug: unknown): void {
    const { stack, message } = bug instanceof Error ? bug : new Error(String(bug));
    this.#end(`a bug: ${stack ?? message}`);
  }

  #end(why: string): void {
    if (!this.isDead && !this.#isStopping) this.#around.ended(this.#replica, why);
  }
}

function lookupOf({ time, names }: Surroundings, isDead: () => boolean): Lookup {
  return (name) => new Promise((resolve) => time.after(5, () => !isDead() && resolve(names(name))));
}

/** Answers every call with nothing, as metrics that no client reads. */
const silent: unknown = new Proxy({}, { get: () => () => {} });

function quietLog(note: (words: string) => void): Log {
  const words = (...given: readonly unknown[]) => note(String(given.at(-1)));
  return { info: () => {}, debug: () => {}, trace: () => {}, warn: words, error: words } as unknown as Log;
}
