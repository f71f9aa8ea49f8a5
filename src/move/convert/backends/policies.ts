/**
 * BackendTLSPolicies for Services whose certificates Ingresses check. A policy is for all requests
 * of routes to a port, so it is written only if all Ingresses that become routes check the same.
 */

import { defaultUpstream, type Location, type Server } from "../../../core/model/configuration.ts";
import { gatewayGroup } from "../../../core/model/gateway/objects.ts";
import type { Service, ServicePort } from "../../../core/model/objects.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import { servicePortOf } from "../../../core/table/upstreams/endpoints.ts";
import type { Names } from "../names.ts";
import { picked, type Spec } from "../spec.ts";
import type { Written } from "../written.ts";
import { type BackendCheck, checkOf } from "./check.ts";

interface Port {
  /** `namespace/name`. */
  readonly service: Service;
  readonly port: ServicePort;
  readonly key: string;
}

interface Checked extends Port {
  readonly check: BackendCheck;
  /** The Ingresses that require it, for a comment. */
  readonly by: Set<string>;
}

export class BackendPolicies {
  readonly #services: Snapshot["services"];
  /**
   * Policies by Service and number of the port; undefined if Ingresses differ, or a policy
   * cannot hold.
   */
  readonly #checked = new Map<string, Checked | undefined>();

  /** `servers` are those that become routes. */
  constructor(servers: readonly Server<FeatureValues>[], snapshot: Snapshot) {
    this.#services = snapshot.services;
    const { httpRoutes, grpcRoutes, backendTLSPolicies } = snapshot;
    // Existing routes may use these Services without TLS.
    if (httpRoutes.size + grpcRoutes.size + backendTLSPolicies.size > 0) return;
    for (const location of servers.flatMap(({ locations }) => locations)) this.#note(location);
  }

  /**
   * Returns the spec without the settings that a policy replaces; the same spec if no policy is
   * written for its backends.
   */
  without(spec: Spec, location: Location<FeatureValues>): Spec {
    const ports = upstreamsOf(location).flatMap((id) => this.#portOf(id) ?? []);
    const isChecked = ports.length > 0 && ports.every(({ key }) => this.#checked.get(key) !== undefined);
    if (!isChecked) return spec;
    return picked(spec, (key) => key !== "backend-protocol" && !key.startsWith("proxy-ssl-"));
  }

  written(names: Names): readonly Written[] {
    return [...this.#checked.values()].flatMap((one) => (one === undefined ? [] : writtenPolicy(one, names)));
  }

  #note(location: Location<FeatureValues>): void {
    const { features, owner, standIn } = location;
    const check = features.backendProtocol.scheme === "HTTPS" ? checkOf(features.proxySsl) : undefined;
    // Requests to a Service that stands in use no TLS.
    for (const id of [standIn ?? []].flat()) this.#forbid(id);
    for (const id of upstreamsOf(location)) {
      const found = this.#portOf(id);
      if (found === undefined) continue;
      const { key, port } = found;
      const known = this.#checked.get(key);
      const isOther = known !== undefined && JSON.stringify(known.check) !== JSON.stringify(check);
      const isLost = this.#checked.has(key) && known === undefined;
      if (check === undefined || isOther || isLost || port.appProtocol !== undefined) this.#forbid(id);
      else {
        const by = known?.by ?? new Set<string>();
        if (owner !== undefined) by.add(`${owner.kind} ${owner.namespace}/${owner.name}`);
        this.#checked.set(key, { ...found, check, by });
      }
    }
  }

  #forbid(id: string): void {
    const found = this.#portOf(id);
    if (found !== undefined) this.#checked.set(found.key, undefined);
  }

  /** Returns the port in the id of an Upstream, which begins with its Service and port. */
  #portOf(id: string): Port | undefined {
    const [namespace, name, reference = ""] = id.split(" ")[0]!.split("/");
    const service = this.#services.get(`${namespace}/${name}`);
    const port = service && servicePortOf(service, reference);
    return port && { service: service!, port, key: `${namespace}/${name}/${port.port}` };
  }
}

function upstreamsOf({ backends, canaries }: Location<FeatureValues>): readonly string[] {
  return [...backends, ...canaries].map(({ upstream }) => upstream).filter((id) => id !== defaultUpstream);
}

function writtenPolicy({ service, port, check, by }: Checked, names: Names): readonly Written[] {
  const { name: called, namespace = "default" } = service.metadata;
  const isOnly = service.spec?.ports?.length === 1;
  const wished = isOnly ? called : `${called}-${port.name ?? port.port}`;
  const name = names.nameFor(`BackendTLSPolicy ${namespace}`, wished, `${called}/${port.port}`);
  const bundle = names.nameFor(`ConfigMap ${namespace}`, `${wished}-authorities`, `${called}/${port.port}`);
  const target = { group: "", kind: "Service", name: called, ...(isOnly ? {} : { sectionName: port.name }) };
  const from = [...by].sort().join(", ");
  return [
    {
      object: {
        apiVersion: `${gatewayGroup}/v1`,
        kind: "BackendTLSPolicy",
        metadata: { name, namespace },
        spec: {
          targetRefs: [target],
          validation: {
            caCertificateRefs: [{ group: "", kind: "ConfigMap", name: bundle }],
            hostname: check.hostname,
          },
        },
      },
      comments: [{ at: [], text: `from ${from}, annotations proxy-ssl-secret, proxy-ssl-verify and proxy-ssl-name` }],
    },
    {
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: bundle, namespace },
        data: { "ca.crt": check.authorities },
      },
      comments: [{ at: [], text: "the authorities of proxy-ssl-secret, for the policy of the same Service" }],
    },
  ];
}
