/**
 * The network between one program and the API server. It takes the place of the client's HTTP
 * transport: requests and answers take time, watches deliver each kind with a delay of its own, and
 * a `Trouble` decides what goes wrong.
 */
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { type Answer, failed, ownFailure, succeeded } from "../../../src/kube/answer.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../../src/kube/transport.ts";
import type { Chance } from "../../support/chance.ts";
import type { Time } from "../time.ts";
import { isSelected, type Selection } from "./selection.ts";
import { type ApiServer, type Change, refusal, type Stored, targetOf } from "./server.ts";

/** What a request meets. `silent` gets no answer. `lost` takes effect, and its answer is lost. */
export type Meets =
  | { readonly kind: "nothing" | "refused" | "silent" | "lost" | "cut" }
  | { readonly kind: "bytes"; readonly text: string }
  | { readonly kind: "status"; readonly code: number; readonly reason: string; readonly retryAfter?: number };

/** The faults of the way between a program and the API server. All have their usual state first. */
export class Trouble {
  /** Decides the fate of each request; the default is that nothing is wrong. */
  meets: (request: TransportRequest) => Meets = () => ({ kind: "nothing" });
  /** The time that each way takes in addition. */
  slowMs = 0;
  /** Whether open watches deliver nothing more and do not end either. */
  isHalfOpen = false;
  readonly #watches = new Set<Watch>();

  get watches(): ReadonlySet<Watch> {
    return this.#watches;
  }

  opened(watch: Watch): void {
    this.#watches.add(watch);
  }

  closed(watch: Watch): void {
    this.#watches.delete(watch);
  }
}

/** An open watch, as far as faults can use it. */
export interface Watch {
  readonly kind: string;
  /** Breaks the connection. */
  cut(): void;
  /** Sends bytes that are no event. */
  garbage(text: string): void;
  /** Sends the last event once more. */
  repeat(): void;
  /** Ends the watch as a server does that has dropped the version. */
  expire(): void;
}

export interface ConnectionParts {
  readonly time: Time;
  readonly server: ApiServer;
  readonly trouble: Trouble;
  readonly chance: Chance;
  readonly program: string;
  readonly isDead: () => boolean;
}

/** The answer to a request, as much of it as the client reads. */
class Body extends EventEmitter {
  readonly headers = { "content-type": "application/json" };
  complete = false;
  #isClosed = false;
  onClosed: () => void = () => {};

  send(text: string): void {
    if (!this.#isClosed) this.emit("data", Buffer.from(text));
  }

  end(): void {
    this.complete = true;
    this.destroy();
  }

  /** Closes it, soon as Node does. */
  destroy(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClosed();
    queueMicrotask(() => this.emit("close"));
  }
}

export class Connection implements Pick<Transport, "send" | "close"> {
  readonly #parts: ConnectionParts;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  send(wanted: TransportRequest): Promise<Answer<TransportResponse>> {
    const { signal, headTimeoutMs } = wanted;
    const { time, isDead } = this.#parts;
    if (signal.aborted) return Promise.resolve(failed(ownFailure("aborted", "stopped before it was sent")));
    return new Promise((resolve) => {
      const answer = (given: Answer<TransportResponse>) => {
        cancel();
        signal.removeEventListener("abort", aborted);
        if (!isDead()) resolve(given);
      };
      const aborted = () => answer(failed(ownFailure("aborted", "stopped while it ran")));
      const silent = () => answer(failed(ownFailure("silent", `no answer within ${headTimeoutMs} ms`)));
      const cancel = time.after(headTimeoutMs, silent);
      signal.addEventListener("abort", aborted, { once: true });
      time.after(this.#delay(), () => this.#arrive(wanted, answer));
    });
  }

  close(): void {}

  #delay(): number {
    const { chance, trouble } = this.#parts;
    return 1 + chance.below(8) + trouble.slowMs * chance.share();
  }

  /** The request has reached the server, or does not. */
  #arrive(wanted: TransportRequest, answer: (given: Answer<TransportResponse>) => void): void {
    const { time, server, trouble, isDead, program } = this.#parts;
    // A program that was killed may have sent its last request before.
    const meets = trouble.meets(wanted);
    if (meets.kind === "silent") return;
    if (meets.kind === "refused") {
      answer(failed(ownFailure("unreachable", "ECONNREFUSED: nobody listens")));
      return;
    }
    if (wanted.query?.watch === true && meets.kind !== "status") {
      this.#watch(wanted, meets, answer);
      return;
    }
    const { method, path, query = {}, body } = wanted;
    const reply =
      meets.kind === "status"
        ? refusal(meets.code, meets.reason, `a fault: ${meets.reason}`)
        : server.handle({ method, path, query, body, writer: program });
    if (meets.kind === "lost" || isDead()) return;
    const text = meets.kind === "bytes" ? meets.text : JSON.stringify(reply.body);
    time.after(this.#delay(), () => {
      const [sent, response] = opened(reply.code, meets.kind === "status" ? meets.retryAfter : undefined);
      answer(succeeded(response));
      time.after(0, () => {
        if (isDead()) return;
        sent.send(meets.kind === "cut" ? text.slice(0, text.length / 2) : text);
        if (meets.kind === "cut") sent.destroy();
        else sent.end();
      });
    });
  }

  #watch(wanted: TransportRequest, meets: Meets, answer: (given: Answer<TransportResponse>) => void): void {
    const { server, time } = this.#parts;
    const { query = {}, path } = wanted;
    const target = targetOf(path);
    const refused =
      target === undefined || !server.serves(target.of)
        ? refusal(404, "NotFound", `${path} is not served`)
        : query.sendInitialEvents === true && !server.watchesLists
          ? refusal(422, "Invalid", "sendInitialEvents is forbidden")
          : undefined;
    time.after(this.#delay(), () => {
      const [body, response] = opened(refused?.code ?? 200);
      answer(succeeded(response));
      time.after(0, () => {
        if (refused !== undefined) {
          body.send(JSON.stringify(refused.body));
          body.end();
        } else if (meets.kind === "bytes") {
          body.send(`${meets.text}\n`);
          body.destroy();
        } else this.#stream(body, target!.of.kind, { ...query, namespace: target!.namespace }, wanted);
      });
    });
  }

  /** Sends the events of a watch until it ends. */
  #stream(body: Body, kind: string, selection: Selection & TransportRequest["query"], wanted: TransportRequest): void {
    const { time, server, trouble, chance, isDead } = this.#parts;
    const lagMs = chance.below(150);
    let lastAt = 0;
    let last = "";
    let isHeld = false;
    const later = (work: () => void) => {
      lastAt = Math.max(lastAt, time.now + lagMs * chance.share() + trouble.slowMs);
      time.after(lastAt - time.now, () => {
        isHeld ||= trouble.isHalfOpen;
        if (!isDead() && !isHeld) work();
      });
    };
    const send = (type: string, object: unknown) =>
      later(() => {
        last = `${JSON.stringify({ type, object })}\n`;
        body.send(last);
      });
    const bookmark = (annotations?: object) => {
      const metadata = { resourceVersion: `${server.version}`, ...(annotations && { annotations }) };
      send("BOOKMARK", { metadata });
    };
    const change = ({ before, after, version }: Change) => {
      const [was, is] = [before, after].map((one) => one !== undefined && isSelected(one, selection));
      const gone = (object: Stored) => ({ ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } });
      if (is) send(was ? "MODIFIED" : "ADDED", after);
      else if (was) send("DELETED", gone(before!));
    };
    const from = Number(selection?.resourceVersion ?? 0);
    const expired = () => {
      send("ERROR", refusal(410, "Expired", "the version is too old").body);
      later(() => body.end());
    };
    if (selection?.sendInitialEvents === true) {
      for (const object of server.selected(kind, selection)) send("ADDED", object);
      bookmark({ "k8s.io/initial-events-end": "true" });
    } else if (server.isForgotten(from)) {
      expired();
      return;
    } else for (const one of server.since(from, kind)) change(one);
    const stop = server.onChange((one) => one.kind === kind && change(one));
    const endsIn = Number(selection?.timeoutSeconds ?? 60) * 1000;
    const cancelEnd = time.after(endsIn, () => {
      bookmark();
      later(() => body.end());
    });
    const watch: Watch = {
      kind,
      cut: () => body.destroy(),
      garbage: (text) => later(() => body.send(`${text}\n`)),
      repeat: () => later(() => last !== "" && body.send(last)),
      expire: expired,
    };
    trouble.opened(watch);
    const ended = () => {
      cancelEnd();
      stop();
      trouble.closed(watch);
      wanted.signal.removeEventListener("abort", close);
    };
    const close = () => body.destroy();
    body.onClosed = ended;
    if (wanted.signal.aborted) close();
    else wanted.signal.addEventListener("abort", close, { once: true });
  }
}

function opened(code: number, retryAfter?: number): readonly [Body, TransportResponse] {
  const body = new Body();
  const response = { code, retryAfter: retryAfter?.toString(), body: body as unknown as IncomingMessage };
  return [body, response];
}
