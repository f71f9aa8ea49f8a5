/**
 * Cookie stickiness (RS-14), and the sessions of rules (`read.ts`). They stay apart in records and
 * Lua: a cookie of annotations belongs to an Upstream and is hashed, while the token of a rule
 * names an endpoint among all its backends. Several Ingresses may share the Upstream, and
 * `table/upstreams/balance.ts` decides which of them counts; this file has the values of one.
 */

import { optional } from "../../kinds/combine.ts";
import { integer } from "../../kinds/numbers.ts";
import { plainText, textOf, trimmed } from "../../kinds/text.ts";
import { oneOf } from "../../kinds/words.ts";
import { canary } from "../canary.ts";
import { type FieldValues, feature, field, type Other, textField, toggle } from "../declare.ts";
import { serviceUpstream } from "../service-upstream.ts";
import { lost } from "../without-lua.ts";
import { sessionOf } from "./read.ts";
import { record } from "./record.ts";

/** A headless Service has no address of its own, and its Endpoints are used. */
const clusterIp = "service-upstream makes the Service's cluster IP the only Endpoint, unless the Service is headless";

export const sessionAffinity = feature({
  name: "session-affinity",
  scope: "upstream",
  live: true,
  gate: "type",
  fields: {
    type: field("affinity", {
      example: "cookie",
      kind: optional(oneOf(["cookie"])),
      doc: "cookie: a client that returns with the cookie reaches the same Endpoint again.",
    }),
    mode: field("affinity-mode", {
      example: "persistent",
      kind: optional(oneOf(["balanced", "persistent"])),
      risk: "Medium",
      doc: "balanced: scaling moves some clients. persistent: a client moves only when its Endpoint is gone.",
    }),
    canaryBehavior: field("affinity-canary-behavior", {
      requires: null,
      example: "legacy",
      kind: oneOf(["sticky", "legacy"]),
      fallback: () => "sticky" as const,
      doc: "On a canary Ingress. sticky: clients that it served stay with it. legacy: it issues no cookie.",
    }),
    name: field("session-cookie-name", {
      example: "shop-route",
      kind: plainText,
      fallback: () => "INGRESSCOOKIE",
      risk: "Medium",
      doc: "Name of the cookie.",
    }),
    path: textField("session-cookie-path", {
      example: "/",
      kind: trimmed(
        textOf({ label: "letters, digits, blanks and - . _ ~ / : , ? & =", characters: "A-Za-z0-9._~/:,?&= \\-" }),
      ),
      risk: "Medium",
      doc: "Path attribute of the cookie; without it the path of the rule that matched.",
    }),
    domain: textField("session-cookie-domain", {
      example: "shop.example.com",
      kind: plainText,
      risk: "Medium",
      doc: "Domain attribute of the cookie.",
    }),
    expires: field("session-cookie-expires", {
      example: "172800",
      kind: optional(trimmed(integer())),
      risk: "Medium",
      doc: "Seconds until the date of the Expires attribute.",
    }),
    maxAge: field("session-cookie-max-age", {
      example: "172800",
      kind: optional(trimmed(integer())),
      risk: "Medium",
      doc: "Max-Age attribute of the cookie, in seconds.",
    }),
    sameSite: field("session-cookie-samesite", {
      example: "Lax",
      kind: optional(oneOf(["None", "Lax", "Strict"])),
      doc: "SameSite attribute of the cookie, in this spelling.",
    }),
    conditionalSameSiteNone: toggle("session-cookie-conditional-samesite-none", {
      doc: "Leaves SameSite=None out for browsers known to misunderstand it.",
    }),
    secure: toggle("session-cookie-secure", {
      doc: "Sets the Secure attribute also for clients that came without TLS.",
    }),
    changeOnFailure: toggle("session-cookie-change-on-failure", {
      doc: "Lets a retry pick another Endpoint than the cookie's, with a new cookie.",
    }),
  },
  onlyWith: {
    type: ({ type }, other) => (type === "cookie" && other(serviceUpstream).on ? clusterIp : undefined),
    canaryBehavior: (_, other) => (other(canary) === undefined ? "this is no canary" : undefined),
    conditionalSameSiteNone: ({ conditionalSameSiteNone, sameSite }) =>
      conditionalSameSiteNone && sameSite !== "None" ? "session-cookie-samesite is not None" : undefined,
  },
  notOnRoutes: { canaryBehavior: "routes have no canaries" },
  record: ({ type }) => ({ sticky: type === "cookie" ? 1 : 0 }),
  countsInCanaries: true,
  withoutLua: {
    mode: ({ mode }) =>
      mode === "persistent" ? lost("static mode finds the Endpoint of a cookie as balanced does") : undefined,
    expires: ({ expires }) =>
      expires === undefined ? undefined : lost("static mode writes no dates; session-cookie-max-age does the same"),
    conditionalSameSiteNone: ({ conditionalSameSiteNone }) =>
      conditionalSameSiteNone ? lost("static mode sends SameSite to all browsers alike") : undefined,
    changeOnFailure: ({ type }) =>
      type === "cookie"
        ? lost("in static mode a retry always tries another Endpoint, and the cookie stays")
        : undefined,
  },
  ofRoutes: {
    ofRule: sessionOf,
    asFilters: ({ type, name, path, maxAge: seconds }) =>
      type === undefined
        ? {}
        : { session: { type, name, binding: "", path, seconds, isPermanent: seconds !== undefined } },
    steering: record,
    traits: ({ session }) => (session === undefined ? {} : { drawsByRoute: true }),
    words: ({ session }) =>
      session === undefined ? [] : [`clients stay with an endpoint, by the ${session.type} ${session.name}`],
  },
});

type Values = { readonly sessionAffinity: FieldValues<typeof sessionAffinity.fields> };

/**
 * Whether a Location gives clients the cookie. Only one whose own owner sets affinity does
 * (RS-14.3).
 */
export const issuesCookie = ({ sessionAffinity: { type } }: Values): boolean => type === "cookie";

/** Whether the cookie has the path of the rule that matched. */
export const hasPathOfRule = (values: Values): boolean => issuesCookie(values) && values.sessionAffinity.path === "";

/** Returns the values without the cookie, from those of an Ingress without annotations. */
export const withoutCookie = <V extends Values>(values: V, plain: V): V =>
  issuesCookie(values) ? { ...values, sessionAffinity: plain.sessionAffinity } : values;

/** Returns why nothing else chooses the Endpoint; undefined if something may. */
export const chosenByCookie = (other: Other): string | undefined =>
  other(sessionAffinity).type === "cookie" ? "affinity chooses the Endpoint" : undefined;
