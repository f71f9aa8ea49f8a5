/**
 * Runs a command in the image with runc, under the rights that a kubelet would give it: the user,
 * the capabilities (in the bounding, permitted and effective sets and in no other, as container
 * runtimes do), no new privileges, and a read-only root with the folders of emptyDir volumes. The
 * network is the test's own, so ports and sysctls are those of the namespace that `npm test` made.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { execa } from "execa";
import { defaultSuite, type Suite } from "../../../scripts/image/builder.ts";
import { clientRoot, type ImageConfig, unpackedImage } from "../../../scripts/image/unpacked.ts";

export interface Image {
  readonly config: Partial<ImageConfig>;
  /**
   * The image's file system, on this machine; reading it is fine, a container gets it read-only.
   */
  readonly root: string;
}

/** The suite whose image the tests run, which SLUICE_IMAGE_SUITE chooses. */
export const testedSuite = (process.env.SLUICE_IMAGE_SUITE ?? defaultSuite) as Suite;

/** The project's own image, as the Dockerfile makes it. */
export const openImage = (suite = testedSuite) => unpackedImage(suite);

/** A curl with HTTP/3. */
export const openClient = (): Image => ({ config: {}, root: clientRoot() });

export interface ContainerOptions {
  readonly args: readonly string[];
  readonly user?: readonly [uid: number, gid: number];
  readonly capabilities?: readonly string[];
  readonly readOnly?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Folders and files of this machine that are mounted read-only, by their paths in the container.
   */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Mounts that the container may write to. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** Empty folders that the container may write to. */
  readonly emptyDirs?: readonly string[];
}

const emptyDirs = ["/run/sluice", "/tmp", "/etc/ingress-controller"];

export interface Container {
  /** Resolves with the output of both streams and the end of the command. */
  readonly ended: Promise<{ readonly text: string; readonly exitCode: number }>;
  kill(signal: NodeJS.Signals): void;
  /** Runs a second command in the container, as a kubelet runs a hook; throws when it fails. */
  exec(command: readonly string[]): Promise<string>;
}

export function startContainer({ root, config }: Image, options: ContainerOptions): Container {
  const folder = mkdtempSync(join(tmpdir(), "sluice-container-"));
  const volumes = { ...emptyVolumes(folder, options.emptyDirs ?? emptyDirs), ...options.volumes };
  writeFileSync(join(folder, "config.json"), JSON.stringify(specification(root, config, { ...options, volumes })));
  mkdirSync(join(folder, "state"));
  const runc = ["--root", join(folder, "state")];
  // The name is also that of its cgroup, which is the machine's.
  const name = basename(folder);
  // runc passes signals on and ends as the command ends, however long that takes.
  const waits = { reject: false, all: true, forceKillAfterDelay: false } as const;
  const running = execa("runc", [...runc, "run", "--bundle", folder, name], waits);
  const ended = running.then(({ all, exitCode }) => {
    rmSync(folder, { recursive: true });
    return { text: all.trim(), exitCode: exitCode ?? -1 };
  });
  return {
    ended,
    kill: (signal) => void running.kill(signal),
    exec: async (command) => (await execa("runc", [...runc, "exec", name, ...command])).stdout,
  };
}

/** Makes volumes as a kubelet does: folders of the node that all accounts may write to. */
function emptyVolumes(folder: string, destinations: readonly string[]): Readonly<Record<string, string>> {
  const made = destinations.map((destination, at) => {
    const place = join(folder, `volume-${at}`);
    mkdirSync(place);
    chmodSync(place, 0o777);
    return [place, destination] as const;
  });
  return Object.fromEntries(made.map(([place, destination]) => [destination, place]));
}

/** Runs a command to its end. */
export const inContainer = (image: Image, options: ContainerOptions) => startContainer(image, options).ended;

function specification(root: string, config: Partial<ImageConfig>, options: ContainerOptions): unknown {
  const { args, user = [101, 82], capabilities = [], readOnly = true, env = {}, mounts = {}, volumes = {} } = options;
  const bind = (access: "ro" | "rw", [destination, source]: readonly [string, string]) => ({
    destination,
    type: "bind",
    source,
    options: ["rbind", access],
  });
  const sets = capabilities.map((name) => `CAP_${name}`);
  return {
    ociVersion: "1.0.2",
    process: {
      user: { uid: user[0], gid: user[1] },
      args,
      env: [...(config.Env ?? []), ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: "/",
      capabilities: { bounding: sets, permitted: sets, effective: sets },
      noNewPrivileges: true,
    },
    root: { path: root, readonly: readOnly },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755"] },
      { destination: "/sys", type: "sysfs", source: "sysfs", options: ["nosuid", "noexec", "nodev", "ro"] },
      ...Object.entries(mounts).map((mount) => bind("ro", mount)),
      ...Object.entries(volumes).map((volume) => bind("rw", volume)),
    ],
    linux: { namespaces: ["pid", "mount", "ipc", "uts", "cgroup"].map((type) => ({ type })) },
  };
}
