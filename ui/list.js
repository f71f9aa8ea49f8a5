/**
 * A list that the server filters, sorts and cuts into pages. It is fast with ten thousand rows,
 * because a hundred are shown. The address holds filter, order and page.
 */
import { fill, h, refill, table } from "./dom.js";
import { count, counted } from "./words.js";

/** @import { List } from "../src/ask/page/api/list.ts" */
/** @import { Child } from "./dom.js" */
/** @import { Shown } from "./main.js" */

const pageRows = 100;
const mostPages = 10_000;

/**
 * @template Row
 * @typedef {object} ListView
 * @property {(question: URLSearchParams, signal: AbortSignal) => Promise<any>} ask
 * @property {string} caption
 * @property {readonly [one: string, many: string]} rows what the rows are
 * @property {string} filterHint
 * @property {string} empty shown if there is nothing at all
 * @property {string} [unmatched] shown if the filter takes nothing
 * @property {readonly (readonly [label: string, sort?: string, kind?: string])[]} columns
 * @property {(row: Row) => HTMLTableRowElement} row
 * @property {string} usualSort
 * @property {(answer: any) => Child[]} [before] shown above the list
 * @property {(answer: any) => Child[]} [after] shown below the list
 * @property {boolean} [filtersAll] what is above the list is filtered, too
 * @property {number} [few] with so many rows or fewer there is no filter
 */

/**
 * @template Row
 * @param {HTMLElement} root
 * @param {ListView<Row>} list
 * @returns {Shown}
 */
export function showList(root, list) {
  const params = () => new URLSearchParams(location.search);
  const before = h("div", {});
  const filter = h("input", {
    type: "search",
    id: "filter",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: list.filterHint,
    value: params().get("filter") ?? "",
  });
  const status = h("p", { class: "matched", role: "status" });
  const place = h("div", { class: "scroll" });
  const pager = h("nav", { class: "pager", "aria-label": "Pages" });
  const search = h(
    "form",
    { role: "search", class: "filter", hidden: list.few !== undefined },
    h("label", { for: "filter" }, "Filter"),
    filter,
    status,
  );
  const after = h("div", {});
  fill(root, list.filtersAll ? [search, before] : [before, search], place, pager, after);

  /** @type {AbortController | undefined} */
  let asking;

  /**
   * The list asks again through the frame of the page, which shows failures.
   * @param {Record<string, string>} changes an empty value is left out
   */
  function move(changes) {
    const next = params();
    for (const [name, value] of Object.entries(changes)) {
      if (value === "") next.delete(name);
      else next.set(name, value);
    }
    history.replaceState(null, "", `${location.pathname}${next.size === 0 ? "" : `?${next}`}`);
    dispatchEvent(new CustomEvent("sluice:refresh"));
  }

  search.addEventListener("submit", (event) => event.preventDefault());
  filter.addEventListener("input", () => move({ filter: filter.value.trim(), page: "" }));

  /** @param {readonly [label: string, sort?: string, kind?: string]} column */
  function head([label, sort, kind]) {
    const [now, isDown] = [params().get("sort") ?? list.usualSort, params().get("order") === "desc"];
    if (!sort) return h("th", { scope: "col", role: "columnheader", class: kind }, label);
    const direction = sort !== now ? undefined : isDown ? "descending" : "ascending";
    const button = h("button", { type: "button", "data-key": sort }, label);
    button.addEventListener("click", () => {
      // Figures are of interest if they are large.
      const turn = sort === now ? !isDown : kind === "number";
      move({ sort: sort === list.usualSort ? "" : sort, order: turn ? "desc" : "", page: "" });
    });
    return h("th", { scope: "col", role: "columnheader", "aria-sort": direction, class: kind }, button);
  }

  /**
   * @param {string} label
   * @param {number} page
   * @param {boolean} isThere
   */
  function turn(label, page, isThere) {
    const button = h("button", { type: "button", "data-key": label, disabled: !isThere }, label);
    button.addEventListener("click", () => {
      move({ page: page === 1 ? "" : String(page) });
      root.scrollIntoView();
    });
    return button;
  }

  /** @returns {Promise<void>} */
  async function refresh() {
    asking?.abort();
    const own = new AbortController();
    asking = own;
    const asked = params();
    const page = Math.min(Math.max(1, Math.floor(Number(asked.get("page") ?? 1)) || 1), mostPages);
    const question = new URLSearchParams({ offset: String((page - 1) * pageRows), limit: String(pageRows) });
    for (const name of ["filter", "sort", "order"]) if (asked.has(name)) question.set(name, asked.get(name) ?? "");
    /** @type {List<Row>} */
    const answer = await list.ask(question, own.signal);
    const { total, matched, offset, rows } = answer;
    // There are fewer pages than when the address was made.
    if (rows.length === 0 && matched > 0) return move({ page: String(Math.ceil(matched / pageRows)) });
    refill(before, list.before?.(answer) ?? []);
    refill(after, list.after?.(answer) ?? []);
    search.hidden = total <= (list.few ?? 0) && filter.value === "";
    const all = counted(total, ...list.rows);
    const text = matched === total ? all : `${count(matched)} of ${all}`;
    if (status.textContent !== text) status.textContent = text;
    if (total === 0) fill(place, h("p", { class: "empty" }, list.empty));
    else if (matched === 0) fill(place, h("p", { class: "empty" }, list.unmatched ?? "Nothing matches the filter."));
    else {
      // On a phone the heads are a line that is scrolled sideways.
      const scrolled = place.querySelector("thead")?.scrollLeft ?? 0;
      refill(place, table(list.caption, rows.map(list.row), list.columns.map(head)));
      place.querySelector("thead")?.scrollTo(scrolled, 0);
    }
    const pages = Math.ceil(matched / pageRows);
    const last = Math.min(matched, offset + rows.length);
    pager.hidden = pages <= 1;
    if (pages > 1)
      refill(
        pager,
        turn("Previous", page - 1, page > 1),
        h("span", {}, `${count(offset + 1)} to ${count(last)} of ${count(matched)}`),
        turn("Next", page + 1, page < pages),
      );
  }
  return { refresh };
}

/**
 * Filters, sorts and cuts rows that are here already, as the server does.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {URLSearchParams} question
 * @param {(row: Row) => string} text what the filter looks at
 * @param {Record<string, (row: Row) => string | number>} sorts without one, rows stay as they are
 * @returns {List<Row>}
 */
export function cutList(rows, question, text, sorts) {
  const words = (question.get("filter") ?? "").toLowerCase().split(/\s+/);
  const found = rows.filter((row) => words.every((word) => text(row).toLowerCase().includes(word)));
  const value = sorts[question.get("sort") ?? ""];
  if (value !== undefined) found.sort((a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0));
  if (question.get("order") === "desc") found.reverse();
  const [offset, limit] = [Number(question.get("offset")), Number(question.get("limit"))];
  return { total: rows.length, matched: found.length, offset, rows: found.slice(offset, offset + limit) };
}
