/**
 * AdmissionReview v1: the request of the API server and the response to it (RS-29.1, RS-29.2). Any
 * program that reaches the port can send a request, so it is not trusted: every field that is read
 * later is validated here first.
 */

import { atOnce, type Parts } from "../../base/timing/paced.ts";
import { isMapping } from "../../core/model/mapping.ts";
import type { Ingress } from "../../core/model/objects.ts";
import { isReviewed, type Reviewed, subjectOf } from "./gateway/subject.ts";
import { outlineOf } from "./outline.ts";

export interface Question {
  /** The id of the review, which the response repeats. */
  readonly uid: string;
  /**
   * Undefined if nothing will be stored, as with a DELETE, and for a Gateway or route that
   * cannot be read.
   */
  readonly object: Ingress | Reviewed | undefined;
}

export type ReadQuestion =
  | { readonly ok: true; readonly question: Question }
  /** An HTTP status, which the API server treats as a webhook that failed. */
  | { readonly ok: false; readonly status: 400 | 500; readonly why: string };

export interface Answer {
  readonly allowed: boolean;
  readonly message: string;
  readonly warnings: readonly string[];
}

/**
 * Reads a review in parts, so that other work can run between them. JSON.parse of the object is the
 * longest part.
 */
export function* reading(text: string): Parts<ReadQuestion> {
  const outline = yield* outlineOf(text);
  if (outline === undefined) return unreadable("it is larger or deeper than any review that the API server sends");
  yield;
  const object = outline.object === undefined ? undefined : parsed(outline.object);
  yield;
  return question(parsed(outline.rest), object);
}

export const readQuestion = (text: string): ReadQuestion => atOnce(reading(text));

function question(review: unknown, object: unknown): ReadQuestion {
  if (!isMapping(review)) return unreadable("it is no JSON object");
  if (review.apiVersion !== "admission.k8s.io/v1" || review.kind !== "AdmissionReview" || !isMapping(review.request)) {
    return unreadable("it is no AdmissionReview of admission.k8s.io/v1");
  }
  const { uid, kind, namespace, operation } = review.request;
  if (typeof uid !== "string" || !isMapping(kind)) return unreadable("its request has no uid or no kind");
  if (isReviewed(kind)) {
    const home = typeof namespace === "string" && namespace !== "" ? namespace : "default";
    const subject = operation === "DELETE" ? undefined : subjectOf(object, String(kind.kind), home);
    return { ok: true, question: { uid, object: subject } };
  }
  if (kind.group !== "networking.k8s.io" || kind.version !== "v1" || kind.kind !== "Ingress") {
    return { ok: false, status: 500, why: "it is not about an Ingress, a Gateway or a route" };
  }
  if (operation === "DELETE") return { ok: true, question: { uid, object: undefined } };
  if (!isIngress(object)) return unreadable("its object is no Ingress");
  if (!isStorable(object)) return unreadable("its object is larger than any that the API server stores");
  const stated = Object.entries(object.metadata).filter(([, value]) => value !== null);
  const place = typeof namespace === "string" && namespace !== "" ? namespace : "default";
  const metadata = { name: "", namespace: place, ...Object.fromEntries(stated) };
  return { ok: true, question: { uid, object: { ...object, kind: "Ingress", metadata } } };
}

/** Returns the text of the response. Warnings are sent whether or not the object is allowed. */
export function answerTo(uid: string, { allowed, message, warnings }: Answer): string {
  const status = { status: "Failure", message, reason: "BadRequest", code: 400 };
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid, allowed, ...(allowed ? {} : { status }), ...(warnings.length === 0 ? {} : { warnings }) },
  });
}

const unreadable = (why: string): ReadQuestion => ({ ok: false, status: 400, why });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Shape = (value: unknown) => boolean;

const string: Shape = (value) => typeof value === "string";
const stringOrNull: Shape = (value) => value === null || typeof value === "string";
const number: Shape = (value) => typeof value === "number";
const list =
  (item: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(item);
const texts: Shape = (value) => isMapping(value) && Object.values(value).every(string);
/** Checks the shape of the fields that are present; other fields are not read. */
const record =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isMapping(value) && Object.entries(fields).every(([name, is]) => value[name] === undefined || is(value[name]));

const backend = record({
  service: record({ name: string, port: record({ name: string, number }) }),
  resource: record({ apiGroup: string, kind: string, name: string }),
});
const path: Shape = (value) =>
  record({ path: string, pathType: string, backend })(value) && isMapping(value) && value.backend !== undefined;

const ingress = record({
  metadata: record({
    name: string,
    namespace: string,
    uid: string,
    annotations: texts,
    creationTimestamp: stringOrNull,
    deletionTimestamp: stringOrNull,
  }),
  spec: record({
    ingressClassName: string,
    defaultBackend: backend,
    rules: list(record({ host: string, http: record({ paths: list(path) }) })),
    tls: list(record({ hosts: list(string), secretName: string })),
  }),
});

/**
 * Kubernetes stores at most 256 KiB of annotations. The number of paths is bounded by etcd's limit
 * of a megabyte and a half for an object.
 */
const mostAnnotations = 256 * 1024;
const mostPaths = 20_000;

/**
 * Whether the object can come from an API server, which checks an object's size before it calls a
 * webhook.
 */
function isStorable({ metadata, spec }: Ingress): boolean {
  let characters = 0;
  for (const [key, text] of Object.entries(metadata.annotations ?? {})) characters += key.length + text.length;
  let paths = 0;
  for (const { http } of spec?.rules ?? []) paths += 1 + (http?.paths?.length ?? 0);
  for (const { hosts } of spec?.tls ?? []) paths += 1 + (hosts?.length ?? 0);
  return characters <= mostAnnotations && paths <= mostPaths;
}

function isIngress(value: unknown): value is Ingress {
  return isMapping(value) && isMapping(value.metadata) && ingress(value);
}
