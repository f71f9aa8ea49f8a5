/**
 * Logs the webhook's work: a line for each Ingress that it refused, and for failures of its
 * certificate. Allowed Ingresses are not logged by default.
 */

import { sentence } from "../../core/model/problem.ts";
import type { CertificateEvent } from "../../edges/admission/kept-certificate.ts";
import type { WebhookEvent } from "../../edges/admission/webhook.ts";
import type { Log } from "../../edges/log/log.ts";

export function webhookLog(log: Log): (event: WebhookEvent | CertificateEvent) => void {
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
