/**
 * The image's bill of materials, SPDX 2.3: every Debian package, every npm package and Node, each with its version and licence where known.
 * It runs inside the image, because only there dpkg knows what is installed. Prints JSON; takes the folder of the controller.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
const own = readJson(join(folder, "package.json"));
const debian = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))[1];

const packages = [
  entry(own.name, own.version, own.license, `pkg:npm/${own.name}@${own.version}`),
  entry("node", process.version.slice(1), "MIT", `pkg:generic/node@${process.version.slice(1)}`),
  ...npmPackages(),
  ...debianPackages(),
];

console.log(
  JSON.stringify({
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `${own.name}-${own.version}`,
    documentNamespace: `urn:${own.name}:${own.version}`,
    // A build of the same inputs gives the same bytes.
    creationInfo: { created: "1970-01-01T00:00:00Z", creators: [`Tool: ${own.name}`] },
    packages,
    relationships: packages.map(({ SPDXID }) => ({
      spdxElementId: "SPDXRef-DOCUMENT",
      relationshipType: "DESCRIBES",
      relatedSpdxElement: SPDXID,
    })),
  }),
);

function npmPackages() {
  const files = globSync("node_modules/**/package.json", { cwd: folder });
  return files
    .filter((file) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file))
    .toSorted()
    .map((file) => readJson(join(folder, file)))
    .filter(({ name, version }) => name && version)
    .map(({ name, version, license }) =>
      entry(name, version, license, `pkg:npm/${name.replace("@", "%40")}@${version}`),
    );
}

function debianPackages() {
  const lines = execFileSync("dpkg-query", ["--show", "--showformat=${Package} ${Version} ${Architecture}\n"], {
    encoding: "utf8",
  });
  return lines
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .map(([name, version, arch]) =>
      entry(
        name,
        version,
        undefined,
        `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=${debian}`,
      ),
    );
}

function entry(name, version, license, purl) {
  return {
    SPDXID: `SPDXRef-${purl.replaceAll(/[^a-zA-Z0-9.]+/g, "-")}`,
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    licenseDeclared: typeof license === "string" ? license : "NOASSERTION",
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}
