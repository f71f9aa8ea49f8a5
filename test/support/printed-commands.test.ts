/**
 * Checks every command that a page prints, in a block of any language or in a sentence. Blocks
 * marked `sh` are run by test/nginx/docs.test.ts and test/chart/docs.test.ts. The others need a
 * registry, a cluster of the reader's, or hours, so this test checks the names in them: commands
 * and flags, scripts and suites, objects of the chart, annotations, hosts of the page.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { helpText } from "../../src/controller/help.ts";
import type { Field } from "../../src/core/policies/declare.ts";
import { features } from "../../src/core/policies/registry.ts";
import { reasonOf } from "../../src/edges/events/event-writer.ts";
import { ran } from "../golden/support/ran.ts";
import { problemSamples } from "./problem-samples.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const pages = globSync(["*.md", "docs/**/*.md", "examples/**/*.md", "charts/**/*.md"], { cwd: root }).toSorted();

const programs = "npx|npm|node|sluice|kubectl|helm|curl|docker|podman|buildah|kind|openssl|git|apt-get|cosign";
const command = new RegExp(`^(?:\\$ )?((?:sudo |[A-Z_]+=\\S+ )*(?:${programs})\\b.*)$`);
const fence = /^( *)```(\w*)\n(.*?)^\1```$/gms;

interface Printed {
  readonly page: string;
  readonly line: string;
}

const printed: readonly Printed[] = pages.flatMap((page) => {
  const text = read(page);
  const inBlocks = [...text.matchAll(fence)].flatMap(([, , language, block]) =>
    ["sh", "yaml", "ts"].includes(language!) ? [] : block!.split("\n").map((line) => line.trim()),
  );
  const inSentences = [...text.replace(fence, "").matchAll(/`([^`\n]+ [^`\n]+)`/g)].map(([, span]) => span!);
  const lines = [...inBlocks, ...inSentences].flatMap((line) => command.exec(line)?.[1] ?? []);
  return [...new Set(lines)].map((line) => ({ page, line: line.replace(/\s+#.*$/, "") }));
});

const words = (line: string): string[] => line.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
const manifest = JSON.parse(read("package.json")) as {
  readonly version: string;
  readonly scripts: Record<string, string>;
};
const golden = globSync("test/chart/golden/**/*", { cwd: root }).filter((file) => /\.ya?ml$/.test(file));
/**
 * The chart's golden files, which contain the names for a release called ingress-nginx and for
 * others.
 */
const chart = golden.map(read).join("\n");

/** Placeholders for the reader's own values, in capitals. */
const isPlaceholder = (word: string): boolean => /^[A-Z]+$/.test(word);

async function sluice([name = "", ...rest]: readonly string[]): Promise<string[]> {
  if (name === "" || name.startsWith("--")) return [];
  const found = commands[name];
  if (found === undefined) return isPlaceholder(name) ? [] : [`sluice has no command ${name}`];
  const help = name === "run" || name === "serve" ? helpText(name) : (await ran(found.run, "--help")).text;
  const flags = rest.filter((word) => /^--\w/.test(word)).map((word) => word.replace(/=.*/, ""));
  return flags.filter((flag) => flag !== "--help" && !`${help}${helpText("serve")}`.includes(flag));
}

const suites = [...read("vitest.config.ts").matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name!);

function npm([verb = "", ...rest]: readonly string[]): string[] {
  if (verb === "install" || verb === "pack") return [];
  const name = verb === "run" ? rest.shift()! : verb;
  const script = manifest.scripts[name];
  if (script === undefined) return [`package.json has no script ${name}`];
  const program = /scripts\/[\w.-]+(?!.*scripts\/)/.exec(script)?.[0];
  if (name === "test") {
    const own = rest.slice(0, rest.includes("--") ? rest.indexOf("--") : rest.length);
    const files = rest.filter((word) => word.endsWith(".test.ts"));
    return [...own.filter((one) => !suites.includes(one)), ...files.filter((file) => !existsSync(join(root, file)))];
  }
  const source = program === undefined ? "" : read(program) + (name === "bench" ? read("test/bench/main.ts") : "");
  if (name === "simulate")
    return rest.filter((word) => /^--\w/.test(word) && !simulator.includes(` ${word.slice(2)}: {`));
  const more = name === "start" ? read("scripts/demo.ts") + helpText("serve") : name === "soak" ? soaks : source;
  return rest.filter((word) => /^(?:--)?[a-z]/.test(word) && !more.includes(word.replace(/^--|=.*$/g, "")));
}
const simulator = read("test/simulation/command.ts");
const soaks = globSync(["test/soak/**/*.ts", "scripts/soak.mjs"], { cwd: root }).map(read).join("\n");

const reasons = new Set(Object.values(problemSamples).map(reasonOf));

/** `kubectl sluice` is the plugin of the package. */
function kubectl([verb, ...others]: readonly string[]): string[] {
  const all = verb === "sluice" ? others : [verb ?? "", ...others];
  const named = all.flatMap((word) => /^(?:deploy(?:ment)?\/)?((?:sluice|ingress-nginx)[\w-]*)$/.exec(word)?.[1] ?? []);
  const containers = all.flatMap(
    (word) => /^(?:--target=)?(\w+)(?:=\S+\/controller:\S+)$|^--target=(\w+)$/.exec(word)?.slice(1) ?? [],
  );
  const images = all.flatMap((word) => /\/controller:(\S+)$/.exec(word)?.[1] ?? []);
  const reason = all.flatMap((word) => /^reason=(\w+)$/.exec(word)?.[1] ?? []);
  const annotated = all.flatMap((word) => annotationMistakes(word));
  return [
    ...named.filter((name) => !chart.includes(`name: ${name}\n`) && !chart.includes(`namespace: ${name}\n`)),
    ...containers.filter((name) => name !== undefined && !chart.includes(`- name: ${name}\n`)),
    ...images.filter((tag) => tag !== manifest.version),
    ...reason.filter((one) => !reasons.has(one)),
    ...annotated,
  ];
}

function annotationMistakes(word: string): string[] {
  const [, key, value = ""] = /^nginx\.ingress\.kubernetes\.io\/([\w-]+)=(.*)$/.exec(word) ?? [];
  if (key === undefined) return [];
  const fields = Object.values(features).flatMap((feature) => Object.values(feature.fields) as Field<unknown>[]);
  const field = fields.find((one) => one.key === key);
  return field?.kind.read(value).ok === true ? [] : [word];
}

function helm(all: readonly string[]): string[] {
  const values = all.flatMap((word, at) => (all[at - 1] === "--set" ? [word.split(/[.=]/)[0]!] : []));
  const paths = all.filter((word) => word.startsWith("charts/"));
  return [
    ...paths.filter((path) => !existsSync(join(root, path))),
    ...values.filter((key) => !new RegExp(`^${key}:`, "m").test(read("charts/sluice/values.yaml"))),
  ];
}

/** The host of a URL must also occur earlier on the page. */
function curl(all: readonly string[], page: string): string[] {
  const urls = all.flatMap((word) => /^["']?https?:\/\/([\w.-]+)/.exec(word)?.[1] ?? []);
  const text = read(page);
  return urls.filter(
    (host) =>
      !isPlaceholder(host) && host !== "127.0.0.1" && text.split(host).length < 3 && !host.endsWith(".localhost"),
  );
}

/** Names of the Dockerfile, and the version in an image's tag. */
function docker(all: readonly string[]): string[] {
  const stages = [...dockerfile.matchAll(/ AS (\w+)$/gm)].map(([, name]) => name);
  return all.filter((word, at) => {
    if (all[at - 1] === "--build-arg") return !dockerfile.includes(`\nARG ${word.replace(/=.*/, "")}`);
    if (all[at - 1] === "--target") return !stages.includes(word);
    return /:\d+\.\d+/.test(word) && !word.endsWith(`:${manifest.version}`);
  });
}
const dockerfile = read("Dockerfile");

async function mistakesIn({ line, page }: Printed): Promise<string[]> {
  const mistakes: string[] = [];
  for (const part of line.split(" | ")) {
    const [program = "", ...rest] = words(part).filter((word) => word !== "sudo" && !/^[A-Z_]+=/.test(word));
    const cases = /PARITY_CASES='([^']+)'/.exec(part)?.[1];
    if (
      cases !== undefined &&
      globSync(`test/parity/corpus/**/${cases.split("/").at(-1)}.yaml`, { cwd: root }).length === 0
    ) {
      mistakes.push(cases);
    }
    const inner = rest.indexOf("--");
    if (program === "sluice") mistakes.push(...(await sluice(rest)));
    else if (program === "npx") mistakes.push(...(await sluice(rest.slice(1))));
    else if (program === "npm") mistakes.push(...npm([...rest]));
    else if (program === "kubectl") {
      mistakes.push(...kubectl(inner < 0 ? rest : rest.slice(0, inner)));
      if (inner >= 0 && rest[inner + 1] === "sluice") mistakes.push(...(await sluice(rest.slice(inner + 2))));
    } else if (program === "helm") mistakes.push(...helm(rest));
    else if (program === "curl") mistakes.push(...curl(rest, page));
    else if (["docker", "podman", "buildah", "kind"].includes(program)) mistakes.push(...docker(words(part)));
    else if (program !== "base64" && program !== "openssl") mistakes.push(`nothing is known of ${program}`);
  }
  return mistakes;
}

test.each(printed)("the command of $page exists: $line", async (one) => {
  expect(await mistakesIn(one)).toEqual([]);
});

test("commands are found in blocks and in sentences", () => {
  expect(printed.length).toBeGreaterThan(60);
  expect(printed.some(({ line }) => line.startsWith("docker build --tag"))).toBe(true);
  expect(printed.some(({ line }) => line.startsWith("kubectl describe"))).toBe(true);
});
