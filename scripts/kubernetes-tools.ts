/**
 * The real Kubernetes programs that the end-to-end tests run: etcd, kube-apiserver,
 * kube-controller-manager, kubectl and helm. A program in `KUBEBUILDER_ASSETS` (the envtest
 * convention) is taken as it is; the others are built once from their published Go modules into a
 * cache outside the repository. The module k8s.io/kubernetes cannot be built alone: it requires its
 * staging modules at v0.0.0, and each of them is published as v0.<minor>.<patch>, so the build
 * writes a `replace` for each.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, cacheFolder, go, hasGo, lock, scratchModule } from "./go-builds.ts";

const versions = { kubernetes: "1.36.3", etcd: "3.6.7", helm: "4.1.3" } as const;

const tools = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl", "helm"] as const;
export type Tool = (typeof tools)[number];

/** Returns the folder of the built programs. Each set of versions has its own. */
export function toolsFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(cacheFolder(env), `kubernetes-${versions.kubernetes}-etcd-${versions.etcd}-helm-${versions.helm}`);
}

/** Returns the path of one program, whether or not it has been built yet. */
export function toolPath(tool: Tool, env: NodeJS.ProcessEnv = process.env): string {
  const given = env.KUBEBUILDER_ASSETS && join(env.KUBEBUILDER_ASSETS, tool);
  return given && existsSync(given) ? given : join(toolsFolder(env), tool);
}

const missingTools = (): readonly Tool[] => tools.filter((tool) => !existsSync(toolPath(tool)));

/**
 * Builds missing programs, and prints nothing when there are none. Throws when a build fails, with
 * Go's error.
 */
export async function buildMissingTools(): Promise<void> {
  if (missingTools().length === 0) return;
  const folder = toolsFolder();
  mkdirSync(folder, { recursive: true });
  const unlock = await lock(join(folder, "building.lock"));
  try {
    const missing = missingTools();
    if (missing.length === 0) return;
    if (!hasGo())
      throw new Error(`${missing.join(", ")} missing: set KUBEBUILDER_ASSETS or install Go, which builds them`);
    if (missing.includes("etcd")) await buildEtcd(folder);
    const kubernetes = missing.filter((tool) => tool.startsWith("kube"));
    if (kubernetes.length > 0) await buildKubernetes(folder, kubernetes);
    if (missing.includes("helm")) await buildHelm(folder);
  } finally {
    unlock();
  }
}

/** The OpenAPI document of this version of Kubernetes. */
export const openApiFile = (): string => join(toolsFolder(), "swagger.json");

/** Copies it from the module, if it is not there. */
export async function fetchOpenApi(): Promise<void> {
  const file = openApiFile();
  if (existsSync(file)) return;
  mkdirSync(toolsFolder(), { recursive: true });
  const module = scratchModule(toolsFolder(), "openapi");
  cpSync(join(await kubernetesModule(module), "api/openapi-spec/swagger.json"), `${file}.new`);
  renameSync(`${file}.new`, file);
  rmSync(module, { recursive: true });
}

/** The Go types of a group, such as `api/networking`, in its first version. */
export const typesFile = (group: string): string => join(toolsFolder(), `${group.replace("/", "-")}-types.go`);

/** Copies the types of these groups from their modules, if they are not there. */
export async function fetchTypes(groups: readonly string[]): Promise<void> {
  const [, minor, patch] = versions.kubernetes.split(".");
  for (const group of groups.filter((one) => !existsSync(typesFile(one)))) {
    const [name, part] = group.split("/");
    const module = scratchModule(toolsFolder(), "types");
    const wanted = `k8s.io/${name}@v0.${minor}.${patch}`;
    const answer = await go(module, `fetching ${name} of Kubernetes`, ["mod", "download", "-json", wanted]);
    const folder = join((JSON.parse(answer) as { Dir: string }).Dir, name === "api" ? part! : `pkg/apis/${part}`);
    cpSync(join(folder, "v1/types.go"), `${typesFile(group)}.new`);
    renameSync(`${typesFile(group)}.new`, typesFile(group));
    rmSync(module, { recursive: true });
  }
}

async function kubernetesModule(module: string): Promise<string> {
  const wanted = `k8s.io/kubernetes@v${versions.kubernetes}`;
  const answer = await go(module, "fetching Kubernetes", ["mod", "download", "-json", wanted]);
  return (JSON.parse(answer) as { Dir: string }).Dir;
}

async function buildEtcd(folder: string): Promise<void> {
  const module = scratchModule(folder, "etcd");
  await go(module, "fetching etcd", ["get", `go.etcd.io/etcd/server/v3@v${versions.etcd}`]);
  await build(folder, module, "etcd", ["-ldflags", "-s -w"], "go.etcd.io/etcd/server/v3");
  rmSync(module, { recursive: true });
}

async function buildKubernetes(folder: string, programs: readonly Tool[]): Promise<void> {
  const module = scratchModule(folder, "kube");
  const version = `v${versions.kubernetes}`;
  const [, minor] = versions.kubernetes.split(".");
  const required = readFileSync(join(await kubernetesModule(module), "go.mod"), "utf8");
  const staging = new Set([...required.matchAll(/^\s+(k8s\.io\/[a-z0-9-]+) v0\.0\.0$/gm)].map((match) => match[1]));
  const replaced = [...staging].map((name) => `replace ${name} => ${name} v0.${versions.kubernetes.slice(2)}`);
  writeFileSync(
    join(module, "go.mod"),
    `module kube\ngo 1.26.0\nrequire k8s.io/kubernetes ${version}\n${replaced.join("\n")}\n`,
  );
  const imports = [
    "kubernetes/cmd/kube-apiserver/app",
    "kubernetes/cmd/kube-controller-manager/app",
    "kubectl/pkg/cmd",
  ];
  writeFileSync(
    join(module, "tools.go"),
    `package kube\n${imports.map((name) => `import _ "k8s.io/${name}"\n`).join("")}`,
  );
  await go(module, "fetching what Kubernetes requires", ["mod", "tidy"]);
  const named = "-X k8s.io/component-base/version";
  const flags = `-s -w ${named}.gitVersion=${version} ${named}.gitMajor=1 ${named}.gitMinor=${minor}`;
  for (const program of programs) {
    await build(folder, module, program, ["-ldflags", flags], `k8s.io/kubernetes/cmd/${program}`);
  }
  rmSync(module, { recursive: true });
}

async function buildHelm(folder: string): Promise<void> {
  const module = scratchModule(folder, "helm");
  await go(module, "fetching helm", ["get", `helm.sh/helm/v4/cmd/helm@v${versions.helm}`]);
  await build(folder, module, "helm", ["-ldflags", "-s -w"], "helm.sh/helm/v4/cmd/helm");
  rmSync(module, { recursive: true });
}

if (import.meta.main) await buildMissingTools();
