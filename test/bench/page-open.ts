/**
 * Measures the cost of the open page for a busy controller and its nginx: ten thousand hosts,
 * requests to hundreds of them, a change each second, and two browsers that send the requests of
 * the page's own scripts. Times with the page and without it follow each other, so that both meet
 * the same machine.
 */
import { get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ports, type Served, serving } from "../nginx/support/serve.ts";
import { fileOf, hostAt, ingress, townFiles } from "../page/support/town.ts";
import { openBackends } from "../page/support/world.ts";
import type { Figure } from "./measured.ts";
import { cpuMs, familyOf, residentMegabytes } from "./support/cpu.ts";

const hosts = 10_000;
const rounds = 5;
const roundMs = 30_000;
/** The first requests build the lists, and the measurement is of a page that stays open. */
const settleMs = 15_000;
const betweenMs = 10;

/**
 * The requests of two browsers. Each is sent again when one of the views that it shows, or the
 * traffic, has changed.
 */
const shown = [
  { ask: "routes?sort=requests&order=desc&offset=0&limit=100", views: ["routes"] },
  { ask: "status", views: ["overview", "problems", "routes"] },
] as const;

export async function pageOpen(): Promise<Figure[]> {
  const backends = await openBackends();
  const served = await serving({
    files: await townFiles(hosts),
    flags: ["--enable-metrics", "--configmap=ingress-nginx/settings"],
    limitMs: 300_000,
  });
  const ending = new AbortController();
  const busy = Promise.all([requests(served, ending.signal), changes(served, ending.signal)]);
  try {
    await delay(settleMs);
    const [shut, open, grown]: [number[], number[], number[]] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      const before = residentMegabytes(served.pid);
      shut.push(await share(served.pid));
      const browsers = shown.map(browser);
      await delay(settleMs);
      open.push(await share(served.pid));
      grown.push(residentMegabytes(served.pid) - before);
      for (const one of browsers) one.close();
      await delay(settleMs);
    }
    const asked = await Promise.all(lists.map((one) => timesOf(one.ask)));
    const added = open.map((value, at) => value - shut[at]!);
    const note = `${shut.map((value) => value.toFixed(1)).join(", ")} % without the page, each before the one with it`;
    return [
      { what: "CPU of two open pages, of one core", hosts, unit: "%", values: added, bound: 1, note },
      { what: "pages of memory that come with them", hosts, unit: "MB", values: grown, bound: 10 },
      ...lists.map(({ what }, at): Figure => ({ what, hosts, unit: "ms", values: asked[at]!, bound: 500 })),
    ];
  } finally {
    ending.abort();
    await busy;
    await served.remove();
    for (const backend of backends) {
      backend.close();
      backend.closeAllConnections();
    }
  }
}

const lists = [
  { what: "one answer: a hundred routes, sorted by requests a second", ask: "routes?sort=requests&order=desc" },
  {
    what: "one answer: routes with twenty words in the filter",
    ask: `routes?filter=${[..."aeioumplxs./:-"].join("+")}+ex+xa+am+mp+pl+le`,
  },
  { what: "one answer: the decision about a request", ask: "ask?url=http://www.shop.example.com/cart" },
] as const;

/** The part of one core that the controller and nginx take, in percent. */
async function share(pid: number): Promise<number> {
  const all = familyOf(pid);
  const spent = () => all.reduce((sum, one) => sum + cpuMs(one), 0);
  const [cpu, since] = [spent(), performance.now()];
  await delay(roundMs);
  return (100 * (spent() - cpu)) / (performance.now() - since);
}

/** As many in each second, so that nginx has the same work with the page and without it. */
async function requests({ ask }: Served, signal: AbortSignal): Promise<void> {
  const since = performance.now();
  for (let at = 0; !signal.aborted; at++) {
    await ask(hostAt(at % 400));
    await delay(Math.max(0, since + at * betweenMs - performance.now()));
  }
}

async function changes({ write }: Served, signal: AbortSignal): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    write("busy.yaml", fileOf([ingress({ name: "busy", host: `busy-${at % 2}.shop.example.com` })]));
    await delay(1_000);
  }
}

/** Does what `ui/live.js` and `ui/main.js` do for one view. */
function browser({ ask, views }: (typeof shown)[number]): { close(): void } {
  const again = () => void asked(ask).catch((error) => console.error("the open page:", error));
  again();
  const events = get({ host: "127.0.0.1", port: ports.health, path: "/ui/api/v1/events", agent: false }, (response) => {
    response.setEncoding("utf8").on("data", (text: string) => {
      const [, event = "", data = "{}"] = /^event: (\w+)\ndata: (.*)$/m.exec(text) ?? [];
      const changed: readonly string[] = event === "changed" ? JSON.parse(data).views : [];
      if (event === "traffic" || changed.some((name) => (views as readonly string[]).includes(name))) again();
    });
    response.on("error", () => {});
  }).on("error", () => {});
  return { close: () => void events.destroy() };
}

async function timesOf(ask: string): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < 10; at++) {
    const since = performance.now();
    await asked(ask);
    times.push(performance.now() - since);
  }
  return times;
}

function asked(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port: ports.health, path: `/ui/api/v1/${path}` }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} answers ${response.statusCode}`));
      response.resume().once("end", () => resolve());
    }).once("error", reject);
  });
}
