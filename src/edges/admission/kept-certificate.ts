/**
 * The webhook's own certificate. A Secret keeps it for all replicas, and its authority is in the
 * ValidatingWebhookConfiguration. A new authority is written to the API server before any replica
 * serves a certificate that it has signed. The previous authority stays there, so no review fails
 * while replicas change over. One trap: API servers confirm the write of a configuration before
 * they use it, so a new certificate has to wait a moment as well.
 */

import { type Clock, sleep } from "../../base/timing/clock.ts";
import type { Secret } from "../../core/model/objects.ts";
import { type ApiFailure, type Client, nameOf } from "../../kube/index.ts";
import { secrets, type ValidatingWebhookConfiguration, validatingWebhookConfigurations } from "../resources.ts";
import type { KeyPair, KeyPairs } from "./key-pairs.ts";
import { isGood, makeCertificate, type OwnCertificate, withOlderAuthorities } from "./own-certificate.ts";

export interface KeptCertificateOptions {
  readonly client: Pick<Client, "get" | "create" | "update" | "patch">;
  /** `namespace/name` of the Secret. */
  readonly secret: string;
  /** Name of the ValidatingWebhookConfiguration. */
  readonly configuration: string;
  readonly clock: Clock;
  readonly report: (event: CertificateEvent) => void;
}

export type CertificateEvent =
  | { readonly kind: "made"; readonly names: readonly string[] }
  | { readonly kind: "authority-set" }
  /** The work failed and will be tried again. */
  | { readonly kind: "waiting"; readonly why: string };

/**
 * The interval at which Secret and configuration are checked if no watch reports a change: when
 * all is well, and after a failure.
 */
const lookMs = 60_000;
const againMs = 2_000;

/**
 * An authority counts as known to every API server this long after it was written. API servers get
 * it by a watch.
 */
const knownAfterMs = 5_000;

export class KeptCertificate {
  readonly #options: KeptCertificateOptions;
  readonly #listeners = new Set<(pair: KeyPair) => void>();
  readonly #first = Promise.withResolvers<KeyPairs>();
  #served: OwnCertificate | undefined;
  #changed = new AbortController();

  constructor(options: KeptCertificateOptions) {
    this.#options = options;
  }

  /** Resolves when there is a certificate to serve, which may never happen. */
  get ready(): Promise<KeyPairs> {
    return this.#first.promise;
  }

  /** Reports that the Secret has changed, or may have. */
  lookSoon(): void {
    this.#changed.abort();
  }

  /** Runs until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, report } = this.#options;
    let reported = "";
    while (!signal.aborted) {
      // Cleared before the check, so that a change during the check leads to another one.
      this.#changed = new AbortController();
      const why = await this.#look(signal);
      if (why !== undefined && why !== reported && !signal.aborted) report({ kind: "waiting", why });
      reported = why ?? "";
      await sleep(clock, why === undefined ? lookMs : againMs, AbortSignal.any([signal, this.#changed.signal]));
    }
  }

  /**
   * Brings the Secret, the configuration and the served certificate in line. Returns the reason
   * if that failed.
   */
  async #look(signal: AbortSignal): Promise<string | undefined> {
    const { client, configuration } = this.#options;
    const answer = await client.get(validatingWebhookConfigurations, { name: configuration }, signal);
    if (!answer.ok) return missing(`ValidatingWebhookConfiguration ${configuration}`, answer.failure);
    const names = namesOf(answer.value);
    if (names.length === 0) return `ValidatingWebhookConfiguration ${configuration} names no Service`;
    const kept = await this.#kept(names, signal);
    if (typeof kept === "string") return kept;
    const { ca } = this.#changes(kept) ? withOlderAuthorities(kept, this.#served?.ca ?? "", this.#today()) : kept;
    const unwritten = await this.#publishAuthority(answer.value, ca, signal);
    if (unwritten !== undefined) return unwritten;
    if (this.#changes(kept)) await sleep(this.#options.clock, knownAfterMs, signal);
    if (!signal.aborted) this.#serve(kept);
    return undefined;
  }

  /** Returns whether the served certificate has changed. */
  #changes({ cert, key }: OwnCertificate): boolean {
    return this.#served !== undefined && (cert !== this.#served.cert || key !== this.#served.key);
  }

  #today(): Date {
    return new Date(this.#options.clock.wall());
  }

  /** Returns the content of the Secret, and creates it first if it is not usable. */
  async #kept(names: readonly string[], signal: AbortSignal): Promise<OwnCertificate | string> {
    const { client, secret, report } = this.#options;
    const name = nameOf(secret);
    const answer = await client.get(secrets, name, signal);
    if (!answer.ok && answer.failure.code !== 404) return missing(`Secret ${secret}`, answer.failure);
    const before = answer.ok ? answer.value : undefined;
    const now = this.#today();
    const present = contentOf(before);
    // The API server uses the full names; the shorter ones are for people.
    const called = names.filter((one) => one.endsWith(".svc"));
    if (called.every((one) => isGood(present, one, now))) return present;
    const made = withOlderAuthorities(await makeCertificate(names, now), present.ca, now);
    const data = { ...before?.data, ca: base64(made.ca), cert: base64(made.cert), key: base64(made.key) };
    const metadata = { ...before?.metadata, ...name } as Secret["metadata"];
    const next: Secret = { ...(before ?? { type: "Opaque" }), apiVersion: "v1", kind: "Secret", metadata, data };
    const written = await (before === undefined
      ? client.create(secrets, next, signal)
      : client.update(secrets, next, signal));
    if (!written.ok) return missing(`Secret ${secret}`, written.failure);
    report({ kind: "made", names });
    return made;
  }

  /** Adds the authority to each entry that lacks it. */
  async #publishAuthority(
    { metadata, webhooks = [] }: ValidatingWebhookConfiguration,
    ca: string,
    signal: AbortSignal,
  ) {
    const { client, report } = this.#options;
    const caBundle = base64(ca);
    const body = [...webhooks.entries()].flatMap(([at, { name, clientConfig }]) =>
      clientConfig.service === undefined || clientConfig.caBundle === caBundle
        ? []
        : [
            { op: "test", path: `/webhooks/${at}/name`, value: name },
            { op: "add", path: `/webhooks/${at}/clientConfig/caBundle`, value: caBundle },
          ],
    );
    if (body.length === 0) return undefined;
    const named = { name: metadata.name };
    const patched = await client.patch(validatingWebhookConfigurations, named, { type: "json", body }, signal);
    if (!patched.ok) return missing(`ValidatingWebhookConfiguration ${metadata.name}`, patched.failure);
    report({ kind: "authority-set" });
    return undefined;
  }

  #serve(kept: OwnCertificate): void {
    const changes = this.#changes(kept);
    this.#served = kept;
    const pair = (): KeyPair => ({ cert: this.#served!.cert, key: this.#served!.key });
    this.#first.resolve({
      current: pair,
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    });
    if (changes) for (const listener of this.#listeners) listener(pair());
  }
}

/** Returns the names by which the API server calls the Services in the configuration. */
function namesOf({ webhooks = [] }: ValidatingWebhookConfiguration): string[] {
  const services = webhooks.flatMap(({ clientConfig: { service } }) => (service === undefined ? [] : [service]));
  const names = services.flatMap(({ name, namespace }) => [name, `${name}.${namespace}`, `${name}.${namespace}.svc`]);
  return [...new Set(names)];
}

function contentOf(secret: Secret | undefined): OwnCertificate {
  const text = (key: string) => Buffer.from(secret?.data?.[key] ?? "", "base64").toString("utf8");
  return { ca: text("ca"), cert: text("cert"), key: text("key") };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

const missing = (what: string, { message }: ApiFailure): string => `${what}: ${message}`;
