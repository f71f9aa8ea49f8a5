/**
 * nginx text that authors of Ingresses write themselves, if the operator allows it (RS-2.6). Two
 * settings decide. The risk level must permit Critical, else the Ingress is not served, as with any
 * such annotation. And allow-snippet-annotations must be on, else the Ingress is served without its
 * snippets.
 *
 * Sluice parses a snippet by nginx's grammar first, so a snippet can only add directives inside its
 * own block. A block with a line of its own inherits no lines of a directive like proxy_set_header,
 * so Sluice repeats its lines there.
 */

import { variablesDeclaredIn } from "../kinds/declared-variables.ts";
import { parse, type Statement } from "../kinds/grammar.ts";
import { type HeaderLine, headerLinesIn, headerLinesOf, restatedView } from "../settings/header-lines.ts";
import { type HeadersInBlocks, withNestedBlocks } from "../settings/nested-blocks.ts";
import { withOwnLocations } from "../settings/own-locations.ts";
import { setByPaths, withoutSetByPaths } from "../settings/set-by-paths.ts";
import { snippet } from "../settings/snippet.ts";
import type { View } from "../tokens/token.ts";
import { type Context, type Resolved, resolvedFeature, textField } from "./declare.ts";
import { snippetsOff, useless } from "./problems.ts";

export interface Snippet {
  /** The text of the snippet; empty if there is none. */
  readonly text: string;
  /** Its lines about headers of requests and answers. */
  readonly headerLines: readonly HeaderLine[];
  /**
   * Whether it holds something that needs a location with a path: a nested location, `alias` or
   * `internal`.
   */
  readonly needsPath: boolean;
  /** Whether it names groups of the path, such as `$1`, and not only groups of its own patterns. */
  readonly namesGroups: boolean;
  /** Whether it changes the path and goes on, so that a rewrite-target starts from the new one. */
  readonly rewrites: boolean;
  /** Whether it chooses the Service itself, by `set $proxy_upstream_name`. */
  readonly namesUpstream: boolean;
  /** Whether it changes how requests to the backend are framed. */
  readonly framesRequests: boolean;
  /** Names of the variables that it declares. */
  readonly declares: readonly string[];
}

const withPath = new Set(["location", "alias", "internal"]);

function snippetField(key: string, example: string, doc: string, declares?: true) {
  const naming = declares === undefined ? {} : { declares };
  return textField(key, { example, kind: snippet, onBad: "reject", risk: "Critical", doc, ...naming });
}

function resolve(key: string): (values: { readonly text: string }, context: Context) => Resolved<Snippet> {
  return ({ text }, context) => {
    const { given, ingress: object, settings } = context;
    const nothing = key === "configuration-snippet" && needsPathIn(settings.locationSnippet) ? bare : none;
    if (!given("text") || text.trim() === "") return { value: nothing };
    if (!settings.allowSnippetAnnotations) return { value: nothing, problems: [useless(context, key, snippetsOff)] };
    const parsed = parse(text);
    const statements = parsed.ok ? parsed.statements : [];
    const idle = key === "server-snippet" ? setByPaths(text, "annotation") : [];
    return {
      problems: idle.map((why) => ({ object, kind: "annotation-doubtful", key, why })),
      value: {
        text,
        headerLines: headerLinesIn(statements),
        needsPath: nothing.needsPath || statements.some(hasPath),
        namesGroups: statements.some(namesGroup),
        rewrites: statements.some((one) => within(one, rewritesOn)),
        namesUpstream: statements.some((one) => within(one, setsUpstream)),
        framesRequests: statements.some((one) => within(one, framesRequest)),
        declares: variablesDeclaredIn(text),
      },
    };
  };
}

const none: Snippet = {
  text: "",
  headerLines: [],
  needsPath: false,
  namesGroups: false,
  rewrites: false,
  namesUpstream: false,
  framesRequests: false,
  declares: [],
};

/** No text of its own, beside a location-snippet of the ConfigMap that needs a path. */
const bare: Snippet = { ...none, needsPath: true };

const hasPath = (statement: Statement): boolean => within(statement, ({ name }) => withPath.has(name));

/** The last location-snippet, which is the same for all Ingresses. */
let last = { text: "", needsPath: false };

/** Whether the ConfigMap's text for each location needs a location with a path. */
function needsPathIn(text: string): boolean {
  if (last.text !== text) {
    const parsed = parse(text);
    last = { text, needsPath: parsed.ok && parsed.statements.some(hasPath) };
  }
  return last.needsPath;
}

/**
 * Joins two snippets. The text of the outer RouteSettings comes first, so that its refusals come
 * before all else.
 */
function together(inner: Snippet, outer: Snippet): Snippet {
  if (inner.text === "" || outer.text === "") return inner.text === "" ? outer : inner;
  return {
    text: `${outer.text}\n${inner.text}`,
    headerLines: [...outer.headerLines, ...inner.headerLines],
    needsPath: outer.needsPath || inner.needsPath,
    namesGroups: outer.namesGroups || inner.namesGroups,
    rewrites: outer.rewrites || inner.rewrites,
    namesUpstream: outer.namesUpstream || inner.namesUpstream,
    framesRequests: outer.framesRequests || inner.framesRequests,
    declares: [...outer.declares, ...inner.declares],
  };
}

/** Returns whether `is` holds for the statement, or for one inside its block. */
function within(statement: Statement, is: (one: Statement) => boolean): boolean {
  return is(statement) || (statement.block ?? []).some((one) => within(one, is));
}

/**
 * Whether the statement names a group of the path. `rewrite` and `if` use the groups of their own
 * pattern.
 */
function namesGroup({ name, args, block }: Statement): boolean {
  if (name === "rewrite" || (name === "if" && args.some((arg) => arg.includes("~")))) return false;
  return args.some((arg) => /\$\{?[1-9]/.test(arg)) || (block ?? []).some(namesGroup);
}

/** Whether the statement rewrites the path and the lines after it are run, too. */
function rewritesOn({ name, args }: Statement): boolean {
  return name === "rewrite" && args.length === 2 && !/^(?:https?:\/\/|\$\{?scheme\b)/.test(args[1]!);
}

function setsUpstream({ name, args }: Statement): boolean {
  return name === "set" && args[0] === "$proxy_upstream_name";
}

/**
 * Directives that change the request to a backend. Lua code and included files can do so as well.
 */
function framesRequest({ name }: Statement): boolean {
  return (
    /^(?:proxy|grpc)_set_header$|^proxy_(?:method|set_body|http_version|pass_request_\w+)$/.test(name) ||
    /^more_(?:set|clear)_input_headers$|_by_lua(?:_block|_file)?$|^include$/.test(name)
  );
}

type OfLocation = { readonly configurationSnippet: Snippet };

/** Returns the view of a location's snippet beside the headers that the location adds. */
export function snippetViewWith(
  { configurationSnippet: { text, namesUpstream } }: OfLocation,
  headers: HeadersInBlocks,
) {
  const view: View = text !== "" && { text: snippet.view(withNestedBlocks(text, headers)), namesUpstream };
  return { configurationSnippet: view };
}

/** Whether nginx refuses a location's text anywhere but under its path. */
export const needsPath = ({ configurationSnippet }: OfLocation): boolean => configurationSnippet.needsPath;

/** Whether a location's text uses groups of the path by their numbers. */
export const usesGroups = ({ configurationSnippet }: OfLocation): boolean => configurationSnippet.namesGroups;

/** Whether the snippet of a host has locations, with which nginx compares the host's paths. */
export const hostNeedsPath = (values: { readonly serverSnippet: Snippet }): boolean => values.serverSnippet.needsPath;

/**
 * Returns the values of a location that is reached by name, where nginx refuses a text that needs a
 * path.
 */
export const withoutPath = <V extends OfLocation>(values: V, plain: V): V =>
  needsPath(values) ? { ...values, configurationSnippet: plain.configurationSnippet } : values;

export const configurationSnippet = resolvedFeature({
  name: "configuration-snippet",
  scope: "location",
  guard: true,
  fields: {
    text: snippetField(
      "configuration-snippet",
      "more_set_headers 'X-Frame-Options: DENY';",
      "nginx directives for the Ingress's locations.",
      true,
    ),
  },
  resolve: resolve("configuration-snippet"),
  mayAnswer: ({ text }) => text !== "",
  shapesOwnAnswers: ({ text }) => text !== "",
  both: together,
  framesRequests: ({ framesRequests }) => framesRequests,
  ownText: ({ text }) => text,
  headerLines: ({ headerLines }) => headerLines,
  declares: ({ declares }) => declares,
});

export const serverSnippet = resolvedFeature({
  name: "server-snippet",
  scope: "host",
  guard: true,
  notOnRoutes: "a server block is for whole hosts; configuration-snippet is for rules",
  onListeners: true,
  fields: {
    text: snippetField(
      "server-snippet",
      "location = /robots.txt { return 200 'User-agent: *'; }",
      "nginx directives for the server of the Ingress's hosts.",
      true,
    ),
  },
  resolve: resolve("server-snippet"),
  both: together,
  provides: ({ text }) => text !== "",
  framesRequests: ({ framesRequests }) => framesRequests,
  declares: ({ declares }) => declares,
  ownText: ({ text }) => text,
  headerLines: ({ headerLines }) => headerLines,
  textServer: ({ text }) => text !== "",
  serverView: ({ text, headerLines }, _place, { serverSnippet: everyones }) =>
    text !== "" && {
      text: snippet.view(withOwnLocations(withoutSetByPaths(text))),
      restated: restatedView(headerLines, headerLinesOf(everyones)),
    },
});

export const streamSnippet = resolvedFeature({
  name: "stream-snippet",
  scope: "ingress",
  guard: true,
  notOnRoutes: "the stream block belongs to no route; stream-snippet of the ConfigMap is text for it",
  fields: {
    text: snippetField(
      "stream-snippet",
      "server { listen 127.0.0.1:9000; return 'ready'; }",
      "nginx directives for the stream block, after the TCP and UDP services.",
    ),
  },
  resolve: resolve("stream-snippet"),
});
