/**
 * The image's bill of materials, SPDX 2.3: every Debian package, every npm package and Node, each
 * with its version, and its licence if npm names one. Equal inputs give the same bytes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimePackages } from "./javascript.ts";
import type { Pin } from "./lock.ts";
import type { Suite } from "./suites.ts";

const repository = join(import.meta.dirname, "../..");

interface NpmPackage {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

export function billOfMaterials(suite: Suite, pins: readonly Pin[], node: string): string {
  const own = readJson(repository);
  const packages = [
    entry(own, `pkg:npm/${own.name}@${own.version}`),
    entry({ name: "node", version: node, license: "MIT" }, `pkg:generic/node@${node}`),
    ...runtimePackages().flatMap(npmEntry),
    ...pins.map((pin) => debianEntry(suite, pin)),
  ];
  return JSON.stringify({
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${own.name}-${own.version}`,
    documentNamespace: `urn:${own.name}:${own.version}`,
    creationInfo: { created: "1970-01-01T00:00:00Z", creators: [`Tool: ${own.name}`] },
    packages,
    relationships: packages.map(({ SPDXID }) => ({
      spdxElementId: "SPDXRef-DOCUMENT",
      relationshipType: "DESCRIBES",
      relatedSpdxElement: SPDXID,
    })),
  });
}

function npmEntry(folder: string) {
  const one = readJson(join(repository, folder));
  return one.name && one.version ? [entry(one, `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`)] : [];
}

function debianEntry(suite: Suite, { name, version, processor, sha256 }: Pin) {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${processor}&distro=${suite}`;
  return { ...entry({ name, version }, purl), checksums: [{ algorithm: "SHA256", checksumValue: sha256 }] };
}

const readJson = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as NpmPackage;

function entry({ name, version, license }: NpmPackage, purl: string) {
  return {
    SPDXID: `SPDXRef-${purl.replaceAll(/[^a-zA-Z0-9.]+/g, "-")}`,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    licenseDeclared: typeof license === "string" ? license : "NOASSERTION",
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}
