import { expect, test } from "vitest";
import { base, configMap, ingress, put } from "../../../test/support/sketch.ts";
import { emptySnapshot, type Snapshot } from "../model/snapshot.ts";
import { Table } from "../model/table.ts";
import { QuarantineKeeper } from "../quarantine/quarantine.ts";
import type { RenderedText } from "../render/rendering.ts";
import { emptyLastGood } from "../table/last-good.ts";
import { emptyQuarantine } from "../table/quarantine.ts";
import { Applying } from "./applying.ts";
import { Generations } from "./generations.ts";
import type { ApplyOutcome } from "./ports.ts";

const textOf = (generation: string): RenderedText => {
  return { conf: "", generation, files: [], shapes: new Set(), parts: {}, ownersAt: () => new Set<string>() };
};
const reloaded: ApplyOutcome = { kind: "reloaded", tookMs: 1, warnings: [] };
const refused: ApplyOutcome = { kind: "refused", stderr: "nginx: [emerg] no" };

/**
 * Starts with an nginx that returns `outcomes` one after the other. Its memory has our records from
 * the first success on.
 */
function start(...outcomes: ApplyOutcome[]) {
  const own = { settings: undefined, tcp: "ns/tcp", udp: undefined };
  const keeper = new QuarantineKeeper(own, { lastGood: emptyLastGood, quarantine: emptyQuarantine });
  const generations = new Generations();
  const apply = async () => outcomes.shift()!;
  const applying = new Applying(
    {
      nginx: { apply },
      memory: { isOurs: async () => true },
    },
    generations,
    keeper,
  );
  const ending = new AbortController();
  const give = (generation: string, snapshot: Snapshot = emptySnapshot) => {
    generations.want({ text: textOf(generation), snapshot, statuses: Table.empty() });
    return applying.apply(generations.begin(), ending.signal);
  };
  return {
    give,
    end: () => ending.abort(),
    generations,
    aside: () => [...keeper.kept.quarantine.objects.keys()],
    ports: () => [...keeper.kept.quarantine.ports.keys()],
  };
}

test("an nginx that has just started has its records from the disk, whatever it had before", async () => {
  const { give } = start({ ...reloaded, started: true });
  expect(await give("1")).toMatchObject({ kind: "served", started: true, lacksRecords: false });
});

test("an nginx that kept running needs all records, and one that continues with the next text needs none", async () => {
  const { give, generations } = start(reloaded, reloaded);
  expect(await give("1")).toMatchObject({ kind: "served", started: false, lacksRecords: true });
  expect(generations.live?.generation).toBe("1");
  expect(await give("2")).toMatchObject({ lacksRecords: false });
});

test("a refusal sets the new Ingress aside, and a text without a suspect is given up", async () => {
  const { give, generations, aside } = start(reloaded, refused, refused);
  await give("1", base);
  expect(await give("2", put(base, ingress({ name: "new", host: "a.example" })))).toMatchObject({
    kind: "set aside",
    refunds: true,
  });
  expect(aside()).toEqual(["Ingress ns/new"]);
  expect(generations.stateOf("2")).not.toBe("given up");
  await give("3", base);
  expect(generations.stateOf("3")).toBe("given up");
  expect(generations.live?.generation).toBe("1");
});

test("a text that fails because of the machine is tried again", async () => {
  const { give, generations } = start({ kind: "unreachable", cause: new Error("disk full") });
  expect(await give("1")).toMatchObject({ kind: "may pass", retries: true, refunds: false });
  expect(generations.stateOf("1")).not.toBe("given up");
});

const tcpServices = put(base, configMap("ns/tcp", { "9000": "ns/web:80" }));
const busy = (names: string): ApplyOutcome => ({
  kind: "unreachable",
  cause: new Error(`cannot listen on ${names}`),
  names,
});

test("a busy port of a TCP service is left out, also at the first start, and a busy port of nginx itself is a fault of the machine", async () => {
  const { give, ports } = start(busy("0.0.0.0:80"), busy("0.0.0.0:9000"), reloaded);
  expect(await give("1", tcpServices)).toMatchObject({ kind: "may pass", report: { kind: "unreachable" } });
  expect(ports()).toEqual([]);
  expect(await give("2", tcpServices)).toMatchObject({ kind: "set aside", report: { kind: "refused" } });
  expect(ports()).toEqual(["tcp/9000"]);
});

test("an apply that the end of the controller interrupts is not reported and not repeated", async () => {
  const { end, give, generations } = start({ kind: "unreachable", cause: new Error("Command was canceled: nginx -t") });
  end();
  const ending = await give("1");
  expect(ending).toEqual({ kind: "broken off", retries: false, refunds: false, started: false, lacksRecords: false });
  expect(generations.live).toBeUndefined();
});

test("a refusal that may pass returns the token, and the text waits for its retry", async () => {
  const { give, generations } = start({ kind: "refused", stderr: "no such file", mayPass: true });
  expect(await give("1")).toMatchObject({
    kind: "may pass",
    retries: true,
    refunds: true,
    report: { kind: "refused" },
  });
  expect(generations.stateOf("1")).toBe("retry");
});
