/**
 * Plans the listeners that the hosts of Ingresses need. One listener for http takes all hosts. Over
 * TLS each host has its own listener, because a listener shows the same certificate to all clients,
 * or passes TLS on for all its names.
 */

import { catchAll, type Server } from "../../core/model/configuration.ts";
import type { GatewayListener } from "../../core/model/gateway/objects.ts";
import type { FeatureValues } from "../../core/policies/registry.ts";
import { covers } from "../../core/sources/gateway/hostnames.ts";
import { hostSlug, type Names } from "./names.ts";

export interface PlannedListener {
  readonly listener: GatewayListener;
  /** The comment above the listener. */
  readonly comment: string;
  /** `namespace/name` of the Secret; undefined if the listener ends no TLS. */
  readonly secret: string | undefined;
}

export interface Plan {
  readonly listeners: readonly PlannedListener[];
  /** Names of the listeners that take requests to a host, by its name in the Configuration. */
  readonly of: ReadonlyMap<string, readonly string[]>;
  /** Names of the listeners that pass the TLS of a host on, by the host. */
  readonly passing: ReadonlyMap<string, string>;
}

type Server_ = Server<FeatureValues>;

/**
 * Plans the listeners. `defaultSecret` is shown to hosts without a certificate; `isApart` says
 * whether a host needs listeners of its own, and `isPassed` whether its TLS passes through.
 */
export function planListeners(
  servers: readonly Server_[],
  {
    defaultSecret,
    isApart,
    isPassed,
    names,
  }: {
    readonly defaultSecret: string | undefined;
    readonly isApart: (server: Server_) => boolean;
    readonly isPassed: (server: Server_) => boolean;
    readonly names: Names;
  },
): Plan {
  const listeners: PlannedListener[] = [];
  const of = new Map<string, string[]>();
  const passing = new Map<string, string>();
  const add = (host: string, listener: GatewayListener, secret: string | undefined, comment: string) => {
    if (!listeners.some((one) => one.listener.name === listener.name)) listeners.push({ listener, secret, comment });
    of.set(host, [...new Set([...(of.get(host) ?? []), listener.name])]);
  };
  for (const server of servers) {
    for (const name of namesOf(server)) {
      const own = isApart(server) && name !== catchAll;
      const listener = own ? `http-${hostSlug(name)}` : "http";
      const comment = own
        ? `http for ${name}, so that no other host takes its paths without a rule`
        : "http for all hosts";
      if (own || !(of.get(server.name) ?? []).includes("http"))
        add(
          server.name,
          httpListener(own ? names.nameFor("listener", listener, name) : listener, own ? name : undefined),
          undefined,
          comment,
        );
    }
  }
  const wild = servers.flatMap((server) =>
    certificatesOf(server).filter(({ name, secret }) => name.startsWith("*.") && secret !== undefined),
  );
  for (const server of servers) {
    if (isPassed(server)) {
      const { name } = server;
      const listener = tlsListener(names.nameFor("listener", `tls-${hostSlug(name)}`, name), name);
      listeners.push({
        listener,
        secret: undefined,
        comment: `TLS of ${name}, which nginx passes on without ending it`,
      });
      passing.set(name, listener.name);
      continue;
    }
    for (const { name, secret } of certificatesOf(server)) {
      const own = isApart(server) && name !== catchAll;
      const above = secret === undefined ? wild.find((one) => covers(one.name, name)) : undefined;
      const usual = above?.secret ?? secret ?? (own ? defaultSecret : undefined);
      const shown = { name: own || above === undefined ? name : above.name, secret: usual };
      if (shown.secret !== undefined && shown.name !== catchAll) {
        const called = names.nameFor("listener", `https-${hostSlug(shown.name)}`, shown.name);
        add(server.name, httpsListener(called, shown.name, shown.secret), shown.secret, `https for ${shown.name}`);
      } else if (defaultSecret !== undefined && !(of.get(server.name) ?? []).includes("https")) {
        const comment = "https for hosts without a certificate of their own";
        add(server.name, httpsListener("https", undefined, defaultSecret), defaultSecret, comment);
      }
    }
  }
  return { listeners: listeners.toSorted((one, other) => rank(one) - rank(other)), of, passing };
}

const rank = ({ listener: { protocol, hostname } }: PlannedListener): number =>
  2 * ["HTTP", "HTTPS", "TLS"].indexOf(protocol) + (hostname === undefined ? 0 : 1);

/** Returns the host, and those of its aliases that a listener can have. */
export function namesOf({ name, aliases }: Pick<Server_, "name" | "aliases">): readonly string[] {
  return [name, ...aliases.map((alias) => alias.name).filter(isHostname)];
}

/**
 * Whether a listener can have the name: an exact name, or a wildcard of any depth. Aliases in nginx
 * may have further forms.
 */
export function isHostname(name: string): boolean {
  return /^(?:\*\.)?[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/.test(name);
}

function certificatesOf({ name, certificate, aliases }: Server_) {
  const others = aliases.filter((alias) => isHostname(alias.name));
  return [{ name, secret: certificate }, ...others.map((alias) => ({ name: alias.name, secret: alias.certificate }))];
}

const allowedRoutes = { namespaces: { from: "All" } };

function httpListener(name: string, hostname: string | undefined): GatewayListener {
  return { name, ...(hostname === undefined ? {} : { hostname }), port: 80, protocol: "HTTP", allowedRoutes };
}

function httpsListener(name: string, hostname: string | undefined, secret: string): GatewayListener {
  const [namespace = "", called = ""] = secret.split("/");
  const tls = { certificateRefs: [{ name: called, namespace }] };
  return { name, ...(hostname === undefined ? {} : { hostname }), port: 443, protocol: "HTTPS", tls, allowedRoutes };
}

function tlsListener(name: string, hostname: string): GatewayListener {
  return { name, hostname, port: 443, protocol: "TLS", tls: { mode: "Passthrough" }, allowedRoutes };
}
