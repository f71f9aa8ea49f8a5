/**
 * Finds locations of a configuration-snippet that nginx refuses where they stand. An exact location
 * can hold none; a path with pathType Prefix is one as well, unless it ends in `/`. A location that
 * is no pattern must begin with the path around it, and a named one belongs to the whole server.
 */

import { parse, type Statement } from "../../../core/kinds/grammar.ts";
import type { Configuration, Server } from "../../../core/model/configuration.ts";
import type { Ingress } from "../../../core/model/objects.ts";
import type { Problem } from "../../../core/model/problem.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import { blocksOf } from "../../../core/render/location/blocks.ts";
import type { Settings } from "../../../core/settings/registry.ts";
import { locationWords } from "./location-words.ts";

const field = "annotation configuration-snippet";

/** Returns one Problem for each Ingress, about its first such location. */
export function misplacedLocations(
  { ingresses }: Snapshot,
  { servers }: Configuration<Settings, FeatureValues>,
  prefix: string,
): Problem[] {
  return [...ingresses.values()].flatMap((ingress): Problem[] => {
    const text = ingress.metadata.annotations?.[`${prefix}/configuration-snippet`];
    if (text === undefined || !/\blocation\b/.test(text)) return [];
    const parsed = parse(text);
    const nested = parsed.ok ? parsed.statements.filter(({ name }) => name === "location") : [];
    const hosts = new Set((ingress.spec?.rules ?? []).map(({ host = "" }) => host.toLowerCase()));
    const having = nested.length === 0 ? [] : [...hosts].flatMap((host) => servers.get(host) ?? []);
    const why = having.flatMap((server) => placesIn(server, ingress, text)).flatMap((at) => mistakeOf(nested, at))[0];
    const { namespace = "default", name } = ingress.metadata;
    return why === undefined
      ? []
      : [{ object: { kind: "Ingress", namespace, name }, kind: "snippet-refused", field, why }];
  });
}

interface Place {
  /** The words of nginx's location. */
  readonly match: string;
  /** The path as the Ingress writes it. */
  readonly path: string;
}

/** Returns the locations that hold the snippet. */
function placesIn(server: Server<FeatureValues>, ingress: Ingress, text: string): readonly Place[] {
  const { namespace = "default", name } = ingress.metadata;
  return blocksOf(server).flatMap(({ match, location }): Place[] => {
    const { path, owner, features } = server.locations[location]!;
    const isOwn = owner?.kind === "Ingress" && owner.namespace === namespace && owner.name === name;
    return isOwn && features.configurationSnippet.text === text ? [{ match: String(match), path }] : [];
  });
}

function mistakeOf(nested: readonly Statement[], { match, path }: Place): readonly string[] {
  return nested.flatMap(({ args, line }): string[] => {
    const { sign, path: inner } = locationWords(args);
    const own = `line ${line}: location ${args.join(" ")}`;
    if (inner.startsWith("@")) return [`${own} has a name, which only a location of the whole server can have`];
    if (match.startsWith("= ")) return [`${own} cannot be inside the exact location of path ${path}`];
    const outer = match.replace(/^(?:~\*?|\^~) /, "").replace(/^"(.*)"$/s, "$1");
    return sign.startsWith("~") || inner.startsWith(outer)
      ? []
      : [`${own} does not begin with the path ${path} around it`];
  });
}
