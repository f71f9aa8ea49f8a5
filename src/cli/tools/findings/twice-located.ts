/**
 * Finds locations of a server-snippet that the host already has: nginx refuses a second location of
 * the same name. Patterns may occur twice.
 */

import { parse, type Statement } from "../../../core/kinds/grammar.ts";
import type { Configuration, Server } from "../../../core/model/configuration.ts";
import { named, type Problem } from "../../../core/model/problem.ts";
import type { Snapshot } from "../../../core/model/snapshot.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import { blocksOf } from "../../../core/render/location/blocks.ts";
import type { Settings } from "../../../core/settings/registry.ts";
import { locationWords } from "./location-words.ts";

const field = "annotation server-snippet";

/** Returns one Problem for each such location, for the first host that has it. */
export function locatedTwice(
  { ingresses }: Snapshot,
  { servers }: Configuration<Settings, FeatureValues>,
  prefix: string,
): Problem[] {
  return [...ingresses.values()].flatMap((ingress) => {
    const text = ingress.metadata.annotations?.[`${prefix}/server-snippet`];
    if (text === undefined) return [];
    const hosts = new Set((ingress.spec?.rules ?? []).map(({ host = "" }) => host.toLowerCase()));
    const having = [...hosts].flatMap((host) => servers.get(host) ?? []);
    const own = having.filter(({ features }) => features.serverSnippet.text === text);
    const parsed = parse(text);
    if (!parsed.ok) return [];
    const { namespace = "default", name } = ingress.metadata;
    const first = new Map<Statement, string>();
    for (const server of own) {
      for (const [location, why] of twiceIn(parsed.statements, placesOf(server))) {
        if (!first.has(location)) first.set(location, why);
      }
    }
    return [...first.values()].map((why): Problem => {
      const object = { kind: "Ingress", namespace, name };
      return { object, kind: "snippet-refused", field, why };
    });
  });
}

/** Returns the locations of the host's own paths, by the paths that they match. */
function placesOf(server: Server<FeatureValues>): Map<string, string> {
  const places = new Map<string, string>();
  // Beside the pattern / nginx has no location /, and takes one of the snippet.
  const isPattern = server.routes.some(({ path, match }) => path === "/" && match === "regex");
  if (!isPattern) places.set("/", "for all other paths of the host");
  for (const { match, location } of blocksOf(server)) {
    const { path, owner } = server.locations[location]!;
    const bare = String(match).replace(/^(= )?"(.*)"$/, "$1$2");
    if (owner !== undefined) places.set(bare, `for path ${path} of ${named(owner)}`);
  }
  return places;
}

/** Returns each location that is there already, with a sentence. */
function twiceIn(statements: readonly Statement[], places: Map<string, string>): [location: Statement, why: string][] {
  return statements.flatMap((statement): [Statement, string][] => {
    const { name, args, line } = statement;
    const match = name === "location" ? matchOf(args) : undefined;
    if (match === undefined) return [];
    const other = places.get(match);
    places.set(match, `in line ${line}`);
    return other === undefined ? [] : [[statement, `line ${line}: location ${match} exists already, ${other}`]];
  });
}

/**
 * Returns the form that nginx compares; undefined for patterns. A prefix with `^~` equals the one
 * without.
 */
function matchOf(args: readonly string[]): string | undefined {
  const { sign, path } = locationWords(args);
  if (sign.startsWith("~")) return undefined;
  return sign === "=" ? `= ${path}` : path;
}
