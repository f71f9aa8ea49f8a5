/**
 * Canaries without Lua: a variable chooses the upstream block, computed by maps and split_clients
 * (RS-13.4 to 13.7). For the header and the cookie of each canary a map yields `take`, `out` or
 * nothing. One more map reads these words and the result of split_clients: first the headers, then
 * the cookies, then the weights, as `nginx/lua/sluice/canary.lua` does.
 */

import { regexMistake } from "../../kinds/patterns.ts";
import type { CanaryPolicy } from "../../model/configuration.ts";
import { longestHeader, unboundable } from "../../tokens/pattern-bounds.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token } from "../../tokens/token.ts";
import { escaped, inCookies } from "./affinity.ts";

export interface StaticCanary {
  readonly policy: CanaryPolicy;
  /** The name of its upstream block for plain HTTP. */
  readonly block: string;
  readonly label: string;
  /** The value that binds clients to it; undefined if it issues no cookie. */
  readonly binding: string | undefined;
}

/** The cookie of the main upstream, and the value that binds clients to it. */
export interface MainCookie {
  readonly name: string;
  readonly binding: string;
}

export interface StaticChoice {
  /** Returns the base of the upstream block's name. */
  readonly block: Token;
  /** Returns the canary's name in the log; empty for the main upstream. */
  readonly label: Token;
  /** The value that binds a client to the backend that got its request. */
  readonly binding: Token;
  /** Blocks of the http block that compute these variables. */
  readonly http: readonly Token[];
}

/**
 * Makes the variables and their maps. `main` is the block of the main upstream; `canaries` have
 * endpoints, the oldest first.
 */
export function choiceOf(
  main: string,
  canaries: readonly StaticCanary[],
  cookie: MainCookie | undefined,
): StaticChoice {
  const id = shortHash(JSON.stringify([main, canaries, cookie]));
  const words = canaries.flatMap(({ policy }, at) => [
    headerWord(policy, `${id}_${at}`),
    cookieWord(policy, `${id}_${at}`),
  ]);
  const bound = boundWord(canaries, cookie, id);
  const draw = Token.variable(`canary_draw_${id}`);
  const key = Token.conf`"${bound.value};${joined(words.map(({ value }) => value))};${draw}"`;
  const rules = [...byBinding(canaries), ...by(canaries, 0), ...by(canaries, 1), ...byWeight(canaries)];
  const lines = (wordOf: (canary: StaticCanary) => Token) =>
    Token.words(rules.map(({ pattern, canary }) => Token.conf`${Token.pattern(`~${pattern}`)} ${wordOf(canary)};`));
  const [block, label] = [Token.variable(`canary_block_${id}`), Token.variable(`canary_label_${id}`)];
  const binding = Token.variable(`canary_binding_${id}`);
  const ofMain = Token.text(cookie?.binding ?? "");
  return {
    block: Token.bracedVariable(`canary_block_${id}`),
    label,
    binding,
    http: [
      ...(bound.map === undefined ? [] : [bound.map]),
      // The keys are those of canaries and not of blocks, because two canaries of a rule may have
      // the same Service.
      Token.conf`map ${key} ${binding} { default ${ofMain}; "~^main;" ${ofMain}; ${lines((one) => Token.text(one.binding ?? ""))} }`,
      ...words.flatMap(({ map }) => (map === undefined ? [] : [map])),
      split(id, draw, canaries),
      Token.conf`map ${key} ${block} { default ${Token.name(main)}; "~^main;" ${Token.name(main)}; ${lines((one) => Token.name(one.block))} }`,
      Token.conf`map ${key} ${label} { default ""; "~^main;" ""; ${lines((one) => Token.text(one.label))} }`,
    ],
  };
}

/** The word of a header or a cookie for a canary: `take`, `out` or nothing. */
interface Word {
  readonly value: Token;
  readonly map?: Token;
}

const nothing: Word = { value: Token.conf`` };
const alwaysNever = Token.conf`"~^always$" take; "~^never$" out;`;

function headerWord({ header, headerValue, headerPattern }: CanaryPolicy, id: string): Word {
  const name = `http_${header.toLowerCase().replaceAll("-", "_")}`;
  if (header === "" || !/^\w+$/.test(name)) return nothing;
  const value = Token.variable(`canary_header_${id}`);
  const taking =
    headerValue !== ""
      ? Token.conf`${Token.pattern(`~^${escaped(headerValue)}$`)} take;`
      : headerPattern !== ""
        ? takingPattern(headerPattern)
        : alwaysNever;
  return { value, map: Token.conf`map ${Token.variable(name)} ${value} { default ""; "" ""; ${taking} }` };
}

/**
 * Returns the pattern. For an invalid one, which nginx would refuse, and for one whose steps have
 * no bound, no request with the header goes to the canary (RS-13.5).
 */
function takingPattern(pattern: string): Token {
  return regexMistake(pattern) === undefined && unboundable(pattern) === undefined
    ? Token.conf`${Token.boundedAnywhere(pattern, longestHeader, "~")} take;`
    : Token.conf`"~^" out;`;
}

/**
 * Reads the cookie from the whole Cookie header, because a cookie's name may hold characters that a
 * variable's name may not. Case does not matter (RS-32.12).
 */
function cookieWord({ cookie }: CanaryPolicy, id: string): Word {
  if (cookie === "") return nothing;
  const value = Token.variable(`canary_cookie_${id}`);
  const line = (word: string, meaning: Token) =>
    Token.conf`${Token.pattern(`~(?:^|;\\s*)(?i:${escaped(cookie)})=${word}\\s*(?:;|$)`)} ${meaning};`;
  const lines = Token.words([line("always", Token.name("take")), line("never", Token.name("out"))]);
  return { value, map: Token.conf`map $http_cookie ${value} { default ""; ${lines} }` };
}

interface Rule {
  readonly pattern: string;
  readonly canary: StaticCanary;
}

const any = "[^,;]*,";
const afterBinding = "^[^;]*;";

/**
 * Returns the rules for clients whose cookie binds them to a backend. The main upstream has a rule
 * of its own.
 */
function byBinding(canaries: readonly StaticCanary[]): Rule[] {
  return canaries.map((canary, at) => ({ pattern: `^${at};`, canary }));
}

/** Returns a word for clients that a cookie binds: `main`, or the index of a canary. */
function boundWord(canaries: readonly StaticCanary[], cookie: MainCookie | undefined, id: string): Word {
  if (cookie === undefined) return nothing;
  const value = Token.variable(`canary_bound_${id}`);
  const line = (binding: string, meaning: Token) =>
    Token.conf`${Token.pattern(`~${inCookies(cookie.name)}[^|;]*\\|${binding}\\s*(?:;|$)`)} ${meaning};`;
  const lines = [
    line(cookie.binding, Token.name("main")),
    ...canaries.flatMap(({ binding }, at) => (binding === undefined ? [] : [line(binding, Token.count(at))])),
  ];
  return { value, map: Token.conf`map $http_cookie ${value} { default ""; ${Token.words(lines)} }` };
}

/**
 * Returns the rules by header (0) or by cookie (1). A word of a canary's header counts before its
 * cookie.
 */
function by(canaries: readonly StaticCanary[], word: 0 | 1): Rule[] {
  return canaries.map((canary, at) => ({
    pattern: `${afterBinding}(?:${any}${any}){${at}}${word === 0 ? "" : ","}take,`,
    canary,
  }));
}

function byWeight(canaries: readonly StaticCanary[]): Rule[] {
  return canaries.map((canary, at) => ({ pattern: `${afterBinding}(?:${any}${any}){${at}},,.*;${at}$`, canary }));
}

/**
 * Splits the requests by each canary's share of all, in hundredths of a percent as nginx counts,
 * together at most all of them.
 */
function split(id: string, draw: Token, canaries: readonly StaticCanary[]): Token {
  let left = 10_000;
  const shares = canaries.flatMap(({ policy: { weight, weightTotal } }, at) => {
    const share = Math.min(left, Math.round((10_000 * weight) / weightTotal));
    left -= Math.max(0, share);
    return share > 0 ? [Token.conf`${Token.name((share / 100).toFixed(2))}% ${Token.count(at)};`] : [];
  });
  const key = Token.conf`"${Token.bracedVariable("request_id")}${Token.name(id)}"`;
  return Token.conf`split_clients ${key} ${draw} { ${Token.words(shares)} * ""; }`;
}

/** Joins the words; each one ends with a comma. */
function joined(values: readonly Token[]): Token {
  return values.reduce((text, value) => Token.conf`${text}${value},`, Token.conf``);
}
