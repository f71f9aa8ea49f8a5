/**
 * The webhook of `sluice run`: its certificate, from files or made by the controller, and its
 * server. The server listens as soon as every list is complete, because an Ingress can only be
 * compared with Ingresses that are known.
 */

import type { Clock } from "../../base/timing/clock.ts";
import type { Source } from "../../core/sync/ports.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { type CertificateEvent, KeptCertificate } from "../../edges/admission/kept-certificate.ts";
import { type KeyPairs, openKeyPairFiles } from "../../edges/admission/key-pairs.ts";
import { startWebhook, type WebhookEvent } from "../../edges/admission/webhook.ts";
import type { Cluster } from "../../edges/cluster/cluster.ts";
import type { Client } from "../../kube/index.ts";
import type { Instruments } from "./instruments.ts";
import { type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

export interface WebhookOptions {
  readonly client: Client;
  /** The Ingresses that belong to this controller, and the objects that flags name. */
  readonly accept: TranslateOptions;
  readonly source: Source;
  /** Calls the listener after each change of the Secret, `namespace/name`. */
  readonly onSecret: Cluster["onSecret"];
  readonly clock: Clock;
}

type Report = (event: WebhookEvent | CertificateEvent) => void;

/** Makes the part, which does nothing without the flag `--validating-webhook`. */
export function webhookPart(program: Program, { reports }: Instruments, options: WebhookOptions): Part {
  return {
    name: "webhook",
    async start() {
      const { validatingWebhook: address } = program.flags;
      if (address === undefined) return stoppedBy(() => {});
      const webhook = new Webhook(program, options, (event) => reports.webhook(event));
      webhook.begin(address);
      return stoppedBy(() => webhook.stop());
    },
  };
}

class Webhook {
  readonly #program: Program;
  readonly #options: WebhookOptions;
  readonly #report: Report;
  readonly #stopping = new AbortController();
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(program: Program, options: WebhookOptions, report: Report) {
    this.#program = program;
    this.#options = options;
    this.#report = report;
  }

  /** Returns at once. A webhook that is not possible with these flags ends the program. */
  begin(address: string): void {
    const { ending } = this.#program;
    const started = Promise.all([this.#keyPairs(), this.#options.source.synced]).then(([keyPairs]) =>
      keyPairs === undefined || this.#stopping.signal.aborted ? undefined : this.#listen(address, keyPairs),
    );
    started.catch((bug) => ending.crash(bug));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const stop of this.#stops.toReversed()) await stop();
  }

  async #listen(address: string, keyPairs: KeyPairs): Promise<void> {
    const { running, ending } = this.#program;
    const { accept, source } = this.#options;
    const translate = { ...accept, lacks: running.nginx.lacks };
    const watches = (namespace: string) => this.#watches(namespace);
    const started = await startWebhook({ address, keyPairs, source, translate, watches, report: this.#report });
    if (started.ok) this.#stops.push(() => started.stop());
    else ending.because(new Error(started.why));
  }

  /** Resolves with the source of key pairs; undefined if there is no certificate. */
  async #keyPairs(): Promise<KeyPairs | undefined> {
    const { flags, ending } = this.#program;
    const { client, clock, onSecret } = this.#options;
    const { validatingWebhookCertificateSecret: secret, validatingWebhookConfiguration: configuration } = flags;
    if (secret !== undefined && configuration !== undefined) {
      const kept = new KeptCertificate({ client, secret, configuration, clock, report: this.#report });
      onSecret(secret, () => kept.lookSoon());
      const running = kept.run(this.#stopping.signal);
      running.catch((bug) => ending.crash(bug));
      this.#stops.push(() => running);
      return kept.ready;
    }
    const files = [flags.validatingWebhookCertificate ?? "", flags.validatingWebhookKey ?? ""] as const;
    const opened = await openKeyPairFiles(...files, (why) => this.#report({ kind: "certificate-unusable", why }));
    if (opened.ok) this.#stops.push(() => opened.keyPairs.close());
    else ending.because(new Error(`The webhook has no certificate: ${opened.why}.`));
    return opened.ok ? opened.keyPairs : undefined;
  }

  #watches(namespace: string): boolean {
    const { flags } = this.#program;
    if (flags.watchNamespace !== undefined) return namespace === flags.watchNamespace;
    return flags.watchNamespaceSelector === undefined || this.#options.source.snapshot().namespaces.has(namespace);
  }
}
