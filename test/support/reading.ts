/**
 * Reads one Ingress's annotations with the ConfigMap and the objects that they may name, for the
 * tests of features.
 */

import type { ConfigMap, Secret, Service } from "../../src/core/model/objects.ts";
import { readAnnotations } from "../../src/core/policies/read.ts";
import type { Reading } from "../../src/core/policies/reading.ts";
import type { FeatureValues } from "../../src/core/policies/registry.ts";
import { filesOf, type RenderedFile } from "../../src/core/render/rendered-files.ts";
import { readSettings } from "../../src/core/settings/read.ts";
import type { Settings } from "../../src/core/settings/registry.ts";
import type { Place } from "../../src/core/tokens/place.ts";
import { Token, type View } from "../../src/core/tokens/token.ts";

export interface World {
  /** The ConfigMap's data. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Keyed by `namespace/name`; values in plain text. */
  readonly secrets?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly validates?: boolean;
  readonly configMaps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly services?: Readonly<Record<string, NonNullable<Service["spec"]>>>;
}

const prefix = "nginx.ingress.kubernetes.io";

export function settingsOf(data: Readonly<Record<string, string>> = {}): Settings {
  return readSettings(data, { kind: "ConfigMap", name: "settings" }, {}).settings;
}

/** Reads annotations of the Ingress `shop/web`. */
export function readingOf(annotations: Readonly<Record<string, string>>, world: World = {}): Reading {
  const prefixed = Object.entries(annotations).map(([key, text]) => [`${prefix}/${key}`, text]);
  const metadata = { name: "web", namespace: "shop", annotations: Object.fromEntries(prefixed) };
  return readAnnotations(
    { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata },
    prefix,
    settingsOf(world.settings),
    {
      secret: (key) => secretOf(key, world.secrets?.[key]),
      configMap: (key) => configMapOf(key, world.configMaps?.[key]),
      service: (key) => serviceOf(key, world.services?.[key]),
      ...(world.validates === undefined ? {} : { validates: world.validates }),
    },
  );
}

export function valuesOf(annotations: Readonly<Record<string, string>>, world: World = {}): FeatureValues {
  return readingOf(annotations, world).values;
}

/**
 * Everything that a feature requested from its Place: route variables, files, further locations and
 * more.
 */
export interface Noted {
  readonly variables: Record<string, string>;
  readonly files: RenderedFile[];
  readonly beside: View[];
  /** The keys that separate its connections from those of others. */
  readonly apart: string[];
  /** Lines of the http block. */
  readonly http: string[];
}

/** A Place that records all requests to it. */
export function notingPlace(
  traits: Partial<
    Pick<Place, "owned" | "authenticates" | "dynamic" | "live" | "identifies" | "setsHeaders" | "usesHeader">
  > = {},
): Place & { noted: Noted } {
  const noted: Noted = { variables: {}, files: [], beside: [], apart: [], http: [] };
  return {
    ...filesOf("/run", noted.files),
    protocol: "http",
    dynamic: true,
    live: true,
    ofGateway: false,
    streams: false,
    identifies: false,
    setsHeaders: true,
    usesHeader: () => false,
    owned: true,
    authenticates: true,
    resolver: Token.name("127.0.0.1:10243"),
    signinHeaders: () => [],
    setAround: false,
    forgottenBeside: [],
    poolsOf: "",
    zonesOf: "",
    names: () => false,
    declares: () => false,
    needsGroups: () => {},
    timed: () => {},
    needs: () => {},
    inHttp: (text) => noted.http.push(String(text)),
    pooledApart: (by) => noted.apart.push(by),
    bind: (name, raw) => {
      noted.variables[name] = raw;
      return Token.variable(`route_${name}`);
    },
    captured: (raw) => Token.text(raw),
    errorBackend: () => ({ pass: Token.name("pass"), sets: [] }),
    beside: (kind, { view }) => {
      noted.beside.push(view);
      return Token.name(kind === "uri" ? "/_sluice/beside" : "@beside");
    },
    behindSocket: ({ view }) => {
      noted.beside.push(view);
      return { block: Token.name("sluice_socket"), socket: Token.word("unix:/sluice.sock") };
    },
    ...traits,
    noted,
  };
}

/** Returns a view with Tokens replaced by their text. */
export function printed(view: View): unknown {
  return JSON.parse(JSON.stringify(view, (_key, value) => (value instanceof Token ? String(value) : value)));
}

function secretOf(key: string, texts: Readonly<Record<string, string>> | undefined): Secret | undefined {
  if (texts === undefined) return undefined;
  const data = Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata: metadataOf(key), data: Object.fromEntries(data) };
}

function configMapOf(key: string, data: Readonly<Record<string, string>> | undefined): ConfigMap | undefined {
  return data === undefined ? undefined : { apiVersion: "v1", kind: "ConfigMap", metadata: metadataOf(key), data };
}

function serviceOf(key: string, spec: Service["spec"]): Service | undefined {
  return spec === undefined ? undefined : { apiVersion: "v1", kind: "Service", metadata: metadataOf(key), spec };
}

function metadataOf(key: string) {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}
