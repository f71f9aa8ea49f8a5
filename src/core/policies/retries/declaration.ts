/**
 * Decides after which failures another Endpoint is tried, and how often. For annotations nginx does
 * this itself; the retries of a rule are counted by Lua, which knows their pauses and which
 * requests may be repeated.
 */

import { no, shown } from "../../kinds/kind.ts";
import { integer, seconds } from "../../kinds/numbers.ts";
import type { Retries } from "../../model/filters.ts";
import { nextUpstreamTokens } from "../../settings/next-upstream-words.ts";
import type { Settings } from "../../settings/registry.ts";
import { nextUpstreamCases } from "../../settings/upstreams.ts";
import { Token } from "../../tokens/token.ts";
import { feature, ofSetting } from "../declare.ts";
import { otherwise } from "../without-lua.ts";
import { retriesOf } from "./read.ts";

/** Words with one blank between them; `updating` is for the ConfigMap only. */
const cases: typeof nextUpstreamCases = {
  ...nextUpstreamCases,
  read: (text) => {
    if (text.includes(",")) return no(`${shown(text)} has commas; write one blank between the words`);
    return /^\s|\s\s|\bupdating\b/.test(text)
      ? no(`${shown(text)} is not a list of known failures with one blank between them`)
      : nextUpstreamCases.read(text);
  },
};

interface NextUpstream {
  readonly cases: Settings["proxyNextUpstream"];
  readonly timeout: number;
  readonly tries: number;
}

const forTries = ({ cases }: { readonly cases: readonly string[] }) =>
  cases.includes("off") ? "proxy-next-upstream is off, so only one Endpoint is tried" : undefined;

function words({ attempts, codes, backoff }: Retries): string {
  if (attempts === 0) return "none";
  const after = codes.length === 0 ? "" : `, and after ${codes.join(", ")}`;
  const pause = backoff === 0 ? "" : `, each after ${backoff} ms`;
  return `up to ${attempts} where a connection fails${after}${pause}`;
}

export const nextUpstream = feature({
  name: "next-upstream",
  scope: "location",
  fields: {
    cases: ofSetting("proxyNextUpstream", {
      example: "error timeout http_503",
      kind: cases,
      risk: "Medium",
      doc: "Failures after which the next Endpoint is tried; off tries only one.",
    }),
    timeout: ofSetting("proxyNextUpstreamTimeout", { example: "10", kind: seconds({ min: 0, max: 2_073_600 }) }),
    tries: ofSetting("proxyNextUpstreamTries", {
      example: "2",
      kind: integer({ min: 0, max: 2_147_483_647 }),
      // nginx then has no limit of its own, and the balancer makes no more tries than this value.
      live: (value, { bind, ofGateway }) => {
        if (ofGateway) return undefined;
        bind("tries", String(value));
        return Token.count(0);
      },
    }),
  },
  onlyWith: { timeout: forTries, tries: forTries },
  withoutLua: {
    tries: ({ tries }) =>
      tries === 1 ? undefined : otherwise("static mode asks each Endpoint once for a request at most"),
  },
  variables: ["tries"],
  view: ({ tries }, place, { proxyNextUpstreamTries }) => {
    if (place.live && !place.ofGateway && place.protocol !== "fastcgi" && tries !== proxyNextUpstreamTries)
      place.timed();
    return false;
  },
  directives: ({ cases }, { retryNonIdempotent }, protocol) => {
    const { http, grpc } = nextUpstreamTokens(cases, retryNonIdempotent);
    if (protocol === "http") return [{ name: Token.name("proxy_next_upstream"), value: http }];
    return protocol === "grpc" && grpc !== undefined ? [{ name: Token.name("grpc_next_upstream"), value: grpc }] : [];
  },
  // nginx does not repeat a request whose body it has passed on.
  keepsBodies: ({ cases }) => cases.some((one) => !["error", "timeout", "off"].includes(one)),
  forRoute: (value, { retriedAfter: codes, limited, endless }): NextUpstream => {
    if (codes !== undefined) {
      const failures = codes.map((code) => `http_${code}` as const);
      return { cases: ["error", "timeout", "invalid_header", ...failures, "non_idempotent"], timeout: 0, tries: 0 };
    }
    if (limited !== true || endless === true) return value;
    // A request whose time is up is answered, and a slow try is not repeated.
    const others = value.cases.filter((one) => one !== "timeout");
    return { ...value, cases: others.length > 0 ? others : ["off"] };
  },
  ofRoutes: {
    ofRule: retriesOf,
    record: ({ retries }) =>
      retries === undefined ? {} : { retries: retries.attempts, backoff: retries.backoff / 1000 },
    traits: ({ retries }) => (retries === undefined ? {} : { retriedAfter: retries.codes, drawsByRoute: true }),
    words: ({ retries }) => (retries === undefined ? [] : [words(retries)]),
    limits: "retries",
  },
});
