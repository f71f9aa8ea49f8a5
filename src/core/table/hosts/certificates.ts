/**
 * The Certificates that Servers use, and their Secrets. If the new content of a Secret is not a
 * usable key pair, the last good one stays in force. So Servers get a Secret from here and not from
 * the Snapshot.
 */

import { guarded } from "../../../base/guarded.ts";
import { certificateOf } from "../../certificates/certificate.ts";
import type { Certificate } from "../../model/configuration.ts";
import { Dependencies } from "../../model/dependencies.ts";
import type { Secret } from "../../model/objects.ts";
import { emptySnapshot, type Snapshot } from "../../model/snapshot.ts";
import { Table, type TableChange } from "../../model/table.ts";
import { emptyLastGood, type LastGood } from "../last-good.ts";
import type { Turn } from "../turn.ts";

export class Certificates {
  readonly #defaultSecret: string | undefined;
  readonly #fake: Certificate;
  readonly #users = new Dependencies();
  readonly #outdated = new Set<string>();
  #secrets: Snapshot["secrets"] = emptySnapshot.secrets;
  #lastGood: LastGood["secrets"] = emptyLastGood.secrets;
  #all = Table.empty<Certificate>();

  /** `defaultSecret` is `namespace/name`. `fake` is used if this Secret has no Certificate. */
  constructor(defaultSecret: string | undefined, fake: Certificate) {
    this.#defaultSecret = defaultSecret;
    this.#fake = fake;
  }

  /** Certificates by `namespace/name` of the Secret, as of the last `renew`. */
  get all(): Table<Certificate> {
    return this.#all;
  }

  /** The Certificate for hosts that have none. */
  get default(): Certificate {
    return (this.#defaultSecret === undefined ? undefined : this.#read(this.#defaultSecret)) ?? this.#fake;
  }

  /** Secrets that replace broken ones. */
  get lastGood(): LastGood["secrets"] {
    return this.#lastGood;
  }

  /** Reads the Secrets of this turn, before any Server needs one. */
  update({ before, now }: Turn): void {
    this.#secrets = now.snapshot.secrets;
    this.#lastGood = now.lastGood.secrets;
    for (const change of this.#secrets.changesSince(before.snapshot.secrets)) {
      const good = guarded(
        () => this.#goodOneBehind(change),
        () => undefined,
      );
      this.#keep(change.key, good);
      this.#outdated.add(change.key);
    }
  }

  /** Returns the Secret, or the last good one if its content is not a usable key pair. */
  secret(key: string): Secret | undefined {
    const secret = this.#secrets.get(key);
    return secret === undefined ? undefined : (this.#lastGood.get(key) ?? secret);
  }

  /** Returns the mistake in the present Secret, if the last good one replaces it. */
  broken(key: string): string | undefined {
    const secret = this.#lastGood.has(key) ? this.#secrets.get(key) : undefined;
    const read = secret && certificateOf(secret);
    return read?.ok === false ? read.why : undefined;
  }

  /** Sets the Secrets that `user`, a host or a Gateway, uses now. */
  use(user: string, keys: readonly string[]): void {
    for (const used of this.#users.usedBy(user)) this.#outdated.add(used);
    this.#users.set(user, keys);
    for (const key of keys) this.#outdated.add(key);
  }

  /** Reads changed Secrets again, and drops unused ones. */
  renew(): void {
    const entries = [...this.#outdated].map((key) => {
      return [key, this.#users.isUsed(key) ? this.#read(key) : undefined] as const;
    });
    this.#all = this.#all.with(entries);
    this.#outdated.clear();
  }

  #read(key: string): Certificate | undefined {
    const secret = this.secret(key);
    const read = secret && certificateOf(secret);
    return read?.ok === true ? read.certificate : undefined;
  }

  #goodOneBehind({ key, before, after }: TableChange<Secret>): Secret | undefined {
    // A Secret without a cached Certificate is read when a host uses it.
    const previous = this.#lastGood.get(key) ?? before;
    if (after === undefined || previous === undefined || !isPair(after) || certificateOf(after).ok) return undefined;
    return certificateOf(previous).ok ? previous : undefined;
  }

  #keep(key: string, good: Secret | undefined): void {
    if (this.#lastGood.get(key) !== good) this.#lastGood = this.#lastGood.with([[key, good]]);
  }
}

function isPair({ data }: Secret): boolean {
  return data?.["tls.crt"] !== undefined || data?.["tls.key"] !== undefined;
}
