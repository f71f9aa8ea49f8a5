import { expect, test } from "vitest";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import type { KubernetesObject } from "../../core/model/objects.ts";
import { type ApiFailure, failed, failureFromStatus, ownFailure, succeeded } from "../../kube/answer.ts";
import type { Client, ObjectName, Resource } from "../../kube/index.ts";
import { type CheckedFlags, checkCluster } from "./start-checks.ts";

const env = { POD_NAME: "one", POD_NAMESPACE: "ingress" };
const noFlags: CheckedFlags = {
  defaultBackendService: undefined,
  publishService: undefined,
  watchNamespace: undefined,
  enableTopologyAwareRouting: false,
};

function setUp(names: readonly string[], failures: readonly ApiFailure[] = []) {
  const clock = new FakeClock();
  const pending = [...failures];
  const waits: number[] = [];
  const client = {
    async get({ kind }: Resource<KubernetesObject>, { namespace, name }: ObjectName) {
      const failure = pending.shift();
      if (failure) return failed(failure);
      const named = `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
      if (!names.includes(named)) return failed(failureFromStatus(404, {}));
      const labels = { app: "sluice", "topology.kubernetes.io/zone": "east" };
      return succeeded({ metadata: { name, uid: "u1", labels }, spec: { nodeName: "n1" } });
    },
  } as unknown as Pick<Client, "get">;
  const check = (flags: Partial<CheckedFlags> = {}, around: NodeJS.ProcessEnv = env) =>
    checkCluster(
      { client, flags: { ...noFlags, ...flags }, env: around, clock, waiting: (_why, retryMs) => waits.push(retryMs) },
      new AbortController().signal,
    );
  return { clock, waits, check };
}

const pod = "Pod ingress/one";

test("the start finds the controller's own Pod", async () => {
  const { check } = setUp([pod]);
  expect(await check()).toMatchObject({
    ok: true,
    around: { own: { name: { namespace: "ingress", name: "one" }, labels: { app: "sluice" }, uid: "u1" }, notes: [] },
  });
});

test.each([
  [{}, {}, "the variables POD_NAME and POD_NAMESPACE must name this Pod"],
  [{}, { ...env, POD_NAME: "two" }, "POD_NAME and POD_NAMESPACE: Pod ingress/two does not exist"],
  [{ publishService: "a/b" }, env, "--publish-service: Service a/b does not exist"],
  [{ defaultBackendService: "a/b" }, env, "--default-backend-service: Service a/b does not exist"],
  [{ watchNamespace: "shop" }, env, "--watch-namespace: namespace shop does not exist"],
])("the flags %j and the variables %j end the start", async (flags, around, why) => {
  expect(await setUp([pod]).check(flags, around)).toEqual({ ok: false, why });
});

test("flags that name existing objects do not end the start", async () => {
  const { check } = setUp([pod, "Service a/b", "Namespace shop", "Node n1"]);
  const flags = { publishService: "a/b", watchNamespace: "shop", enableTopologyAwareRouting: true };
  expect(await check(flags)).toMatchObject({ ok: true, around: { zone: "east", notes: [] } });
});

test("a namespace that may not be read counts as existing", async () => {
  const { check } = setUp([pod], [failureFromStatus(403, {})]);
  expect(await check({ watchNamespace: "shop" })).toMatchObject({ ok: true });
});

test("a Node that cannot be read leaves the zone empty", async () => {
  const { check } = setUp([pod]);
  const note = "--enable-topology-aware-routing: Node n1 does not exist; Endpoints of all zones are used";
  expect(await check({ enableTopologyAwareRouting: true })).toMatchObject({
    around: { zone: undefined, notes: [note] },
  });
});

test("a server that does not answer is called without end, at least every five seconds", async () => {
  const away = ownFailure("unreachable", "no route");
  const { check, clock, waits } = setUp(
    [pod],
    Array.from({ length: 50 }, () => away),
  );
  const checked = check();
  await clock.advance(3_600_000);
  expect(await checked).toMatchObject({ ok: true });
  expect(waits.slice(0, 2)).toEqual([1_000, 1_500]);
  expect(waits).toHaveLength(50);
  expect(Math.max(...waits)).toBe(5_000);
});

test("a refusal ends the start only at the fifth try, because a server that has just started may refuse", async () => {
  const refusal = failureFromStatus(403, { message: "no right" });
  const starting = setUp([pod], [refusal, refusal]);
  const checked = starting.check();
  await starting.clock.advance(10_000);
  expect(await checked).toMatchObject({ ok: true });

  const refused = setUp([pod], [refusal, refusal, refusal, refusal, refusal]);
  const given = refused.check();
  await refused.clock.advance(10_000);
  expect(await given).toMatchObject({ ok: false, why: expect.stringContaining("no right") });
  expect(refused.waits).toHaveLength(4);
});

test("an answer that something else gave in place of the API server is tried again", async () => {
  const { clock, waits, check } = setUp([pod], [ownFailure("unreadable", "null")]);
  const checked = check();
  await clock.advance(1_000);
  expect((await checked).ok).toBe(true);
  expect(waits).toEqual([1_000]);
});
