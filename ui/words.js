/** Writes numbers and times for people. */

import { h, plot } from "./dom.js";

/** @import { HistoryAnswer } from "../src/ask/page/api/history.ts" */
/** @import { Quantile, RouteRow } from "../src/ask/page/api/routes.ts" */

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

/** @param {number} value */
export const count = (value) => whole.format(value);

/**
 * `1 route`, `2 routes`.
 * @param {number} value
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** @param {number} value */
export function rate(value) {
  return value === 0 ? "0" : value < 0.01 ? "<0.01" : short.format(value);
}

/** @param {number} seconds */
export function duration(seconds) {
  if (seconds < 1) return `${short.format(seconds * 1000)} ms`;
  return seconds < 100 ? `${short.format(seconds)} s` : ago(seconds * 1000);
}

/** @param {Quantile | null | undefined} quantile */
export function quantile(quantile) {
  if (!quantile) return "–";
  return `${quantile.orMore ? "≥ " : ""}${duration(quantile.seconds)}`;
}

/** @param {number} bytes */
export function bytes(bytes) {
  return bytes < 1_000_000 ? `${short.format(bytes / 1024)} KiB` : `${short.format(bytes / 1024 / 1024)} MiB`;
}

/**
 * `3 min`, `5 h`, `12 days`: one unit, rounded down.
 * @param {number} ms
 */
export function ago(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/**
 * Writes how long ago a time is, with the exact time as the title of the element.
 * @param {string} iso
 */
export function since(iso) {
  const time = document.createElement("time");
  time.dateTime = iso;
  time.title = iso;
  time.textContent = `${ago(Date.now() - Date.parse(iso))} ago`;
  return time;
}

/**
 * The address of the view of a route.
 * @param {Pick<RouteRow, "host" | "path" | "owner" | "listener" | "when">} route
 */
export function routeHref({ host, path, owner, listener, when }) {
  const params = new URLSearchParams({ host, path, owner: owner.name });
  if (listener !== "") params.set("listener", listener);
  if (when !== "") params.set("when", when);
  return `/ui/route?${params}`;
}

/**
 * The plots of the last 30 minutes; none while nothing is kept.
 * @param {HistoryAnswer} history
 * @param {boolean} isAll whether reloads and changes of the controller are shown, too
 */
export function plots({ stepSeconds, requestsPerSecond, errorsPerSecond, p99, reloads, changes }, isAll) {
  if (stepSeconds === 0) return [];
  return [
    h("h2", {}, "Last 30 minutes"),
    h(
      "div",
      { class: "plots" },
      plot("Requests/s", requestsPerSecond, rate),
      plot("Errors/s", errorsPerSecond, rate, "bad"),
      plot("p99 of answers", p99, duration),
      isAll && [plot("Reloads", reloads, count), plot("Changes", changes, count)],
    ),
  ];
}

/**
 * The line that prints the object of a route or a Problem.
 * @param {{ readonly kind: string; readonly name: string }} object
 */
export function kubectl({ kind, name }) {
  const [namespace, own] = name.includes("/") ? name.split("/") : ["", name];
  return `kubectl get ${kind.toLowerCase()} ${own}${namespace ? ` --namespace ${namespace}` : ""} --output yaml`;
}

/** @param {{ readonly kind: string; readonly name: string }} object */
export const objectName = ({ kind, name }) => (name === "" ? "–" : `${kind} ${name}`);
