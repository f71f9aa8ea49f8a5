import { expect, test } from "vitest";
import { closure, readIndex } from "./package-index.ts";

const stanza = (name: string, version: string, more = "") =>
  `Package: ${name}\nVersion: ${version}\nFilename: pool/${name}_${version}.deb\nSHA256: ${"0".repeat(64)}\nSize: 1\n${more}`;
const archive = [
  stanza("nginx", "1.30.6-2", "Depends: libc6 (>= 2.41), perl | mawk, libssl"),
  stanza("libc6", "2.43-7"),
  stanza("mawk", "1.3"),
  stanza("libssl3t64", "3.6.5-1", "Provides: libssl (= 3)\nDepends: libc6"),
].join("\n\n");
const names = (index: ReturnType<typeof readIndex>, without: (name: string) => boolean = () => false) =>
  closure(index, ["nginx"], without).map(({ name, version }) => `${name} ${version}`);

test("the dependencies of a package are found, with alternatives and provided names", () => {
  const index = readIndex([["debian", archive]]);
  expect(names(index)).toEqual(["libc6 2.43-7", "libssl3t64 3.6.5-1", "mawk 1.3", "nginx 1.30.6-2"]);
  expect(names(index, (name) => name === "perl")).toEqual(["libc6 2.43-7", "libssl3t64 3.6.5-1", "nginx 1.30.6-2"]);
});

test("the newer version of a package counts, from the archive or its security updates", () => {
  const updates = stanza("libssl3t64", "3.6.5-1+deb14u1", "Provides: libssl");
  const index = readIndex([
    ["debian", archive],
    ["debian-security", `${updates}\n\n${stanza("libc6", "2.43-6")}`],
  ]);
  expect(index.get("libssl3t64")).toMatchObject({ version: "3.6.5-1+deb14u1", archive: "debian-security" });
  expect(index.get("libc6")).toMatchObject({ version: "2.43-7", archive: "debian" });
});

test("a package that does not exist is reported by name", () => {
  expect(() => names(readIndex([["debian", stanza("nginx", "1", "Depends: gone | gone-too")]]))).toThrow(
    "Debian's suite has no package gone or gone-too, which the image needs.",
  );
});
