/**
 * Starts a controller with the journal of an earlier one, whole and damaged, while its objects
 * cannot be read, and then with them. Each host has a backend of its own, which answers with the
 * host's name. Not a single answer may be another host's, and once the controller is ready each
 * answer must be what the objects say now, not what they said before.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/timing/clock.ts";
import type { Controller } from "../../src/controller/controller.ts";
import { type FoundNginx, type JournalState, nginxHere, pathsOf } from "../../src/nginx/index.ts";
import { ingress, ingressClass, secret, service, settings } from "../hostile/support/objects.ts";
import { flagsOf, MemorySource, type Mode, present, startOn } from "../parity/subject.ts";
import { Chance } from "../support/chance.ts";
import { sharedPki } from "../support/pki.ts";
import { corrupted } from "./support/corrupted.ts";
import { request } from "./support/request.ts";
import { until } from "./support/until.ts";

const address = "192.0.2.60";
const firstPort = 24_100;
const ports = ["http=24000", "https=24001", "default-server=24002", "status=24003"].map((one) =>
  one.replace(/^(.*)=/, "--$1-port="),
);
const hosts = Array.from({ length: 16 }, (_, at) => `h${at}`);
/** The first of these hosts moved to the backend of the second one, and the third one is gone. */
const [moved = "", target = "", gone = "", ...others] = hosts;

/** `npm run soak journals` makes 200, with another seed each time. */
const corruptions = Number(process.env.CORRUPTIONS ?? 25);
const seed = Number(process.env.CORRUPTIONS_SEED ?? (process.env.CORRUPTIONS === undefined ? 1 : Date.now() % 1e9));

const base = mkdtempSync(join(tmpdir(), "sluice-starts-"));
/** nginx.conf names its run folder, so each start gets a copy of what is kept at the same path. */
const rootOf = (mode: Mode) => join(base, mode);
const keptOf = (mode: Mode) => join(base, `kept-${mode}`);
const backends: Server[] = [];

const backendOf = (host: string) => firstPort + hosts.indexOf(host);
/** The objects at first, and as they are at the later starts. */
async function objects(when: "at first" | "now") {
  const pki = await sharedPki();
  const pair = secret("pair", { "tls.crt": pki.tls.certificate, "tls.key": pki.tls.key });
  const all = hosts.flatMap((host) => [
    ingress({ name: host, namespace: host, tls: "pair", annotations: { "ssl-redirect": "false" } }),
    { ...pair, metadata: { ...pair.metadata, namespace: host } },
    ...service("web", address, backendOf(when === "now" && host === moved ? target : host), host),
  ]);
  const kept = when === "now" ? all.filter(({ metadata }) => metadata.namespace !== gone) : all;
  return [ingressClass, settings({}), ...kept];
}

/** A source that has no objects until `know` is called. */
class LateSource extends MemorySource {
  readonly #known = Promise.withResolvers<void>();
  readonly synced = this.#known.promise;
  know(): void {
    this.#known.resolve();
  }
}

interface Started {
  readonly controller: Controller;
  readonly source: LateSource;
  readonly found: JournalState | undefined;
  /** Lets time pass for the wait for the API server. */
  pass(ms: number): void;
}

let installed: Promise<FoundNginx> | undefined;

async function start(root: string, mode: Mode): Promise<Started> {
  const source = new LateSource();
  let found: JournalState | undefined;
  let now = 0;
  installed ??= nginxHere("nginx", process.env.PATH ?? "");
  const controller = await startOn(source, root, flagsOf(mode, ports), () => {}, {
    nginx: await installed,
    journal: (state) => {
      found = state;
    },
    clock: { ...systemClock, now: () => now },
  });
  return {
    controller,
    source,
    found,
    pass: (ms) => {
      now += ms;
    },
  };
}

beforeAll(async () => {
  for (const host of hosts)
    backends.push(createServer((_, response) => response.end(host)).listen(backendOf(host), address));
  for (const mode of ["dynamic", "static"] as const) {
    const { controller, source } = await start(rootOf(mode), mode);
    source.change((await objects("at first")).map(present));
    source.know();
    await controller.settled();
    // Changes of data leave outdated lines in the journal.
    for (const host of others.slice(0, 4)) {
      const away = service("web", address, backendOf(target), host);
      for (const some of [away, service("web", address, backendOf(host), host)]) {
        source.change(some.map(present));
        await controller.settled();
      }
    }
    await controller.stop(0);
    cpSync(rootOf(mode), keptOf(mode), { recursive: true });
  }
});
afterAll(() => {
  for (const backend of backends) backend.close();
  rmSync(base, { recursive: true });
});

/** Returns `host`, `404` and the like; `refused` if nginx does not run. */
async function answer(host: string): Promise<string> {
  const path = { to: "192.0.2.1:24000", host: `${host}.example` };
  const { status, body } = await request(path).catch(() => ({ status: "refused", body: "" }));
  return status === 200 ? body : `${status}`;
}

/** Returns the name in the certificate that a client gets for the host; `none` if it gets none. */
function certificate(host: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: "192.0.2.1", port: 24_001, servername: `${host}.example`, rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(String(socket.getPeerCertificate().subject?.CN));
      socket.destroy();
    });
    socket.on("error", () => resolve("none"));
  });
}

/** What the objects say now. */
const right = new Map(hosts.map((host) => [host, host === moved ? target : host === gone ? "404" : host]));
const answers = async (some: readonly string[]) =>
  new Map(await Promise.all(some.map(async (host) => [host, await answer(host)] as const)));

/** Makes the objects known, and returns the answers at the moment at which it is ready. */
async function ready({ controller, source }: Started): Promise<ReadonlyMap<string, string>> {
  source.change((await objects("now")).map(present));
  source.know();
  await until("it to be ready", () => controller.isServing && controller.isCurrent);
  return answers(hosts);
}

/** Restores what the earlier controller has left, and returns the path of its journal. */
function restored(mode: Mode): string {
  rmSync(rootOf(mode), { recursive: true, force: true });
  cpSync(keptOf(mode), rootOf(mode), { recursive: true });
  return pathsOf(rootOf(mode)).journal;
}

test.each(["dynamic", "static"] as const)(
  "in %s mode nginx serves what an intact journal has, and is ready after ten seconds if the API server stays away",
  async (mode) => {
    restored(mode);
    const one = await start(rootOf(mode), mode);
    onTestFinished(() => one.controller.stop(0));
    expect(await answers(hosts)).toEqual(new Map(hosts.map((host) => [host, host])));
    expect(await certificate(target)).toBe("tls.example");
    expect(one.controller.isCurrent).toBe(false);
    one.pass(10_001);
    expect([one.controller.isServing, one.controller.isCurrent]).toEqual([true, true]);
    await ready(one);
    await one.controller.settled();
    expect(await answers(hosts)).toEqual(right);
    await one.controller.stop(0);
  },
);

test("a missing, empty, cut or older journal is dropped with one report, and not ready without the objects", async () => {
  const whole = readFileSync(pathsOf(keptOf("dynamic")).journal);
  for (const bytes of [undefined, "", whole.subarray(0, whole.length - 1), "sluice-journal 1 \n"]) {
    const journal = restored("dynamic");
    rmSync(journal);
    if (bytes !== undefined) writeFileSync(journal, bytes);
    const one = await start(rootOf("dynamic"), "dynamic");
    onTestFinished(() => one.controller.stop(0));
    expect(one.found?.kind).toBe(
      bytes === undefined ? "missing" : String(bytes).includes("l 1 ") ? "other-version" : "damaged",
    );
    expect(new Set((await answers(hosts)).values())).toEqual(new Set(["503"]));
    expect(await certificate(target)).toBe("none");
    one.pass(3_600_000);
    expect(one.controller.isCurrent).toBe(false);
    expect(await ready(one)).toEqual(right);
    expect(await certificate(target)).toBe("tls.example");
    await one.controller.stop(0);
  }
});

test(`${corruptions} random corruptions of a journal give no wrong answer, neither before nor after it is ready`, {
  timeout: 900_000,
}, async () => {
  const chance = new Chance(seed);
  for (let round = 0; round < corruptions; round++) {
    const journal = restored("dynamic");
    const whole = readFileSync(journal);
    const { bytes, how } = corrupted(whole, chance);
    const isWhole = bytes.indexOf(whole) === 0;
    writeFileSync(journal, bytes);
    const one = await start(rootOf("dynamic"), "dynamic");
    onTestFinished(() => one.controller.stop(0));
    const what = `seed ${seed}, round ${round}: ${how}`;
    for (const [host, found] of await answers(hosts.slice(0, 6)))
      expect(`${what}: ${host} ${found}`).toBe(`${what}: ${host} ${isWhole ? host : "503"}`);
    expect(await ready(one), what).toEqual(right);
    await one.controller.stop(0);
  }
});
