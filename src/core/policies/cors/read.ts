/** Reads annotations and the filter CORS as one value. */
import { type Kind, longestText, no, ok, shown, stripped } from "../../kinds/kind.ts";
import { integer } from "../../kinds/numbers.ts";
import { textOf, trimmed } from "../../kinds/text.ts";
import type { CorsPolicy } from "../../model/filters.ts";
import { Token } from "../../tokens/token.ts";
import { type FieldValues, field, type RouteFilter, textField, toggle } from "../declare.ts";
import { valueMistake } from "../header-changes/read.ts";

/**
 * Whether a list, after its blanks were removed, consists of parts of origins, with or without
 * commas between them.
 */
const isPlausible = (list: string): boolean =>
  list === "*" || /^[A-Za-z0-9.,-]*$/.test(list.replace(/[a-z]:\/\/|:\d+|\*\./g, ""));
const origin = /^(?:\*|null|[a-z]+:\/\/(?:\*\.)?[A-Za-z0-9.-]+(?::\d+)?)$/;

function whyNot(text: string, items: readonly string[]): string {
  const wrong = items.length > 1 ? items.find((item) => !isPlausible(item.replaceAll(" ", ""))) : undefined;
  return wrong === undefined
    ? `${shown(text)} is not a list of origins`
    : `${shown(wrong)} is not an origin like https://example.com`;
}

/** Items that are not origins are left out. A list without any origin matches none. */
const origins: Kind<readonly string[]> = {
  label: "*, or a list of origins like https://example.com or https://*.example.com:8443",
  longest: longestText,
  read: (text) => {
    const items = text.split(",").map((item) => stripped(item, " "));
    if (!isPlausible(text.replaceAll(" ", ""))) return no(whyNot(text, items));
    const good = items.filter((item) => origin.test(item));
    const left = items.filter((item) => item !== "" && !origin.test(item));
    if (left.length === 0) return ok(good);
    const [some, more] = [left.slice(0, 10).map(shown).join(", "), left.length > 10 ? " and others" : ""];
    return { ok: true, value: good, besides: `${some}${more}: not an origin like https://example.com` };
  },
  write: (list) => list.join(", "),
  view: (list) => list.map(Token.text),
};

/**
 * Reads a comma-separated list. It may end with a comma, but it may not begin with one or hold two
 * in a row.
 */
function listed(kind: Kind<string>): Kind<string> {
  return {
    ...kind,
    read: (text) => (/^,|,,/.test(text.replaceAll(" ", "")) ? no(`${shown(text)} has an empty item`) : kind.read(text)),
  };
}

const methods = listed(trimmed(textOf({ label: "letters, commas and blanks", characters: "A-Za-z, " })));
const names = trimmed(textOf({ label: "letters, digits and - _ , and blanks", characters: "A-Za-z0-9_, \\-" }));
const exposed = listed(
  trimmed(textOf({ label: "letters, digits and - _ * , and blanks", characters: "A-Za-z0-9_*, \\-" })),
);

export const fields = {
  enabled: toggle("enable-cors", {
    doc: "Adds the headers that let pages of other origins use the answers, and answers preflight requests.",
  }),
  origins: field<readonly string[]>("cors-allow-origin", {
    example: "https://shop.example.com, https://*.example.org",
    kind: origins,
    fallback: () => ["*"],
    risk: "Medium",
    doc: "Origins that may read the answers; `*.` stands for one label, `*` for all origins.",
  }),
  methods: field("cors-allow-methods", {
    example: "GET, POST, OPTIONS",
    kind: methods,
    fallback: () => "GET, PUT, POST, DELETE, PATCH, OPTIONS",
    risk: "Medium",
    doc: "Methods that such pages may use.",
  }),
  headers: field("cors-allow-headers", {
    example: "Authorization, Content-Type",
    kind: names,
    fallback: () =>
      "DNT,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,Cache-Control,Content-Type,Range,Authorization",
    risk: "Medium",
    doc: "Request headers that such pages may send.",
  }),
  exposed: textField("cors-expose-headers", {
    example: "X-Request-ID",
    kind: exposed,
    risk: "Medium",
    doc: "Headers of answers that such pages may read.",
  }),
  credentials: toggle("cors-allow-credentials", {
    fallback: () => true,
    doc: "Whether such pages may send cookies and passwords.",
  }),
  maxAge: field("cors-max-age", {
    example: "600",
    kind: integer(),
    fallback: () => 1_728_000,
    doc: "Seconds that a browser may remember the answer to a preflight.",
  }),
};

export type CorsFields = FieldValues<typeof fields>;

/** The origins whose pages may read answers; none if the annotations do nothing. */
export const originsIn = ({ enabled, origins }: CorsFields): readonly string[] => (enabled ? origins : []);

/** Returns undefined if nothing is to be done. */
export function policyOf({ enabled, origins, methods, headers, exposed, ...rest }: CorsFields): CorsPolicy | undefined {
  if (!enabled || origins.length === 0) return undefined;
  const { credentials: allowCredentials, maxAge } = rest;
  const lists = { allowMethods: itemsOf(methods), allowHeaders: itemsOf(headers), exposeHeaders: itemsOf(exposed) };
  return { allowOrigins: origins, allowCredentials, ...lists, maxAge };
}

const itemsOf = (list: string): readonly string[] => list.match(/[^\s,]+/g) ?? [];

export const filter: RouteFilter = {
  type: "CORS",
  field: "cors",
  isForRules: true,
  mistake: ({ cors }) => {
    for (const list of ["allowOrigins", "allowMethods", "allowHeaders", "exposeHeaders"] as const) {
      for (const [at, value] of (cors?.[list] ?? []).entries()) {
        const why = valueMistake(value);
        if (why !== undefined) return { part: `.${list}[${at}]`, why };
      }
    }
    return undefined;
  },
  read: ({ cors = {} }) => {
    const { allowOrigins = [], allowCredentials = false, allowMethods = [], allowHeaders = [] } = cors;
    const { exposeHeaders = [], maxAge = 5 } = cors;
    return { cors: { allowOrigins, allowCredentials, allowMethods, allowHeaders, exposeHeaders, maxAge } };
  },
};
