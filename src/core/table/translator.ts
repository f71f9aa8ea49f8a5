/**
 * Translates a Snapshot to a Configuration and Problems, with work in proportion to the changes.
 * Each part of the Translator keeps its results of the last turn, and indices of what depends on
 * which object. This cache is invisible: `translate` without it has the same result, and a property
 * test compares the two.
 *
 * The order of a turn follows the dependencies: Settings, Gateways, Claims, Servers, then
 * everything that the Servers use.
 */

import type { Certificate, Configuration } from "../model/configuration.ts";
import type { DesiredStatus } from "../model/gateway/status.ts";
import type { KubernetesObject } from "../model/objects.ts";
import type { ObjectName, Problem } from "../model/problem.ts";
import { Table } from "../model/table.ts";
import type { FeatureValues } from "../policies/registry.ts";
import type { Settings } from "../settings/registry.ts";
import { GatewayApi } from "../sources/gateway/gateway-api.ts";
import { TypedObjects } from "../sources/gateway/types/typed-objects.ts";
import { HostPolicyInForce } from "../sources/host-policy/in-force.ts";
import { IngressSource } from "../sources/ingress/source.ts";
import { StreamClaims } from "../sources/streams/claimed.ts";
import { Streams } from "../sources/streams/streams.ts";
import { Claims } from "./claims.ts";
import { Certificates } from "./hosts/certificates.ts";
import { Servers } from "./hosts/servers.ts";
import { settingsFor } from "./hosts/weak-certificates.ts";
import type { LastGood } from "./last-good.ts";
import type { TranslateOptions } from "./options.ts";
import { Problems } from "./problems.ts";
import { SettingsInForce } from "./settings-in-force.ts";
import { emptyInputs, type Inputs, type Turn } from "./turn.ts";
import { ServiceEndpoints } from "./upstreams/service-endpoints.ts";
import { Upstreams } from "./upstreams/upstreams.ts";

export interface Translation {
  readonly configuration: Configuration<Settings, FeatureValues>;
  /**
   * Problems by the object that causes them or the host that they concern, so that one change
   * renews few of them.
   */
  readonly problems: Table<readonly Problem[]>;
  /** The caller passes them in again with the next Snapshot, and also after a restart. */
  readonly lastGood: LastGood;
  /** The desired status of objects of the Gateway API, by their `objectKey`. */
  readonly statuses: Table<DesiredStatus>;
  /** Keys of this controller's Ingresses, valid or not. */
  readonly accepted: ReadonlySet<string>;
}

/** Makes a full translation without a cache. */
export function translate(inputs: Inputs, options: TranslateOptions, fake: Certificate): Translation {
  return new Translator(options, fake).turn(inputs);
}

const noStaples = Table.empty<string>();

function nameOfObject({ kind, metadata: { namespace, name } }: KubernetesObject): ObjectName {
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}

export class Translator {
  readonly #problems = new Problems();
  readonly #typed = new TypedObjects(this.#problems);
  readonly #settings: SettingsInForce;
  readonly #hostPolicy: HostPolicyInForce;
  readonly #ingresses: IngressSource;
  readonly #gatewayApi: GatewayApi;
  readonly #claims: Claims;
  readonly #servers: Servers;
  readonly #endpoints: ServiceEndpoints;
  readonly #upstreams: Upstreams;
  readonly #certificates: Certificates;
  readonly #streamClaims: StreamClaims;
  readonly #streams: Streams;
  #last: Inputs | undefined;

  /** `fake` is the Certificate for hosts without one, unless the options name another. */
  constructor(options: TranslateOptions, fake: Certificate) {
    this.#settings = new SettingsInForce(options, this.#problems);
    this.#hostPolicy = new HostPolicyInForce(options.hostPolicy, this.#problems);
    this.#ingresses = new IngressSource(options, this.#problems);
    this.#certificates = new Certificates(options.defaultSslCertificate, fake);
    this.#gatewayApi = new GatewayApi(options, this.#problems, this.#certificates);
    this.#claims = new Claims([this.#ingresses, ...this.#gatewayApi.sources], this.#problems);
    const sources = {
      claims: this.#claims,
      certificates: this.#certificates,
      sslPassthrough: options.enableSslPassthrough,
      pathsAreText: options.lacks.has("lua"),
      annotationsPrefix: options.annotationsPrefix,
      commonListeners: () => this.#gatewayApi.commonListeners,
    };
    this.#servers = new Servers(sources, this.#problems);
    this.#endpoints = new ServiceEndpoints(options);
    this.#upstreams = new Upstreams(options, this.#endpoints, this.#problems);
    this.#streamClaims = new StreamClaims(this.#gatewayApi.streamSources, this.#problems);
    this.#streams = new Streams(options, this.#endpoints, this.#problems, {
      claimsOf: (host) => this.#claims.of(host),
      contested: this.#servers.contested,
    });
  }

  turn(given: Inputs): Translation {
    const now = { ...given, snapshot: this.#typed.of(given.snapshot) };
    const turn = this.#begin(now);
    this.#readFailures(turn);
    this.#certificates.update(turn);
    this.#gatewayApi.begin(turn);
    const changed = this.#claims.renew(turn);
    for (const { host, upstreams, certificates } of this.#servers.renew(turn, changed)) {
      this.#upstreams.use(host, upstreams);
      this.#certificates.use(host, certificates);
    }
    this.#upstreams.renew(turn, this.#endpoints.update(turn));
    this.#certificates.renew();
    this.#streamClaims.renew(turn);
    const { streamPorts, ports } = this.#gatewayApi;
    const ofGateways = { ports: streamPorts, requests: ports, claims: this.#streamClaims.all };
    this.#streams.renew(turn, this.#servers.all, ofGateways);
    const statuses = this.#gatewayApi.statuses(turn, this.#servers.contested);
    return {
      configuration: this.#configuration(turn),
      problems: this.#problems.byOwner,
      lastGood: this.#lastGood(now),
      statuses,
      accepted: this.#ingresses.accepted,
    };
  }

  #begin(now: Inputs): Turn {
    const isFirst = this.#last === undefined;
    const before = this.#last ?? emptyInputs;
    this.#last = now;
    const isOther = this.#settings.renew(before, now);
    const isOtherPolicy = this.#hostPolicy.renew(before.snapshot, now.snapshot, isFirst);
    return {
      before,
      now,
      settings: this.#settings.value,
      hostPolicy: this.#hostPolicy.value,
      afresh: isFirst || isOther || isOtherPolicy,
    };
  }

  /**
   * Takes objects on which the source failed. They get the same Problem as objects on which a part
   * of the Translator fails.
   */
  #readFailures({ before, now }: Turn): void {
    for (const { key, after } of now.snapshot.failures.changesSince(before.snapshot.failures)) {
      const { object, why } = after ?? {};
      const problems = object && why ? [{ object: nameOfObject(object), kind: "bug", why } as const] : [];
      this.#problems.replace(`the source of ${key}`, problems);
    }
  }

  #configuration({ now, settings }: Turn): Configuration<Settings, FeatureValues> {
    const defaultCertificate = this.#certificates.default;
    return {
      settings: settingsFor(defaultCertificate.weakness, settings),
      servers: this.#servers.all,
      shadows: this.#servers.shadows,
      yieldingListeners: this.#servers.yielding,
      listenerPorts: this.#gatewayApi.ports,
      upstreams: this.#upstreams.all,
      certificates: this.#certificates.all,
      defaultCertificate,
      staples: settings.enableOcsp ? now.snapshot.staples : noStaples,
      streams: this.#streams.servers,
      streamSnippets: this.#claims.streamSnippets(),
    };
  }

  /**
   * Returns the last good forms. It is the same object while nothing changes, so that nothing is
   * written to disk.
   */
  #lastGood({ lastGood: given }: Inputs): LastGood {
    const settings = this.#settings.lastGood;
    const objects = this.#gatewayApi.withStandIns(this.#ingresses.lastGood);
    const secrets = this.#certificates.lastGood;
    const isSame = settings === given.settings && objects === given.objects && secrets === given.secrets;
    return isSame ? given : { settings, objects, secrets };
  }
}
