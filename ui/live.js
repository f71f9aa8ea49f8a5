/**
 * Listens to the controller while the page is visible. In a hidden tab it costs nothing, and it
 * requests everything when it is shown again.
 */

/** @import { ChangedEvent, TrafficEvent, ViewName } from "../src/ask/page/api/events.ts" */

/**
 * @param {object} listener
 * @param {(text: "live" | "connecting" | "paused") => void} listener.state
 * @param {(views: readonly ViewName[]) => void} listener.changed
 * @param {(traffic: TrafficEvent["traffic"]) => void} listener.traffic
 * @param {() => void} listener.again after a time without events
 */
export function follow({ state, changed, traffic, again }) {
  /** @type {EventSource | undefined} */
  let source;
  let wasOpen = false;
  const open = () => {
    state("connecting");
    const opened = new EventSource("/ui/api/v1/events");
    source = opened;
    opened.onopen = () => {
      state("live");
      if (wasOpen) again();
      wasOpen = true;
    };
    opened.onerror = () => {
      state("connecting");
      // A browser does not reconnect after an answer that is not a stream of events, such as that
      // of a controller that is starting.
      if (opened.readyState === EventSource.CLOSED) setTimeout(() => opened === source && open(), 3_000);
    };
    opened.addEventListener("changed", ({ data }) => changed(/** @type {ChangedEvent} */ (JSON.parse(data)).views));
    opened.addEventListener("traffic", ({ data }) => traffic(/** @type {TrafficEvent} */ (JSON.parse(data)).traffic));
  };
  document.addEventListener("visibilitychange", () => {
    source?.close();
    source = undefined;
    if (document.hidden) state("paused");
    else open();
  });
  if (document.hidden) state("paused");
  else open();
}
