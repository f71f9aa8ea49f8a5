/**
 * The run folder: the one place Sluice writes to. Everything that lives there has its path in `RunFolder`, nothing else
 * builds a path. The folders are 0700, the one with the sockets above all: nginx makes a unix socket 0666, so only the
 * folder around it keeps strangers out.
 */
import { accessSync, chmodSync, constants, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { nameKeyIn } from "./name-key.ts";

import { plantedIn } from "./planted.ts";

/** Absolute paths without symbolic links. A path that ends in `Folder` or is named like one exists once the folder is open. */
export interface RunFolder {
  readonly root: string;
  /** What the nginx master reads when it starts and at every reload. */
  readonly conf: string;
  /** What is about to be tested; becomes `conf` when nginx accepts it, `refusedConf` when it does not. */
  readonly candidateConf: string;
  /** A text that is only tested, to see whether it would do. */
  readonly trialConf: string;
  /** The last text nginx refused, kept for whoever is on call. */
  readonly refusedConf: string;
  /** The last text that was seen to serve: what a restart begins with, and what a failed reload goes back to. */
  readonly lastGoodConf: string;
  readonly pid: string;
  /** Identity of the nginx that was started last, see `Master`. */
  readonly instance: string;
  /** What nginx says when it cannot start or reload: its `[alert]` and `[emerg]` lines, and nothing of its daily log. */
  readonly emergencies: string;
  /** Held by the one controller that may write here. */
  readonly lock: string;
  /** Held by the one process that runs nginx, where that is not the controller. */
  readonly nginxLock: string;
  /** Folders of the files a configuration names: certificates and keys, password files, everything else. */
  readonly tls: string;
  readonly auth: string;
  readonly include: string;
  /** Where nginx buffers bodies; for `client_body_temp_path` and its sisters. */
  readonly temp: string;
  readonly logs: string;
  readonly sockets: string;
  /** How nginx and the program that runs it know the controller, and how nginx knows that program: see `Pass`. */
  readonly keys: string;
  readonly controllerPass: string;
  readonly nginxPass: string;
  /** The password of whoever is on call, which the running controller takes on its own ports. */
  readonly token: string;
  /** nginx's server for the controller: `GET /generation` answers the hash of the configuration. */
  readonly controlSocket: string;
  /** The controller's answer to `sluice routes`. */
  readonly routesSocket: string;
  /** What the controller keeps across restarts: the journal of routes, endpoints and certificates, and the last good forms. */
  readonly data: string;
  readonly journal: string;
  /** No path: the key of the names of nginx's own locations. Empty while the folder is not open. */
  readonly nameKey: string;
}

/** Folders whose files belong to the configuration that names them, and are removed when none does. */
export const configurationFolders = ["tls", "auth", "include"] as const;

export type OpenedFolder =
  | { readonly ok: true; readonly folder: RunFolder }
  | { readonly ok: false; readonly why: string };

/** The kernel's limit for the path of a unix socket is 107 bytes; a socket of ours has a name of up to 32. */
const longestRoot = 107 - "/sockets/".length - 32;

/** Makes the run folder at `path` where it is missing, and its folders private. A folder that cannot be used gives one sentence. */
export function openRunFolder(path: string): OpenedFolder {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const folder = pathsOf(realpathSync(path));
    if (Buffer.byteLength(folder.root) > longestRoot) {
      const why = `its path is longer than ${longestRoot} bytes, which leaves no room for the names of unix sockets`;
      return { ok: false, why: `The run folder ${folder.root} cannot be used: ${why}.` };
    }
    accessSync(folder.root, constants.R_OK | constants.W_OK | constants.X_OK);
    const planted = plantedIn(folder);
    if (planted !== undefined) return { ok: false, why: `The run folder ${folder.root} cannot be used: ${planted}.` };
    for (const one of [
      folder.tls,
      folder.auth,
      folder.include,
      folder.temp,
      folder.logs,
      folder.sockets,
      folder.keys,
      folder.data,
    ]) {
      mkdirSync(one, { recursive: true });
      chmodSync(one, 0o700);
    }
    return { ok: true, folder: { ...folder, nameKey: nameKeyIn(folder.keys) } };
  } catch (error) {
    return { ok: false, why: `The run folder ${path} cannot be used: ${(error as Error).message}.` };
  }
}

/** The paths of a run folder at `root`, which need not be there. */
export function pathsOf(root: string): RunFolder {
  const sockets = join(root, "sockets");
  const data = join(root, "data");
  const keys = join(root, "keys");
  return {
    root,
    conf: join(root, "nginx.conf"),
    candidateConf: join(root, "nginx.conf.candidate"),
    trialConf: join(root, "nginx.conf.trial"),
    refusedConf: join(root, "nginx.conf.refused"),
    lastGoodConf: join(root, "nginx.conf.last-good"),
    pid: join(root, "nginx.pid"),
    instance: join(root, "nginx.instance"),
    emergencies: join(root, "nginx.emerg"),
    lock: join(root, "controller.lock"),
    nginxLock: join(root, "nginx.lock"),
    tls: join(root, "tls"),
    auth: join(root, "auth"),
    include: join(root, "include"),
    temp: join(root, "temp"),
    logs: join(root, "logs"),
    sockets,
    keys,
    controllerPass: join(keys, "controller"),
    nginxPass: join(keys, "nginx"),
    token: join(root, "operator.token"),
    controlSocket: join(sockets, "control.sock"),
    routesSocket: join(sockets, "routes.sock"),
    data,
    journal: join(data, "journal"),
    nameKey: "",
  };
}
