/**
 * The watches of kinds that may be installed and removed at any time. Kinds that appear together
 * take effect together: a route that is known before its grants would be refused for a moment. So
 * their objects are hidden until each kind has been listed completely, or cannot be listed.
 */
import { namespaces } from "../resources.ts";
import type { GatewayKind, ServedKinds } from "./gateway-kinds.ts";
import type { Watched } from "./watched.ts";
import type { Watch, WatchOptions } from "./watches.ts";

export interface OptionalWatchesParts {
  readonly options: Pick<WatchOptions, "watchNamespace" | "watchNamespaceSelector" | "namespaceLabels">;
  readonly start: (watch: Watch) => Watched;
  /** Ends the watch and drops its objects. */
  readonly drop: (watched: Watched) => void;
  /** Makes the objects of the watch take effect. */
  readonly release: (watched: Watched) => void;
  /** Reports the watches that are left out because the API server refuses them. */
  readonly refused: (watches: readonly Watch[]) => void;
}

/** The consequence of a missing kind, for the sentence. */
const without: Readonly<Record<string, string>> = {
  GatewayClass: "no Gateway is served",
  Gateway: "no Gateway is served",
  HTTPRoute: "no HTTPRoute is served",
  ReferenceGrant: "nothing of another namespace may be named",
  GRPCRoute: "no GRPCRoute is served",
  TLSRoute: "no TLSRoute is served",
  TCPRoute: "no TCPRoute is served",
  UDPRoute: "no UDPRoute is served",
  ListenerSet: "no ListenerSet is served",
  BackendTLSPolicy: "backends that policies are for are asked as their Services say",
  RouteSettings: "routes have no settings beyond their own fields",
  Namespace: "listeners that select namespaces by labels take no routes",
};

export class OptionalWatches {
  readonly #parts: OptionalWatchesParts;
  readonly #held = new Map<GatewayKind, Watched>();
  readonly #counted = new Map<GatewayKind, Watched>();

  constructor(parts: OptionalWatchesParts) {
    this.#parts = parts;
  }

  /** Whether some kinds are still being listed. */
  get areHeld(): boolean {
    return this.#held.size > 0;
  }

  /**
   * Starts watches of new kinds and ends those of removed ones. Another version of a kind replaces
   * the previous one.
   */
  found({ served }: ServedKinds): void {
    const wanted = [...served, ...this.#besides(served)];
    for (const of of wanted) {
      if (this.#held.has(of) || this.#counted.has(of)) continue;
      this.#held.set(of, this.#parts.start(this.#watchOf(of)));
    }
    for (const watches of [this.#held, this.#counted])
      for (const [of, watched] of [...watches]) {
        if (wanted.includes(of)) continue;
        const isReplaced = watches === this.#counted && wanted.some(({ kind }) => kind === of.kind);
        if (!isReplaced) this.#end(watches, of, watched);
      }
  }

  /** Makes new kinds take effect as soon as all of them are listed. */
  settle(): void {
    if ([...this.#held.values()].some(({ informer, given }) => !informer.hasSynced && !given)) return;
    const refused = [...this.#held.values()].filter(({ given }) => given).map(({ watch }) => watch);
    if (refused.length > 0) this.#parts.refused(refused);
    for (const [of, watched] of [...this.#held]) {
      this.#held.delete(of);
      watched.held = false;
      this.#counted.set(of, watched);
      for (const [former, its] of [...this.#counted])
        if (former !== of && former.kind === of.kind) this.#end(this.#counted, former, its);
      this.#parts.release(watched);
    }
  }

  #end(watches: Map<GatewayKind, Watched>, of: GatewayKind, watched: Watched): void {
    watches.delete(of);
    this.#parts.drop(watched);
  }

  /**
   * Listeners select namespaces by their labels. With a selector, or a policy by labels, Namespaces
   * are watched anyway.
   */
  #besides(served: readonly GatewayKind[]): readonly GatewayKind[] {
    const { watchNamespaceSelector, namespaceLabels } = this.#parts.options;
    const isWatched = watchNamespaceSelector !== undefined || namespaceLabels === true;
    return !isWatched && served.some(({ kind }) => kind === "Gateway") ? [namespaces] : [];
  }

  #watchOf(of: GatewayKind): Watch {
    const { watchNamespace } = this.#parts.options;
    const consequence = { without: without[of.kind] ?? "it is not served", optional: true } as const;
    if (watchNamespace === undefined) return { of, ...consequence };
    if (of.kind === "Namespace") return { of, fieldSelector: `metadata.name=${watchNamespace}`, ...consequence };
    return { of, ...(of.namespaced ? { namespace: watchNamespace } : {}), ...consequence };
  }
}
