/**
 * Reads Debian's archive at the addresses that this machine already uses. They come from
 * SLUICE_DEBIAN_MIRROR and SLUICE_DEBIAN_SECURITY_MIRROR, or else from apt's own configuration, so
 * this code has none.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The archive proper, and the one of security updates. */
export type Archive = "debian" | "debian-security";

const keyrings = "/usr/share/keyrings";
const tries = 3;

/**
 * Returns the address of an archive. If apt names none, it throws a sentence that says what to
 * set.
 */
export function mirrorOf(archive: Archive, env: NodeJS.ProcessEnv = process.env): string {
  const variable = archive === "debian" ? "SLUICE_DEBIAN_MIRROR" : "SLUICE_DEBIAN_SECURITY_MIRROR";
  const given = env[variable];
  if (given) return given.replace(/\/+$/, "");
  const found = sitesOfApt().find(({ release, address }) =>
    archive === "debian-security" ? /security/.test(release) : !/security/.test(release) && /debian\/?$/.test(address),
  );
  if (found === undefined) throw new Error(`apt names no mirror of ${archive}; set ${variable} to its address.`);
  return found.address.replace(/\/+$/, "");
}

interface Site {
  readonly release: string;
  readonly address: string;
}
let sites: readonly Site[] | undefined;

/** apt takes half a second to answer, so it runs only once. */
function sitesOfApt(): readonly Site[] {
  sites ??= askApt();
  return sites;
}

function askApt(): readonly Site[] {
  try {
    const format = "$(CREATED_BY) $(RELEASE) $(REPO_URI)";
    const lines = execFileSync("apt-get", ["indextargets", "--format", format], { encoding: "utf8" }).split("\n");
    const rows = lines.map((line) => line.split(" ")).filter(([kind]) => kind === "Packages");
    return rows.map(([, release = "", address = ""]) => ({ release, address }));
  } catch {
    return [];
  }
}

/**
 * Returns the bytes at a path of an archive, or undefined when the mirror has no such file. Other
 * failures throw.
 */
export async function fetched(archive: Archive, path: string): Promise<Buffer | undefined> {
  const url = `${mirrorOf(archive)}/${path}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await fetch(url);
      if (answer.status === 404 || answer.status === 410) return undefined;
      if (answer.ok) return Buffer.from(await answer.arrayBuffer());
      throw new Error(`the answer was ${answer.status}`);
    } catch (cause) {
      if (attempt === tries) throw new Error(`Debian's mirror does not give ${path}.`, { cause });
    }
  }
}

/**
 * Returns the list of packages that a suite has now for a processor, as text. Debian's signature
 * and hashes are checked.
 */
export async function packagesOf(archive: Archive, release: string, processor: string): Promise<string> {
  const signed = await fetched(archive, `dists/${release}/InRelease`);
  if (signed === undefined) return "";
  const path = `main/binary-${processor}/Packages.xz`;
  const row = new RegExp(`^ ([0-9a-f]{64}) +\\d+ ${path}$`, "m").exec(verified(signed));
  const index = row ? await fetched(archive, `dists/${release}/${path}`) : undefined;
  if (row === null || index === undefined) return "";
  if (sha256(index) !== row[1]) throw new Error(`${path} of ${release} is not what Debian signed; try again later.`);
  return execFileSync("xz", ["--decompress", "--stdout"], { input: index, encoding: "utf8", maxBuffer: 2 ** 29 });
}

/**
 * Returns the signed text, after gpgv has checked it with a key that Debian's keyring package
 * installed.
 */
function verified(signed: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-release-"));
  try {
    const file = join(folder, "InRelease");
    writeFileSync(file, signed);
    const rings = existsSync(keyrings) ? readdirSync(keyrings).filter((name) => /^debian-.*\.gpg$/.test(name)) : [];
    const options = rings
      .filter((name) => !name.includes("removed"))
      .flatMap((name) => ["--keyring", join(keyrings, name)]);
    return execFileSync("gpgv", [...options, "--output", "-", file], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (cause) {
    throw new Error(
      "Debian's signature of its package list could not be checked with gpgv and debian-archive-keyring.",
      {
        cause,
      },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
