/**
 * The API server's verbs for any Resource. Objects are plain JSON, sent and received without models
 * or conversion. Nothing is retried here: the caller gets the failure as a value and decides.
 */
import type { IncomingMessage } from "node:http";
import type { KubernetesObject } from "../model/objects.ts";
import { type Clock, systemClock } from "../timing/clock.ts";
import { type Answer, type ApiFailure, failed, failureFromStatus, ownFailure, succeeded } from "./answer.ts";
import { readJson, readLines } from "./body.ts";
import type { Credentials } from "./credentials.ts";
import { type ObjectName, type Place, pathOf, type Resource } from "./resource.ts";
import { Transport, type TransportRequest } from "./transport.ts";

export interface Selection {
  /** If it is absent, all namespaces are meant. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends Selection {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
}

export interface List<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** The token of the next page; empty on the last one. */
  readonly continue: string;
}

export interface WatchOptions extends Selection {
  readonly resourceVersion?: string;
  /** The server ends the watch after this long. */
  readonly timeoutSeconds: number;
  /** A connection without any data, even a bookmark, for this time counts as dead. */
  readonly inactivityMs: number;
  /** Requests the present objects as `ADDED` events first (WatchList). */
  readonly sendInitialEvents?: boolean;
}

export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  /** A bookmark has only metadata. */
  readonly object: T;
}

export interface WriteOptions {
  readonly subresource?: string;
  readonly fieldManager?: string;
}

export interface Patch extends WriteOptions {
  /** `apply` is server-side apply and needs a fieldManager. */
  readonly type: "merge" | "json" | "strategic" | "apply";
  readonly body: unknown;
  /** With `apply`: takes fields that another manager owns. */
  readonly force?: boolean;
}

export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
}

export interface ClientOptions {
  readonly userAgent?: string;
  readonly clock?: Clock;
  /** The limit until a request other than a watch is answered, and for pauses within its answer. */
  readonly timeoutMs?: number;
  readonly report?: (request: SentRequest) => void;
}

/** A request that ended, with or without an answer, for metrics. */
export interface SentRequest {
  readonly verb: Verb;
  /** The HTTP status; 0 when no answer came. */
  readonly code: number;
  /** The time until the head of the answer. */
  readonly tookMs: number;
}

/** The verbs of RBAC. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export class Client {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #report: ((request: SentRequest) => void) | undefined;
  /** The namespace the credentials belong to. */
  readonly namespace: string | undefined;

  constructor(credentials: Credentials, options: ClientOptions = {}) {
    const { userAgent = "sluice", clock = systemClock, timeoutMs = 60_000, report } = options;
    this.#transport = new Transport(credentials, userAgent, clock);
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#report = report;
    this.namespace = credentials.namespace;
  }

  get<T extends KubernetesObject>(of: Resource<T>, name: ObjectName, signal: AbortSignal): Promise<Answer<T>> {
    return this.#ask<T>({ verb: "get", path: pathOf(of, name), accept: of.accept }, signal);
  }

  /** Returns one page, with the `apiVersion` and `kind` that lists leave out in each item. */
  async list<T extends KubernetesObject>(
    of: Resource<T>,
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<Answer<List<T>>> {
    const { namespace, ...query } = options;
    const path = pathOf(of, { namespace });
    const answer = await this.#ask<ListBody<T>>({ verb: "list", path, query, packed: true }, signal);
    if (!answer.ok) return answer;
    const { metadata, items } = answer.value;
    if (typeof metadata?.resourceVersion !== "string") return failed(ownFailure("unreadable", "not a list"));
    const { apiVersion, kind } = of;
    return succeeded({
      items: (items ?? []).map((item) => ({ ...item, apiVersion, kind })),
      resourceVersion: metadata.resourceVersion,
      continue: metadata.continue ?? "",
    });
  }

  create<T extends KubernetesObject>(
    of: Resource<T>,
    object: T,
    signal: AbortSignal,
    { subresource, ...query }: WriteOptions = {},
  ): Promise<Answer<T>> {
    const path = pathOf(of, collectionOf(object, subresource));
    return this.#ask<T>({ verb: "create", path, query, body: JSON.stringify(object) }, signal);
  }

  /** Replaces the object; `Conflict` if its resourceVersion is no longer the newest. */
  update<T extends KubernetesObject>(
    of: Resource<T>,
    object: T,
    signal: AbortSignal,
    { subresource, ...query }: WriteOptions = {},
  ): Promise<Answer<T>> {
    const { namespace, name } = object.metadata;
    const path = pathOf(of, { namespace, name, ...(subresource ? { subresource } : {}) });
    return this.#ask<T>({ verb: "update", path, query, body: JSON.stringify(object) }, signal);
  }

  patch<T extends KubernetesObject>(
    of: Resource<T>,
    name: ObjectName,
    { type, body: changes, subresource, ...query }: Patch,
    signal: AbortSignal,
  ): Promise<Answer<T>> {
    const path = pathOf(of, { ...name, ...(subresource ? { subresource } : {}) });
    const body = JSON.stringify(changes);
    return this.#ask<T>({ verb: "patch", path, query, body, contentType: patchTypes[type] }, signal);
  }

  async delete(
    of: Resource<KubernetesObject>,
    name: ObjectName,
    signal: AbortSignal,
    { uid, resourceVersion, propagationPolicy }: DeleteOptions = {},
  ): Promise<Answer<undefined>> {
    const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
    const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", preconditions, propagationPolicy });
    const answer = await this.#ask({ verb: "delete", path: pathOf(of, name), body }, signal);
    return answer.ok ? succeeded(undefined) : answer;
  }

  /**
   * Calls `onEvent` for each event until the watch ends. Resolves with undefined when the server
   * ended it as announced, else with the failure. An `ERROR` event (such as 410) is such a failure.
   */
  async watch<T extends KubernetesObject>(
    of: Resource<T>,
    { namespace, inactivityMs, sendInitialEvents, ...selected }: WatchOptions,
    onEvent: (event: WatchEvent<T>) => void,
    signal: AbortSignal,
  ): Promise<ApiFailure | undefined> {
    const initial = sendInitialEvents
      ? ({ sendInitialEvents, resourceVersionMatch: "NotOlderThan" } as const)
      : undefined;
    const query = { ...selected, ...initial, watch: true, allowWatchBookmarks: true };
    const opened = await this.#open({ verb: "watch", path: pathOf(of, { namespace }), query }, signal);
    if (!opened.ok) return opened.failure;
    const ended = await readLines(opened.value, this.#clock, inactivityMs, (line) => {
      const event = line as WatchEvent<T> | { readonly type: "ERROR"; readonly object: unknown };
      if (event.type === "ERROR") return failureFromStatus(500, event.object);
      if (!isEvent(event)) return ownFailure("unreadable", "a watch event without an object");
      onEvent(event);
      return undefined;
    });
    return signal.aborted ? ownFailure("aborted", "the watch was stopped") : ended;
  }

  /**
   * Returns the kinds of one group and version, without subresources. The list is empty if the
   * server does not have the version.
   */
  async kindsOf(apiVersion: string, signal: AbortSignal): Promise<Answer<readonly ServedKind[]>> {
    const group = apiVersion.includes("/") ? "/apis" : "/api";
    const answer = await this.#ask<{ readonly resources?: readonly ServedKind[] | null }>(
      { verb: "get", path: `${group}/${apiVersion}` },
      signal,
    );
    if (!answer.ok) return answer.failure.code === 404 ? succeeded([]) : answer;
    const kinds = (answer.value.resources ?? []).filter(({ name }) => !name.includes("/"));
    return succeeded(kinds.map(({ name, kind }) => ({ name, kind })));
  }

  /** Closes every connection. */
  close(): void {
    this.#transport.close();
  }

  async #ask<T>(wanted: Wanted, signal: AbortSignal): Promise<Answer<T>> {
    const opened = await this.#open(wanted, signal);
    if (!opened.ok) return opened;
    const answer = await readJson(opened.value, this.#clock, this.#timeoutMs);
    if (!answer.ok && signal.aborted) return failed(ownFailure("aborted", "stopped while it was read"));
    return answer as Answer<T>;
  }

  /** Sends the request; a status other than 2xx becomes the failure that its body describes. */
  async #open({ verb, ...wanted }: Wanted, signal: AbortSignal): Promise<Answer<IncomingMessage>> {
    const started = this.#clock.now();
    const sent = await this.#transport.send({
      ...wanted,
      method: methods[verb],
      headTimeoutMs: this.#timeoutMs,
      signal,
    });
    this.#report?.({ verb, code: sent.ok ? sent.value.code : 0, tookMs: this.#clock.now() - started });
    if (!sent.ok) return sent;
    const { code, retryAfter, body } = sent.value;
    if (code >= 200 && code < 300) return succeeded(body);
    const refusal = await readJson(body, this.#clock, this.#timeoutMs);
    return failed(failureFromStatus(code, refusal.ok ? refusal.value : undefined, retryAfter));
  }
}

/** The part of a Client that keeping a cache needs. */
export type ListWatcher = Pick<Client, "list" | "watch">;

/** The part of a Client that discovery needs. */
export type Discoverer = Pick<Client, "kindsOf" | "get">;

/** A kind as the API server offers it. */
export interface ServedKind {
  /** The plural, as in paths. */
  readonly name: string;
  readonly kind: string;
}

type Wanted = Pick<TransportRequest, "path" | "query" | "body" | "contentType" | "accept" | "packed"> & {
  readonly verb: Verb;
};

const methods: Readonly<Record<Verb, TransportRequest["method"]>> = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};

interface ListBody<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

/**
 * Returns where `create` sends an object: to its collection, or, for a subresource (a binding, a
 * token), to the object that has it.
 */
function collectionOf({ metadata }: KubernetesObject, subresource: string | undefined): Place {
  const { namespace, name } = metadata;
  return subresource === undefined ? { namespace } : { namespace, name, subresource };
}

function isEvent(event: { readonly type: string; readonly object?: unknown }): event is WatchEvent<never> {
  const known = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"].includes(event.type);
  const { metadata } = (event.object ?? {}) as Partial<KubernetesObject>;
  return known && typeof metadata?.resourceVersion === "string";
}
