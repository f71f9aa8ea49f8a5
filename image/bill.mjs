/**
 * `node image/bill.mjs CONTROLLER PACKAGES NODE`: prints the image's bill of materials, SPDX 2.3:
 * Node, every npm package in the controller's folder and every Debian package of the list, each
 * with its version, and its licence if npm names one. Equal inputs give the same bytes. Some
 * builders copy the wrong processor's Node, which ends the build.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [controller, list, program] = process.argv.slice(2);
const readJson = (...path) => JSON.parse(readFileSync(join(...path), "utf8"));
const own = readJson(controller, "package.json");
const node = process.version.slice(1);
checkProcessor(readFileSync(program));

const packages = [
  entry(own, npmUrl(own)),
  entry({ name: "node", version: node, license: "MIT" }, `pkg:generic/node@${node}`),
  ...npmPackages().map((one) => entry(one, npmUrl(one))),
  ...debianPackages(),
];
const bill = {
  spdxVersion: "SPDX-2.3",
  dataLicense: "CC0-1.0",
  SPDXID: "SPDXRef-DOCUMENT",
  name: `sluice-${own.version}`,
  documentNamespace: `urn:sluice:${own.version}`,
  creationInfo: { created: "1970-01-01T00:00:00Z", creators: ["Tool: sluice"] },
  packages,
  relationships: packages.map(({ SPDXID }) => ({
    spdxElementId: "SPDXRef-DOCUMENT",
    relationshipType: "DESCRIBES",
    relatedSpdxElement: SPDXID,
  })),
};
process.stdout.write(JSON.stringify(bill));

/**
 * A package's own folder has its name; folders below that have a package.json describe parts of it.
 */
function npmPackages() {
  const folders = ["*", "@*/*"].map((pattern) => `**/node_modules/${pattern}/package.json`);
  const files = globSync(folders, { cwd: controller }).toSorted();
  return files.map((file) => readJson(controller, file)).filter(({ name, version }) => name && version);
}

function debianPackages() {
  const lines = readFileSync(list, "utf8").trim().split("\n");
  return lines.map((line) => {
    const [name, version, architecture, sha256] = line.split(" ");
    const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}`;
    return { ...entry({ name, version }, purl), checksums: [{ algorithm: "SHA256", checksumValue: sha256 }] };
  });
}

/**
 * The program for the image cannot be started here. It is of the same tag as the Node that runs
 * this.
 */
function checkProcessor(bytes) {
  const machines = { amd64: 62, arm64: 183 };
  if (bytes.readUInt16LE(18) !== machines[process.env.TARGETARCH])
    throw new Error(`The Node of NODE_TARGET_IMAGE is not for ${process.env.TARGETARCH}.`);
}

function npmUrl({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function entry({ name, version, license }, purl) {
  return {
    SPDXID: `SPDXRef-${purl.replaceAll(/[^a-zA-Z0-9.]+/g, "-")}`,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    licenseDeclared: typeof license === "string" ? license : "NOASSERTION",
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}
