/**
 * The frame of the page: chooses the view, and decides when it requests new data. The address names
 * the view and all of its state, so each link can be shared. A view is loaded when it is first
 * shown.
 */
import { ApiError, get, isAbort } from "./api.js";
import { fill, h } from "./dom.js";
import { follow } from "./live.js";

/** @import { ViewsAnswer } from "../src/ask/page/api/views.ts" */
/** @import { TrafficEvent, ViewName } from "../src/ask/page/api/events.ts" */

/**
 * @typedef {object} View
 * @property {string} title
 * @property {readonly ViewName[]} [shows] asks again when one of these has changed
 * @property {boolean} [hasTraffic] asks again when there are new figures of requests
 * @property {(root: HTMLElement) => Shown} show
 */

/**
 * @typedef {object} Shown
 * @property {(traffic?: TrafficEvent["traffic"]) => Promise<void>} refresh
 */

/** @type {Record<string, () => Promise<{ view: View }>>} */
const views = {
  "": () => import("./views/overview.js"),
  routes: () => import("./views/routes.js"),
  route: () => import("./views/route.js"),
  ask: () => import("./views/ask.js"),
  problems: () => import("./views/problems.js"),
  certificates: () => import("./views/certificates.js"),
  gateways: () => import("./views/gateways.js"),
  shadow: () => import("./views/shadow.js"),
};

/** @type {View} */
const unknown = {
  title: "There is no such page",
  show(root) {
    const all = [...document.querySelectorAll("nav a[data-view]")].filter(
      (link) => link.closest("li")?.hidden === false,
    );
    fill(
      root,
      h("p", {}, `${location.pathname} is not a view. There are:`),
      h(
        "ul",
        {},
        all.map((link) => h("li", {}, h("a", { href: link.getAttribute("href") ?? "" }, link.textContent))),
      ),
    );
    return { refresh: async () => {} };
  },
};

const main = /** @type {HTMLElement} */ (document.getElementById("content"));
const live = /** @type {HTMLElement} */ (document.getElementById("live"));

/** @type {{ view: View, shown: Shown } | undefined} */
let current;
let visit = 0;

/** @param {boolean} byLink whether the user followed a link, so that the focus moves to the view */
async function show(byLink) {
  const own = ++visit;
  const name = location.pathname.slice("/ui/".length);
  for (const link of document.querySelectorAll("nav a[data-view]")) {
    const isCurrent = link.getAttribute("data-view") === (name === "route" ? "routes" : name);
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const { view } = await /** @type {() => Promise<{ view: View }>} */ (
    views[name] ?? (async () => ({ view: unknown }))
  )();
  if (own !== visit) return;
  const root = h("div", { class: "view" });
  document.title = `${view.title} · Sluice`;
  fill(main, h("h1", { tabindex: "-1" }, view.title), h("p", { class: "failure", role: "alert", hidden: true }), root);
  if (byLink) {
    scrollTo(0, 0);
    main.querySelector("h1")?.focus();
  }
  current = { view, shown: view.show(root) };
  await refresh();
}

/** @param {TrafficEvent["traffic"]} [traffic] */
async function refresh(traffic) {
  const asked = current;
  const failure = /** @type {HTMLElement} */ (main.querySelector(".failure"));
  try {
    await asked?.shown.refresh(traffic);
    failure.hidden = true;
  } catch (error) {
    if (isAbort(error)) return;
    if (!(error instanceof ApiError)) throw error;
    if (asked === current) {
      fill(failure, error.message);
      failure.hidden = false;
    }
  }
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (link === null || !isPlain || link.origin !== location.origin || link.hash !== "") return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  void show(true);
});
document.addEventListener("keydown", (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event;
  if (key !== "/" || ctrlKey || metaKey || altKey) return;
  if (target instanceof Element && target.closest("input, textarea, select") !== null) return;
  const filter = document.getElementById("filter");
  if (filter === null || filter.closest("[hidden]") !== null) return;
  event.preventDefault();
  filter.focus();
});
/** A view whose state has changed requests its data here, where failures are shown. */
addEventListener("sluice:refresh", () => void refresh());
addEventListener("popstate", () => void show(false));

/** Only clusters with the Gateway API have something to show in some views. */
async function offerViews() {
  /** @type {ViewsAnswer} */
  const offered = await get("views");
  const { gateways, shadow } = offered;
  for (const [name, isThere] of Object.entries({ gateways, shadow })) {
    const link = document.querySelector(`a[data-view="${name}"]`)?.parentElement;
    if (link) link.hidden = !isThere;
  }
}

follow({
  state: (text) => {
    live.textContent = text;
    live.dataset.state = text;
  },
  changed: (names) => {
    if (current?.view.shows?.some((name) => names.includes(name))) void refresh();
    if (names.includes("gateways") || names.includes("shadow")) void offerViews().catch(() => {});
  },
  traffic: (traffic) => {
    if (current?.view.hasTraffic) void refresh(traffic);
  },
  again: () => void refresh(),
});
void offerViews().catch(() => {});
void show(false);
