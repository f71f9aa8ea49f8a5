/**
 * The API server's verbs for any Resource. Objects are plain JSON, sent and received without models
 * or conversion. Nothing is retried here: the caller gets the failure as a value and decides.
 */
import type { IncomingMessage } from "node:http";
import { type Clock, systemClock } from "../base/timing/clock.ts";
import { type Answer, type ApiFailure, failed, failureFromStatus, ownFailure, succeeded } from "./answer.ts";
import { type Decode, readBody, readStream } from "./body.ts";
import type { Credentials } from "./credentials.ts";
import type { KubernetesObject } from "./object.ts";
import {
  eventIn,
  frames,
  type ListPart,
  listIn,
  listParts,
  listPartsOf,
  protobufType,
  statusIn,
} from "./protobuf/envelope.ts";
import type { Message } from "./protobuf/message.ts";
import type {
  ClientOptions,
  DeleteOptions,
  List,
  ListOptions,
  Patch,
  Selection,
  SentRequest,
  ServedKind,
  Verb,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "./requests.ts";
import { type ObjectName, pathOf, type Resource } from "./resource.ts";
import { Transport, type TransportRequest } from "./transport.ts";

/** The rest of an event of a watch may be late by this time. */
const halfwayMs = 10_000;

const readingVerbs: ReadonlySet<Verb> = new Set(["get", "list", "watch"]);

const patchTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export class Client {
  readonly #transport: Pick<Transport, "send" | "close">;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #writeTimeoutMs: number;
  readonly #report: ((request: SentRequest) => void) | undefined;
  #version: Promise<Answer<ServerVersion>> | undefined;

  constructor(credentials: Credentials, options: ClientOptions = {}) {
    const { userAgent = "sluice", clock = systemClock, timeoutMs = 60_000, writeTimeoutMs = 15_000, report } = options;
    this.#transport = options.transport ?? new Transport(credentials, userAgent, clock);
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#writeTimeoutMs = Math.min(writeTimeoutMs, timeoutMs);
    this.#report = report;
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
    const answer = await this.#ask<ListBody<T>>({ verb: "list", path, query, packed: true, ...binary(of) }, signal);
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

  /**
   * Lists all objects in one answer and calls `onItem` with each of them as it arrives. Returns the
   * resourceVersion of the list. It is meant for servers that stream lists. A server without
   * protobuf is a failure with the reason `unreadable`.
   */
  async listWhole<T extends KubernetesObject>(
    of: Resource<T> & { readonly binary: Message },
    { namespace, ...query }: Selection,
    onItem: (item: T) => void,
    signal: AbortSignal,
  ): Promise<Answer<string>> {
    const opened = await this.#open({ verb: "list", path: pathOf(of, { namespace }), query, ...binary(of) }, signal);
    if (!opened.ok) return opened;
    let version: string | undefined;
    const onPart = ({ metadata, item }: ListPart) => {
      if (metadata !== undefined) version = (metadata as { readonly resourceVersion?: string }).resourceVersion;
      if (item !== undefined) onItem(item as unknown as T);
      return undefined;
    };
    const parts = listParts();
    const form = { parts, decode: listPartsOf(of.binary), inactivityMs: this.#timeoutMs };
    const ended = await readStream(opened.value, this.#clock, onPart, form);
    if (signal.aborted) return failed(ownFailure("aborted", "stopped while it was read"));
    if (ended !== undefined) return failed(ended);
    if (version === undefined || !parts.isComplete) return failed(ownFailure("unreadable", "the list has no end"));
    return succeeded(version);
  }

  /**
   * Whether the server sends a list while it encodes it, as Kubernetes does from 1.33 on. Older
   * ones have the whole text of a list in memory.
   */
  async streamsLists(signal: AbortSignal): Promise<boolean> {
    this.#version ??= this.#ask<ServerVersion>({ verb: "get", path: "/version" }, signal);
    const answer = await this.#version;
    if (!answer.ok) this.#version = undefined;
    return answer.ok && Number.parseInt(answer.value.minor ?? "", 10) >= 33;
  }

  create<T extends KubernetesObject>(
    of: Resource<T>,
    object: T,
    signal: AbortSignal,
    query: Omit<WriteOptions, "subresource"> = {},
  ): Promise<Answer<T>> {
    const path = pathOf(of, { namespace: object.metadata.namespace });
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
    { uid }: DeleteOptions = {},
  ): Promise<Answer<undefined>> {
    const preconditions = uid ? { uid } : {};
    const body = JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", preconditions });
    const answer = await this.#ask({ verb: "delete", path: pathOf(of, name), body }, signal);
    return answer.ok ? succeeded(undefined) : answer;
  }

  /**
   * Calls `onEvent` for each event until the watch ends. Resolves with undefined when the server
   * ended it as announced, else with the failure. An `ERROR` event (such as 410) is such a failure.
   */
  async watch<T extends KubernetesObject>(
    of: Resource<T>,
    { namespace, inactivityMs, sendInitialEvents, onOpened, ...selected }: WatchOptions,
    onEvent: (event: WatchEvent<T>) => void,
    signal: AbortSignal,
  ): Promise<ApiFailure | undefined> {
    const initial = sendInitialEvents
      ? ({ sendInitialEvents, resourceVersionMatch: "NotOlderThan" } as const)
      : undefined;
    const query = { ...selected, ...initial, watch: true, allowWatchBookmarks: true };
    const opened = await this.#open({ verb: "watch", path: pathOf(of, { namespace }), query, ...binary(of) }, signal);
    if (!opened.ok) return opened.failure;
    const body = opened.value;
    onOpened?.();
    const onObject = (object: unknown) => {
      const event = object as WatchEvent<T> | { readonly type: "ERROR"; readonly object: unknown };
      if (event.type === "ERROR") return failureFromStatus(500, event.object);
      if (!isEvent(event)) return ownFailure("unreadable", "a watch event without an object");
      onEvent(event);
      return undefined;
    };
    const { binary: item } = of;
    const isBinary = item !== undefined && isProtobuf(body);
    const form = isBinary ? { parts: frames(), decode: (frame: Buffer): unknown => eventIn(frame, item) } : {};
    const ended = await readStream(body, this.#clock, onObject, { ...form, inactivityMs, halfwayMs });
    return signal.aborted ? ownFailure("aborted", "the watch was stopped") : ended;
  }

  /** Returns the preferred version of each group, as `group/version`, without the core group. */
  async groups(signal: AbortSignal): Promise<Answer<readonly string[]>> {
    const answer = await this.#ask<GroupList>({ verb: "get", path: "/apis" }, signal);
    if (!answer.ok) return answer;
    return succeeded((answer.value.groups ?? []).map(({ preferredVersion }) => preferredVersion.groupVersion));
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
    const { binary: item } = wanted;
    const decode: Decode | undefined = item && isProtobuf(opened.value) ? (bytes) => listIn(bytes, item) : undefined;
    const answer = await readBody(opened.value, this.#clock, this.#timeoutMs, decode);
    if (!answer.ok && signal.aborted) return failed(ownFailure("aborted", "stopped while it was read"));
    return answer as Answer<T>;
  }

  /** Sends the request; a status other than 2xx becomes the failure that its body describes. */
  async #open({ verb, binary: _, ...wanted }: Wanted, signal: AbortSignal): Promise<Answer<IncomingMessage>> {
    const started = this.#clock.now();
    const sent = await this.#transport.send({
      ...wanted,
      method: methods[verb],
      headTimeoutMs: readingVerbs.has(verb) ? this.#timeoutMs : this.#writeTimeoutMs,
      signal,
    });
    const request = { verb, path: wanted.path, tookMs: this.#clock.now() - started };
    this.#report?.({ ...request, ...(sent.ok ? { code: sent.value.code } : { code: 0, reason: sent.failure.reason }) });
    if (!sent.ok) return sent;
    const { code, retryAfter, body } = sent.value;
    if (code >= 200 && code < 300) return succeeded(body);
    const refusal = await readBody(body, this.#clock, this.#timeoutMs, isProtobuf(body) ? statusIn : undefined);
    return failed(failureFromStatus(code, refusal.ok ? refusal.value : undefined, retryAfter));
  }
}

/** The part of a Client that keeping a cache needs. */
export type ListWatcher = Pick<Client, "list" | "listWhole" | "streamsLists" | "watch">;

/** The part of a Client that discovery needs. */
export type Discoverer = Pick<Client, "kindsOf" | "get">;

type Wanted = Pick<TransportRequest, "path" | "query" | "body" | "contentType" | "accept" | "packed"> & {
  readonly verb: Verb;
  /** The form of an item, for a list that may come in protobuf. */
  readonly binary?: Message;
};

/** Requests protobuf if the kind has a declared form, and JSON from a server that has only that. */
const binary = ({ binary: form }: Resource<KubernetesObject>): Pick<Wanted, "accept" | "binary"> =>
  form === undefined ? {} : { accept: `${protobufType}, application/json`, binary: form };

const isProtobuf = ({ headers }: IncomingMessage): boolean =>
  headers["content-type"]?.startsWith(protobufType) ?? false;

const methods: Readonly<Record<Verb, TransportRequest["method"]>> = {
  get: "GET",
  list: "GET",
  watch: "GET",
  create: "POST",
  update: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};

/** What `/version` says. Some providers write a minor version as `33+`. */
interface ServerVersion {
  readonly minor?: string;
}

interface GroupList {
  readonly groups?: readonly { readonly preferredVersion: { readonly groupVersion: string } }[] | null;
}

interface ListBody<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly T[] | null;
}

function isEvent(event: { readonly type: string; readonly object?: unknown }): event is WatchEvent<never> {
  const known = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"].includes(event.type);
  const { metadata } = (event.object ?? {}) as Partial<KubernetesObject>;
  return known && typeof metadata?.resourceVersion === "string";
}
