/**
 * `npm run dependencies`: writes docs/dependencies.md from package.json, the lockfile, the packages
 * themselves and the purposes below. Dates of releases come from npm. A date is asked for once and
 * then read back from the page, so a test can compare the page without a network.
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";

const root = join(import.meta.dirname, "..");
const pageFile = join(root, "docs/dependencies.md");

/** What each dependency of the program is for. */
const purposes: Readonly<Record<string, string>> = {
  "@bufbuild/protobuf": "reads the wire format of protobuf, in which the API server sends objects",
  "@kubernetes/client-node":
    "reads kubeconfigs and gives credentials (exec, OpenID Connect, token files); types of Kubernetes",
  "@peculiar/asn1-ocsp": "reads and writes OCSP messages",
  "@peculiar/asn1-schema": "the ASN.1 reader under the two others",
  "@peculiar/asn1-x509": "reads the fields of certificates that Node does not give",
  chokidar: "watches the template and the folder of YAML",
  execa: "runs nginx, its tests and the command of its lock",
  handlebars: "renders the template",
  hpagent: "connects through an HTTP proxy that a kubeconfig names",
  "js-yaml": "reads YAML fast",
  pino: "writes the log",
  "pino-pretty": "makes the log readable in a terminal",
  "prom-client": "writes metrics",
  "socks-proxy-agent": "connects through a SOCKS proxy that a kubeconfig names",
  yaml: "reads YAML with the place of each value, for messages that name line and column",
};

/** What a kept library does and Sluice writes by hand: the files, the library, and the reason. */
const byHand: readonly (readonly [what: string, files: readonly string[], why: string])[] = [
  [
    "argument parsing",
    ["src/controller/flags/parse.ts", "src/controller/flags/arguments.ts"],
    "flags have ingress-nginx's forms (`--flag=false`, durations of Go, lists), and the same declarations give help, page and messages; `parseArgs` of Node splits words only",
  ],
  [
    "IP ranges",
    ["src/core/kinds/address-ranges.ts"],
    "the intersection of two lists, and the form that Lua reads; `BlockList` of Node only says whether it has an address",
  ],
  [
    "edit distance",
    ["src/core/kinds/nearest.ts"],
    "a distance of at most two on words of one table; most of the file decides which words may be offered",
  ],
  [
    "DNS messages",
    ["src/edges/names/dns-message.ts"],
    "answers of two types, to nginx alone, and nothing else of a message is read",
  ],
  [
    "YAML writing",
    ["src/move/convert/yaml.ts"],
    "10,000 routes take 0.3 s of CPU, and 1.0 s with `yaml`, which makes a node of each value for the sake of comments; js-yaml writes none",
  ],
  [
    "JSON Schema",
    ["src/core/schema/schema.ts", "src/core/schema/sentences.ts"],
    "Ajv's code for the kinds of the Gateway API has 577 kB, and the definitions 28 kB; it has no lists with keys, no nulls that count as absent, and no paths for rules and sentences of our own",
  ],
  [
    "informers",
    ["src/kube/reflector.ts", "src/kube/shared-informer.ts"],
    "client-node's stop when a list fails, and take 2.7 times the heap (`npm run bench informers`)",
  ],
  [
    "kinds in protobuf",
    ["src/kube/protobuf/message.ts", "src/kube/protobuf/messages.ts"],
    "the objects are to be those of JSON, which differ where Go leaves empty values out; client-node has no protobuf",
  ],
];

interface Locked {
  readonly version: string;
  readonly dev?: true;
  readonly devOptional?: true;
  readonly license?: string;
}

/** Asks for the date of a release, as 2026-11-28. */
export type ReleasedOn = (name: string, version: string) => Promise<string>;

/** Returns the page. `known` is the present page, from which dates are read. */
export async function dependenciesPage(known: string, releasedOn: ReleasedOn): Promise<string> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const rows = await Promise.all(
    Object.keys(dependencies).map(async (name) => {
      const { version, license = "none stated" } = packages[`node_modules/${name}`]!;
      const kept = new RegExp(`^\\| ${name} \\| ${version.replaceAll(".", "\\.")} \\| [^|]+ \\| ([0-9-]+) `, "m").exec(
        known,
      );
      const date = kept?.[1] ?? (await releasedOn(name, version));
      return `| ${name} | ${version} | ${license} | ${date} | ${kilobytes(`node_modules/${name}`)} | ${purposes[name]} |`;
    }),
  );
  const further = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== "" && !dev && !devOptional)
    .map(([path, { version, license = "none stated" }]) => ({ path, version, license }))
    .filter(({ path }) => !(path.replace("node_modules/", "") in dependencies));
  const ours = byHand.map(([what, files, why]) => {
    const lines = files.reduce((sum, file) => sum + readFileSync(join(root, file), "utf8").split("\n").length - 1, 0);
    return `| ${what} | ${files.map((file) => `\`${file}\``).join(", ")} | ${lines} | ${why} |`;
  });
  return `# Dependencies

This page lists what the program takes from others, and what it writes by hand although a library
exists. \`npm run dependencies\` writes it. Versions are pinned in package-lock.json. The program is
bundled, so only the parts that it uses are in the image.

## Dependencies of the program

Sizes are those of the installed packages, in kB.

| package | version | licence | released | kB | what it is for |
|---|---|---|---|---:|---|
${rows.join("\n")}

## What these need themselves

These are all packages that npm installs without development dependencies. Those without a size are
not for this kind of machine.

| package | version | licence | kB |
|---|---|---|---:|
${further.map(({ path, version, license }) => `| ${path.replace(/^.*node_modules\//, "")} | ${version} | ${license} | ${kilobytes(path)} |`).join("\n")}

## Written by hand

| what | where | lines | why no library |
|---|---|---:|---|
${ours.join("\n")}
`;
}

/**
 * Returns the size of the files of a package, without those of packages inside it. Returns nothing
 * for one that is not installed.
 */
function kilobytes(folder: string): number | "" {
  if (!existsSync(join(root, folder))) return "";
  let bytes = 0;
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    if (entry.isFile() && !entry.parentPath.slice(join(root, folder).length).includes("node_modules"))
      bytes += statSync(join(entry.parentPath, entry.name)).size;
  return Math.round(bytes / 1000);
}

if (import.meta.main) {
  const page = await dependenciesPage(
    readFileSync(pageFile, { encoding: "utf8", flag: "a+" }),
    async (name, version) => {
      const { stdout } = await execa("npm", ["view", `${name}@${version}`, "time", "--json"]);
      return (JSON.parse(stdout) as Readonly<Record<string, string>>)[version]!.slice(0, 10);
    },
  );
  writeFileSync(pageFile, page);
}
