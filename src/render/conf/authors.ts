/**
 * Who wrote what stands in a text. nginx says of a mistake in which server and location it is, by the names that these have in the text: so names are
 * compared as they are written there, and not as their owners have them.
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import type { Server } from "../../model/configuration.ts";
import { blocksOf } from "../location/blocks.ts";
import type { Authors } from "../rendering.ts";
import { writtenName } from "./text-servers.ts";

/** Who wrote what stands in the server blocks of these. */
export function authorsAmong(servers: { values(): Iterable<Server<FeatureValues>> }): Authors {
  return (name, match) => {
    const server = [...servers.values()].find((one) =>
      [one.name, ...one.aliases.map((alias) => alias.name)].some((called) => String(writtenName(one, called)) === name),
    );
    if (server === undefined) return new Set();
    const own = blocksOf(server).filter((block) => match === undefined || String(block.match) === match);
    const found = own.flatMap(({ location }) => server.locations[location]!.owner ?? []);
    return new Set(found.map(({ namespace, name: of }) => `${namespace}/${of}`));
  };
}
