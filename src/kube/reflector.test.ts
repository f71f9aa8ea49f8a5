import { beforeEach, describe, expect, test } from "vitest";
import { FakeClock } from "../../test/support/fake-clock.ts";
import type { ConfigMap } from "../core/model/objects.ts";
import { type Answer, type ApiFailure, failed, failureFromStatus, ownFailure, succeeded } from "./answer.ts";
import type { ListWatcher } from "./client.ts";
import { message } from "./protobuf/message.ts";
import type { ReflectorEvent, ReflectorOptions } from "./reflector.ts";
import type { List, ListOptions, WatchEvent, WatchOptions } from "./requests.ts";
import { resource } from "./resource.ts";
import { SharedInformer } from "./shared-informer.ts";

const configMaps = resource<ConfigMap>({ apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true });

const object = (name: string, resourceVersion: number): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name, resourceVersion: `${resourceVersion}` },
});
const bookmark = (version: number, annotations?: Record<string, string>): WatchEvent<ConfigMap> => {
  const { metadata } = object("", version);
  return {
    type: "BOOKMARK",
    object: { ...object("", version), metadata: { ...metadata, ...(annotations ? { annotations } : {}) } },
  };
};
const endOfList = (version: number) => bookmark(version, { "k8s.io/initial-events-end": "true" });
const page = (version: number, items: readonly ConfigMap[], token = ""): Answer<List<ConfigMap>> =>
  succeeded({ items, resourceVersion: `${version}`, continue: token });
const gone = failureFromStatus(410, { reason: "Expired", message: "too old", code: 410 });

interface Watch {
  readonly options: WatchOptions;
  readonly send: (...events: readonly WatchEvent<ConfigMap>[]) => void;
  readonly end: (failure?: ApiFailure) => void;
}

/** Whether the server begins to answer watches. */
let opens = true;
beforeEach(() => {
  opens = true;
});

/**
 * Sets up a server that the test controls: it answers lists with `lists`, in order, and the test
 * itself drives each watch.
 */
function setUp(
  options: Partial<ReflectorOptions<ConfigMap>> = {},
  lists: readonly Answer<List<ConfigMap>>[] = [],
  of = configMaps,
  whole: Partial<ListWatcher> = {},
) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const answers = [...lists];
  const listed: ListOptions[] = [];
  const watches: Watch[] = [];
  const events: ReflectorEvent[] = [];
  const received: string[] = [];
  const client = {
    ...whole,
    async list(_of: unknown, asked: ListOptions) {
      listed.push(asked);
      return answers.shift() ?? failed(ownFailure("unreachable", "no answer is prepared"));
    },
    watch(_of: unknown, asked: WatchOptions, onEvent: (event: WatchEvent<ConfigMap>) => void, signal: AbortSignal) {
      return new Promise<ApiFailure | undefined>((resolve, reject) => {
        if (opens) asked.onOpened?.();
        signal.addEventListener("abort", () => resolve(ownFailure("aborted", "stopped")));
        const send = (...sent: readonly WatchEvent<ConfigMap>[]) => {
          try {
            for (const event of sent) onEvent(event);
          } catch (bug) {
            reject(bug as Error);
          }
        };
        watches.push({ options: asked, send, end: resolve });
      });
    },
  } as unknown as ListWatcher;
  const informer = new SharedInformer(client, of, {
    clock,
    random: () => 0.5,
    streamingLists: false,
    report: (event) => events.push(event),
    ...options,
  });
  informer.subscribe(({ kind, object: { metadata } }) =>
    received.push(`${kind} ${metadata.name}@${metadata.resourceVersion}`),
  );
  const ended = informer.run(stop.signal);
  const last = () => watches.at(-1) as Watch;
  return { clock, stop, answers, listed, watches, events, received, informer, ended, last };
}

describe("the first list", () => {
  test("is read page by page, and the watch starts from its version", async () => {
    const { clock, listed, last, informer } = setUp({ pageSize: 1 }, [
      page(7, [object("a", 1)], "next"),
      page(7, [object("b", 2)]),
    ]);
    await clock.advance(0);
    expect(listed).toMatchObject([{ limit: 1 }, { limit: 1, continue: "next" }]);
    expect(informer.store.size).toBe(2);
    expect(informer.hasSynced).toBe(true);
    expect(last().options).toMatchObject({ resourceVersion: "7", timeoutSeconds: 28, inactivityMs: 38_000 });
  });

  test("is requested in one page when a continue token has expired", async () => {
    const { clock, listed, informer } = setUp({}, [
      page(7, [object("a", 1)], "next"),
      failed(gone),
      page(8, [object("b", 2)]),
    ]);
    await clock.advance(0);
    expect(listed.at(-1)).toEqual({});
    expect([...informer.store.values()].map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });

  test("is repeated without end, at intervals that grow to ten seconds", async () => {
    const { clock, events } = setUp();
    await clock.advance(3_600_000);
    const waits = events.map((event) => (event as { retryMs: number }).retryMs);
    expect(waits.slice(0, 5)).toEqual([1_200, 2_400, 4_800, 7_500, 7_500]);
    expect(waits.length).toBeGreaterThan(470);
  });

  test("is repeated after the time that the server requests", async () => {
    const busy = failureFromStatus(429, undefined, "60");
    const { clock, events } = setUp({}, [failed(busy)]);
    await clock.advance(0);
    expect(events).toMatchObject([{ kind: "failed", denied: false, retryMs: 60_000 }]);
  });

  test("is repeated after 3 s and then at longer intervals when it is forbidden", async () => {
    const forbidden = failed(failureFromStatus(403, { reason: "Forbidden", message: "no" }));
    const { clock, events } = setUp({}, [forbidden, forbidden]);
    await clock.advance(4_000);
    expect(events).toMatchObject([
      { denied: true, retryMs: 3_000 },
      { denied: true, retryMs: 6_000 },
    ]);
  });
});

describe("a server that streams lists", () => {
  const form = resource<ConfigMap>({ ...configMaps, binary: message({}) });
  const whole = (answers: readonly Answer<readonly ConfigMap[]>[]) => {
    const left = [...answers];
    return {
      streamsLists: async () => true,
      async listWhole(_of: unknown, _selection: unknown, onItem: (item: ConfigMap) => void) {
        const answer = left.shift()!;
        for (const item of answer.ok ? answer.value : []) onItem(item);
        return answer.ok ? succeeded("7") : answer;
      },
    } as unknown as ListWatcher;
  };

  test("gives all objects in one answer, and the watch starts from its version", async () => {
    const { clock, last, informer, listed, events } = setUp(
      { streamingLists: true },
      [],
      form,
      whole([succeeded([object("a", 1), object("b", 2)])]),
    );
    await clock.advance(0);
    expect(informer.store.size).toBe(2);
    expect(listed).toEqual([]);
    expect(last().options).toMatchObject({ resourceVersion: "7" });
    expect(events).toMatchObject([{ kind: "listed", streamed: false, objects: 2 }, { kind: "watching" }]);
  });

  test("is asked again later when it fails", async () => {
    const failure = ownFailure("unreachable", "away");
    const answers = [failed(failure), succeeded([object("a", 1)])];
    const { clock, informer, events } = setUp({ streamingLists: true }, [], form, whole(answers));
    await clock.advance(0);
    expect(events).toMatchObject([{ kind: "failed", failure }]);
    await clock.advance(2_000);
    expect(informer.store.size).toBe(1);
  });

  test("is asked for the events of a watch when its answer cannot be read", async () => {
    const answers = [failed(ownFailure("unreadable", "no protobuf"))];
    const { clock, last } = setUp({ streamingLists: true }, [], form, whole(answers));
    await clock.advance(0);
    expect(last().options).toMatchObject({ sendInitialEvents: true });
  });

  test("is not asked for a whole list of a kind without a form in protobuf", async () => {
    const { clock, last } = setUp({ streamingLists: true }, [], configMaps, whole([]));
    await clock.advance(0);
    expect(last().options).toMatchObject({ sendInitialEvents: true });
  });
});

describe("a streaming list", () => {
  test("replaces the cache at its announced end, not before", async () => {
    const { clock, last, informer, listed, events } = setUp({ streamingLists: true });
    await clock.advance(0);
    expect(last().options).toMatchObject({ sendInitialEvents: true });
    last().send({ type: "ADDED", object: object("a", 1) }, bookmark(3));
    expect(informer.hasSynced).toBe(false);
    last().send(endOfList(5));
    expect(informer.store.size).toBe(1);
    last().send({ type: "MODIFIED", object: object("a", 6) });
    expect(informer.store.get("default/a")?.metadata.resourceVersion).toBe("6");
    expect(listed).toEqual([]);
    expect(events).toMatchObject([{ kind: "listed", streamed: true, objects: 1 }]);
  });

  test.each([
    ["refuses it", failureFromStatus(422, { reason: "Invalid", message: "sendInitialEvents is forbidden" })],
    ["takes it for a plain watch and is silent", ownFailure("silent", "nothing came")],
    ["takes it for a plain watch and ends it", undefined],
  ])("falls back to pages where the server %s", async (_how, failure) => {
    const { clock, last, informer, listed } = setUp({ streamingLists: true }, [page(7, [object("a", 1)])]);
    await clock.advance(0);
    last().end(failure);
    await clock.advance(0);
    expect(listed).toHaveLength(1);
    expect(informer.store.size).toBe(1);
  });

  test("is requested again as a stream when it breaks, without losing or keeping parts of it", async () => {
    const { clock, last, informer, listed } = setUp({ streamingLists: true });
    await clock.advance(0);
    last().send({ type: "ADDED", object: object("a", 1) });
    last().end(ownFailure("unreachable", "cut"));
    await clock.advance(2_000);
    last().send({ type: "ADDED", object: object("b", 2) }, endOfList(5));
    expect([...informer.store.values()].map(({ metadata }) => metadata.name)).toEqual(["b"]);
    expect(listed).toEqual([]);
  });
});

describe("a watch", () => {
  const started = async (answers: readonly Answer<List<ConfigMap>>[] = []) => {
    const all = setUp({}, [page(7, [object("a", 1), object("b", 2)]), ...answers]);
    await all.clock.advance(0);
    all.received.length = 0;
    return all;
  };

  test("continues from the last bookmark at once and without a list when it ends normally", async () => {
    const { clock, last, watches, listed } = await started();
    last().send(bookmark(50));
    await clock.advance(400_000);
    last().end();
    await clock.advance(0);
    expect(watches).toHaveLength(2);
    expect(last().options.resourceVersion).toBe("50");
    expect(listed).toHaveLength(1);
  });

  test("continues after a request for the server's version alone when it breaks", async () => {
    const { clock, last, listed, watches } = await started([page(60, [])]);
    last().send({ type: "ADDED", object: object("c", 9) });
    last().end(ownFailure("silent", "nothing came"));
    await clock.advance(1_200);
    expect(listed.at(-1)).toMatchObject({ limit: 1 });
    expect(watches).toHaveLength(2);
    expect(last().options.resourceVersion).toBe("9");
  });

  test("starts from a list when the server went back to an older version, because it would send no events", async () => {
    const { clock, last, informer, received } = await started([page(5, []), page(5, [object("a", 3)])]);
    last().end(ownFailure("unreachable", "cut"));
    await clock.advance(1_200);
    expect(received).toEqual(["updated a@3", "deleted b@2"]);
    expect(informer.store.size).toBe(1);
    expect(last().options.resourceVersion).toBe("5");
  });

  test("starts from a list when its version has expired, while the cache stays full and only differences are reported", async () => {
    const { clock, last, informer, received } = await started([page(90, [object("a", 1), object("c", 80)])]);
    last().end(gone);
    expect(informer.store.size).toBe(2);
    await clock.advance(0);
    expect(received).toEqual(["added c@80", "deleted b@2"]);
  });

  test("is not repeated without a pause when it expires again and again", async () => {
    const { clock, last, watches } = await started(Array.from({ length: 50 }, () => page(90, [])));
    for (let i = 0; i < 20; i += 1) {
      last().end(gone);
      await clock.advance(100);
    }
    expect(watches.length).toBeLessThan(5);
  });

  test("is not repeated without a pause when the server closes it at once", async () => {
    const { clock, last, watches } = await started(Array.from({ length: 50 }, () => page(90, [])));
    for (let i = 0; i < 20; i += 1) {
      last().end();
      await clock.advance(100);
    }
    expect(watches.length).toBeLessThan(5);
  });

  test("that delivered an event makes the next failure the first", async () => {
    const { clock, last, events } = await started(Array.from({ length: 9 }, () => page(60, [])));
    const waits: number[] = [];
    for (const brings of [false, false, true, false]) {
      if (brings) last().send(bookmark(61));
      last().end(ownFailure("unreachable", "cut"));
      await clock.advance(0);
      const { retryMs } = events.at(-1) as { readonly retryMs: number };
      waits.push(retryMs);
      await clock.advance(retryMs);
    }
    expect(waits).toEqual([1_200, 2_400, 1_200, 2_400]);
  });

  test("that gets an error inside waits as for any failure, and not as for a refusal", async () => {
    const { clock, last, events } = await started(Array.from({ length: 9 }, () => page(60, [])));
    last().end(failureFromStatus(404, { message: "foreign" }));
    await clock.advance(0);
    expect(events.at(-1)).toMatchObject({ kind: "failed", denied: false, broken: true, retryMs: 1_200 });
    opens = false;
    await clock.advance(1_200);
    last().end(failureFromStatus(404, { message: "no such kind" }));
    await clock.advance(0);
    expect(events.at(-1)).toMatchObject({ kind: "failed", denied: true, broken: false });
  });

  test("whose connection breaks is no broken watch, and one with an unreadable event is", async () => {
    const { clock, last, events } = await started(Array.from({ length: 9 }, () => page(60, [])));
    last().end(ownFailure("unreachable", "cut"));
    await clock.advance(0);
    expect(events.at(-1)).toMatchObject({ kind: "failed", broken: false });
    await clock.advance(2_000);
    last().end(ownFailure("unreadable", "noise"));
    await clock.advance(0);
    expect(events.at(-1)).toMatchObject({ kind: "failed", broken: true });
  });

  test("reports an object once when a list has it again unchanged", async () => {
    const { clock, last, received } = await started([page(90, [object("a", 1), object("b", 2)])]);
    last().end(gone);
    await clock.advance(0);
    expect(received).toEqual([]);
  });
});

describe("a pause before a retry", () => {
  const cut = failed(ownFailure("unreachable", "cut"));

  test("is cut short once when other watches reach the server again, until a watch has lasted", async () => {
    const { clock, informer, listed, answers, last } = setUp({}, [cut, cut]);
    const hurry = async () => {
      informer.tryNow();
      await clock.advance(0);
      return listed.length;
    };
    await clock.advance(0);
    expect([await hurry(), await hurry()]).toEqual([2, 2]);
    answers.push(page(7, []));
    await clock.advance(2_400);
    expect(await hurry()).toBe(3);
    await clock.advance(10_000);
    last().end(ownFailure("unreachable", "cut"));
    await clock.advance(0);
    expect(await hurry()).toBe(4);
  });

  test("is not cut short when the server itself requested it", async () => {
    const forbidden = failed(failureFromStatus(403, { reason: "Forbidden", message: "no" }));
    for (const answer of [forbidden, failed(failureFromStatus(429, undefined, "60"))]) {
      const { clock, informer, listed } = setUp({}, [answer]);
      await clock.advance(0);
      informer.tryNow();
      await clock.advance(0);
      expect(listed).toHaveLength(1);
    }
  });
});

test("the reflector ends on the signal at any point, and leaves no timer", async () => {
  for (const prepared of [[], [page(7, [])]]) {
    const { clock, stop, ended } = setUp({}, prepared);
    await clock.advance(100);
    stop.abort();
    await ended;
    expect(clock.waiting).toBe(0);
  }
});

test("an exception of a listener is a bug and ends the run", async () => {
  const { clock, last, informer, ended } = setUp({}, [page(7, [])]);
  await clock.advance(0);
  informer.subscribe(() => {
    throw new Error("bug");
  });
  last().send({ type: "ADDED", object: object("a", 8) });
  await expect(ended).rejects.toThrow("bug");
});

test("refetch reads what a transform would now keep, and never an older version", async () => {
  let keepData = false;
  const full = { ...object("a", 5), data: { key: "value" } };
  const transform = (it: ConfigMap): ConfigMap => (keepData ? it : { ...it, data: {} });
  const { clock, informer, answers, stop } = setUp({ transform }, [page(7, [structuredClone(full)])]);
  await clock.advance(0);
  expect(informer.store.get("default/a")?.data).toEqual({});
  keepData = true;
  answers.push(page(8, [{ ...structuredClone(full), metadata: object("a", 4).metadata }]));
  await informer.refetch("default/a", stop.signal);
  expect(informer.store.get("default/a")?.data).toEqual({});
  answers.push(page(8, [structuredClone(full)]));
  await informer.refetch("default/a", stop.signal);
  expect(informer.store.get("default/a")?.data).toEqual({ key: "value" });
});
