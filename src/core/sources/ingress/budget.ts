/**
 * Limits what the Ingresses of a namespace multiply: characters of annotations times hosts and
 * paths, and authorities that nginx loads. The oldest come first. One that does not fit is closed:
 * its paths would otherwise fall to another Ingress of their hosts, which may lack its guards.
 */

import { guarded } from "../../../base/guarded.ts";
import { bytesOf } from "../../kinds/measures.ts";
import { type Ingress, keyOf } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { unannotated } from "../../policies/read.ts";
import type { Reading } from "../../policies/reading.ts";
import type { Settings } from "../../settings/registry.ts";
import { ageOf } from "../../table/age.ts";
import { AuthoritiesBudget } from "../../table/authorities.ts";
import { NamespaceBudget, type Wish } from "../../table/namespace-budget.ts";
import type { TranslateOptions } from "../../table/options.ts";
import { bytesLoaded, withoutAuthorities } from "./authorities.ts";
import { type Product, productOf } from "./text-size.ts";

interface TextWish extends Wish {
  readonly product: Product;
}

/** A form that is in force in place of an Ingress, if `is` says so. */
interface Replaced {
  readonly by: Ingress | undefined;
  is(): boolean;
}

export class IngressBudget {
  readonly #options: Pick<TranslateOptions, "annotationsPrefix" | "lacks">;
  readonly #text = new NamespaceBudget<TextWish>();
  readonly #authorities = new AuthoritiesBudget();

  constructor(options: Pick<TranslateOptions, "annotationsPrefix" | "lacks">) {
    this.#options = options;
  }

  /**
   * Notes what the Ingress needs; undefined if there is none. The good form counts where it needs
   * more, if the present one is not applied.
   */
  set(key: string, ingress: Ingress | undefined, snapshot: Snapshot, replaced?: Replaced): void {
    const present = this.#needsOf(ingress, snapshot);
    const good = this.#needsOf(replaced?.by, snapshot);
    const isMore = good.product.surplus > present.product.surplus || good.authorities > present.authorities;
    const former = isMore && replaced?.is() === true ? good : present;
    const product = former.product.surplus > present.product.surplus ? former.product : present.product;
    this.#text.set(key, ingress && { age: ageOf(ingress), bytes: product.surplus, product });
    this.#authorities.set(key, ingress, Math.max(present.authorities, former.authorities));
  }

  /** Decides again. Returns the Ingresses about which it differs, as `namespace/name`. */
  settle(settings: Settings): readonly string[] {
    const most = bytesOf(settings.ingressRecordsPerNamespace);
    return [...this.#text.settle(most), ...this.#authorities.settle(settings)];
  }

  /** Returns the reading of an Ingress within the limits: closed if it does not fit. */
  within(reading: Reading, ingress: Ingress, settings: Settings): Reading {
    const { name, namespace = "default" } = ingress.metadata;
    const object = { kind: "Ingress", namespace, name };
    const text = this.#text.refused(keyOf(ingress));
    if (text !== undefined) return withoutText(reading, object, text.product, settings);
    return this.#authorities.isRefused(keyOf(ingress)) ? withoutAuthorities(reading, object, settings) : reading;
  }

  #needsOf(ingress: Ingress | undefined, { configMaps, secrets }: Snapshot) {
    const { annotationsPrefix: prefix, lacks } = this.#options;
    const nothing = { product: { key: "", what: "", surplus: 0 }, authorities: 0 };
    if (ingress === undefined) return nothing;
    // A bug here must not affect other Ingresses.
    return guarded(
      () => ({
        product: productOf(ingress, prefix, configMaps, lacks.has("lua")),
        authorities: bytesLoaded(ingress, prefix, { secrets }, lacks.has("lua")),
      }),
      () => nothing,
    );
  }
}

/**
 * Returns the reading of an Ingress that has too much text. A canary has no requests of its own, so
 * it is dropped.
 */
function withoutText(reading: Reading, object: Problem["object"], { key, what }: Product, settings: Settings): Reading {
  const { clientCertificate, canary, rewrite } = reading.values;
  const verdict = canary === undefined && reading.verdict !== "reject" ? "deny" : "reject";
  const most = settings.ingressRecordsPerNamespace;
  const why = `there are ${what}; with the older Ingresses of namespace ${object.namespace} that is more than ingress-records-per-namespace permits (${most})`;
  const bare = unannotated(settings);
  return {
    ...reading,
    values: {
      ...bare,
      ...(canary === undefined ? {} : { canary }),
      ...(clientCertificate.kind === "none" ? {} : { clientCertificate: { kind: "refuse" } }),
      // Its patterns have to keep their requests.
      rewrite: { ...bare.rewrite, regex: rewrite.regex || rewrite.target !== "" },
    },
    verdict,
    problems: [{ object, kind: "annotation-unreadable", key, why, done: verdict }, ...reading.problems],
  };
}
