/**
 * Kinds for text with an alphabet, and for lists of it. The alphabets are the ones with which
 * ingress-nginx validates.
 */
import { Token } from "../tokens/token.ts";
import {
  itemsIn,
  joinedWhys,
  type Kind,
  longestText,
  no,
  ok,
  readEach,
  shown,
  stripped,
  tooManyItems,
  written,
} from "./kind.ts";

export interface Alphabet {
  /** A description for people: "letters, digits and - _". */
  readonly label: string;
  /** The inside of a character class. */
  readonly characters: string;
}

export function textOf({ label, characters }: Alphabet): Kind<string> {
  const whole = new RegExp(`^[${characters}]+$`, "u");
  const stranger = new RegExp(`[^${characters}]`, "u");
  return {
    label,
    read: (text) => {
      if (whole.test(text)) return ok(text);
      if (text === "") return no("the value is empty");
      return no(`${shown(text)} holds ${shown(stranger.exec(text)?.[0] ?? "")}; allowed are ${label}`);
    },
    view: Token.text,
  };
}

/** Names and values that ingress-nginx uses as they are, without the blanks around them. */
export const plainText: Kind<string> = {
  ...textOf({ label: "letters, digits, blanks and - . _ ~ / :", characters: "A-Za-z0-9._~/: \\-" }),
  read: (text) => plain.read(text.trim()),
};
const plain = textOf({ label: "letters, digits, blanks and - . _ ~ / :", characters: "A-Za-z0-9._~/: \\-" });

/** Anything that stands on one line. */
export const oneLine: Kind<string> = {
  label: "text on one line",
  read: (text) =>
    text !== "" && Token.printable(text) ? ok(text) : no(`${shown(text)} is empty or has a control character`),
  view: Token.text,
};

/** Reads a comma-separated list; blanks around items and empty items are dropped. */
export function listOf<T>(item: Kind<T>, { most = 1000 } = {}): Kind<readonly T[]> {
  return {
    label: `a comma-separated list, each ${item.label}`,
    longest: longestText,
    read: (text) => {
      const parts = itemsIn(text)?.filter((part) => part !== "");
      if (parts === undefined) return no(tooManyItems);
      if (parts.length > most) return no(`the list has ${parts.length} items; at most ${most} are taken`);
      return readEach(item, parts);
    },
    write: (values) => values.map((value) => written(item, value)).join(","),
    view: (values) => values.map(item.view),
  };
}

/** Reads with `kind` after removing blanks around the text; a line break is an error. */
export function trimmed<T>(kind: Kind<T>): Kind<T> {
  return {
    ...kind,
    read: (text) => kind.read(stripped(text)),
  };
}

const pathPrefix: Kind<string> = {
  label: "a path that starts with /",
  read: (text) =>
    text.startsWith("/") && Token.printable(text) ? ok(text) : no(`${shown(text)} is not a path that starts with /`),
  view: Token.word,
};

/**
 * A text without a slash at its start is not a path, so it is left out, even if the list is then
 * empty.
 */
const pathPrefixes: Kind<readonly string[]> = {
  ...listOf(pathPrefix),
  read: (text) => {
    const parts = itemsIn(text);
    if (parts === undefined) return no(tooManyItems);
    const reads = parts.filter((part) => part !== "").map(pathPrefix.read);
    const value = reads.flatMap((read) => (read.ok ? [read.value] : []));
    const besides = joinedWhys(reads.flatMap((read) => (read.ok ? [] : [read.why])));
    return besides === "" ? ok(value) : { ok: true, value, besides };
  },
};

export const text = { pathPrefixes };
