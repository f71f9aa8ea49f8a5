/**
 * Watches the Pods of this controller as long as this process leads, and knows the zones of their
 * Nodes.
 */
import { inBackground } from "../../base/callbacks.ts";
import {
  type Client,
  type Clock,
  type ListWatcher,
  nameOf,
  type ReflectorEvent,
  SharedInformer,
} from "../../kube/index.ts";
import { nodes, type Pod, pods } from "../resources.ts";

export interface OwnPods {
  readonly namespace: string;
  /** The name of the Pod that this process runs in. */
  readonly name: string;
  /** Selects all Pods of the controller, of any version. */
  readonly selector: { readonly labelSelector: string } | { readonly fieldSelector: string };
}

export interface PodWatchOptions {
  readonly client: ListWatcher & Pick<Client, "get">;
  readonly own: OwnPods;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (event: ReflectorEvent) => void;
  /** Called when a Pod, or a fact about its Node, may have changed. */
  readonly changed: () => void;
}

const zoneLabel = "topology.kubernetes.io/zone";

export class PodWatch {
  readonly #options: PodWatchOptions;
  readonly #informer: SharedInformer<Pod>;
  readonly #zones = new Map<string, string | undefined>();
  #signal: AbortSignal = AbortSignal.abort();

  constructor(options: PodWatchOptions) {
    const { client, own, clock, random, report } = options;
    this.#options = options;
    const selection = { namespace: own.namespace, ...own.selector };
    this.#informer = new SharedInformer<Pod>(client, pods, { ...selection, clock, random, report });
    this.#informer.subscribe(({ object }) => {
      inBackground("the zone of a Node", this.#findZone(object.spec?.nodeName));
      options.changed();
    });
  }

  /** Undefined until the API server has answered once. */
  get pods(): readonly Pod[] | undefined {
    return this.#informer.hasSynced ? [...this.#informer.store.values()] : undefined;
  }

  zoneOf(node: string): string | undefined {
    return this.#zones.get(node);
  }

  run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    inBackground(
      "the own Pods",
      this.#informer.synced.then(() => this.#options.changed()),
    );
    return this.#informer.run(signal);
  }

  /** Finds the zone of a Node. A Node is read once, and one that cannot be read has no zone. */
  async #findZone(node: string | undefined): Promise<void> {
    if (node === undefined || this.#zones.has(node)) return;
    this.#zones.set(node, undefined);
    const answer = await this.#options.client.get(nodes, nameOf(node), this.#signal);
    const zone = answer.ok ? answer.value.metadata.labels?.[zoneLabel] : undefined;
    if (zone === undefined) return;
    this.#zones.set(node, zone);
    this.#options.changed();
  }
}
