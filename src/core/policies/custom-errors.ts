/**
 * Errors that another backend answers, and the Service that stands in for one without endpoints
 * (RS-15). Errors in the Ingress's own list go to its default-backend, if this has endpoints.
 * Errors in the ConfigMap's list always go to the global default backend.
 */

import { type Kind, no, ok, shown } from "../kinds/kind.ts";
import { shaped } from "../kinds/names.ts";
import { listOf } from "../kinds/text.ts";
import { notFound } from "../model/missing.ts";
import type { Header, Place } from "../tokens/place.ts";
import { Token, type View } from "../tokens/token.ts";
import { ofSetting, type Resolved, resolvedFeature, textField, toggle } from "./declare.ts";
import { useless } from "./problems.ts";

export interface CustomErrors {
  /** Statuses that another backend answers. */
  readonly codes: readonly number[];
  /** Whether the list comes from the Ingress itself. */
  readonly own: boolean;
  /** Whether errors of backends are replaced as well, and not only those of nginx. */
  readonly intercepts: boolean;
  /** The first port of a Service in the author's namespace. */
  readonly standIn: { readonly namespace: string; readonly service: string; readonly port: string } | undefined;
}

const bareName = shaped({
  label: "the name of a Service",
  shape: /^[a-z]([a-z\d-]{0,61}[a-z\d])?$/,
});

/** Many authors write the namespace as well, as in the flag `--default-backend-service`. */
const serviceName: Kind<string> = {
  ...bareName,
  read: (text) => {
    const [, name] = /^[a-z\d-]+\/(.+)$/.exec(text) ?? [];
    if (name === undefined || !bareName.read(name).ok) return bareName.read(text);
    return no(`${shown(text)} has a namespace; it is the name of a Service beside the Ingress, like ${name}`);
  },
};

/**
 * nginx has no error page for 499, its own status for a client that went away, and would refuse the
 * whole configuration.
 */
const code: Kind<number> = {
  label: "a status from 400 to 599 but 499",
  read: (text) =>
    /^[45]\d\d$/.test(text) && text !== "499"
      ? ok(Number(text))
      : no(`${shown(text)} is not a status from 400 to 599 but 499`),
  view: Token.count,
};

/** The list may end with a comma; any other empty item makes it invalid. */
const codes: Kind<readonly number[]> = {
  ...listOf(code),
  read: (text) => {
    if (!/^([45]\d\d,?)*$/.test(text.replaceAll(" ", ""))) return no(`${shown(text)} is not ${listOf(code).label}`);
    if (!/^ *([45]\d\d *(, *|$))+$/.test(text))
      return { ok: false, why: `${shown(text)} is not a list of codes with a comma between them`, mild: true };
    return listOf(code).read(text);
  },
};

export const customErrors = resolvedFeature({
  name: "custom-errors",
  scope: "location",
  fields: {
    codes: ofSetting("customHttpErrors", {
      example: "404, 503",
      kind: codes,
      onBad: "reject",
      doc: "Statuses whose answer the default backend writes. Replaces the ConfigMap's list.",
    }),
    service: textField("default-backend", {
      refers: true,
      example: "error-pages",
      kind: serviceName,
      onBad: "reject",
      doc: "Service that answers if the path's Service has no endpoints, and for custom-http-errors; its first port gets the requests.",
    }),
    leave: toggle("disable-proxy-intercept-errors", {
      doc: "Leaves errors of the backend alone, so that custom-http-errors is only for nginx's own.",
    }),
  },
  resolve: ({ codes, service, leave }, context): Resolved<CustomErrors> => {
    const { settings, given } = context;
    const own = given("codes");
    const global = settings.customHttpErrors.length > 0 && !settings.disableProxyInterceptErrors;
    const intercepts = own ? !leave || global : !settings.disableProxyInterceptErrors;
    const value = { codes: [...new Set(codes)], own, intercepts, standIn: undefined };
    if (service === "") return { value };
    const key = `${context.ingress.namespace}/${service}`;
    const found = context.service(key);
    const port = found?.spec?.ports?.[0]?.port;
    if (port === undefined) {
      const reason =
        found === undefined
          ? { ...notFound("Service", key), why: `Service ${service} not found` }
          : { why: `Service ${service} has no port` };
      return { value, problems: [useless(context, "default-backend", reason)] };
    }
    const { namespace } = context.ingress;
    return { value: { ...value, standIn: { namespace, service, port: String(port) } } };
  },
  onlyWith: {
    leave: ({ codes }) => (codes.length === 0 ? "custom-http-errors is not set" : undefined),
  },
  view: ({ codes, own, intercepts, standIn }, place) =>
    codes.length > 0 && {
      pages: codes.map((status) => ({
        status: Token.count(status),
        page: place.beside("named", {
          partial: "error-page",
          view: pageView(status, own && standIn !== undefined, place),
        }),
      })),
      intercept: intercepts && directiveOf(place),
    },
});

/** Headers of the request to a Service that stands in for one without endpoints (RS-15.8). */
export const standInHeaders: readonly Header[] = [
  { name: Token.name("X-Code"), value: Token.text("503") },
  { name: Token.name("X-Format"), value: Token.variable("http_accept") },
  { name: Token.name("X-Namespace"), value: Token.variable("namespace") },
  { name: Token.name("X-Ingress-Name"), value: Token.variable("ingress_name") },
  { name: Token.name("X-Service-Name"), value: Token.variable("service_name") },
  { name: Token.name("X-Service-Port"), value: Token.variable("service_port") },
];

/** Returns the values of a closed path, which uses the ConfigMap's errors alone. */
export const whenClosed = <V extends { readonly customErrors: CustomErrors }>(values: V, plain: V): V => ({
  ...values,
  customErrors: plain.customErrors,
});

/**
 * Returns the view of the request to the error backend, with the headers that ingress-nginx sends
 * (RS-32.29). After a 413 the body, which is too large, is not passed on. Neither is one that
 * nginx has sent to the backend as it came in.
 */
function pageView(status: number, own: boolean, place: Place): View {
  const { pass, sets } = place.errorBackend(own);
  return {
    status: Token.count(status),
    routed: status !== 413,
    bodiless: status === 413 || place.streams,
    forgotten: place.forgottenBeside,
    sets: sets.map(([name, value]) => ({ name: Token.name(name), value })),
    pass,
  };
}

function directiveOf({ protocol }: Place): Token {
  return Token.name(
    { http: "proxy_intercept_errors", grpc: "grpc_intercept_errors", fastcgi: "fastcgi_intercept_errors" }[protocol],
  );
}
