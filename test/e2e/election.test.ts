import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { FaultyProxy } from "./support/faulty-proxy.ts";
import { Program } from "./support/program.ts";

const soon = { timeout: 30_000, interval: 20 };

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

function start(name: string, server?: string): Program {
  const env = { KUBECONFIG: cluster.kubeconfig("admin", server) };
  const candidate = new Program("test/e2e/support/candidate.ts", [name], env);
  candidates.push(candidate);
  return candidate;
}

const words = ({ lines }: Program) => lines.map((line) => line.split(" ")[0]);
const until = (candidate: Program, word: string) => vi.waitFor(() => expect(words(candidate)).toContain(word), soon);
/** The times of its writes, by the clock that all processes share. */
const writes = ({ lines }: Program) =>
  lines.filter((line) => line.startsWith("write ")).map((line) => Number(line.slice(6)));

/** Two processes, the first of them leading. */
async function leaderAndFollower(server?: string): Promise<readonly [Program, Program]> {
  const leader = start("leader", server);
  await until(leader, "write");
  const follower = start("follower");
  await until(follower, "observed");
  return [leader, follower];
}

test("a leader that stops hands over, after its last write", async () => {
  const [leader, follower] = await leaderAndFollower();
  leader.child.kill("SIGTERM");
  await until(leader, "released");
  await until(follower, "write");
  expect(writes(leader).at(-1)).toBeLessThan(writes(follower)[0] as number);
  expect(await cluster.kubectl(["get", "lease", "leader", "-o", "jsonpath={.spec.holderIdentity}"])).toBe("follower");
});

test("a leader whose process stands still writes nothing when it goes on", async () => {
  const [leader, follower] = await leaderAndFollower();
  leader.child.kill("SIGSTOP");
  await until(follower, "write");
  leader.child.kill("SIGCONT");
  await until(leader, "lost");
  expect(writes(leader).at(-1)).toBeLessThan(writes(follower)[0] as number);
});

test("a leader whose API server does not answer gives up before the other begins", async () => {
  const { hostname, port } = new URL(cluster.url);
  const proxy = new FaultyProxy({ host: hostname, port: Number(port) });
  try {
    const [leader, follower] = await leaderAndFollower(await proxy.listen("127.0.0.1"));
    proxy.fault = { kind: "stall" };
    await until(leader, "lost");
    expect(writes(follower)).toEqual([]);
    await until(follower, "write");
    expect(writes(leader).at(-1)).toBeLessThan(writes(follower)[0] as number);
  } finally {
    await proxy.close();
  }
});
