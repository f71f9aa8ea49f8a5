/**
 * Completes objects as an API server does, so that objects from a file look as if they came from a
 * cluster: it adds uid, resourceVersion, creationTimestamp, a ClusterIP and the default class, and
 * turns `stringData` into `data`. It refuses nothing. The runner advances its clock, because the
 * age of an Ingress decides conflicts and no test should wait.
 */
import type { KubernetesObject, ObjectMeta } from "../../src/core/model/objects.ts";

/** Any object, with the fields that are filled in. */
interface Stored extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
  readonly ports?: readonly Port[];
  readonly type?: string;
}
interface Port {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly targetPort?: number | string;
}

const defaultClassMark = "ingressclass.kubernetes.io/is-default-class";

export class FakeApiServer {
  readonly #objects = new Map<string, Stored>();
  readonly #startMs: number;
  #passedS = 0;
  #writes = 0;
  #serviceAddresses = 0;

  constructor(start: Date) {
    this.#startMs = start.getTime();
  }

  passTime(seconds: number): void {
    this.#passedS += seconds;
  }

  /**
   * Creates or replaces an object, and returns it as stored. A replaced object keeps its uid, its
   * age and its ClusterIP.
   */
  apply(object: KubernetesObject): KubernetesObject {
    const old = this.#objects.get(keyOf(object));
    const metadata = this.#metadata(object.metadata, old?.metadata);
    const stored = this.#withDefaults({ ...object, metadata }, old);
    this.#objects.set(keyOf(object), stored);
    return stored;
  }

  /** Removes the object, and returns it as it was last stored. */
  remove(object: KubernetesObject): KubernetesObject {
    const stored = this.#objects.get(keyOf(object));
    this.#objects.delete(keyOf(object));
    return stored ?? object;
  }

  #metadata(given: ObjectMeta, old: ObjectMeta | undefined): ObjectMeta {
    this.#writes += 1;
    const uid = `00000000-0000-4000-8000-${String(this.#writes).padStart(12, "0")}`;
    const now = new Date(this.#startMs + 1000 * Math.floor(this.#passedS)).toISOString().replace(".000Z", "Z");
    return {
      ...given,
      uid: old?.uid ?? uid,
      creationTimestamp: old?.creationTimestamp ?? now,
      generation: (old?.generation ?? 0) + 1,
      resourceVersion: String(this.#writes),
    };
  }

  #withDefaults(object: Stored, old: Stored | undefined): Stored {
    switch (object.kind) {
      case "Secret":
        return { type: "Opaque", ...withData(object) };
      case "Service":
        return { ...object, spec: this.#serviceSpec(object.spec ?? {}, old?.spec) };
      case "EndpointSlice":
        return { ...object, ports: (object.ports ?? []).map((port) => ({ name: "", protocol: "TCP", ...port })) };
      case "Ingress":
        return old ? object : this.#withDefaultClass(object);
      default:
        return object;
    }
  }

  #serviceSpec(given: NonNullable<Stored["spec"]>, old: Stored["spec"]): NonNullable<Stored["spec"]> {
    const ports = ((given.ports ?? []) as readonly Port[]).map((port) => ({
      protocol: "TCP",
      targetPort: port.port,
      ...port,
    }));
    const type = given.type ?? "ClusterIP";
    if (type === "ExternalName") return { ...given, ports };
    const clusterIP = given.clusterIP ?? old?.clusterIP ?? this.#nextServiceAddress();
    return { ...given, ports, type, clusterIP, clusterIPs: [clusterIP] };
  }

  /** Returns the next address of 10.96.0.0/16, from 10.96.128.0 on. No backend listens there. */
  #nextServiceAddress(): string {
    this.#serviceAddresses += 1;
    return `10.96.${128 + (this.#serviceAddresses >> 8)}.${this.#serviceAddresses & 255}`;
  }

  /**
   * Adds a class to a new Ingress without one, as the admission plugin DefaultIngressClass does.
   */
  #withDefaultClass(ingress: Stored): Stored {
    const named = ingress.spec?.ingressClassName !== undefined;
    if (named || "kubernetes.io/ingress.class" in (ingress.metadata.annotations ?? {})) return ingress;
    const marked = [...this.#objects.values()].find(
      ({ kind, metadata }) => kind === "IngressClass" && metadata.annotations?.[defaultClassMark] === "true",
    );
    if (!marked) return ingress;
    return { ...ingress, spec: { ...ingress.spec, ingressClassName: marked.metadata.name } };
  }
}

function withData({ stringData, ...secret }: Stored): Stored {
  const encoded = Object.entries(stringData ?? {}).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return { ...secret, data: { ...secret.data, ...Object.fromEntries(encoded) } };
}

function keyOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace ?? ""}/${metadata.name}`;
}
