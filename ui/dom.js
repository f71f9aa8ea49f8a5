/**
 * Makes elements. Values of the cluster get into the page as text and attributes only, never as
 * markup, so a hostile name is shown as it is. Signs that are not visible, or that change the
 * direction of writing, are written as escapes, and longer texts than `longest` are cut.
 */

/** @typedef {Node | string | number | null | undefined | false | readonly Child[]} Child */

/**
 * Makes an element, as in `h("a", { href: "/ui/" }, "Overview")`. An attribute that is `true` has
 * no value; one that is `false` is left out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | boolean | undefined>} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  element.append(...kept(children));
  return element;
}

/**
 * @param {Child} child
 * @returns {(Node | string)[]}
 */
function kept(child) {
  if (child === null || child === undefined || child === false) return [];
  if (Array.isArray(child)) return child.flatMap(kept);
  if (typeof child === "number") return [String(child)];
  if (typeof child !== "string") return [/** @type {Node} */ (child)];
  // A longer word would make a table wider than the window.
  const text = visible(child);
  return /\S{60}/.test(text) ? broken(text) : [text];
}

const hidden = /(?![\n\t])[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** A tenant may write a path of a megabyte, and a list has a hundred of them. */
const longest = 2_000;

/** @param {string} text */
function visible(text) {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(hidden, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Replaces the content of the element by `children`.
 * @param {Element} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...kept(children));
}

/**
 * Does the same as `fill`, and keeps the focus on the element with the same `href` or `data-key`.
 * @param {Element} element
 * @param {...Child} children
 */
export function refill(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  fill(element, ...children);
  for (const name of ["data-key", "href"]) {
    const key = focused?.getAttribute(name);
    const again = key && element.querySelector(`[${name}=${CSS.escape(key)}]`);
    if (again instanceof HTMLElement) return again.focus({ preventScroll: true });
  }
}

/**
 * Makes a word with a colour and a sign, so that the meaning does not depend on the colour alone.
 * @param {string} text
 * @param {"good" | "bad" | "warn" | "calm"} tone
 */
export function badge(text, tone) {
  return h("span", { class: `badge ${tone}` }, text);
}

/**
 * Makes a table with explicit roles: on a phone its rows are blocks, which would lose them
 * otherwise. Without `heads`, those of the rows are used.
 * @param {string} caption
 * @param {HTMLTableRowElement[]} rows
 * @param {HTMLTableCellElement[]} [heads]
 */
export function table(caption, rows, heads = headsOf(rows)) {
  return h(
    "table",
    { role: "table" },
    h("caption", {}, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, heads)),
    h("tbody", { role: "rowgroup" }, rows),
  );
}

/** @param {HTMLTableRowElement[]} rows */
function headsOf([first]) {
  return [...(first?.cells ?? [])].map((cell) =>
    h("th", { scope: "col", role: "columnheader", class: cell.className }, cell.dataset.label),
  );
}

/** Words of this length stay on one line. */
const unbroken = 24;

/**
 * A name whose long words may break behind dots, slashes and hyphens. A port stays with what is
 * before it.
 * @param {string} text
 */
export function name(text) {
  return visible(text)
    .split(/(\s+)/)
    .flatMap((word) => (word.length <= unbroken ? [whole(word)] : broken(word)));
}

/**
 * Prevents line breaks after hyphens, which browsers make otherwise.
 * @param {string} word
 */
const whole = (word) => (word.includes("-") ? h("span", { class: "whole" }, word) : word);

/** @param {string} word */
function broken(word) {
  return word
    .split(/(?<=[./,_-])(?![)\]])|(?<=[^./,_\s-]{30})/u)
    .flatMap((part, at) => (at === 0 ? [part] : [h("wbr"), part]));
}

/**
 * A row of a table: each cell with the name of its column, for a phone.
 * @param {readonly (readonly [label: string, content: Child, kind?: string])[]} cells
 * @param {string} [kind]
 */
export function row(cells, kind) {
  return h(
    "tr",
    { role: "row", class: kind },
    cells.map(([label, content, of = ""]) => {
      const breaks = typeof content === "string" && !/number|when/.test(of);
      return h("td", { role: "cell", "data-label": label, class: of || undefined }, breaks ? name(content) : content);
    }),
  );
}

/**
 * A small plot of figures over time, the oldest first.
 * @param {string} label
 * @param {readonly number[]} values
 * @param {(value: number) => string} words
 * @param {"good" | "bad" | "calm"} tone
 */
export function plot(label, values, words, tone = "calm") {
  const [width, height] = [240, 40];
  const most = Math.max(...values);
  const points = values.map((value, at) => {
    const x = (at / (values.length - 1)) * width;
    return `${x.toFixed(1)},${(height - (most === 0 ? 0 : value / most) * (height - 2) - 1).toFixed(1)}`;
  });
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  const text = `${label}, at most ${words(most)} in the last 30 minutes, now ${words(values.at(-1) ?? 0)}`;
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text }))
    svg.setAttribute(name, value);
  line.setAttribute("points", points.join(" "));
  svg.append(line);
  return h(
    "figure",
    { class: `plot ${tone}` },
    h("figcaption", {}, label, h("small", {}, `at most ${words(most)}`)),
    svg,
  );
}

/**
 * Names and values in pairs; what is false is left out.
 * @param {readonly (readonly [name: string, value: Child] | false | undefined)[]} pairs
 */
export function facts(pairs) {
  return h(
    "dl",
    { class: "facts" },
    pairs
      .filter((pair) => pair !== false && pair !== undefined)
      .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}
