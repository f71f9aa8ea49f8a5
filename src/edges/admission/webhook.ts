/**
 * The validating webhook: an HTTPS server that the API server calls before it stores an Ingress, a
 * Gateway or a route. It compares the object with the Snapshot and answers. It renders nothing,
 * writes nothing and never runs nginx, because any program that reaches the port can send anything.
 * After a long review it leaves the event loop to other work for the same time.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { callback, later } from "../../base/callbacks.ts";
import { keepFew, patience } from "../../base/few-connections.ts";
import { guarded } from "../../base/guarded.ts";
import { oneAtATime } from "../../base/one-at-a-time.ts";
import { opened, whyNotOpened } from "../../base/own-servers.ts";
import { systemClock } from "../../base/timing/clock.ts";
import { Paced, type Parts } from "../../base/timing/paced.ts";
import type { RouteSettings } from "../../core/model/gateway/route-settings.ts";
import type { Ingress } from "../../core/model/objects.ts";
import { type Problem, sentence } from "../../core/model/problem.ts";
import { emptySnapshot, type Snapshot } from "../../core/model/snapshot.ts";
import { routeSettings } from "../../core/settings/for-routes.ts";
import type { Settings } from "../../core/settings/registry.ts";
import { closes, readSettings } from "../../core/sources/gateway/route-settings/reading.ts";
import { HostPolicyInForce } from "../../core/sources/host-policy/in-force.ts";
import type { Source } from "../../core/sync/ports.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { Problems } from "../../core/table/problems.ts";
import { type Answer, answerTo, reading } from "./admission-review.ts";
import { Bodies, type BodyLimits } from "./bodies.ts";
import type { GatewayObject, Reviewed } from "./gateway/subject.ts";
import { routesBeside, warningsFor } from "./gateway/warnings.ts";
import { judging, type Verdict } from "./judge.ts";
import type { KeyPairs } from "./key-pairs.ts";
import { Neighbours } from "./neighbours.ts";
import { PresentSettings } from "./settings.ts";

export interface WebhookOptions {
  /** `:8443`, `192.0.2.1:8443` or `[::1]:8443`; port 0 takes a free one. */
  readonly address: string;
  readonly keyPairs: KeyPairs;
  readonly source: Source;
  readonly translate: TranslateOptions;
  /**
   * Whether the controller watches this namespace; objects of other namespaces are allowed without
   * a review.
   */
  readonly watches: (namespace: string) => boolean;
  readonly report: (event: WebhookEvent) => void;
  readonly limits?: BodyLimits;
}

/** For logs and metrics. */
export type WebhookEvent =
  | { readonly kind: "reviewed"; readonly review: Review }
  /** The request was not a review that could be answered. */
  | { readonly kind: "unreadable"; readonly status: number; readonly why: string }
  | { readonly kind: "certificate-changed" }
  /** The previous certificate stays in use. */
  | { readonly kind: "certificate-unusable"; readonly why: string }
  | { readonly kind: "failed"; readonly cause: Error };

export interface Review {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly verdict: Verdict;
  readonly bytes: number;
  /** From the last byte of the request to the answer. */
  readonly tookMs: number;
}

export type StartedWebhook =
  | { readonly ok: true; readonly port: number; stop(): Promise<void> }
  | { readonly ok: false; readonly why: string };

/**
 * A body from 9 MiB on gets 413, as with ingress-nginx. All bodies together stay below 64 MiB,
 * which is far more than one API server sends.
 */
const defaultLimits: BodyLimits = { eachBytes: 9 * 1024 * 1024 - 1, allBytes: 64 * 1024 * 1024 };

/** Further warnings are only counted. */
const mostWarnings = 20;

/**
 * The longest time limit of the API server for a webhook is 30 seconds. After 29 it has given up or
 * is about to.
 */
const longestWaitMs = 29_000;

/** The time that running reviews may take after the webhook began to stop. */
const longestEndMs = 2_000;

export async function startWebhook(options: WebhookOptions): Promise<StartedWebhook> {
  const { keyPairs, report } = options;
  const reviewer = new Reviewer(options);
  const listener = oneAtATime((request, response) => {
    reviewer.answer(request, response).catch((cause: Error) => {
      report({ kind: "failed", cause });
      response.destroy();
    });
  });
  const server = createServer(
    { ...keyPairs.current(), minVersion: "TLSv1.2", ...patience },
    callback("the webhook", listener),
  );
  keepFew(server);
  const { address } = options;
  try {
    await opened(server, placeOf(address));
  } catch (error) {
    const why = whyNotOpened(error as NodeJS.ErrnoException);
    return { ok: false, why: `The webhook cannot listen on ${address} (--validating-webhook): ${why}.` };
  }
  server.on(
    "error",
    callback("the webhook", (cause: Error) => report({ kind: "failed", cause })),
  );
  const stopListening = keyPairs.onChange((pair) => {
    server.setSecureContext({ ...pair, minVersion: "TLSv1.2" });
    report({ kind: "certificate-changed" });
  });
  return {
    ok: true,
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      stopListening();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const impatience = later("the end of the webhook", longestEndMs, () => server.closeAllConnections());
      await closed;
      clearTimeout(impatience);
    },
  };
}

class Reviewer {
  readonly #options: WebhookOptions;
  readonly #limits: BodyLimits;
  readonly #bodies: Bodies;
  readonly #paced = new Paced(systemClock, longestWaitMs);
  #waitingBytes = 0;
  readonly #neighbours: Neighbours;
  readonly #settings: PresentSettings;
  readonly #hostPolicy: HostPolicyInForce;
  #before = emptySnapshot;

  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#limits = options.limits ?? defaultLimits;
    this.#bodies = new Bodies(this.#limits);
    this.#neighbours = new Neighbours(options.translate);
    this.#settings = new PresentSettings(options.translate.configMap);
    // The Translator reports mistakes in the policy itself.
    this.#hostPolicy = new HostPolicyInForce(options.translate.hostPolicy, new Problems());
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.#bodies.read(request);
    if (!body.ok) return this.#refuse(response, body.status, body.why);
    // A body counts towards the limit while its review waits.
    this.#waitingBytes += body.text.length;
    const isTooMuch = this.#waitingBytes > this.#limits.allBytes;
    const done = isTooMuch ? undefined : await this.#paced.run(() => this.#review(body.text, response));
    this.#waitingBytes -= body.text.length;
    if (done === undefined) this.#refuse(response, 503, "there is too much to review at once");
  }

  /** Reviews one request. The review runs in parts, and no other review runs between them. */
  *#review(text: string, response: ServerResponse): Parts<"answered"> {
    const begun = performance.now();
    const read = yield* reading(text);
    yield;
    if (!read.ok) {
      this.#refuse(response, read.status, read.why);
      return "answered";
    }
    const { uid, object } = read.question;
    const verdict = object === undefined ? ({ kind: "passed-over" } as const) : yield* this.#judge(object);
    yield;
    response.setHeader("content-type", "application/json");
    response.end(answerTo(uid, answerOf(verdict)));
    if (object === undefined) return "answered";
    const { kind, metadata } = object;
    const { namespace = "default", name } = metadata;
    const tookMs = performance.now() - begun;
    this.#options.report({ kind: "reviewed", review: { kind, namespace, name, verdict, bytes: text.length, tookMs } });
    return "answered";
  }

  *#judge(object: Ingress | Reviewed): Parts<Verdict> {
    const { source, translate, watches } = this.#options;
    const snapshot = source.snapshot();
    if (isGatewayObject(object)) {
      const { namespace = "default", deletionTimestamp } = object.metadata;
      if (deletionTimestamp !== undefined || !watches(namespace)) return { kind: "passed-over" };
      if (object.kind === "RouteSettings") {
        const settings = this.#settings.of(snapshot);
        return settingsVerdict(object as RouteSettings, { snapshot, settings, options: translate });
      }
      return gatewayVerdict(warningsFor(object as GatewayObject, snapshot, translate));
    }
    this.#neighbours.catchUp(snapshot);
    yield;
    const settings = this.#settings.of(snapshot);
    this.#hostPolicy.renew(this.#before, snapshot, this.#before === emptySnapshot);
    this.#before = snapshot;
    const { value: hostPolicy } = this.#hostPolicy;
    const neighbours = this.#neighbours;
    const bench = { snapshot, neighbours, settings, hostPolicy, options: translate, watches };
    const verdict = yield* judging(object, bench);
    if (verdict.kind !== "judged" || verdict.refusals.length > 0) return verdict;
    yield;
    return { ...verdict, warnings: [...verdict.warnings, ...routesBeside(object, snapshot, translate)] };
  }

  #refuse(response: ServerResponse, status: number, why: string): void {
    this.#options.report({ kind: "unreadable", status, why });
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8" });
    response.end(`${why}\n`);
  }
}

function isGatewayObject(object: Ingress | Reviewed): object is Reviewed {
  return object.kind !== "Ingress";
}

/**
 * Returns the verdict for these Problems. Only the host policy refuses a route. All other mistakes
 * may still be corrected, so they are warnings.
 */
export function gatewayVerdict(problems: readonly Problem[]): Verdict {
  const isRefusal = ({ kind }: Problem) => kind === "host-refused";
  return { kind: "judged", refusals: problems.filter(isRefusal), warnings: problems.filter((one) => !isRefusal(one)) };
}

/** Returns the answer for a verdict. The sentences are the same as in Events. */
export function answerOf(verdict: Verdict): Answer {
  const { refusals, warnings } = verdict.kind === "judged" ? verdict : { refusals: [], warnings: [] };
  const message = refusals.map(sentence).join("\n");
  return { allowed: refusals.length === 0, message, warnings: warningTexts(warnings) };
}

function warningTexts(warnings: readonly Problem[]): string[] {
  const sentences = warnings.map(sentence);
  if (sentences.length <= mostWarnings) return sentences;
  return [...sentences.slice(0, mostWarnings), `and ${sentences.length - mostWarnings} more`];
}

/** Returns the reason why the address is not available. */
function placeOf(address: string): { readonly port: number; readonly host?: string } {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(address) ?? [];
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  return { port: Number(port), ...(bare === "" ? {} : { host: bare }) };
}

/**
 * The webhook's verdict on RouteSettings. It refuses them for annotations that would close their
 * rules, as it refuses an Ingress with the same annotations. All other mistakes are warnings.
 * Mistakes in other objects are left to Events, because those objects often arrive a moment later.
 */
interface SettingsBench {
  readonly snapshot: Snapshot;
  readonly settings: Settings;
  readonly options: TranslateOptions;
}

export function settingsVerdict(submitted: RouteSettings, { snapshot, settings, options }: SettingsBench): Verdict {
  // Permissions are not checked here, because a grant may be created later.
  const world = { snapshot, settings: routeSettings(settings), options, grants: { permits: () => true } };
  const found = guarded(
    () => readSettings(submitted, world),
    () => undefined,
  );
  const ownProblems = found?.problems.filter((problem) => !found.elsewhere.includes(problem)) ?? [];
  return {
    kind: "judged",
    refusals: ownProblems.filter(closes),
    warnings: ownProblems.filter((problem) => !closes(problem)),
  };
}
