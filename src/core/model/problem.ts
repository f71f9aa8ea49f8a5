/**
 * A user's mistake, as a value that travels beside the Configuration. Logs, Events, the webhook and
 * the command line have the same `sentence`. A Problem always names its object, and the sentence
 * includes what was done about it.
 */

import { didYouMean } from "../../base/did-you-mean.ts";
import { bugWords } from "../../base/guarded.ts";
import { visible } from "../../base/visible.ts";

export interface ObjectName {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** A place in a file, counted from 1. */
export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The consequence of an unreadable annotation for its object. */
export type Consequence = "default" | "deny" | "reject";

interface Facts {
  readonly object: ObjectName;
  /** The object that is named and does not exist. */
  readonly missing?: ObjectName;
  /** The Problems without which there would not be this one. */
  readonly follows?: readonly Problem[];
  /** The object that has what this one claims. */
  readonly by?: ObjectName;
}

/**
 * What is wrong with a field. `found` has the words of each kind; `why` completes them where only
 * the finder knows the facts.
 */
export type Mistake = Pick<Facts, "follows" | "by"> &
  (
    | { readonly kind: "reference-missing"; readonly missing: ObjectName; readonly why?: string }
    /** It may not be used from there: a grant is missing, or a namespace or kind is not allowed. */
    | { readonly kind: "reference-forbidden"; readonly why: string }
    /** A reference to an object of another kind, to a part that is not there, or to bad content. */
    | { readonly kind: "reference-unusable"; readonly why: string }
    | { readonly kind: "value-unusable"; readonly why: string }
    /** A value that is right, and that nginx, this machine or Sluice cannot serve. */
    | { readonly kind: "value-unsupported"; readonly why: string }
    | {
        readonly kind: "value-useless";
        readonly why: string;
        /** What to do instead, where ingress-nginx does not have this Problem. */
        readonly onlyHere?: string;
      }
    /** An older or closer object has what is claimed here. */
    | { readonly kind: "claim-lost"; readonly why: string }
    | { readonly kind: "settings-conflict"; readonly with: string }
    | { readonly kind: "limit-exceeded"; readonly why: string }
    /** Something that this version does not know, and that may protect requests. */
    | { readonly kind: "guard-unknown"; readonly what?: string }
  );

/** A mistake in a field, and what is done about it. */
export type FieldProblem = Facts & Mistake & { readonly field: string; readonly done: string };

export type Problem = FieldProblem | OtherProblem;

type OtherProblem = Facts &
  (
    | { readonly kind: "annotation-unreadable"; readonly key: string; readonly why: string; readonly done: Consequence }
    | {
        readonly kind: "annotation-unknown";
        readonly key: string;
        readonly nearest?: string;
        /**
         * Another meaning of the name, here or in another controller; completes "... does not
         * exist: ".
         */
        readonly elsewhere?: string;
      }
    | { readonly kind: "annotation-removed"; readonly key: string; readonly successor?: string }
    | { readonly kind: "annotation-partly"; readonly key: string; readonly why: string }
    | {
        readonly kind: "annotation-useless";
        readonly key: string;
        readonly why: string;
        /** Whether other annotations of the Ingress are the reason, in ingress-nginx as here. */
        readonly beside?: true;
      }
    | {
        readonly kind: "annotation-doubtful";
        readonly key: string;
        readonly why: string;
        /** Whether the value asks for more than the operator permits. */
        readonly limited?: true;
      }
    | {
        readonly kind: "neighbours-changed";
        readonly key: string;
        readonly host: string;
        readonly neighbours: readonly ObjectName[];
      }
    | { readonly kind: "setting-unreadable"; readonly key: string; readonly why: string; readonly kept: string }
    | {
        readonly kind: "setting-unknown";
        readonly key: string;
        readonly nearest?: string;
        /** Another meaning of the name; completes "... does not exist: ". */
        readonly elsewhere?: string;
      }
    | { readonly kind: "setting-useless"; readonly key: string; readonly why: string }
    | { readonly kind: "setting-doubtful"; readonly key: string; readonly why: string }
    | { readonly kind: "field-doubtful"; readonly field: string; readonly why: string }
    /** What nginx would refuse, found without nginx. */
    | { readonly kind: "snippet-refused"; readonly field: string; readonly why: string }
    /** A guard of another controller, which Sluice does not read. */
    | { readonly kind: "guard-foreign"; readonly field: string; readonly why: string }
    | { readonly kind: "inspection-failed"; readonly field: string; readonly sign: string }
    /** A present version that is not applied, and whose guards close its paths. */
    | { readonly kind: "version-closed" }
    | {
        readonly kind: "manifest-unusable";
        readonly at: FilePlace;
        /** Empty if the whole object, or the whole file, is meant. */
        readonly field: string;
        readonly why: string;
        readonly done: string;
        /** Whether the object, or the file, is not applied; else the field alone is ignored. */
        readonly fatal: boolean;
        /** Whether another place defines the object equally, so that nothing is lost. */
        readonly isEqual?: true;
        /** The lines around the place, for a terminal; no part of the sentence. */
        readonly frame?: string;
      }
    | { readonly kind: "service-missing"; readonly field: string; readonly service: string; readonly why?: string }
    | {
        readonly kind: "service-port-missing";
        readonly field: string;
        readonly service: string;
        readonly port: string;
        readonly has: string;
      }
    | {
        readonly kind: "nginx-refused";
        readonly why: string;
        /** Whether its paths are closed, because it may guard more than the last good version. */
        readonly closes?: true;
      }
    /** Sluice itself failed on the object; `why` is for its developers. */
    | { readonly kind: "bug"; readonly why: string }
    | { readonly kind: "memory-full" | "memory-short"; readonly bytes: number }
    | { readonly kind: "path-taken"; readonly host: string; readonly path: string; readonly by: ObjectName }
    | { readonly kind: "path-contested"; readonly host: string; readonly path: string; readonly by: ObjectName }
    /**
     * The host policy gives the host to `owners`, namespaces other than that of the object.
     */
    | {
        readonly kind: "host-refused";
        readonly field: string;
        readonly host: string;
        readonly owners: readonly string[];
      }
    | { readonly kind: "secret-unusable"; readonly field: string; readonly secret: string; readonly why: string }
    | { readonly kind: "certificate-doubtful"; readonly why: string }
    | { readonly kind: "secret-kept"; readonly field: string; readonly secret: string; readonly why: string }
    | {
        readonly kind: "last-good";
        /** The part of the object that is not in force, with the reason. */
        readonly what: string;
        /** The form that is used in its place. */
        readonly instead: string;
        /** The time at which this program first saw it. */
        readonly since: string;
        /** The time until which it can last. */
        readonly until: string;
      }
    | { readonly kind: "certificate-misfit"; readonly secret: string; readonly host: string; readonly names: string }
  );

/** The reason of a Problem: its words, and facts that code would otherwise read out of them. */
export interface Why extends Pick<Facts, "missing" | "follows"> {
  /** Completes a sentence that names the place of the mistake. */
  readonly why: string;
}

export const consequences: Record<Consequence, string> = {
  default: "the default is used",
  deny: "its paths answer 503",
  reject: "the Ingress is not applied",
};

/** Whether the present version of an Ingress is not applied because of the Problem. */
export function isRefusal(problem: Problem): boolean {
  if (problem.kind === "annotation-unreadable") return problem.done === "reject";
  return ["bug", "snippet-refused", "inspection-failed"].includes(problem.kind);
}

export function isOfField(problem: Problem): problem is FieldProblem {
  return "field" in problem && "done" in problem && problem.kind !== "manifest-unusable";
}

/** The consequence for a version that is not applied and may guard more than the last good one. */
export const closedForGuards = "its paths answer 503, because it may guard more than the last good version";

/**
 * A longer sentence is cut in the middle, because its beginning has the mistake, and its end what
 * was done.
 */
const longestSentence = 4_000;
const longestEnd = 400;

/**
 * Returns one sentence without the object's name: what was found and what was done. It holds no
 * control characters.
 */
export function sentence(p: Problem): string {
  const text = wordsOf(p);
  if (text.length <= longestSentence) return visible(text);
  return visible(`${text.slice(0, longestSentence - longestEnd)}… ${text.slice(-longestEnd)}`);
}

/** Names the key: keys of RouteSettings have the names of annotations and are in the spec. */
export function keyed({ object, key }: { readonly object: ObjectName; readonly key: string }): string {
  return object.kind === "RouteSettings" ? `spec.${key}` : `annotation ${key}`;
}

/** Returns the words of the sentence. A new kind of Problem does not compile until it has one. */
function wordsOf(p: Problem): string {
  if (isOfField(p)) return `${p.field}: ${found(p)}; ${p.done}`;
  switch (p.kind) {
    case "annotation-unreadable":
      return `${keyed(p)}: ${p.why}; ${consequences[p.done]}`;
    case "annotation-unknown":
      return `${keyed(p)} does not exist${unknownWord(p)}; it is ignored`;
    case "annotation-removed":
      return `${keyed(p)} was removed and does nothing${p.successor === undefined ? "" : `; use ${p.successor}`}`;
    case "annotation-partly":
      return `${keyed(p)}: ${p.why}; the rest of it is used`;
    case "annotation-doubtful":
      return `${keyed(p)}: ${p.why}`;
    case "neighbours-changed":
      return `${keyed(p)} makes every path of host ${p.host} a regular expression, those of ${listed(p.neighbours)} too: /cart there also takes /cartoons`;
    case "annotation-useless":
      return `${keyed(p)} has no effect: ${p.why}`;
    case "setting-unreadable":
      return `key ${p.key}: ${p.why}; ${p.kept} is used`;
    case "setting-unknown":
      return `key ${p.key} does not exist${unknownWord(p)}; it is ignored`;
    case "setting-useless":
      return `key ${p.key} has no effect: ${p.why}`;
    case "setting-doubtful":
      return `key ${p.key}: ${p.why}`;
    case "field-doubtful":
      return `${p.field}: ${p.why}`;
    case "snippet-refused":
      return `${p.field}: ${p.why}; nginx would refuse it`;
    case "guard-foreign":
      return `${p.field}: ${p.why}; requests pass without it`;
    case "inspection-failed":
      return `${p.field}: it looks like ${p.sign}, and --deep-inspect is on; ${consequences.reject}`;
    case "version-closed":
      return `metadata.annotations: the present version is not applied; ${closedForGuards}`;
    case "manifest-unusable":
      return `${p.object.kind === "File" ? "" : `${p.at.file} `}line ${p.at.line}, column ${p.at.column}: ${unplaced(p)}`;
    case "service-missing":
      return `${p.field}: Service ${p.service} ${p.why ?? "not found"}; the path answers 503`;
    case "service-port-missing":
      return `${p.field}: Service ${p.service} has no port ${p.port}; it has ${p.has}; the path answers 503`;
    case "nginx-refused":
      return `nginx refused it: ${p.why}; ${p.closes ? closedForGuards : "the last good version is still served, if there is one"}`;
    case "bug":
      return `it is not applied because Sluice failed on it (${p.why}); this is a bug in Sluice, please report it with this object; all others are applied`;
    case "memory-full":
      return `nginx's shared memory of ${kilobytes(p.bytes)} is full, so the newest routes and endpoints wait for a reload that gives it twice as much; ${fromTheStart(p.bytes)}`;
    case "memory-short":
      return `nginx's shared memory of ${kilobytes(p.bytes)} is nearly full, so a reload gives it twice as much; ${fromTheStart(p.bytes)}`;
    case "path-taken":
      if (named(p.by) === named(p.object))
        return `path ${p.path} of host ${p.host} stands here twice; the first one counts, and this one is ignored`;
      return `path ${p.path} of host ${p.host} belongs to the older ${named(p.by)}; this one is ignored`;
    case "path-contested":
      return `path ${p.path} of host ${p.host} is in ${named(p.by)}, too; only one of them may have it, whatever the path type`;
    case "host-refused":
      return `${p.field}: the host policy gives ${p.host} to ${p.owners.length === 1 ? "namespace" : "namespaces"} ${p.owners.join(", ")} alone; nothing is served for it here`;
    case "secret-unusable":
      return `${p.field}: Secret ${p.secret} ${p.why}; the default certificate is served`;
    case "certificate-doubtful":
      return `tls.crt: ${p.why}; it is still served`;
    case "secret-kept":
      return `${p.field}: Secret ${p.secret} ${p.why}; its last good certificate is still served`;
    case "last-good":
      return `${p.what}; ${p.instead}, since ${p.since} or longer, ${p.until}`;
    case "certificate-misfit":
      return `the certificate of Secret ${p.secret} is for ${p.names}, not for ${p.host}; the default certificate is served`;
  }
}

/** Returns what was found in the field. */
function found(p: FieldProblem): string {
  switch (p.kind) {
    case "reference-missing":
      return `${named(p.missing)} ${p.why ?? "not found"}`;
    case "guard-unknown":
      return `${p.what ?? "is a field that Sluice does not know, and it"} may be a guard`;
    case "settings-conflict":
      return `cannot hold together with ${p.with}`;
    default:
      return p.why;
  }
}

/** Returns the sentence with the name of the object in front. */
export function fullSentence(p: Problem): string {
  return `${named(p.object)}: ${sentence(p)}`;
}

/** Returns the sentence for a reader who already has the place in the file. */
export function unplaced(p: Problem): string {
  return p.kind === "manifest-unusable" ? `${p.field === "" ? "" : `${p.field}: `}${p.why}; ${p.done}` : sentence(p);
}

/** Returns, for example, `Ingress shop/web`. */
export function named({ kind, namespace, name }: ObjectName): string {
  return visible(`${cut(kind)} ${namespace === undefined ? "" : `${cut(namespace)}/`}${cut(name)}`);
}

/** Cuts what no name can be: without bounds in a definition, a reference may hold a megabyte. */
function cut(name: string): string {
  return name.length > 253 ? `${name.slice(0, 253)}…` : name;
}

function kilobytes(bytes: number): string {
  const all = Math.round(bytes / 1024);
  return all % 1024 === 0 ? `${all / 1024} MB` : `${all} KB`;
}

/** Returns advice for memory that turned out to be too small. */
function fromTheStart(bytes: number): string {
  return `configuration_data: ${Math.ceil(bytes / 1024 / 512)} in lua-shared-dicts makes it so large from the start`;
}

function listed(names: readonly ObjectName[]): string {
  const [first, ...others] = names.map(named);
  return others.length === 0 ? `${first}` : `${first} and ${others.length} more`;
}

function unknownWord({ nearest, elsewhere }: { readonly nearest?: string; readonly elsewhere?: string }): string {
  return elsewhere === undefined ? didYouMean(nearest) : `: ${elsewhere}`;
}

/** Returns the Problem of an object that was set aside. */
export function bugProblem(object: ObjectName, bug: Error): Problem {
  return { object, kind: "bug", why: bugWords(bug) };
}
