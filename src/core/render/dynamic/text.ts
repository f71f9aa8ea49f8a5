/**
 * Renders nginx.conf in dynamic mode: one server for all data hosts, one for each host that needs
 * text, and the shapes in each.
 */

import type { Configuration, StreamServer } from "../../model/configuration.ts";
import type { GatewayStream } from "../../model/streams.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token } from "../../tokens/token.ts";
import { confOf, defaultFiles, distinct, hashOf } from "../conf/conf.ts";
import { aboutServers, dataServerView, textServerView } from "../conf/server-views.ts";
import type { SourceMap } from "../conf/source-map.ts";
import { dataSlot } from "../conf/text-servers.ts";
import { balancedBlock, balancedUpstream } from "../conf/upstream-views.ts";
import { isShared, listenedOn, slotOf } from "../gateway/listen.ts";
import { gatewayServers, gatewayServerView, hostnamesOf, verifiesClients } from "../gateway/server-view.ts";
import type { RenderedFile } from "../rendered-files.ts";
import type { RenderedText } from "../rendering.ts";
import { frontsOf } from "../streams/fronts.ts";
import { streamFiles } from "../streams/gateway-views.ts";
import type { Template } from "../template.ts";
import { inPlaceOf } from "./in-place.ts";
import type { RoutedTextServer } from "./text-locations.ts";
import type { UsedShapes } from "./used-shapes.ts";

/** The parts of a text. */
export interface DynamicParts {
  readonly configuration: Pick<
    Configuration<Settings, FeatureValues>,
    "settings" | "defaultCertificate" | "listenerPorts" | "streams" | "streamSnippets" | "certificates"
  >;
  /** Keyed by name. */
  readonly textServers: readonly RoutedTextServer[];
  readonly shapes: UsedShapes;
  /** Bytes of shared memory for records. */
  readonly recordsBytes: number;
}

/**
 * Returns hashes of all parts except the shapes, by names for people. They are needed at each
 * change, so an unchanged object is not hashed again.
 */
export function hashesOf({ configuration, textServers, recordsBytes }: DynamicParts): Record<string, string> {
  const { settings, defaultCertificate, listenerPorts, streams, streamSnippets, certificates } = configuration;
  const ends = streamFiles(gatewayStreamsIn(streams), certificates, "");
  return {
    settings: hashOfObject(settings),
    ...(listenerPorts.size === 0 ? {} : { "ports of Gateways": hashOf(JSON.stringify(listenedOn(listenerPorts))) }),
    "default certificate": defaultCertificate.fingerprint,
    "shared memory size": String(recordsBytes),
    "TCP, UDP and passthrough": hashOf([streams, streamSnippets].map(hashOfObject).join()),
    ...(ends.length === 0 ? {} : { "certificates of streams": hashOf(ends.map(({ content }) => content).join()) }),
    "text servers": hashOf(textServers.map(hashOfObject).join()),
  };
}

const known = new WeakMap<object, string>();

function hashOfObject(value: object): string {
  let sum = known.get(value);
  if (sum === undefined) {
    sum = hashOf(JSON.stringify(value, printed));
    known.set(value, sum);
  }
  return sum;
}

/**
 * A text whose owners are looked up in the present Configuration, because the text stays while
 * hosts are added and removed.
 */
export interface DynamicText extends Omit<RenderedText, "ownersAt"> {
  readonly map: SourceMap;
}

export function dynamicText(parts: DynamicParts, template: Template, machine: Machine): DynamicText {
  const { configuration, textServers, shapes, recordsBytes } = parts;
  const { settings, defaultCertificate, streams, streamSnippets, certificates } = configuration;
  const { all, places } = shapes;
  const listeners = listenedOn(configuration.listenerPorts);
  const gateway = listeners.length > 0;
  const apart = listeners.filter((port) => !isShared(port, machine));
  const beside = apart.length < listeners.length;
  const gateways = gatewayServers(apart, (port) => slotOf(port, machine));
  const gatewayFiles: RenderedFile[] = [];
  const fronts = frontsOf(streams, listeners, machine);
  const about = aboutServers(settings, machine, apart, fronts);
  const verifies = textServers.some((server) => server.verifies);
  const names = textServers.map(({ name }) => name);
  const homes = apart.flatMap(({ divided }) => divided?.servers ?? []);
  const views = [
    ...textServers.map((server) => textServerView(about, server, shapes.of(server.name))),
    dataServerView(about, shapes.of(dataSlot), { named: verifies, shared: beside }),
    ...gateways.map((server) => gatewayServerView(about, server, shapes.of(server.slot), gatewayFiles)),
  ];
  const pools = new Set([balancedBlock, ...all.flatMap((shape) => shape.pools).sort()]);
  const files = distinct([
    ...defaultFiles(defaultCertificate),
    ...about.files,
    ...gatewayFiles,
    ...textServers.flatMap((server) => server.files),
    ...all.flatMap((shape) => shape.files),
    ...streamFiles(gatewayStreamsIn(streams), certificates, machine.paths.root),
  ]);
  const conf = confOf(
    template,
    {
      ...about,
      servers: views.map((view) => template.render("server", view)),
      upstreams: [...pools].map((name) => balancedUpstream(name, settings)),
      needs: new Set(all.flatMap((shape) => [...shape.needs])),
      http: all.flatMap((shape) => shape.http),
      names: [...names, ...gateways.flatMap(hostnamesOf)],
      verifies: verifies || gateways.some(verifiesClients),
      streams,
      streamSnippets,
      certificates,
      lua: {
        recordsBytes,
        gateway,
        beside,
        listening: [
          ...(beside ? [{ slot: dataSlot, shared: true }] : []),
          ...new Set(gateways.map(({ slot }) => slot)),
        ].map((one) => (typeof one === "string" ? { slot: one, shared: false } : one)),
        homes: [...new Map(homes.map((one) => [one.slot, one])).values()],
        slots: [
          ...[dataSlot, ...gateways.map(({ slot }) => slot)].map((name) => ({
            name,
            shapes: shapes.of(name),
            inPlace: inPlaceOf(about, shapes.of(name)),
          })),
          ...names.map((name) => ({ name, shapes: shapes.of(name) })),
        ],
      },
    },
    files,
  );
  const hashes = { ...hashesOf(parts), shapes: hashOf(places.join()) };
  return { ...conf, files, shapes: new Set(places), parts: hashes };
}

function gatewayStreamsIn(streams: readonly StreamServer[]): readonly GatewayStream[] {
  return streams.filter((stream) => stream.kind === "gateway");
}

/** Replaces Tokens by their text, because JSON would leave them out. */
function printed(_key: string, value: unknown): unknown {
  return value instanceof Token ? String(value) : value;
}
