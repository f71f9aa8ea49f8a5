/**
 * Writes the state of a controller as text: one line for each fact, and a table of the last
 * changes.
 */
import type { StatusAnswer, StatusChange } from "../../ask/page/api/status.ts";
import { visible } from "../../base/visible.ts";
import { columns, counted, painter, red, yellow } from "../words.ts";

export interface StatusPrint {
  readonly now: Date;
  readonly colours: boolean;
  /** The most changes that are printed. */
  readonly changes: number;
}

export function statusText(answer: StatusAnswer, { now, colours, changes: most }: StatusPrint): string {
  const { controller, live, behind, attention, counts, reloads, nginx, memory, leader } = answer;
  const paint = painter(colours);
  const { error, warning } = counts.problems;
  const problems = `${counted(error, "error")}, ${counted(warning, "warning")}`;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["controller", `${controller.release}, ${controller.mode} mode, up for ${age(controller.startedAt, now)}`],
    ["pod", controller.pod],
    ["nginx", nginxWords(answer)],
    ["live", live === undefined ? paint("nothing yet", red) : liveWords(live, now)],
    ["behind", behind && paint(visible(behind.why), red)],
    ["serves", servedWords(counts)],
    ["problems", error > 0 ? paint(problems, red) : warning > 0 ? paint(problems, yellow) : problems],
    ["set aside", counts.quarantined === 0 ? undefined : paint(`${counts.quarantined} that nginx refused`, yellow)],
    ["reloads", reloadWords(reloads)],
    ["draining", nginx.drainingWorkers === 0 ? undefined : drainingWords(nginx)],
    ["memory", memory && memoryWords(memory)],
    ["leader", leader && (leader.isOwn ? "this replica" : (leader.name ?? "not known yet"))],
  ];
  const wrong = attention.slice(0, 3).map(({ severity, says }, at) => {
    const text = `${(at === 0 ? "attention" : "").padEnd(12)}${visible(says)}`;
    return `${paint(text, severity === "error" ? red : yellow)}\n`;
  });
  const more = attention.length > 3 ? `${"".padEnd(12)}and ${attention.length - 3} more\n` : "";
  const lines = facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(12)}${value}\n`]));
  return wrong.join("") + more + lines.join("") + changesText(answer.changes, most, { now, paint });
}

function nginxWords({ controller, nginx }: StatusAnswer): string {
  if (!nginx.isRunning) return `${controller.nginx}, not running`;
  const connections = nginx.connections === undefined ? "" : `, ${counted(nginx.connections, "connection")}`;
  const restarts = nginx.restarts === 0 ? "" : `, started again ${nginx.restarts} times`;
  return `${controller.nginx}, ${counted(nginx.workers, "worker")}${connections}${restarts}`;
}

function liveWords({ generation, since, changedAt }: NonNullable<StatusAnswer["live"]>, now: Date): string {
  return `nginx.conf ${generation.slice(0, 12)} since ${age(since, now)}; last change ${age(changedAt, now)} ago`;
}

function servedWords({ hosts, routes, endpoints, certificates, gateways, streams }: StatusAnswer["counts"]): string {
  const all = [
    counted(hosts, "host"),
    counted(routes, "route"),
    counted(endpoints, "endpoint"),
    counted(certificates, "certificate"),
    ...(gateways === 0 ? [] : [counted(gateways, "Gateway")]),
    ...(streams === 0 ? [] : [counted(streams, "stream")]),
  ];
  return all.join(", ");
}

function reloadWords({ succeeded, failed, why }: StatusAnswer["reloads"]): string {
  const reasons = why.slice(0, 3).map(({ reason, count }) => visible(`${reason} (${count})`));
  const most = reasons.length === 0 ? "" : `; most often for ${reasons.join(", ")}`;
  return `${succeeded}${failed === 0 ? "" : `, and ${failed} failed`}${most}`;
}

function drainingWords({ drainingWorkers, drainingGenerations }: StatusAnswer["nginx"]): string {
  return `${counted(drainingWorkers, "worker")} of ${counted(drainingGenerations, "older generation")} finish requests`;
}

function memoryWords({ capacityBytes, freeBytes }: NonNullable<StatusAnswer["memory"]>): string {
  const used = Math.round((1 - freeBytes / capacityBytes) * 100);
  return `${used} % of ${Math.round(capacityBytes / 2 ** 20)} MiB used`;
}

type Painted = { readonly now: Date; readonly paint: (text: string, colour: number) => string };

function changesText(changes: readonly StatusChange[], most: number, { now, paint }: Painted): string {
  if (changes.length === 0) return "";
  const rows = changes
    .slice(0, most)
    .map((change) => [`${age(change.at, now)} ago`, outcomeWords(change), visible(objectWords(change))]);
  const head = ["CHANGED", "OUTCOME", "WHAT"];
  const line = columns([head, ...rows]);
  const lines = rows.map((row, at) => {
    const { outcome, problem } = changes[at]!;
    const text = outcome === "live" ? line(row) : paint(line(row), outcome === "waiting" ? yellow : red);
    return `${text}\n${problem === undefined ? "" : `  ${visible(problem)}\n`}`;
  });
  const more = changes.length - rows.length;
  const rest = more > 0 ? `and ${more} more: sluice status --all\n` : "";
  return `\n${line(head)}\n${lines.join("")}${rest}`;
}

/** Returns, for example, `live in 12 ms` or `live in 310 ms, reload`. */
function outcomeWords({ outcome, tookMs, reload }: StatusChange): string {
  const how = reload === undefined ? "" : ", reload";
  if (outcome === "live") return `live in ${Math.round(tookMs)} ms${how}`;
  return outcome === "waiting" ? "waits for a reload" : `${outcome}${how}`;
}

function objectWords({ objects, more, reload }: StatusChange): string {
  const all = `${objects.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const by = reload?.by === undefined ? "" : ` (${reload.by})`;
  const why = reload === undefined || reload.why.length === 0 ? "" : `reload for ${reload.why.join(", ")}${by}`;
  return [all, why].filter((part) => part !== "").join("; ");
}

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** Returns an age in its two largest units, such as `3h 5m`. */
function age(at: string, now: Date): string {
  let seconds = Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000));
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0 || parts.length > 0 || unit === "s") parts.push(`${count}${unit}`);
  }
  return parts.slice(0, 2).join(" ");
}
