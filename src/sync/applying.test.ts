import { expect, test } from "vitest";
import { base, configMap, ingress, put } from "../../test/support/sketch.ts";
import { emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import { QuarantineKeeper } from "../quarantine/quarantine.ts";
import type { RenderedText } from "../render/rendering.ts";
import { emptyLastGood } from "../translate/last-good.ts";
import { emptyQuarantine } from "../translate/quarantine.ts";
import { Applying } from "./applying.ts";
import { Generations } from "./generations.ts";
import type { ApplyOutcome } from "./ports.ts";

const textOf = (generation: string): RenderedText => {
  return { conf: "", generation, files: [], shapes: new Set(), parts: {}, ownersAt: () => new Set<string>() };
};
const reloaded: ApplyOutcome = { kind: "reloaded", tookMs: 1, warnings: [] };
const refused: ApplyOutcome = { kind: "refused", stderr: "nginx: [emerg] no" };

/** nginx gives `outcomes` one after the other; its memory is ours from the first success on. */
function start(...outcomes: ApplyOutcome[]) {
  const own = { settings: undefined, tcp: "ns/tcp", udp: undefined };
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: emptyQuarantine });
  const generations = new Generations();
  const apply = async () => outcomes.shift()!;
  const memory = { records: new Map(), keep: async () => {}, publish: async () => ({ kind: "published" }) as const };
  const applying = new Applying(
    {
      nginx: { apply, keepOpened: async () => {}, hasOlderWorkers: () => false },
      memory: { ...memory, isOurs: async () => true },
      renderer: { refused: () => {} },
    },
    generations,
    keeper,
  );
  const give = (generation: string, snapshot: Snapshot = emptySnapshot) => {
    generations.want({ text: textOf(generation), snapshot });
    return applying.apply(generations.begin(), new AbortController().signal);
  };
  return {
    give,
    generations,
    aside: () => [...keeper.kept.quarantine.objects.keys()],
    ports: () => [...keeper.kept.quarantine.ports.keys()],
  };
}

test("an nginx that was started has its records from the disk, whatever there was before", async () => {
  const { give } = start({ ...reloaded, started: true });
  expect(await give("1")).toMatchObject({ lacksRecords: false, mayPass: false });
});

test("an nginx that was left running needs all records, one that goes on with the next text needs none", async () => {
  const { give, generations } = start(reloaded, reloaded);
  expect(await give("1")).toMatchObject({ lacksRecords: true, mayPass: false });
  expect(generations.live?.generation).toBe("1");
  expect(await give("2")).toMatchObject({ lacksRecords: false });
});

test("of a refusal the Ingress that came is set aside; with nobody to blame the text is given up", async () => {
  const { give, generations, aside } = start(reloaded, refused, refused);
  await give("1", base);
  expect(await give("2", put(base, ingress({ name: "new", host: "a.example" })))).toMatchObject({ mayPass: false });
  expect(aside()).toEqual(["Ingress ns/new"]);
  expect(generations.isGivenUp(textOf("2"))).toBe(false);
  await give("3", base);
  expect(generations.isGivenUp(textOf("3"))).toBe(true);
  expect(generations.live?.generation).toBe("1");
});

test("what the machine is at fault for is tried again as it is", async () => {
  const { give, generations } = start({ kind: "unreachable", cause: new Error("disk full") });
  expect(await give("1")).toMatchObject({ mayPass: true });
  expect(generations.isGivenUp(textOf("1"))).toBe(false);
});

const tcpServices = put(base, configMap("ns/tcp", { "9000": "ns/web:80" }));
const busy = (names: string): ApplyOutcome => ({
  kind: "unreachable",
  cause: new Error(`cannot listen on ${names}`),
  names,
});

test("a busy port of a TCP service is left out at the first start too, and one of nginx's own is the machine's fault", async () => {
  const { give, ports } = start(busy("0.0.0.0:80"), busy("0.0.0.0:9000"), reloaded);
  expect(await give("1", tcpServices)).toMatchObject({ mayPass: true, outcome: { kind: "unreachable" } });
  expect(ports()).toEqual([]);
  expect(await give("2", tcpServices)).toMatchObject({ mayPass: false, outcome: { kind: "refused" } });
  expect(ports()).toEqual(["tcp/9000"]);
});
