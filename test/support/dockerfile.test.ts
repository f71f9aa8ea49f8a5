/**
 * Compares the Dockerfile with the files that say the same in another way: versions, the chart's
 * image, and what the build may read.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultImages } from "../../scripts/image/digests.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const dockerfile = read("Dockerfile");
const { version, devDependencies } = JSON.parse(read("package.json"));

test("the image has the Node with which the tests run, and the version of package.json", () => {
  expect(Object.fromEntries(defaultImages(dockerfile, "trixie"))).toEqual({
    DEBIAN_IMAGE: "debian:trixie-slim",
    NODE_IMAGE: `node:${devDependencies.node}-slim`,
  });
  expect(/image\.version="([^"]*)"/.exec(dockerfile)?.[1]).toBe(version);
});

test("every step runs on the processor that builds, and the last stage begins with nothing", () => {
  const steps = dockerfile
    .split(/^FROM /m)
    .slice(1)
    .map((text) => ({ from: text.split("\n")[0]!, runs: /^RUN /m.test(text) }));
  const known = new Set<string>();
  for (const { from, runs } of steps) {
    const [, base, name] = /^(?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/.exec(from)!;
    const isOwn = from.startsWith("--platform=$BUILDPLATFORM ") || known.has(base!);
    if (isOwn && name !== undefined) known.add(name);
    expect(runs && !isOwn, from).toBe(false);
  }
  expect(steps.at(-1)!.from).toBe("image");
  expect(steps.map(({ from }) => from)).toContain("--platform=$TARGETPLATFORM scratch AS image");
});

test("what the Dockerfile copies from the checkout is not ignored", () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names]) => names!.split(" "));
  const allowed = read(".dockerignore")
    .split("\n")
    .flatMap((line) => /^!(.*)$/.exec(line)?.[1] ?? []);
  const hidden = copied.filter((name) => !allowed.some((one) => name === "." || `${name}/`.startsWith(`${one}/`)));
  expect(hidden).toEqual([]);
  expect(allowed.filter((name) => globSync(name, { cwd: root }).length === 0)).toEqual([]);
});

test("the README builds the image under the name that the chart runs without any value", () => {
  const [, image] = /image: (\S+)/.exec(read("test/chart/golden/defaults.yaml"))!;
  const [, block] = /```\n(docker build .*?)```/s.exec(read("README.md"))!;
  const lines = block!
    .trim()
    .split("\n")
    .map((line) => line.replace(/ +#.*/, ""));
  expect(lines).toEqual([
    `docker build --tag ${image} .`,
    "kind create cluster",
    `kind load docker-image ${image}`,
    expect.stringMatching(/^helm install ingress-nginx charts\/sluice .*--create-namespace$/),
    expect.stringMatching(/^kubectl /),
  ]);
});
