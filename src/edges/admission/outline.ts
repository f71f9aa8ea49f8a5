/**
 * Examines the text of a review before it is parsed. JSON.parse cannot be interrupted, and nine
 * million brackets take it seconds. So the values of the text are counted first, in parts between
 * which other work runs. The object is cut out, and its earlier version, which nothing reads, is
 * left out.
 */
import type { Parts } from "../../base/timing/paced.ts";

export interface Outline {
  /** The review with `null` in the place of both objects. */
  readonly rest: string;
  /** The text of the new object, or undefined if there is none. */
  readonly object: string | undefined;
}

/** The most values in an object: an Ingress with 20,000 paths has nine for each path. */
const mostValues = 220_000;
/** The most values in the rest: the user, its groups, and the kind of the object. */
const mostValuesOfRest = 20_000;
/** In an object with more members, each member costs V8 much more. */
const usualMembers = 256;
const costOfMember = 10;
/**
 * The greatest depth of lists and objects inside each other. An Ingress or a route stays far below
 * it.
 */
const deepest = 64;
/** Characters that are examined before other work gets the event loop. */
const atATime = 500_000;

const [quote, backslash, comma, colon, openingList] = [0x22, 0x5c, 0x2c, 0x3a, 0x5b];
const opening = new Set([openingList, 0x7b]);
const closing = new Set([0x5d, 0x7d]);
/** The depth of the members of `request` in an AdmissionReview. */
const ofRequest = 2;

/** Returns undefined if the text is larger or deeper than any review of an API server. */
export function* outlineOf(text: string): Parts<Outline | undefined> {
  const kept: string[] = [];
  let object: string | undefined;
  let keptTo = 0;
  let [depth, values, restValues] = [0, 0, 0];
  /** The number of members so far in the object at each depth. Items of lists are not counted. */
  const members: number[] = [];
  /** The last string, and the position where the value that is cut out begins. */
  let name = "";
  let cut: { readonly name: string; readonly from: number } | undefined;

  const end = (at: number): void => {
    if (cut === undefined) return;
    if (cut.name === "object") object = text.slice(cut.from, at);
    kept.push(text.slice(keptTo, cut.from), "null");
    keptTo = at;
    cut = undefined;
  };

  let pause = atATime;
  for (let at = 0; at < text.length; at++) {
    if (at >= pause) {
      pause = at + atATime;
      yield;
    }
    const code = text.charCodeAt(at);
    if (code === quote) {
      const from = at + 1;
      at = endOfString(text, from);
      if (depth === ofRequest && cut === undefined) name = text.slice(from, Math.min(at, from + 20));
    } else if (code === colon) {
      if (depth !== ofRequest || cut !== undefined || (name !== "object" && name !== "oldObject")) continue;
      cut = { name, from: at + 1 };
      values = 0;
    } else if (code === comma || opening.has(code)) {
      if (code === comma && depth === ofRequest) end(at);
      if (opening.has(code)) members[++depth] = code === openingList ? Number.NEGATIVE_INFINITY : 0;
      const cost = code === comma && ++members[depth]! > usualMembers ? costOfMember : 1;
      if (cut === undefined) restValues += cost;
      else values += cost;
      if (depth > deepest || values > mostValues || restValues > mostValuesOfRest) return undefined;
    } else if (closing.has(code)) {
      if (depth === ofRequest) end(at);
      depth--;
    }
  }
  return { rest: [...kept, text.slice(keptTo)].join(""), object };
}

/** Returns the position of the closing quote of the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash && end - 1 - slashes >= from) slashes++;
    if (slashes % 2 === 0) return end;
    at = end + 1;
  }
}
