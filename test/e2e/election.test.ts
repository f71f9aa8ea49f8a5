import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { FaultyApi } from "./support/faulty-api.ts";
import { FaultyProxy } from "./support/faulty-proxy.ts";
import { Program } from "./support/program.ts";
import { apply, installPod, Sluice } from "./support/sluice.ts";

const soon = { timeout: 120_000, interval: 20 };

let cluster: Cluster;
const candidates: Program[] = [];

beforeAll(async () => {
  cluster = await startCluster();
});
afterEach(async () => {
  for (const candidate of candidates.splice(0)) await candidate.end("SIGKILL");
  await cluster.kubectl(["delete", "lease", "leader", "--ignore-not-found"]);
});
afterAll(() => cluster?.stop());

interface Standing {
  /** A proxy before the API server. */
  readonly server?: string;
  readonly durationMs?: number;
}

function start(name: string, { server, durationMs = 4_000 }: Standing = {}): Program {
  const env = { KUBECONFIG: cluster.kubeconfig("admin", server) };
  const candidate = new Program("test/e2e/support/candidate.ts", [name, String(durationMs)], env);
  candidates.push(candidate);
  return candidate;
}

const words = ({ lines }: Program) => lines.map((line) => line.split(" ")[0]);
const until = (candidate: Program, word: string) => vi.waitFor(() => expect(words(candidate)).toContain(word), soon);
/** Returns the times of its writes, by the clock that all processes share. */
const writes = ({ lines }: Program) =>
  lines.filter((line) => line.startsWith("write ")).map((line) => Number(line.slice(6)));

/** Returns the first and the last write of each of its terms. */
function terms({ lines }: Program): readonly (readonly [from: number, to: number])[] {
  const all: [number, number][] = [];
  let fresh = true;
  for (const line of lines) {
    const [word, time] = [line.split(" ")[0], Number(line.split(" ")[1])];
    if (word === "leading") fresh = true;
    if (word !== "write") continue;
    if (fresh) all.push([time, time]);
    fresh = false;
    (all.at(-1) as [number, number])[1] = time;
  }
  return all;
}

/** Expects that no write of one term lies between two writes of another. */
function expectNoOverlap(...programs: readonly Program[]): void {
  const inOrder = programs.flatMap(terms).toSorted(([one], [other]) => one - other);
  for (const [i, [from]] of inOrder.entries()) if (i > 0) expect(from).toBeGreaterThan(inOrder[i - 1]?.[1] as number);
}

/** Starts two processes. The first one leads. */
async function leaderAndFollower(standing: Standing = {}): Promise<readonly [Program, Program]> {
  const leader = start("leader", standing);
  await until(leader, "write");
  const follower = start("follower", { ...standing, server: cluster.url });
  await until(follower, "observed");
  return [leader, follower];
}

test("a leader that stops releases the Lease after its last write", async () => {
  // Long enough that it is not lost before it is released, however busy the machine.
  const [leader, follower] = await leaderAndFollower({ durationMs: 16_000 });
  leader.child.kill("SIGTERM");
  await until(leader, "released");
  await until(follower, "write");
  expectNoOverlap(leader, follower);
  expect(await cluster.kubectl(["get", "lease", "leader", "-o", "jsonpath={.spec.holderIdentity}"])).toBe("follower");
});

test("a leader whose process was suspended writes nothing when it resumes", async () => {
  const [leader, follower] = await leaderAndFollower();
  leader.child.kill("SIGSTOP");
  await until(follower, "write");
  leader.child.kill("SIGCONT");
  await until(leader, "lost");
  expectNoOverlap(leader, follower);
});

test("a leader whose API server answers too late gives up, and no other process writes in its time", async () => {
  const { hostname, port } = new URL(cluster.url);
  const proxy = new FaultyProxy({ host: hostname, port: Number(port) });
  try {
    const [leader, follower] = await leaderAndFollower({ server: await proxy.listen("127.0.0.1") });
    for (const ms of [2_500, 0, 2_500]) {
      proxy.fault = ms === 0 ? { kind: "none" } : { kind: "delay", ms };
      const [slow, other] = ms === 0 ? [follower, leader] : [leader, follower];
      const before = writes(other).length;
      // The process without a delay does not give up by itself, so a signal stops it.
      if (ms === 0) slow.child.kill("SIGSTOP");
      await vi.waitFor(() => expect(writes(other).length).toBeGreaterThan(before), soon);
      if (ms === 0) slow.child.kill("SIGCONT");
    }
    expectNoOverlap(leader, follower);
    expect(terms(follower).length).toBeGreaterThan(1);
  } finally {
    await proxy.close();
  }
});

test("a leader whose API server does not answer gives up before the next one begins", async () => {
  const { hostname, port } = new URL(cluster.url);
  const proxy = new FaultyProxy({ host: hostname, port: Number(port) });
  try {
    const [leader, follower] = await leaderAndFollower({ server: await proxy.listen("127.0.0.1") });
    proxy.fault = { kind: "stall" };
    await until(leader, "lost");
    await until(follower, "write");
    const lostAt = Number(leader.lines.find((line) => line.startsWith("lost "))?.slice(5));
    expect(writes(follower)[0]).toBeGreaterThan(lostAt);
    expectNoOverlap(leader, follower);
  } finally {
    await proxy.close();
  }
});

test.each([
  ["deleted", undefined],
  ["overwritten with another holder", "someone"],
  ["overwritten without a holder", ""],
  ["overwritten with the follower as its holder", "follower"],
])("a Lease that is %s by hand ends the term, and one process leads again", async (_how, holderIdentity) => {
  const [leader, follower] = await leaderAndFollower();
  const patch = ["patch", "lease", "leader", "--type=merge", "-p", JSON.stringify({ spec: { holderIdentity } })];
  await cluster.kubectl(holderIdentity === undefined ? ["delete", "lease", "leader"] : patch);
  await until(leader, "lost");
  const writesSince = () =>
    words(leader).lastIndexOf("write") > words(leader).lastIndexOf("lost") || words(follower).includes("write");
  await vi.waitFor(() => expect(writesSince()).toBe(true), soon);
  expectNoOverlap(leader, follower);
});

test("a replica whose writes of statuses get no answer gives the Lease back, and says why", async () => {
  const api = new FaultyApi(cluster);
  api.swallows = ({ method, url }) => method === "PUT" && url?.endsWith("/status") === true;
  await installPod(cluster);
  const flags = ["--apiserver-host", await api.listen("127.0.0.1"), "--publish-status-address=192.0.2.1"];
  const sluice = new Sluice({ cluster, flags });
  try {
    await sluice.process.start();
    const web = (name: string) => ({
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { namespace: "default", name },
      spec: { ingressClassName: "nginx", rules: [{ host: `${name}.example` }] },
    });
    await apply(cluster, [web("one"), web("two")]);
    await vi.waitFor(() => expect(sluice.log).toContain("this replica no longer leads"), soon);
    expect(sluice.log).toContain("2 writes in a row got no answer within 15 s each");
    const found = await cluster.kubectl(["get", "leases", "--namespace=ingress-nginx", "-o", "json"]);
    expect(JSON.parse(found).items).toMatchObject([{ spec: { holderIdentity: "" } }]);
  } finally {
    await sluice.end();
    await api.close();
  }
});
