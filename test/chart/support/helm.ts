/**
 * Renders the chart with the real helm, without a cluster: the objects to install, and the text of
 * NOTES.txt.
 */
import { join } from "node:path";
import { execa } from "execa";
import { parseAllDocuments, stringify } from "yaml";
import { toolPath } from "../../../scripts/kubernetes-tools.ts";

export const chartFolder = join(import.meta.dirname, "../../../charts/sluice");

/** An object as the chart writes it, with the fields of Kubernetes. */
// biome-ignore lint/suspicious/noExplicitAny: manifests are read at many depths, and a wrong path fails the assertion
export type Manifest = Record<string, any>;

export interface Rendered {
  readonly manifest: string;
  readonly objects: readonly Manifest[];
  readonly notes: string;
}

export interface RenderOptions {
  readonly release?: string;
  readonly namespace?: string;
}

/**
 * Renders with these values. Throws helm's message when the values or the templates are wrong.
 */
export async function render(values: unknown = {}, options: RenderOptions = {}): Promise<Rendered> {
  const { release = "ingress-nginx", namespace = "ingress-nginx" } = options;
  const flags = ["--namespace", namespace, "--dry-run=client", "--output", "json", "--values", "-"];
  const { stdout } = await execa(toolPath("helm"), ["install", release, chartFolder, ...flags], {
    input: stringify(values),
  });
  const { manifest, info } = JSON.parse(stdout) as { manifest: string; info: { notes: string } };
  const objects = parseAllDocuments(manifest)
    .map((document) => document.toJS() as Manifest | null)
    .filter((object) => object !== null);
  return { manifest, objects, notes: info.notes };
}

/**
 * Returns the object of this kind and name, or, without a name, the only one of the kind. Throws
 * unless there is exactly one.
 */
export function one({ objects }: Rendered, kind: string, name?: string): Manifest {
  const found = objects.filter(
    (object) => object.kind === kind && (name === undefined || object.metadata.name === name),
  );
  if (found.length !== 1) throw new Error(`${found.length} objects are ${kind} ${name ?? ""}`);
  return found[0]!;
}

/** Returns the controller's Deployment or DaemonSet. */
export const workloadOf = ({ objects }: Rendered): Manifest =>
  objects.find(
    ({ kind, metadata }) =>
      ["Deployment", "DaemonSet"].includes(kind) && metadata.labels["app.kubernetes.io/component"] === "controller",
  )!;

/** Returns the controller's container. */
export const controllerOf = (rendered: Rendered): Manifest => workloadOf(rendered).spec.template.spec.containers[0];
