/**
 * Builds the image of one or more processors into an OCI layout. Debian's files are unpacked, never
 * installed, so the image of another processor needs no emulation.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { billOfMaterials } from "./bill.ts";
import { controllerTree } from "./javascript.ts";
import type { Pin } from "./lock.ts";
import { type Descriptor, type ImageConfig, type Layer, Layout, layerOf } from "./oci.ts";
import { debianRoot, debugRoot, user } from "./root.ts";
import { nodeProgram, storedPins } from "./store.ts";
import { builder, type Processor, type Suite } from "./suites.ts";
import { compiled } from "./toolchain.ts";
import { file, readArchive, type Tree, writeArchive } from "./tree.ts";

const repository = join(import.meta.dirname, "../..");

export interface BuildOptions {
  readonly suite: Suite;
  readonly processors: readonly Processor[];
  /** Where the layout is written. */
  readonly folder: string;
  readonly tag: string;
  readonly whenGone: "fail" | "take the newest";
}

export interface BuiltImage {
  readonly descriptor: Descriptor;
  readonly pins: readonly Pin[];
  readonly config: ImageConfig;
  /** Layers of the first processor: the image's own, then that of the debug tag. */
  readonly layers: readonly Layer[];
  readonly debug: Layer;
}

export async function buildImage(options: BuildOptions): Promise<BuiltImage> {
  const { suite, processors } = options;
  const isNeeded = ({ use, processor }: Pin) =>
    use !== "client" &&
    (processors.includes(processor) || processor === builder) &&
    (use !== "cross-compiler" || processors.some((one) => one !== builder));
  const pins = await storedPins(suite, isNeeded, options.whenGone);
  const layout = new Layout(options.folder);
  const controller = await controllerTree();
  const config = configuration();
  const built = await eachInTurn(processors, async (processor) => {
    const { layers, debug } = await layersOf(suite, processor, pins, controller);
    return {
      ...{ layers, debug },
      image: layout.add(processor, config, layers),
      debugImage: layout.add(processor, config, [...layers, debug]),
    };
  });
  const descriptor = layout.tag(
    options.tag,
    built.map(({ image }) => image),
  );
  layout.tag(
    `${options.tag}-debug`,
    built.map(({ debugImage }) => debugImage),
  );
  return { descriptor, pins, config, layers: built[0]!.layers, debug: built[0]!.debug };
}

async function layersOf(suite: Suite, processor: Processor, pins: readonly Pin[], controller: Tree) {
  const of = (use: Pin["use"]) => pins.filter((pin) => pin.use === use && pin.processor === processor);
  const { init, modules } = compiled(processor, pins);
  const node = nodeProgram(processor);
  const nodeTree: Tree = new Map();
  await readArchive(["gzip", "--decompress", "--stdout", node.tarball], nodeTree, (path) =>
    path === "package/bin/node"
      ? "usr/local/bin/node"
      : path === "package/LICENSE"
        ? "usr/share/doc/node/copyright"
        : undefined,
  );
  const own: Tree = new Map([
    ...controller,
    ["sluice-init", file(init, 0o755)],
    ...[...modules].map(([name, module]) => [`usr/lib/nginx/modules/${name}`, file(module)] as const),
    ["usr/share/sluice/sbom.spdx.json", file(billOfMaterials(suite, of("runtime"), node.version))],
  ]);
  const layers = [
    layerOf(`nginx and its modules, of Debian ${suite}`, await writeArchive(await debianRoot(of("runtime")))),
    layerOf(`Node ${node.version}`, await writeArchive(nodeTree)),
    layerOf("Sluice", await writeArchive(own)),
  ];
  return { layers, debug: layerOf("busybox", await writeArchive(await debugRoot(of("debug")))) };
}

function configuration(): ImageConfig {
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };
  const withRight = ["--inh-caps=+net_bind_service", "--ambient-caps=+net_bind_service"];
  return {
    User: `${user.uid}:${user.gid}`,
    Env: ["PATH=/usr/local/bin:/usr/sbin:/usr/bin", "NODE_ENV=production"],
    Entrypoint: ["/usr/lib/sluice/with-net-bind-service", ...withRight, "--", "/sluice-init"],
    Cmd: ["/nginx-ingress-controller"],
    ExposedPorts: { "80/tcp": {}, "443/tcp": {}, "8443/tcp": {}, "10254/tcp": {} },
    Labels: {
      "org.opencontainers.image.title": "Sluice",
      "org.opencontainers.image.description": "An NGINX ingress controller that takes the place of ingress-nginx",
      "org.opencontainers.image.licenses": "Apache-2.0",
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.revision": revision(),
    },
  };
}

function revision(): string {
  return execFileSync("git", ["rev-parse", "HEAD"], { cwd: repository, encoding: "utf8" }).trim();
}

/** One after the other: two images at once would need the memory of both. */
async function eachInTurn<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const one of list) results.push(await work(one));
  return results;
}
