/**
 * The webhook of `sluice run`: its certificate, from files or made by the controller, and the server, which listens once
 * every list is in, because an Ingress cannot be held against others that are not known yet.
 */
import { type CertificateEvent, KeptCertificate } from "../../admission/kept-certificate.ts";
import { type KeyPairs, openKeyPairFiles } from "../../admission/key-pairs.ts";
import { startWebhook, type WebhookEvent } from "../../admission/webhook.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { Client } from "../../kubernetes/index.ts";
import type { Source } from "../../sync/ports.ts";
import type { Clock } from "../../timing/clock.ts";
import type { TranslateOptions } from "../../translate/options.ts";
import type { Flags } from "../flags.ts";

export interface WebhookSideOptions {
  readonly client: Client;
  readonly flags: Flags;
  readonly accept: TranslateOptions;
  readonly source: Source;
  /** Hears of each change of a Secret, `namespace/name`. */
  readonly onSecret: Cluster["onSecret"];
  readonly clock: Clock;
}

type Report = (event: WebhookEvent | CertificateEvent) => void;

export class WebhookSide {
  readonly #options: WebhookSideOptions;
  readonly #ending = new AbortController();
  readonly #failure = Promise.withResolvers<Error>();
  readonly #stops: (() => Promise<void>)[] = [];

  constructor(options: WebhookSideOptions) {
    this.#options = options;
  }

  /** Resolves when it cannot be had as the flags say; rejects with a bug. */
  get failure(): Promise<Error> {
    return this.#failure.promise;
  }

  /** Without its flag there is no webhook, and nothing happens. `lacks` is what nginx has not, known only once it was found. */
  begin(report: Report, lacks: TranslateOptions["lacks"]): void {
    const { flags, source } = this.#options;
    const address = flags.validatingWebhook;
    if (address === undefined) return;
    const started = Promise.all([this.#keyPairs(report), source.synced]).then(([keyPairs]) =>
      keyPairs === undefined || this.#ending.signal.aborted
        ? undefined
        : this.#listen(address, keyPairs, report, lacks),
    );
    started.catch((bug) => this.#failure.reject(bug));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    for (const stop of this.#stops.toReversed()) await stop();
  }

  async #listen(address: string, keyPairs: KeyPairs, report: Report, lacks: TranslateOptions["lacks"]): Promise<void> {
    const { accept, source } = this.#options;
    const translate = { ...accept, lacks };
    const watches = (namespace: string) => this.#watches(namespace);
    const started = await startWebhook({ address, keyPairs, source, translate, watches, report });
    if (started.ok) this.#stops.push(() => started.stop());
    else this.#failure.resolve(new Error(started.why));
  }

  /** Undefined where there is none to be had. */
  async #keyPairs(report: Report): Promise<KeyPairs | undefined> {
    const { flags, client, clock, onSecret } = this.#options;
    const { validatingWebhookCertificateSecret: secret, validatingWebhookConfiguration: configuration } = flags;
    if (secret !== undefined && configuration !== undefined) {
      const kept = new KeptCertificate({ client, secret, configuration, clock, report });
      onSecret(secret, () => kept.lookSoon());
      const running = kept.run(this.#ending.signal);
      running.catch((bug) => this.#failure.reject(bug));
      this.#stops.push(() => running);
      return kept.ready;
    }
    const files = [flags.validatingWebhookCertificate ?? "", flags.validatingWebhookKey ?? ""] as const;
    const opened = await openKeyPairFiles(...files, (why) => report({ kind: "certificate-unusable", why }));
    if (opened.ok) this.#stops.push(() => opened.keyPairs.close());
    else this.#failure.resolve(new Error(`The webhook has no certificate: ${opened.why}.`));
    return opened.ok ? opened.keyPairs : undefined;
  }

  #watches(namespace: string): boolean {
    const { flags, source } = this.#options;
    if (flags.watchNamespace !== undefined) return namespace === flags.watchNamespace;
    return flags.watchNamespaceSelector === undefined || source.snapshot().namespaces.has(namespace);
  }
}
