/**
 * Redirects that an Ingress configures: its paths to another address, its host from or to `www.`.
 * They take effect before the redirect to https, limits and authentication (RS-7.6). The filter
 * RequestRedirect keeps parts of the request's URL, all of which the URL of an annotation replaces,
 * so the two have no value in common.
 */

import type { Kind } from "../../kinds/kind.ts";
import { integer } from "../../kinds/numbers.ts";
import { isRequestVariable } from "../../kinds/request-variables.ts";
import { oneLine, textOf } from "../../kinds/text.ts";
import { undecoded } from "../../kinds/variables.ts";
import type { Problem } from "../../model/problem.ts";
import { Token } from "../../tokens/token.ts";
import { type Context, field, type Resolved, resolvedFeature, textField, toggle } from "../declare.ts";
import { useless } from "../problems.ts";
import { boundText } from "../variables.ts";
import { filter } from "./filter.ts";

export interface Redirects {
  /** The target for all requests of the Location. */
  readonly elsewhere: { readonly url: string; readonly code: number } | undefined;
  /** Whether the Location headers that nginx writes itself have no scheme and host. */
  readonly relative: boolean;
  /** Whether `www.host` redirects to `host`, or the other way round. */
  readonly twin: boolean;
}

const url: Kind<string> = textOf({
  label: "letters, digits and - . _ ~ / : , ? & =",
  characters: "A-Za-z0-9._~/:,?&=\\-",
});

/** A URL that may hold variables, for operators who turned validation off. */
const looseUrl = undecoded(oneLine);

const common = { kind: url, loose: looseUrl, onBad: "reject", risk: "Medium" } as const;

const forRedirect = ({ elsewhere }: Redirects) => (elsewhere === undefined ? "no redirect is set" : undefined);

export const redirects = resolvedFeature({
  name: "redirects",
  scope: "location",
  fields: {
    permanent: textField("permanent-redirect", {
      ...common,
      example: "https://www.example.com",
      doc: "Answers every request with 301 to this URL, as it stands; nothing of the request is appended.",
    }),
    permanentCode: field("permanent-redirect-code", {
      example: "308",
      kind: integer(),
      fallback: () => 301,
      onBad: "reject",
      doc: "Status for permanent-redirect, from 300 to 308.",
    }),
    temporal: textField("temporal-redirect", {
      ...common,
      example: "https://status.example.com",
      doc: "Answers every request with 302 to this URL, as it stands; wins over permanent-redirect.",
    }),
    temporalCode: field("temporal-redirect-code", {
      example: "307",
      kind: integer(),
      fallback: () => 302,
      onBad: "reject",
      doc: "Status for temporal-redirect, from 300 to 307.",
    }),
    relative: toggle("relative-redirects", {
      fallback: (settings) => settings.relativeRedirects,
      onBad: "reject",
      doc: "Leaves scheme and host out of redirects that nginx itself writes.",
    }),
    twin: toggle("from-to-www-redirect", {
      onBad: "reject",
      doc: "Redirects the host with www. in front to the one without, or the other way round, if no Ingress has that host.",
    }),
  },
  idle: (name, has) => {
    if (name === "temporalCode") return !has("temporal");
    return (name === "permanent" || name === "permanentCode") && has("temporal");
  },
  resolve: (fields, context): Resolved<Redirects> => {
    const { permanent, temporal, relative, twin } = fields;
    const value = { elsewhere: undefined, relative: relative || context.settings.relativeRedirects, twin };
    const none = { ...value, relative: context.settings.relativeRedirects, twin: false };
    const idle = "so no redirect of this Ingress is set up";
    const empty = keysRead(temporal !== "").find(([name]) => context.blank(name));
    if (empty !== undefined) return { value: none, problems: [useless(context, empty[1], `it is empty, ${idle}`)] };
    if (temporal !== "") {
      if (!/^http[a-z\d+.-]*:/i.test(temporal)) {
        const why = `${JSON.stringify(temporal)} does not start with http:// or https://, ${idle}`;
        return { value: none, problems: [useless(context, "temporal-redirect", why)] };
      }
      const { code, problems } = codeOf(fields.temporalCode, temporalCodes, context);
      const beaten = context.given("permanent")
        ? [useless(context, "permanent-redirect", "temporal-redirect wins over it")]
        : [];
      return { value: { ...value, elsewhere: { url: temporal, code } }, problems: [...problems, ...beaten] };
    }
    if (permanent === "") return { value };
    const { code, problems } = codeOf(fields.permanentCode, permanentCodes, context);
    return { value: { ...value, elsewhere: { url: permanent, code } }, problems };
  },
  notOnRoutes: { twin: "a route for the other host with the filter RequestRedirect does the same" },
  onListeners: ["twin"],
  onlyWith: { permanentCode: (value) => forRedirect(value), temporalCode: (value) => forRedirect(value) },
  mayAnswer: ({ elsewhere }) => elsewhere !== undefined,
  provides: ({ twin }) => twin,
  ofRoutes: { filters: [filter] },
  directives: ({ relative }) => [{ name: Token.name("absolute_redirect"), value: Token.name(relative ? "off" : "on") }],
  variables: ["redirect", "redirect_code"],
  view: ({ elsewhere }, place) => {
    if (elsewhere === undefined) return false;
    const { code, url } = elsewhere;
    if (place.live && code !== usualCode) place.bind("redirect_code", String(code));
    return {
      code: Token.count(place.live ? usualCode : code),
      others: place.live ? otherCodes.map(Token.count) : [],
      url: boundText(place, "redirect", url, isRequestVariable),
    };
  },
});

/**
 * nginx's `return` takes no variable as its status, so the location needs a line for each status.
 * This is the usual one.
 */
const usualCode = 301;
const otherCodes = [302, 307, 308, 303, 300, 304, 305, 306];

/** Allowed are 300 to `most`; `instead` replaces any other number. */
interface Codes {
  readonly key: string;
  readonly most: number;
  readonly instead: number;
}
const temporalCodes: Codes = { key: "temporal-redirect-code", most: 307, instead: 302 };
const permanentCodes: Codes = { key: "permanent-redirect-code", most: 308, instead: 301 };

/** Returns the fields whose annotations count, each with its annotation. */
function keysRead(temporally: boolean): readonly (readonly [field: string, key: string])[] {
  return [
    ["twin", "from-to-www-redirect"],
    ["relative", "relative-redirects"],
    ["temporal", "temporal-redirect"],
    ...(temporally
      ? ([["temporalCode", "temporal-redirect-code"]] as const)
      : ([
          ["permanent", "permanent-redirect"],
          ["permanentCode", "permanent-redirect-code"],
        ] as const)),
  ];
}

function codeOf(code: number, { key, most, instead }: Codes, { ingress: object }: Context) {
  if (code >= 300 && code <= most) return { code, problems: [] };
  const why = `${code} is not from 300 to ${most}`;
  const problem: Problem = { object, kind: "annotation-unreadable", key, why, done: "default" };
  return { code: instead, problems: [problem] };
}
