/**
 * Warns about text of an Ingress that is valid, but probably not what its author intended. It is
 * served as written. Each of these mistakes is common and hard to find.
 */

import { shown } from "../../kinds/kind.ts";
import { regexMistake } from "../../kinds/patterns.ts";
import { isElsewhere } from "../../kinds/rewrite-target.ts";
import { classAnnotation, type Ingress } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import type { PathMatch } from "../../table/claim.ts";
import { authLoops, certificateLoops } from "./auth-loops.ts";
import { idleBeside, missingBeside, type Refusals } from "./beside.ts";
import { nameDoubts } from "./name-doubts.ts";
import { numberDoubts } from "./number-doubts.ts";
import { typedPath } from "./paths.ts";
import { redirectDoubts } from "./redirect-doubts.ts";
import { unreadName } from "./unread-names.ts";
import { groupName, hashDoubts, variableDoubts } from "./variable-doubts.ts";

/**
 * Returns one Problem for each doubtful text. `reading` is that of its annotations. `prefix` is
 * the annotations' prefix, without a slash.
 */
export function doubtsOf(ingress: Ingress, prefix: string, reading: Refusals, settings: Settings): readonly Problem[] {
  const { values } = reading;
  const { namespace = "default", name, annotations = {} } = ingress.metadata;
  const idle = idleAnnotations(annotations, prefix, reading, settings);
  const doubtful = none.concat(
    rewriteDoubts(ingress, values),
    patternDoubts(ingress, values),
    slashDoubts(ingress, values),
    classDoubts(ingress),
    websocketDoubts(values),
    grpcDoubts(values, settings),
    rateDoubts(values),
    authLoops(ingress, values, settings),
    nameDoubts(values, namespace),
    certificateLoops(ingress, values),
    redirectDoubts(ingress, values, (key) => (annotations[`${prefix}/${key}`] ?? "") !== ""),
    hashDoubts(values),
    numberDoubts(annotations, prefix),
    values.appRoot.path === "/" ? [endless] : none,
    variableDoubts(values, annotations, () => pathsOf(ingress).map(({ text }) => text), settings),
  );
  // The usual result, which thousands of Ingresses share.
  if (idle.length === 0 && doubtful.length === 0) return nothing;
  const object = { kind: "Ingress", namespace, name };
  return [
    ...idle.map((one): Problem => ({ object, kind: "annotation-useless", ...one, beside: true })),
    ...doubtful.map((one): Problem => ({ object, kind: "annotation-doubtful", ...one })),
  ];
}

const nothing: readonly Problem[] = [];

interface Doubt {
  readonly key: string;
  readonly why: string;
}

const none: readonly Doubt[] = [];

const endless: Doubt = {
  key: "app-root",
  why: "/ is redirected to itself, so that no client gets an answer; remove it",
};

function pathsOf({ spec }: Ingress) {
  return (spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []).map(typedPath);
}

/**
 * Finds plain paths that are read as patterns. A pattern is not anchored at its end, so such a path
 * takes more than its text.
 */
function patternDoubts(ingress: Ingress, { rewrite }: FeatureValues): readonly Doubt[] {
  if (!rewrite.regex) return none;
  const plain = pathsOf(ingress).find(({ text }) => /^\/[\w/-]*[\w-]$/.test(text));
  if (plain === undefined) return none;
  const { text } = plain;
  return [
    {
      key: "use-regex",
      why: `the path ${text} also takes ${text}-2; ${text}(/|$) takes ${text} and what is below it`,
    },
  ];
}

/**
 * Finds Exact paths with a final slash that are never reached, because the redirect to https
 * removes the slash.
 */
function slashDoubts(ingress: Ingress, { sslRedirect }: FeatureValues): readonly Doubt[] {
  const { always, whenConfigured, keepTrailingSlash } = sslRedirect;
  const redirects = always || (whenConfigured && (ingress.spec?.tls ?? []).length > 0);
  if (!redirects || keepTrailingSlash) return none;
  const exact = pathsOf(ingress).find(({ text, type }) => type === "exact" && text.length > 1 && text.endsWith("/"));
  if (exact === undefined) return none;
  const why = `the redirect to https takes the slash of ${exact.text} away, and ${exact.text.slice(0, -1)} is another path; preserve-trailing-slash keeps it`;
  return [{ key: always ? "force-ssl-redirect" : "ssl-redirect", why }];
}

/** Warns about two classes. The API refuses them in a new Ingress only. */
function classDoubts({ metadata: { annotations }, spec }: Ingress): readonly Doubt[] {
  const [noted, named] = [annotations?.[classAnnotation], spec?.ingressClassName];
  if (noted === undefined || named === undefined || noted === named) return none;
  const why = `spec.ingressClassName is ${shown(named)}, which counts; the API refuses a new Ingress in which both differ`;
  return [{ key: classAnnotation, why }];
}

function websocketDoubts({ backendRequest, configurationSnippet }: FeatureValues): readonly Doubt[] {
  const doubts: Doubt[] = [];
  const setsHeader = (name: string) =>
    new RegExp(`\\bproxy_set_header\\s+["']?${name}\\b`, "i").test(configurationSnippet.text);
  if (backendRequest.connection !== "" && !setsHeader("Connection")) {
    const why = "websockets do not work with it: their upgrade does not reach the backend";
    doubts.push({ key: "connection-proxy-header", why });
  }
  if (setsHeader("Upgrade")) {
    const why = "websockets need no Upgrade header in a snippet: the backend gets it twice";
    doubts.push({ key: "configuration-snippet", why });
  }
  return doubts;
}

/** Warns about gRPC without HTTP/2, because clients of gRPC only use HTTP/2. */
function grpcDoubts({ backendProtocol }: FeatureValues, { useHttp2 }: Pick<Settings, "useHttp2">): readonly Doubt[] {
  if (useHttp2 || !backendProtocol.scheme.startsWith("GRPC")) return none;
  return [{ key: "backend-protocol", why: "use-http2 of the ConfigMap is false, and clients of gRPC need HTTP/2" }];
}

/**
 * Finds a rate that is meant in bytes, as the documentation of ingress-nginx says. It counts as
 * kilobytes there and here, and no answer is as fast as a gigabyte a second.
 */
function rateDoubts({ limitRate: { rate }, proxyBuffers: { buffering } }: FeatureValues): readonly Doubt[] {
  if (rate <= 1_048_576 || buffering === "off") return none;
  const why = `it is a number of kilobytes, and ${rate} of them a second limit no answer; for ${rate} bytes write ${Math.round(rate / 1024)}`;
  return [{ key: "limit-rate", why }];
}

function idleAnnotations(
  annotations: Readonly<Record<string, string>>,
  prefix: string,
  reading: Refusals,
  settings: Settings,
): readonly Doubt[] {
  const doubts: Doubt[] = [];
  const has = (key: string) => (annotations[`${prefix}/${key}`] ?? "") !== "";
  for (const name in annotations) {
    const other = unreadName(name, prefix, annotations);
    if (other !== undefined) doubts.push({ key: name, why: other });
    const key = name.startsWith(`${prefix}/`) ? name.slice(prefix.length + 1) : "";
    const text = annotations[name]!;
    if (text === "") continue;
    const missing = /^(?:false|off)$/i.test(text) ? undefined : missingBeside(key, has, reading.values, settings);
    const why = missing === undefined ? idleBeside(key, reading) : whyMissing(missing);
    if (why !== undefined) doubts.push({ key, why });
  }
  return doubts;
}

/** Names the absent annotation, and for a guard what its author probably relies on. */
function whyMissing(missing: string): string {
  return `it needs ${missing}${missing === "auth-type" ? ", and without it no password is asked for" : ""}`;
}

/** Finds a target that drops the rest of the path, or names a group that the path lacks. */
function rewriteDoubts(ingress: Ingress, { rewrite: { target } }: FeatureValues): readonly Doubt[] {
  if (target === "") return none;
  const groups = [...target.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit));
  const last = Math.max(0, ...groups);
  const { lacking = [], others = [] } = Object.groupBy(pathsOf(ingress), ({ text }) =>
    groupsIn(text) < last ? "lacking" : "others",
  );
  // A path that is no pattern has a Problem of its own.
  const readable = new Set(lacking.flatMap(({ text }) => (regexMistake(text) === undefined ? [text] : [])));
  const doubts = new Set([
    ...lackingGroup(last, [...readable]),
    ...others.flatMap((path) => doubtOf(path, target, groups)),
  ]);
  return [...doubts].map((why) => ({ key: "rewrite-target", why }));
}

const mostNamed = 3;

/** Says that paths have no group with this number; `paths` are all of them. */
function lackingGroup(last: number, paths: readonly string[]): readonly string[] {
  const [only, second] = paths;
  if (only === undefined) return [];
  const had = groupsIn(only);
  const has = had === 0 ? "no group" : had === 1 ? "1 group" : `${had} groups`;
  if (second === undefined) return [`it names $${last}, and the path ${only} has ${has}`];
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : "";
  return [`it names $${last}, and the paths ${paths.slice(0, mostNamed).join(", ")}${more} have fewer groups`];
}

function doubtOf({ text: path, type, loose }: PathMatch, target: string, groups: readonly number[]): string[] {
  const had = groupsIn(path);
  // What is below a plain prefix is a location of its own, which has another path.
  const takesBelow = type === "prefix" && !loose && !path.endsWith("/");
  if (target === path && !takesBelow) return [`the path is ${path} already, so nothing is rewritten`];
  const misjoined = misjoinedGroup(path, target);
  if (misjoined !== undefined) return [misjoined];
  const slash = slashGroup(path, target, had, groups);
  if (slash !== undefined) return [slash];
  if (groups.length > 0 || type === "exact" || path.endsWith("$") || /\$(request_|document_)?uri\b/.test(target))
    return [];
  if ([...path.matchAll(groupName)].some(([, name = ""]) => target.includes(`$${name}`))) return [];
  const effect = isElsewhere(target)
    ? `clients are sent with 302 from everything below the path ${path} to ${target} itself, and no backend is asked`
    : `everything below the path ${path} reaches the backend as ${target}`;
  const keeping = keepingOf(path, target.replace(/\/$/, ""), had);
  return [keeping === undefined ? effect : `${effect}; ${keeping} keeps what follows`];
}

/**
 * Returns a path and target that keep what follows the path, or a target alone if the path has a
 * group for it.
 */
function keepingOf(path: string, target: string, groups: number): string | undefined {
  if (path.endsWith("(.*)")) return `rewrite-target ${target}/$${groups}`;
  // Some controllers take a final * for everything below. The API takes no path without a slash.
  const above = path.replace(/\/(?:\.?\*)?$/, "");
  if (/[*+?^$()[\]{}|\\]/.test(above)) return undefined;
  const [pattern, group] = above === "" ? ["/(.*)", "$1"] : [`${above}(/|$)(.*)`, "$2"];
  return `the path ${pattern} with rewrite-target ${target}/${group}`;
}

/**
 * Explains a target that lacks the slash between its host and a group, or at its beginning. A group
 * such as `(/.*)` brings its own slash.
 */
function misjoinedGroup(path: string, target: string): string | undefined {
  const [, host, digit] = /^(?:https?|\$scheme):\/\/([^/$]+)(?:\$([1-9])|$)/.exec(target) ?? [];
  if (host !== undefined && digit !== undefined && !bringsSlash(path, Number(digit)))
    return `nothing stands between the host and $${digit}, so that clients are sent to another host such as ${host}x; write ${target.replace(`$${digit}`, `/$${digit}`)}`;
  const [, first] = /^\$([1-9])/.exec(target) ?? [];
  const isRelative = first === undefined ? /^[\w.~:-]/.test(target) : !bringsSlash(path, Number(first));
  if (isElsewhere(target) || !isRelative) return undefined;
  // A host without its scheme, as people leave it out of a redirect, and not a file.
  const elsewhere = /^[\w-]+(?:\.[\w-]+)*\.(?!(?:html?|php|jsp?|json|aspx?|xml|txt)$)[a-z]{2,}(?::\d+)?(?:\/|$)/i.test(
    target,
  );
  const instead = elsewhere ? `https://${target} to send clients there, or /${target}` : `/${target}`;
  return `the path that the backend gets has no slash at its beginning, which most backends refuse with 400; write ${instead}`;
}

/**
 * Explains a target that names the slash of `(/|$)(.*)`, and not the rest of the path behind it.
 */
function slashGroup(path: string, target: string, had: number, groups: readonly number[]): string | undefined {
  const [slash] = /\((?:\/\|\$|\$\|\/)\)(?=\(\.\*\)\$?$)/.exec(path) ?? [];
  if (slash === undefined || !groups.includes(had - 1) || groups.includes(had)) return undefined;
  const [named, rest] = [`$${had - 1}`, `$${had}`];
  return `${named} is the slash of ${slash}, so everything below the path ${path} reaches the backend as ${target.replace(named, "/")}; write ${target.replace(named, rest)}`;
}

/** Whether the group with this number can begin with a slash. */
function bringsSlash(path: string, group: number): boolean {
  const plain = path.replace(/\\[^/]/g, "..");
  const opening = [...plain.matchAll(/\((?!\?)/g)][group - 1];
  return opening !== undefined && /^\(+(?:\?:)?\\?\//.test(plain.slice(opening.index));
}

/**
 * Counts capturing groups: opening brackets outside of classes, without a backslash before or a `?`
 * after them. An unclosed class reaches to the end, so each character is read once.
 */
function groupsIn(pattern: string): number {
  const plain = pattern.replace(/\\./g, "").replace(/\[[^\]]*(?:\]|$)/g, "");
  return [...plain.matchAll(/\((?!\?)/g)].length;
}
