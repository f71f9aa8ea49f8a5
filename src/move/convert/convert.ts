/**
 * Converts Ingresses to objects of the Gateway API. It converts the Configuration that Sluice makes
 * of the Ingresses, with the annotations of each owner. So the routes have exactly what is served
 * today: refused Ingresses and paths that another Ingress has are not converted.
 */

import type { Location, Server } from "../../core/model/configuration.ts";
import { gatewayGroup } from "../../core/model/gateway/objects.ts";
import type { Problem } from "../../core/model/problem.ts";
import type { Snapshot } from "../../core/model/snapshot.ts";
import { isAnyEnough } from "../../core/policies/any-enough.ts";
import { unannotated } from "../../core/policies/read.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { routeSettings } from "../../core/settings/for-routes.ts";
import type { Settings } from "../../core/settings/registry.ts";
import type { Translation } from "../../core/table/translator.ts";
import { ApartHosts } from "./apart.ts";
import { BackendPolicies } from "./backends/policies.ts";
import { BalanceDeciders, withBalanceOf } from "./balance.ts";
import { type GatewayName, writtenGateway } from "./gateway.ts";
import { GrantsNeeded } from "./grants.ts";
import { byTls, hostsOf, twinOf, type Unattached } from "./hosts.ts";
import { redirectedSides } from "./https-redirect.ts";
import { type Kept, keptOf } from "./kept.ts";
import { planListeners } from "./listeners.ts";
import { Names } from "./names.ts";
import { leftOutNotes, streamNotes } from "./notes/left-out.ts";
import { otherNotes, variableNotes } from "./notes/others.ts";
import { type Passed, passedHosts } from "./passthrough/passed.ts";
import { tlsRouteOf } from "./passthrough/tls-routes.ts";
import { type HostRoute, writtenRoutes } from "./routes.ts";
import { ownerKey, type RuleWorld, rulesOf } from "./rules.ts";
import { SettingsPool } from "./settings-pool.ts";
import { annotationsOf, gatewaySpec, type OwnAnnotations, redirectSpec, type Spec } from "./spec.ts";
import { transportSecurity } from "./transport-security.ts";
import type { Note, Written } from "./written.ts";

export interface ConvertOptions {
  readonly gateway: GatewayName;
  readonly gatewayClass: string;
  /** `spec.controllerName` of the class. */
  readonly controllerName: string;
  readonly annotationsPrefix: string;
  /**
   * `namespace/name` of the Service that the flag names. If it is undefined, the built-in
   * backend is used.
   */
  readonly defaultBackend: string | undefined;
  /** `--enable-ssl-passthrough`. */
  readonly passesTls: boolean;
}

export interface Conversion {
  readonly objects: readonly Written[];
  readonly notes: readonly Note[];
  /**
   * `namespace/name` of the Ingresses that stay, because routes would not guard their hosts in the
   * same way.
   */
  readonly kept: ReadonlySet<string>;
  /** All hosts of these Ingresses. */
  readonly keptHosts: ReadonlySet<string>;
}

export function convert(snapshot: Snapshot, translation: Translation, options: ConvertOptions): Conversion {
  return new Converter(snapshot, translation, options).convert();
}

type IngressServer = Server<FeatureValues>;
type IngressLocation = Location<FeatureValues>;

class Converter {
  readonly #snapshot: Snapshot;
  readonly #translation: Translation;
  readonly #options: ConvertOptions;
  readonly #settings: Settings;
  readonly #names = new Names();
  readonly #pool = new SettingsPool(this.#names, (of, key) => this.#reasonOf(of, key));
  readonly #grants = new GrantsNeeded();
  readonly #notes: Note[] = [];
  readonly #kept: Kept;
  readonly #balance: BalanceDeciders;
  readonly #policies: BackendPolicies;
  readonly #annotations = new Map<string, OwnAnnotations>();
  readonly #problems: ReadonlyMap<string, readonly Problem[]>;
  /** Hosts whose TLS passes through. */
  readonly #passed: ReadonlyMap<string, Passed>;

  constructor(snapshot: Snapshot, translation: Translation, options: ConvertOptions) {
    this.#snapshot = snapshot;
    this.#translation = translation;
    this.#options = options;
    this.#settings = translation.configuration.settings;
    const servers = [...translation.configuration.servers.values()].filter(({ listener }) => listener === undefined);
    this.#kept = keptOf(servers, snapshot, translation, options);
    this.#balance = new BalanceDeciders(servers, snapshot.ingresses);
    const leaving = servers.filter(({ name }) => !this.#kept.hosts.has(name));
    this.#policies = new BackendPolicies(leaving, snapshot);
    this.#passed = passedHosts(leaving, snapshot.services, options.passesTls);
    this.#problems = Map.groupBy([...translation.problems.values()].flat(), ({ object }) =>
      object.kind === "Ingress" ? `${object.namespace}/${object.name}` : "",
    );
  }

  convert(): Conversion {
    const { defaultCertificate } = this.#translation.configuration;
    const servers = this.#servers();
    const defaultSecret = defaultCertificate.id.includes("/") ? defaultCertificate.id : undefined;
    const apart = new ApartHosts(servers, this.#options.defaultBackend);
    const plan = planListeners(servers, {
      defaultSecret,
      isApart: (server) => apart.of(server),
      isPassed: ({ name }) => this.#passed.has(name),
      names: this.#names,
    });
    const { gateway, gatewayClass } = this.#options;
    const written = writtenGateway(gateway, gatewayClass, plan);
    this.#notes.push(...written.notes);
    const listeners = new Map(plan.listeners.map((one) => [one.listener.name, one]));
    for (const { secret, by } of written.held)
      this.#grants.addSecret({ kind: by, namespace: gateway.namespace }, secret);
    const routes = servers.flatMap((server) => {
      const names = plan.of.get(server.name) ?? [];
      const isTls = (name: string) => listeners.get(name)?.secret !== undefined;
      return this.#routesOf(server).flatMap((route) => this.#written(route, names, isTls, written.parentOf));
    });
    const tlsRoutes = [...plan.passing].map(([host, listener]) => {
      const passed = this.#passed.get(host)!;
      const ingress = this.#snapshot.ingresses.get(`${passed.namespace}/${passed.ingress}`);
      const hosts = new Set(hostsOf(ingress)).size;
      return tlsRouteOf({ ...passed, host, hosts, parent: written.parentOf(listener) }, this.#names);
    });
    this.#attachGateway();
    const { accepted } = this.#translation;
    const annotations = (key: string) => this.#ownAnnotations(key).leftOut;
    this.#notes.push(...streamNotes(this.#translation.configuration.streams));
    this.#notes.push(...leftOutNotes({ accepted, kept: this.#kept, problems: this.#problems, annotations }));
    const leaving = [...accepted].filter((key) => !this.#kept.ingresses.has(key));
    for (const notes of [variableNotes, otherNotes])
      this.#notes.push(...notes(leaving, this.#snapshot.ingresses, this.#options.annotationsPrefix));
    const grants = this.#grants.written(gateway.name);
    const isNothing = routes.length === 0;
    const shortened = this.#names.shortened.map(
      (name): Note => ({ about: name, text: "its name was too long and was shortened" }),
    );
    return {
      objects: isNothing
        ? []
        : [
            ...this.#gatewayClass(),
            ...written.objects,
            ...routes,
            ...tlsRoutes,
            ...this.#pool.written,
            ...this.#policies.written(this.#names),
            ...grants,
          ],
      notes: [...this.#notes, ...shortened],
      kept: this.#kept.ingresses,
      keptHosts: this.#kept.hosts,
    };
  }

  /** Returns the class, if the cluster has none of this name. */
  #gatewayClass(): readonly Written[] {
    const { gatewayClass: name, controllerName } = this.#options;
    if (this.#snapshot.gatewayClasses.has(name)) return [];
    const object = {
      apiVersion: `${gatewayGroup}/v1`,
      kind: "GatewayClass",
      metadata: { name },
      spec: { controllerName },
    };
    return [{ object, comments: [] }];
  }

  /** Returns the hosts of Ingresses that have something to convert, sorted by name. */
  #servers(): readonly IngressServer[] {
    return [...this.#translation.configuration.servers.values()]
      .filter(({ listener }) => listener === undefined)
      .filter((server) => !this.#kept.hosts.has(server.name))
      .flatMap((server) => [...byTls(server), ...this.#withTwin(server)])
      .filter((server) => this.#routesOf(server).length > 0)
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  #withTwin(server: IngressServer): readonly IngressServer[] {
    const twin = twinOf(server, this.#settings.httpRedirectCode);
    if (twin === undefined) return [];
    this.#routes.set(twin.server.name, [twin]);
    return [twin.server];
  }

  /** Keyed by host. */
  readonly #routes = new Map<string, readonly Unattached[]>();

  #routesOf(server: IngressServer): readonly Unattached[] {
    const known = this.#routes.get(server.name);
    if (known !== undefined) return known;
    const namespaces = new Set(server.locations.flatMap((location) => this.#namespaceOf(location) ?? []));
    const made = [...namespaces].flatMap((namespace) => {
      const isMine = (location: IngressLocation) => this.#namespaceOf(location) === namespace;
      const rules = rulesOf(server, isMine, this.#world);
      const keys = [...new Set(server.locations.filter(isMine).map(ownerKey))].filter((key) => key !== "");
      const ingresses = keys.map((key) => key.split("/")[1]!);
      const hosts = new Set(keys.flatMap((key) => hostsOf(this.#snapshot.ingresses.get(key)))).size;
      return rules.length === 0 ? [] : [{ server, namespace, rules, ingresses, hosts: Math.max(1, hosts) }];
    });
    this.#routes.set(server.name, made);
    return made;
  }

  #namespaceOf({ owner }: IngressLocation): string | undefined {
    return owner?.namespace ?? this.#options.defaultBackend?.split("/")[0];
  }

  get #world(): RuleWorld {
    return {
      service: (key) => this.#snapshot.services.get(key),
      defaultBackend: this.#options.defaultBackend,
      specOf: (server, location) => this.#specOf(server, location),
    };
  }

  #specOf(server: IngressServer, location: IngressLocation): Spec {
    const own = this.#ownAnnotations(ownerKey(location)).spec;
    const decider = this.#balance.deciderOf(location);
    const balanced = decider === undefined ? own : withBalanceOf(own, this.#ownAnnotations(decider).spec);
    const isQuiet = location.owner === undefined && !location.features.logs.access;
    const unchecked = this.#policies.without(balanced, location);
    const { satisfy: _, ...strict } = unchecked;
    return {
      ...(isAnyEnough(location.features) ? unchecked : strict),
      ...(isQuiet ? { "enable-access-log": "false" } : {}),
      ...redirectSpec(server, location, this.#settings),
    };
  }

  #ownAnnotations(key: string): OwnAnnotations {
    const known = this.#annotations.get(key);
    if (known !== undefined) return known;
    const ingress = this.#snapshot.ingresses.get(key);
    const made =
      ingress === undefined
        ? { spec: {}, leftOut: [] }
        : annotationsOf(ingress, this.#options.annotationsPrefix, this.#problems.get(key) ?? []);
    this.#annotations.set(key, made);
    return made;
  }

  /** Says why RouteSettings redirect to https, where the Ingress has no annotation that says so. */
  #reasonOf(ingress: string, key: string): string | undefined {
    const { annotations = {} } = this.#snapshot.ingresses.get(ingress)?.metadata ?? {};
    const own = `${this.#options.annotationsPrefix}/${key}`;
    if (key !== "force-ssl-redirect" || annotations[own] !== undefined) return undefined;
    if (this.#settings.forceSslRedirect) return "from force-ssl-redirect of the ConfigMap";
    return "from ssl-redirect, which is on for hosts with TLS unless an annotation says otherwise";
  }

  #attachGateway(): void {
    const spec = gatewaySpec(unannotated(this.#settings), unannotated(routeSettings(this.#settings)));
    if (Object.keys(spec).length === 0) return;
    const { namespace, name } = this.#options.gateway;
    const comment = "what the ConfigMap, or its default, says of Ingresses alone";
    this.#pool.attach({ namespace, of: "the ConfigMap", wished: name, spec, comment }, { kind: "Gateway", name });
  }

  #written(
    route: Unattached,
    listeners: readonly string[],
    isTls: (name: string) => boolean,
    parentOf: (listener: string) => HostRoute["parents"][number],
  ): readonly Written[] {
    this.#grants.addBackends(route);
    if (this.#settings.allowCrossNamespaceResources) {
      for (const { spec } of route.rules) this.#grants.addReferences(route.namespace, spec);
    }
    const world = { names: this.#names, pool: this.#pool, notes: this.#notes };
    const secure = listeners.filter(isTls);
    const plain = listeners.filter((name) => !isTls(name));
    const isTwin = route.server.locations.length === 0;
    const everywhere = secure.length === 0 || isTwin ? [] : transportSecurity(this.#settings);
    const parents = (names: readonly string[]) => names.map(parentOf);
    // A trusted header may say that a request on the https port came by http.
    const hasBoth = (secure.length > 0 && plain.length > 0) || this.#passed.has(route.server.name);
    const isSplit = hasBoth && !this.#settings.useForwardedHeaders;
    const sides = isSplit ? redirectedSides(route.server, route.rules) : undefined;
    if (sides === undefined && everywhere.length === 0)
      return writtenRoutes({ ...route, parents: parents(listeners), everywhere }, "", world);
    const { secure: rules, plain: others } = sides ?? { secure: route.rules, plain: route.rules };
    // If TLS passes through, requests come by http alone.
    if (secure.length === 0)
      return writtenRoutes({ ...route, rules: others, parents: parents(plain), everywhere }, "", world);
    return [
      ...writtenRoutes({ ...route, rules, parents: parents(secure), everywhere }, "", world),
      ...writtenRoutes({ ...route, rules: others, parents: parents(plain), everywhere: [] }, "-http", world),
    ];
  }
}
