/**
 * A whole controller with a real nginx, a neighbour that must never be affected, and a backend that
 * answers `secret`. An attack is judged by the sentences that its author gets, by the answers, and
 * by the tree of nginx.conf.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll } from "vitest";
import { type KubernetesObject, keyOf } from "../../../src/core/model/objects.ts";
import { type Problem, sentence } from "../../../src/core/model/problem.ts";
import type { FoundNginx } from "../../../src/nginx/index.ts";
import { type Answer, type RequestOptions, request } from "../../nginx/support/request.ts";
import { flagsOf, MemorySource, type Mode, present, startOn } from "../../parity/subject.ts";
import { type Directive, treeOf } from "../../support/nginx-tree.ts";
import { nginxBeside } from "./nginx-beside.ts";
import { ingress, ingressClass, service, settings } from "./objects.ts";
import { type Speaker, speaker } from "./speaker.ts";

export const ports = { http: 24_000, https: 24_001, "default-server": 24_002, status: 24_003 };
/** Addresses of backends, not in 127.0.0.0/8, where endpoints are refused. */
const addresses = { backend: "192.0.2.60", auth: "192.0.2.61" };

export interface World {
  readonly runFolder: string;
  /** The Service `web`, which answers `secret`. */
  readonly backend: Speaker;
  /** An auth service without a Service; `auth.origin` is its URL. */
  readonly auth: Speaker;
  /** Adds objects, or replaces those of the same names, and waits until they are live. */
  apply(...objects: readonly KubernetesObject[]): Promise<void>;
  remove(...objects: readonly KubernetesObject[]): Promise<void>;
  /** Removes the objects since the last call, and the operator's settings. */
  clear(): Promise<void>;
  /** The Problems of objects with this name, in order. */
  problemsOf(name: string): readonly string[];
  ask(host: string, path?: string, more?: Omit<RequestOptions, "to">): Promise<Answer>;
  /**
   * Sends a request, and returns what its patterns cost, in steps of nginx/lua/sluice/regex.lua.
   */
  stepsOf(host: string, path: string, more?: Omit<RequestOptions, "to">): Promise<number>;
  tree(): readonly Directive[];
  /** Keys of records in nginx's memory that did not come from the controller. */
  strange(): readonly string[];
  /** The process id of nginx's master. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** Settings with which each answer names the steps of its request. */
const measured = settings({
  "http-snippet": `header_filter_by_lua_block {
    local regex = package.loaded["sluice.regex"]
    ngx.header["X-Steps"] = regex.most - regex.rest()
}`,
});

export interface WorldOptions {
  readonly mode: Mode;
  readonly flags?: readonly string[];
  /** The default is a new temporary folder. */
  readonly runFolder?: string;
  /**
   * The default is the nginx of this machine, or one in a container of its own if the variable
   * HOSTILE_NGINX is `beside`.
   */
  readonly nginx?: FoundNginx;
  /** Nameservers that replace those of the machine. */
  readonly nameservers?: readonly string[];
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const { mode, flags = [], runFolder, nginx, nameservers } = options;
  const source = new MemorySource();
  const backend = await speaker(addresses.backend, "secret");
  const auth = await speaker(addresses.auth, "let in");
  const neighbour = ingress({ name: "neighbour" });
  const standing = [ingressClass, settings({}), ...service("web", backend.address, backend.port), neighbour];
  source.change(standing.map(present));
  const root = runFolder ?? mkdtempSync(join(tmpdir(), "hostile-"));
  const beside = nginx === undefined && process.env.HOSTILE_NGINX === "beside" ? await nginxBeside(root) : undefined;
  let problems: readonly Problem[] = [];
  const portFlags = Object.entries(ports).map(([name, port]) => `--${name}-port=${port}`);
  const strange: string[] = [];
  const onProblems = (all: readonly Problem[]): void => {
    problems = all;
  };
  const all = flagsOf(mode, [...portFlags, ...flags]);
  const controller = await startOn(source, root, all, onProblems, {
    ...{ nginx: nginx ?? beside?.nginx, nameservers },
    strangeRecords: (keys) => void strange.push(...keys),
  });
  await controller.sync.settled();
  let applied: KubernetesObject[] = [];
  const settle = () => controller.sync.settled();
  const apply: World["apply"] = async (...objects) => {
    applied = [...applied, ...objects];
    source.change(objects.map(present));
    await settle();
  };
  return {
    ...{ runFolder: root, backend, auth },
    get pid() {
      return controller.nginx.pid;
    },
    apply,
    remove: async (...objects) => {
      source.change(objects.map((object) => ({ ...present(object), object: undefined })));
      await settle();
    },
    clear: async () => {
      const back = new Map(standing.map((object) => [idOf(object), object]));
      source.change(applied.map((object) => ({ ...present(object), object: back.get(idOf(object)) })));
      applied = [];
      for (const one of [backend, auth]) {
        one.answer = undefined;
        one.forget();
      }
      await settle();
    },
    problemsOf: (name) => problems.filter(({ object }) => object.name === name).map(sentence),
    ask: (host, path = "/", more = {}) => request({ to: `192.0.2.1:${ports.http}`, host, path, ...more }),
    stepsOf: async (host, path, more = {}) => {
      if (!applied.includes(measured)) await apply(measured);
      const { headers } = await request({ to: `192.0.2.1:${ports.http}`, host, path, ...more });
      return Number(headers["x-steps"]);
    },
    strange: () => strange,
    tree: () => treeOf(readFileSync(join(root, "nginx.conf"), "utf8")),
    stop: async () => {
      await controller.stop(500);
      await beside?.end();
      await Promise.all([backend.stop(), auth.stop()]);
      if (runFolder === undefined) rmSync(root, { recursive: true });
    },
  };
}

/**
 * A World for the tests of one `describe`: it starts before the first, is cleared after each, and
 * stops after the last.
 */
export function worldOf(options: WorldOptions): World {
  let started: World | undefined;
  beforeAll(async () => {
    started = await startWorld(options);
  });
  afterEach(() => started?.clear());
  afterAll(() => started?.stop());
  return new Proxy({} as World, { get: (_, name) => Reflect.get(started!, name) });
}

const idOf = (object: KubernetesObject): string => `${object.kind} ${keyOf(object)}`;
