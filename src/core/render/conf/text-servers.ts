/**
 * Decides which hosts need a server block of their own, and makes the block's content. Such a block
 * has the router and named locations, too. Only settings of the whole host are text, while its
 * paths and endpoints stay data.
 */

import { serverName } from "../../kinds/server-names.ts";
import { catchAll, type Location, type Server } from "../../model/configuration.ts";
import { verifiesClients } from "../../policies/client-certificate.ts";
import { type FeatureValues, featureList } from "../../policies/registry.ts";
import { hasGroups } from "../../policies/rewrite/declaration.ts";
import { hostNeedsPath, needsPath, usesGroups } from "../../policies/snippets.ts";
import { viewOfTwin } from "../../policies/ssl-ciphers.ts";
import type { Settings } from "../../settings/registry.ts";
import type { ServerPlace } from "../../tokens/place.ts";
import { Token, type View } from "../../tokens/token.ts";
import { namedGroups } from "../location/named-groups.ts";
import { filesOf, type RenderedFile } from "../rendered-files.ts";

/** The server in which a shape is rendered: the common server of data hosts, or a host's own. */
export type Slot = string;
export const dataSlot: Slot = "";
/**
 * The server of all ports of Gateways that request no client certificate. No host can have this
 * name.
 */
export const gatewaySlot: Slot = ":gateway";
/** Returns the server of the ports that request client certificates with this validation. */
export const guardedSlot = (validation: string): Slot => `${gatewaySlot}:${validation}`;
/**
 * Returns the server of a port's listeners without a server block of their own. The ids of its
 * further addresses have an `@`.
 */
export const portSlot = (port: string): Slot => `${gatewaySlot}:of:${port.split("@")[0]}`;
export const isGatewaySlot = (slot: Slot): boolean => slot === gatewaySlot || slot.startsWith(`${gatewaySlot}:`);

export interface TextServer {
  readonly name: string;
  readonly serverName: Token;
  /** The views of features, by feature. */
  readonly view: View;
  readonly files: readonly RenderedFile[];
  /**
   * Whether clients have to show a certificate. A request that arrives over another host's
   * connection then gets 421.
   */
  readonly verifies: boolean;
}

const ownServer = featureList.filter(([, { textServer }]) => textServer !== undefined);
const hostWide = featureList.filter(([, { serverView }]) => serverView !== undefined);

/** The views of all features in the data hosts' server: each is false. */
export const plainServerView: Readonly<Record<string, View>> = Object.fromEntries(
  hostWide.map(([name]) => [name, false]),
);

export function needsText(server: Server<FeatureValues>): boolean {
  const { listener, name, features } = server;
  if (listener !== undefined || name === catchAll) return false;
  if (hasTextPaths(server)) return true;
  return ownServer.some(([feature, { textServer }]) => textServer!(features[feature]));
}

/**
 * Whether the host's paths are text. nginx then compares them with the locations of a snippet,
 * nested or in the server, and the longest wins.
 */
export function hasTextPaths({ locations, features }: Pick<Server<FeatureValues>, "locations" | "features">): boolean {
  return hostNeedsPath(features) || locations.some(isText);
}

/**
 * Whether a location's text has to be under its path, because it is refused elsewhere or names
 * groups of the path's pattern.
 */
export function isText(location: Pick<Location<FeatureValues>, "path" | "closed" | "features">): boolean {
  const { features } = location;
  // A closed location leaves its snippet out.
  if (location.closed !== undefined) return false;
  if (needsPath(features)) return true;
  return hasGroups(features) && (usesGroups(features) || namedGroups(location).length > 0);
}

export function textServerOf(
  { name, aliases, features }: Server<FeatureValues>,
  settings: Settings,
  root: string,
): TextServer {
  const files: RenderedFile[] = [];
  const view = serverViews(hostWide, features, settings, filesOf(root, files));
  const names = Token.words([serverNameOf(name), ...aliases.map((alias) => aliasNameOf(alias.name))]);
  const verifies = asksForCertificate({ features });
  return { name, serverName: names, view: Object.fromEntries(view) as View, files, verifies };
}

function serverViews(some: typeof featureList, features: FeatureValues, settings: Settings, place: ServerPlace) {
  return some.map(([name, { serverView }]) => [name, serverView!(features[name], place, settings)] as const);
}

/**
 * Returns the twin of a host, with or without `www.`, if it has the host's certificate. It has
 * the features that go with the certificate. No other feature holds for it, because it only
 * redirects.
 */
export function twinServerOf({ redirectFrom, features }: Server<FeatureValues>): TextServer | undefined {
  const own = redirectFrom?.certificate === undefined ? undefined : viewOfTwin(features);
  if (own === undefined) return undefined;
  const { name } = redirectFrom!;
  return { name, serverName: Token.word(name), view: { ...plainServerView, ...own }, files: [], verifies: false };
}

/** Returns the views of a listener's features for its server block. */
export function ownServerViews(own: FeatureValues, settings: Settings, place: ServerPlace): View {
  return Object.fromEntries(serverViews(hostWide, own, settings, place)) as View;
}

/** Whether the host's clients have to show a certificate. */
export function asksForCertificate({ features }: Pick<Server<FeatureValues>, "features">): boolean {
  return verifiesClients(features);
}

/** Returns an alias as nginx writes it, where a wildcard stands for any number of labels. */
export function aliasNameOf(name: string): Token {
  return serverName.view(name) as Token;
}

/**
 * Returns the name of a host. A host's wildcard stands for one label of letters, digits, `_` and
 * `-`, which nginx's own wildcards cannot express (RS-4.3).
 */
export function serverNameOf(name: string): Token {
  if (!name.startsWith("*.")) return Token.word(name);
  return Token.patternNaming("subdomain", "~^", "[\\w-]+", `${name.slice(1).replaceAll(".", "\\.")}$`);
}

/** Returns one of a host's names, its own or an alias, in the form of its server block. */
export function writtenName({ name: host }: Server<FeatureValues>, name: string): Token {
  if (name === catchAll) return Token.name(catchAll);
  return name === host ? serverNameOf(name) : aliasNameOf(name);
}
