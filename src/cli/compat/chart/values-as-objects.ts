/**
 * Makes the objects of a values file that the report reads: the controller's ConfigMap and its
 * flags.
 */
import type { Path } from "../../../manifests/check.ts";
import type { Manifest } from "../../../manifests/manifest.ts";
import { isMapping } from "../../../model/mapping.ts";
import type { Files } from "../../tools/folder.ts";
import { at as inside } from "../value-at.ts";
import { variablesOf, withVariables } from "../variables.ts";
import { goText } from "./go-text.ts";
import type { ValuesSource } from "./values.ts";

/** This ConfigMap stands in for one that the files lack. */
export function withChartValues({ content, placeOf, home, file, of }: ValuesSource, files: Files) {
  const controller = inside(content, "controller");
  const config = textsOf(inside(controller, "config"));
  const snippets = inside(controller, "allowSnippetAnnotations");
  const data = {
    ...config,
    ...(typeof snippets === "boolean" ? { "allow-snippet-annotations": String(snippets) } : {}),
  };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...home }, data };
  const key = `${home.namespace}/${home.name}`;
  const below = (path: Path): Path =>
    path[0] === "data" && path[1] === "allow-snippet-annotations" && !("allow-snippet-annotations" in config)
      ? ["controller", "allowSnippetAnnotations"]
      : path[0] === "data"
        ? ["controller", "config", ...path.slice(1)]
        : [];
  const manifest: Manifest = {
    objects: [{ kind: "ConfigMap", key, placeOf: (path) => placeOf(below(path)), object }],
    others: [],
    faults: [],
    complete: true,
  };
  const isHeld = [...files.values()].some(({ objects }) =>
    objects.some((one) => one.kind === "ConfigMap" && one.key === key),
  );
  // A file name that may exist already, with other objects in it.
  const added: Files = isHeld ? new Map() : new Map([[files.has(file) ? `${file} (${of})` : file, manifest]]);
  return { words: argvOf(content, home), files: new Map([...files, ...added]) };
}

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
