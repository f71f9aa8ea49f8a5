/**
 * Settings of listeners that nginx reads in a server block: server snippets, ciphers and client
 * certificates. A listener that has some gets a block of its own. A port that Ingresses use has
 * their blocks, and a port whose Gateway checks clients has one for all its listeners.
 */

import type { ListenerPort, OwnServer } from "../../../model/listeners.ts";
import type { Problem } from "../../../model/problem.ts";
import type { Table } from "../../../model/table.ts";
import { featureOf, givenForServers } from "../../../policies/on-routes.ts";
import type { FeatureValues } from "../../../policies/registry.ts";
import { shortHash } from "../../../tokens/short-hash.ts";
import type { ListenerReading } from "../reading.ts";
import type { Effective } from "./effective.ts";
import { closed, type SettingsReading } from "./reading.ts";

type Name = keyof FeatureValues;

/** Features that TLS does not need, and that have no effect without TLS. */
const ofTlsAlone: ReadonlySet<Name> = new Set(["sslCiphers", "sslPreferServerCiphers"] as const);

/** Listeners on ports of Ingresses, by id. */
type Common = Pick<ReadonlySet<string>, "has">;

/**
 * Returns the values for rules on a listener. If its port has no block for the values, guards
 * close the rules, and other values are ignored.
 */
export function withServerFaults(found: Effective, listener: ListenerReading, common: Common): Effective {
  const faults = givenForServers(found.features).flatMap(([name, feature]) => {
    const why = whyNot(name, listener, common);
    if (why === undefined) return [];
    const [innermost, key] = innermostWith(name, found.layers);
    const guards = feature.guard === true;
    const problem: Problem = {
      object: innermost.object,
      kind: "value-useless",
      field: `spec.${key}`,
      why: `has no effect on listener ${listener.listener.name}: ${why}`,
      done: guards ? closed : "it is ignored there",
    };
    return [{ guards, problem }];
  });
  if (faults.length === 0) return found;
  const conflict = found.conflict ?? faults.find(({ guards }) => guards)?.problem;
  return { ...found, conflict, unserved: faults.map(({ problem }) => problem) };
}

/** Returns the inner object that has a key of the feature, and the key. */
function innermostWith(name: Name, layers: readonly SettingsReading[]): readonly [SettingsReading, key: string] {
  for (const layer of layers) {
    for (const key of layer.texts.keys()) if (featureOf(key) === name) return [layer, key];
  }
  return [layers[0]!, ""];
}

function whyNot(name: Name, { id, clients }: ListenerReading, common: Common): string | undefined {
  if (common.has(id)) return "its port has the server blocks of Ingresses";
  if (name !== "clientCertificate" || clients === undefined) return undefined;
  return "spec.tls.frontend of the Gateway checks the certificates of clients there";
}

/**
 * Returns the ports with the server blocks of their listeners. Ports that are equal to those of
 * `before` stay the same objects. `plain` are the values of a listener without settings, and `of`
 * finds those of a listener.
 */
export function withOwnServers(
  ports: Table<ListenerPort>,
  before: Table<ListenerPort>,
  common: Common,
  plain: FeatureValues,
  of: (listener: string) => Effective | undefined,
): Table<ListenerPort> {
  const changes: [string, ListenerPort | undefined][] = [];
  for (const port of ports.values()) {
    const { id } = port;
    const own = port.listeners.map((one) => (common.has(one.id) ? undefined : ownServer(of(one.id), plain, port)));
    const listeners = port.listeners.map((one, at) => (own[at] === undefined ? one : { ...one, own: own[at] }));
    const wanted = own.every((one) => one === undefined) ? port : { ...port, listeners };
    const old = before.get(id);
    const isSame = old === wanted || (wanted !== port && JSON.stringify(old) === JSON.stringify(wanted));
    if (!isSame) changes.push([id, wanted]);
  }
  for (const id of before.keys()) if (!ports.has(id)) changes.push([id, undefined]);
  return changes.length === 0 ? before : before.with(changes);
}

function ownServer(
  found: Effective | undefined,
  plain: FeatureValues,
  { tls, clients }: ListenerPort,
): OwnServer | undefined {
  if (found === undefined) return undefined;
  const isUseful = (name: Name) => (ofTlsAlone.has(name) ? tls : name !== "clientCertificate" || clients === undefined);
  const names = givenForServers(found.features).flatMap(([name]) => (isUseful(name) ? [name] : []));
  if (names.length === 0) return undefined;
  const own = Object.fromEntries(names.map((name) => [name, found.features[name]]));
  return { id: shortHash(JSON.stringify(own)), features: { ...plain, ...own }, authors: found.authors };
}
