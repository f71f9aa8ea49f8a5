/**
 * The API server's own protobuf, read by the table of `src/kube/protobuf/`, gives the same
 * objects as its JSON: for one object of each kind with every field, for the objects of recorded
 * cases, and for the events of a watch.
 */
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import * as resources from "../../src/edges/resources.ts";
import { Client, kubeConfigCredentials, type Resource, type WatchEvent } from "../../src/kube/index.ts";
import type { Message } from "../../src/kube/protobuf/message.ts";
import { inParallel } from "../bench/support/cluster.ts";
import { caseNames, loadCase } from "../parity/case.ts";
import { type Cluster, startCluster } from "./support/cluster.ts";
import { withEveryField } from "./support/every-field.ts";

const kinds: readonly Resource<KubernetesObject>[] = [
  resources.ingresses,
  resources.ingressClasses,
  resources.services,
  resources.endpointSlices,
  resources.secrets,
  resources.configMaps,
  resources.namespaces,
];
const kindOf = (object: KubernetesObject) => kinds.find(({ kind }) => kind === object.kind);
const never = new AbortController().signal;

let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  cluster = await startCluster();
  client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
  for (const whole of withEveryField) {
    const { status, ...object } = whole;
    const of = kindOf(object)!;
    const created = await client.create(of, object, never);
    if (!created.ok) throw new Error(created.failure.message);
    if (status === undefined) continue;
    const filled = await client.update(of, { ...created.value, status } as KubernetesObject, never, {
      subresource: "status",
    });
    if (!filled.ok) throw new Error(filled.failure.message);
  }
  // A finalizer keeps it, so that it has the time of its deletion.
  await client.delete(resources.configMaps, { namespace: "default", name: "every" }, never);
  await inParallel(recorded(), 20, async (object) => {
    // The API server refuses the objects of some cases, and the name of a fixed address twice.
    await client.create(kindOf(object)!, object, never);
  });
}, 120_000);
afterAll(async () => {
  client?.close();
  await cluster?.stop();
});

/** Returns the objects of the recorded cases, each with a name of its own. */
function recorded(): readonly KubernetesObject[] {
  const objects = caseNames().flatMap((name) => loadCase(name).objects);
  return objects
    .filter((object) => kindOf(object) !== undefined && object.kind !== "Namespace")
    .map(({ metadata: { uid, resourceVersion, creationTimestamp, ...metadata }, ...object }, at) => ({
      ...object,
      metadata: { ...metadata, name: `recorded-${at}`, ...(metadata.namespace && { namespace: "default" }) },
    }));
}

async function listed(of: Resource<KubernetesObject>): Promise<readonly KubernetesObject[]> {
  const answer = await client.list(of, {}, never);
  if (!answer.ok) throw new Error(answer.failure.message);
  return answer.value.items.map(comparable);
}

/**
 * Returns what `read` gives, and the list in JSON of the same moment. The API server changes some
 * objects by itself, so this tries until the lists before and after are equal.
 */
async function besideJson<T>(of: Resource<KubernetesObject>, read: () => Promise<T>) {
  const { binary, ...plain } = of;
  for (;;) {
    const before = await listed(plain);
    const found = await read();
    const wanted = await listed(plain);
    if (isDeepStrictEqual(before, wanted)) return { found, wanted };
  }
}

/** Leaves out `managedFields`, and nulls, which protobuf does not have. */
function comparable(object: KubernetesObject): KubernetesObject {
  const skipped = (key: string, value: unknown) => (key === "managedFields" || value === null ? undefined : value);
  return JSON.parse(JSON.stringify(object, skipped));
}

test.each(kinds)("a list of $kind in protobuf is the list in JSON", async (of) => {
  let inProtobuf = 0;
  const counted: Message = (...given) => {
    inProtobuf += 1;
    return of.binary!(...given);
  };
  const { found, wanted } = await besideJson(of, () => {
    inProtobuf = 0;
    return listed({ ...of, binary: counted });
  });
  expect(found).toEqual(wanted);
  expect(inProtobuf).toBe(wanted.length);
});

test.each(kinds)("a whole list of $kind in protobuf is the list in JSON", async (of) => {
  expect(await client.streamsLists(never)).toBe(true);
  const { found, wanted } = await besideJson(of, async () => {
    const items: KubernetesObject[] = [];
    const listing = { ...of, binary: of.binary! };
    const answer = await client.listWhole(listing, {}, (item) => items.push(comparable(item)), never);
    return { answer, items };
  });
  expect(found.answer).toEqual({ ok: true, value: expect.stringMatching(/^[1-9]\d*$/) });
  expect(found.items).toEqual(wanted.map(bare));
});

test.each(kinds)("a watch of $kind in protobuf brings the objects of its list", async (of) => {
  const { found, wanted } = await besideJson(of, async () => {
    const stop = new AbortController();
    const brought = new Map<string, KubernetesObject>();
    const onEvent = ({ type, object }: WatchEvent<KubernetesObject>) => {
      if (type === "ADDED") brought.set(object.metadata.uid!, comparable(object));
      if (type === "BOOKMARK") stop.abort();
    };
    const options = { timeoutSeconds: 30, inactivityMs: 30_000, sendInitialEvents: true };
    await client.watch(of, options, onEvent, stop.signal);
    return [...brought.values()];
  });
  expect(found.sort(byUid)).toEqual(wanted.map(bare).sort(byUid));
});

/** Events and whole lists leave out what the kind says anyway. */
const bare = ({ apiVersion, kind, ...object }: KubernetesObject) => object;

type Bare = Pick<KubernetesObject, "metadata">;
const byUid = (one: Bare, other: Bare) => (one.metadata.uid! < other.metadata.uid! ? -1 : 1);

test("a refusal and the error of a watch arrive as sentences", async () => {
  const gone = { resourceVersion: "1", timeoutSeconds: 5, inactivityMs: 5_000 };
  const ended = await client.watch(resources.services, { ...gone, labelSelector: "in (" }, () => {}, never);
  expect(ended).toMatchObject({ code: 400, message: expect.stringContaining("unable to parse requirement") });
  const answer = await client.list(resources.services, { continue: "nonsense" }, never);
  expect(answer).toMatchObject({ ok: false, failure: { code: 400, message: expect.stringContaining("continue") } });
  const future = await client.watch(
    resources.services,
    { ...gone, resourceVersion: "99999999", sendInitialEvents: true },
    () => {},
    never,
  );
  expect(future).toMatchObject({ message: expect.stringContaining("Too large resource version") });
});
