import { expect, test } from "vitest";
import { plainHosts } from "../../../../test/bench/support/hosts.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { liveBytes } from "../../../../test/support/live-bytes.ts";
import { fake } from "../../../../test/support/sketch.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import { defaultOptions } from "../../../core/table/options.ts";
import { emptyQuarantine } from "../../../core/table/quarantine.ts";
import { Translator } from "../../../core/table/translator.ts";
import { emptyInputs } from "../../../core/table/turn.ts";
import { Failures } from "../../../edges/failures.ts";
import { PageNotes } from "../notes.ts";
import type { ListQuery } from "./listing.ts";
import { PageLists } from "./lists.ts";

const hosts = 10_000;
const query: ListQuery = { words: [], sort: "", descending: false, offset: 0, limit: 100 };

function listsOf(snapshot: Snapshot) {
  const translator = new Translator(defaultOptions, fake);
  const { configuration } = translator.turn({ ...emptyInputs, snapshot });
  return new PageLists(
    {
      notes: new PageNotes(() => 0),
      failures: new Failures(() => 0),
      configuration: () => configuration,
      snapshot: () => snapshot,
      refusals: () => emptyQuarantine,
      peers: async () => undefined,
      shadows: async () => [],
      ended: () => [],
      requests: undefined,
      history: undefined,
      status: async () => undefined,
      ask: async () => ({ ok: false, why: "" }),
      names: { annotationsPrefix: "", configMap: undefined, showsSnippets: false, grafana: "", hasCluster: true },
    },
    new FakeClock(),
    () => undefined,
  );
}

test("the lists of ten thousand hosts are built once, take less than 10 MB, and release them", async () => {
  const lists = listsOf(plainHosts(hosts));
  expect(lists.routes.page(query).total).toBeGreaterThanOrEqual(hosts);
  lists.forget();
  const before = await liveBytes();
  const { routes } = lists;
  routes.page({ ...query, words: ["host-77"], sort: "backend" });
  lists.certificates.page(query);
  expect(lists.problems.page(query).total).toBe(0);
  expect(lists.unanswered).toEqual([]);
  expect(lists.routes).toBe(routes);
  const held = (await liveBytes()) - before;
  expect(held).toBeLessThan(10_000_000);
  expect(held).toBeGreaterThan(500_000);
  lists.forget();
  expect(lists.routes).not.toBe(routes);
});
