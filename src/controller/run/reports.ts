/**
 * Reports syncs, reviews and Problems to the log, to the metrics and to other listeners of the
 * sync. Problems come from several sources (the sync, the files, the template). Each source reports
 * all of its Problems every time.
 */
import type { PageNotes } from "../../ask/page/notes.ts";
import { type Problem, sentence } from "../../core/model/problem.ts";
import { Table } from "../../core/model/table.ts";
import type { Listener, Source } from "../../core/sync/ports.ts";
import type { CertificateEvent } from "../../edges/admission/kept-certificate.ts";
import type { WebhookEvent } from "../../edges/admission/webhook.ts";
import type { Log } from "../../edges/log/log.ts";
import { type PlaceOf, ProblemLog } from "../../edges/log/problem-log.ts";
import { SyncLog } from "../../edges/log/sync-log.ts";
import type { Metrics } from "../../edges/metrics/metrics.ts";

export type ProblemSource = "flags" | "files" | "classes" | "sync" | "template";

export class Reports {
  readonly #log: Log;
  readonly #metrics: Metrics;
  readonly #notes: PageNotes;
  readonly #logs = new Map<ProblemSource, ProblemLog>();
  readonly #current = new Map<ProblemSource, Table<readonly Problem[]>>();
  #placeOf: PlaceOf = () => undefined;

  constructor(log: Log, metrics: Metrics, notes: PageNotes) {
    this.#log = log;
    this.#metrics = metrics;
    this.#notes = notes;
  }

  /** Sets the function that finds the file and line of an object, for the lines of the log. */
  locate(placeOf: PlaceOf): void {
    this.#placeOf = placeOf;
  }

  /** Takes all present Problems of `source`. */
  problems(source: ProblemSource, all: Table<readonly Problem[]>): void {
    const log = this.#logs.get(source) ?? new ProblemLog(this.#log, (problem) => this.#placeOf(problem));
    this.#logs.set(source, log);
    log.renew(all);
    this.#current.set(source, all);
    this.#metrics.problems(source, all);
    this.#notes.renewProblems(source, all);
  }

  /** The present Problems of all sources. */
  get current(): readonly Problem[] {
    return [...this.#current.values()].flatMap((table) => [...table.values()].flat());
  }

  /** Does the same as `problems`, for a source that has few. */
  few(source: ProblemSource, some: readonly Problem[]): void {
    this.problems(source, Table.from(some.length === 0 ? [] : [[source, some]]));
  }

  /** Listeners of the sync: the log, the metrics, and then `others` in order. */
  listener(source: Source, others: readonly Listener[]): Listener {
    const log = new SyncLog(this.#log);
    return {
      problems: (all) => {
        this.problems("sync", all);
        for (const other of others) other.problems(all);
      },
      synced: (report) => {
        log.synced(report, source.snapshot());
        this.#metrics.synced(report);
        for (const other of others) other.synced(report);
      },
      statuses: (wanted, progress) => {
        for (const other of others) other.statuses?.(wanted, progress);
      },
    };
  }

  /** Reports events of the webhook. */
  webhook(event: WebhookEvent | CertificateEvent): void {
    webhookLog(this.#log)(event);
    if (event.kind !== "reviewed" || event.review.verdict.kind !== "judged") return;
    const { kind, namespace, name: ingress, verdict, tookMs } = event.review;
    if (kind !== "Ingress") return;
    this.#metrics.checked({ namespace, ingress, allowed: verdict.refusals.length === 0, tookMs });
  }
}

/**
 * Logs the webhook's work: a line for each Ingress that it refused, and for failures of its
 * certificate. Allowed Ingresses are not logged by default.
 */
function webhookLog(log: Log): (event: WebhookEvent | CertificateEvent) => void {
  return (event) => {
    switch (event.kind) {
      case "reviewed": {
        const { kind, namespace, name, verdict, tookMs } = event.review;
        const fields = {
          [kind === "Ingress" ? "ingress" : "object"]: `${kind === "Ingress" ? "" : `${kind} `}${namespace}/${name}`,
          took: `${tookMs.toFixed(1)}ms`,
        };
        const refusals = verdict.kind === "judged" ? verdict.refusals : [];
        if (refusals.length > 0) log.info({ ...fields, why: refusals.map(sentence).join("\n") }, "refused at the door");
        else log.debug({ ...fields, judged: verdict.kind === "judged" }, "allowed at the door");
        break;
      }
      case "unreadable":
        log.debug({ status: event.status, why: event.why }, "the webhook got a request that is not a review");
        break;
      case "failed":
        log.error({ err: event.cause }, "the webhook failed");
        break;
      case "certificate-changed":
        log.info("the webhook has a new certificate");
        break;
      case "certificate-unusable":
        log.warn({ why: event.why }, "the webhook keeps its certificate");
        break;
      case "made":
        log.info({ names: event.names.join(" ") }, "a certificate was made for the webhook");
        break;
      case "authority-set":
        log.info("the API server has the authority of the webhook's certificate");
        break;
      case "waiting":
        log.warn({ why: event.why }, "the webhook waits for its certificate");
        break;
    }
  };
}
