/**
 * Makes the objects of a values file that the report reads: the controller's ConfigMap and its
 * flags.
 */

import { isMapping } from "../../../core/model/mapping.ts";
import type { Path } from "../../../core/schema/findings.ts";
import type { Manifest } from "../../../edges/folder/manifest.ts";
import type { Files } from "../../../tools/folder.ts";
import { at as inside } from "../../../tools/value-at.ts";
import { variablesOf, withVariables } from "../../../tools/variables.ts";
import { goText } from "./go-text.ts";
import type { ValuesSource } from "./values.ts";

/** These ConfigMaps stand in for those that the files lack. */
export function withChartValues({ content, placeOf, home, file, of }: ValuesSource, files: Files) {
  const controller = inside(content, "controller");
  const config = textsOf(inside(controller, "config"));
  const snippets = inside(controller, "allowSnippetAnnotations");
  const headers = headerMaps.flatMap(({ value, key, suffix }) => {
    const data = textsOf(inside(controller, value));
    const name = `${home.name.replace(/-controller$/, "")}${suffix}`;
    return Object.keys(data).length === 0 ? [] : [{ key, data, name, above: ["controller", value] }];
  });
  const added = {
    ...(typeof snippets === "boolean" ? { "allow-snippet-annotations": String(snippets) } : {}),
    ...Object.fromEntries(headers.map(({ key, name }) => [key, `${home.namespace}/${name}`])),
  };
  const wayTo: Readonly<Record<string, Path>> = {
    "allow-snippet-annotations": ["controller", "allowSnippetAnnotations"],
    ...Object.fromEntries(headers.map(({ key, above }) => [key, above])),
  };
  const below = ([data, key, ...rest]: Path): Path => {
    if (data !== "data") return [];
    const isAdded = typeof key === "string" && key in added && !(key in config);
    return isAdded ? wayTo[key]! : ["controller", "config", ...(key === undefined ? [] : [key]), ...rest];
  };
  const isHeld = (key: string) =>
    [...files.values()].some(({ objects }) => objects.some((one) => one.kind === "ConfigMap" && one.key === key));
  const objects = [
    { name: home.name, data: { ...config, ...added, ...config }, below },
    ...headers.map(({ name, data, above }) => ({
      name,
      data,
      below: ([first, ...rest]: Path): Path => [...above, ...(first === "data" ? rest : [])],
    })),
  ]
    .map(({ name, data, below }) => ({
      kind: "ConfigMap" as const,
      key: `${home.namespace}/${name}`,
      placeOf: (path: Path) => placeOf(below(path)),
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: home.namespace, name }, data },
    }))
    .filter(({ key }) => !isHeld(key));
  const manifest: Manifest = { objects, others: [], faults: [], complete: true };
  // A file name that may exist already, with other objects in it.
  const name = files.has(file) ? `${file} (${of})` : file;
  const all: Files = new Map([...files, ...(objects.length === 0 ? [] : [[name, manifest] as const])]);
  return { words: argvOf(content, home), files: all };
}

/** Values that become ConfigMaps of their own, and the keys that name these. */
const headerMaps = [
  { value: "addHeaders", key: "add-headers", suffix: "-custom-add-headers" },
  { value: "proxySetHeaders", key: "proxy-set-headers", suffix: "-custom-proxy-headers" },
] as const;

export interface ChartWord {
  readonly word: string;
  readonly path: Path;
}

function argvOf(content: unknown, home: ValuesSource["home"]): readonly ChartWord[] {
  const controller = inside(content, "controller");
  const variables = variablesOf(home, inside(controller, "extraEnvs"));
  const at = (...path: string[]): Path => ["controller", ...path];
  const words = Object.entries(textsOf(inside(controller, "extraArgs"))).map(([name, text]) => ({
    word: text === "" ? `--${name}` : `--${name}=${withVariables(text, variables)}`,
    path: at("extraArgs", name),
  }));
  const named = (flag: string, value: unknown, path: Path) =>
    value === undefined || value === null ? [] : [{ word: `--${flag}=${value}`, path }];
  const ofClass = inside(controller, "ingressClassResource");
  const pages = inside(content, "defaultBackend");
  const pagesService = `${home.namespace}/${home.name.replace(/-controller$/, "")}-${inside(pages, "name") ?? "defaultbackend"}`;
  return [
    ...(inside(pages, "enabled") === true
      ? named("default-backend-service", pagesService, ["defaultBackend", "enabled"])
      : []),
    ...named("ingress-class", inside(controller, "ingressClass"), at("ingressClass")),
    ...named("controller-class", inside(ofClass, "controllerValue"), at("ingressClassResource", "controllerValue")),
    ...named(
      "watch-ingress-without-class",
      inside(controller, "watchIngressWithoutClass"),
      at("watchIngressWithoutClass"),
    ),
    ...words,
  ];
}

function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isMapping(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, one === null ? "" : goText(one)]));
}
