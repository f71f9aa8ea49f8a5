/**
 * Sends copies of requests to other backends. Annotations and filters stay apart: nginx copies to
 * the URL of an annotation, and Lua to the Services of filters (`record.ts`), which have shares.
 *
 * An annotation sends a copy of each request to another address and drops the answer (RS-22).
 * nginx keeps the client's connection until the copy is answered. The copy is the request as the
 * client sent it, without the headers that Sluice adds for backends.
 *
 * The address always goes through a variable: nginx resolves a literal host at the configuration
 * test, where one dead name makes it refuse everything (trap 8).
 */
import { isHost } from "../../kinds/addresses.ts";
import { checkedUrl, namedHost, originOf, whyNotOrigin } from "../../kinds/checked-name.ts";
import { type Kind, no, ok, shown } from "../../kinds/kind.ts";
import { percent } from "../../kinds/measures.ts";
import { textOf, trimmed } from "../../kinds/text.ts";
import { strangerWhy, undecoded, variablesIn, withoutGroups } from "../../kinds/variables.ts";
import { oneOf } from "../../kinds/words.ts";
import type { CopyWay } from "../../model/filters.ts";
import { nextHops } from "../../tokens/hops.ts";
import type { Place } from "../../tokens/place.ts";
import { Token } from "../../tokens/token.ts";
import { type FoundBackend, field, type Resolved, type RouteFilter, resolvedFeature, textField } from "../declare.ts";
import { isQuestionVariable } from "../external-auth/kinds.ts";
import { mirrorsIn, steering, traits } from "./record.ts";

/** Reads RequestMirror. Without a backend that can be used, requests are served without copies. */
const filter: RouteFilter = {
  type: "RequestMirror",
  field: "requestMirror",
  ofBackends: {
    reference: ({ requestMirror }) => requestMirror!.backendRef,
    done: "it gets no copies of requests",
    read: (found) => ({
      mirrors: found.map(({ filter: { requestMirror }, upstream, isLate, ...one }) => {
        const { percent = 100, fraction } = requestMirror!;
        const share = fraction === undefined ? percent / 100 : fraction.numerator / (fraction.denominator ?? 100);
        const way = wayOf(one);
        return {
          upstream,
          share: Math.min(1, Math.max(0, share)),
          ...(way === undefined ? {} : { way }),
          ...(isLate ? { isLate } : {}),
        };
      }),
    }),
  },
};

function wayOf({ tls, protocol = "http" }: Pick<FoundBackend, "tls" | "protocol">): CopyWay | undefined {
  if (tls === undefined && protocol === "http") return undefined;
  return {
    ...(protocol === "h2c" || protocol === "grpcs" ? { isHttp2: true } : {}),
    ...(tls !== undefined || protocol === "https" || protocol === "grpcs" ? { isSecure: true } : {}),
    ...(tls === undefined ? {} : { tls }),
  };
}

const letters = trimmed(
  textOf({
    label: "letters, digits and - . _ ~ / : ^ $ [ ] ( ) { } * + ? | & = \\",
    characters: "A-Za-z0-9._~/:^$[\\](){}*+?|&=\\\\\\-",
  }),
);

type Names = (name: string) => boolean;

const none: Names = () => false;

/**
 * Accepts text whose variables exist in the copy, or are declared by a snippet; nginx would refuse
 * others.
 */
function readText(text: string, declared: Names) {
  const read = undecoded(letters).read(text);
  const stranger = read.ok
    ? variablesIn(read.value).find((name) => !isQuestionVariable(name) && !declared(name))
    : undefined;
  return stranger === undefined ? read : no(strangerWhy(text, stranger));
}

/**
 * Splits an absolute URL into scheme, host and port; the host; and the rest, which may begin with a
 * variable that is a path.
 */
interface MirrorUrl {
  readonly origin: string;
  readonly host: string;
  readonly rest: string;
}

function mirrorUrl(text: string): MirrorUrl | undefined {
  const found =
    /^(https?:\/\/(\[[\da-f:.]+\]|(?:(?!\$\{?request_uri)[\w.${}-])+)(?::\d{1,5})?)((?:[/?].*|\$\{?request_uri.*)?)$/i.exec(
      text,
    );
  const [, origin = "", host = "", rest = ""] = found ?? [];
  return isHost(host) || variablesIn(host).length > 0 ? { origin, host, rest } : undefined;
}

interface Mirror {
  readonly target: string;
  readonly host: string;
  readonly requestBody: "on" | "off";
}

/**
 * Reads the URL of the copies. Variables of snippets may follow the host but not be part of it,
 * because the host decides which machine gets the copies.
 */
function readTarget(text: string, declared: Names) {
  const read = readText(text, declared);
  if (!read.ok) return read;
  const url = mirrorUrl(read.value);
  if (url === undefined) return no(`${shown(text)} is not an absolute http or https URL`);
  const origin = readText(url.origin, none);
  return origin.ok ? ok(read.value) : origin;
}

const target: Kind<string> = {
  ...letters,
  label: `an absolute http or https URL of ${letters.label}`,
  read: (text) => readTarget(text, none),
};

const hostText: Kind<string> = {
  ...letters,
  read: (text) => readText(text, none),
};

export const mirror = resolvedFeature({
  name: "mirror",
  scope: "location",
  gate: "target",
  fields: {
    target: textField("mirror-target", {
      example: "https://copy.example.com$request_uri",
      kind: target,
      naming: (declared) => ({ ...target, read: (text) => readTarget(text, declared) }),
      risk: "High",
      doc: "Sends a copy of each request to this URL. The client's query is added to it; append $request_uri to a bare host to keep the path too.",
    }),
    host: textField("mirror-host", {
      example: "copy.example.com",
      kind: hostText,
      naming: (declared) => ({ ...hostText, read: (text) => readText(text, declared) }),
      risk: "High",
      doc: "Host header of the copies instead of the host of mirror-target.",
    }),
    requestBody: field("mirror-request-body", {
      example: "off",
      kind: oneOf(["on", "off"]),
      fallback: () => "on" as const,
      doc: "off sends the copies without the bodies of their requests.",
    }),
  },
  resolve: (values, { ingress: object, asked }): Resolved<Mirror> => {
    const url = mirrorUrl(values.target);
    const why = url && whyNotOrigin(originOf(url.origin)!, asked);
    if (why === undefined) return { value: values };
    const problem = { object, kind: "annotation-unreadable", key: "mirror-target", done: "default" } as const;
    return {
      value: { ...values, target: "" },
      problems: [{ ...problem, why: `${shown(values.target)} is not asked: ${why}` }],
    };
  },
  asksOthers: ({ target }) => target !== "",
  keepsBodies: ({ target, requestBody }) => mirrorUrl(withoutGroups(target)) !== undefined && requestBody === "on",
  readsHeadersLate: ({ target }) => target !== "",
  variables: ["mirror_url", "mirror_host", "mirror_server"],
  view: ({ target, host, requestBody }, place) => {
    // No pattern has matched the path of the copy itself.
    const url = mirrorUrl(withoutGroups(target));
    if (url === undefined) return false;
    const bodiless = requestBody === "off";
    const named = host === "" ? url.host : withoutGroups(host);
    const serverName = bound("mirror_server", url.host, place);
    const checked = { ...url, origin: checkedUrl(url.origin, "ingress") };
    const { resolver } = place;
    const { ofGateway } = place;
    const view = {
      url: urlOf(checked, place),
      host: bound("mirror_host", named, place),
      serverName,
      resolver,
      bodiless,
      ofRoute: ofGateway && !bodiless,
      hops: nextHops,
    };
    const copying = place.beside("uri", { partial: "mirror-target", view });
    // nginx's own mirror reads a body without a limit. Lua has kept that of a route already.
    return { target: copying, bodiless: bodiless || ofGateway };
  },
  ofRoutes: {
    filters: [filter],
    asFilters: ({ target: upstream }) => (upstream === "" ? {} : { mirrors: [{ upstream, share: 1 }] }),
    steering,
    traits,
    words: (filters) =>
      mirrorsIn(filters).map(({ upstream, share }) => `${percent(share)} of the requests are copied to ${upstream}`),
  },
});

/**
 * Returns the URL of the copy. An author who uses variables decides where the query goes; otherwise
 * the client's query is added (RS-32.34).
 */
function urlOf({ origin, rest }: MirrorUrl, place: Place): Token {
  const url = rest.startsWith("?") ? `${origin}/${rest}` : `${origin}${rest}`;
  if (rest !== "" && !isLiteral(url)) return bound("mirror_url", url, place);
  const query = rest.includes("?") ? "more_args" : "all_args";
  const added = rest === "" ? "origin_form" : query;
  if (added === "more_args") place.inHttp(Token.conf`map $args $more_args { "" ""; default "&$args"; }`);
  if (added === "all_args") place.inHttp(Token.conf`map $args $all_args { "" ""; default "?$args"; }`);
  if (place.dynamic && isLiteral(url)) {
    return Token.conf`${place.bind("mirror_url", url)}${Token.variable(added)}`;
  }
  return Token.variables(`${url}$${added}`, (name) => name === added || mayName(name, place));
}

/**
 * Makes a tenant's literal text the value of a route variable; any other text is written as it is.
 */
function bound(name: string, text: string, place: Place): Token {
  return isLiteral(text) ? place.bind(name, text) : Token.variables(text, (name) => mayName(name, place));
}

function mayName(variable: string, place: Place): boolean {
  return variable === namedHost || isQuestionVariable(variable) || place.declares(variable);
}

function isLiteral(text: string): boolean {
  return variablesIn(text).length === 0;
}
