/**
 * The run folder: the only folder that Sluice writes to. `RunFolder` has the path of everything in
 * it; no other code builds one. All its folders are 0700. That matters most for the sockets: nginx
 * creates a Unix socket with mode 0666, so only the folder protects it.
 */
import { join } from "node:path";

/**
 * Absolute paths without symbolic links. A path that ends in `Folder` or is named like one exists
 * once the folder is open.
 */
export interface RunFolder {
  readonly root: string;
  /** The file that the nginx master reads when it starts and at every reload. */
  readonly conf: string;
  /**
   * The text that is about to be tested. It becomes `conf` when nginx accepts it, and `refusedConf`
   * when it does not.
   */
  readonly candidateConf: string;
  /** A text that is only tested. */
  readonly trialConf: string;
  /** The last text nginx refused, kept for the operator. */
  readonly refusedConf: string;
  /**
   * The last text that was seen to serve. A restart begins with it, and a failed reload returns to
   * it.
   */
  readonly lastGoodConf: string;
  readonly pid: string;
  /** The identity of the nginx that was started last, see `Master`. */
  readonly instance: string;
  /** nginx's messages when it cannot start or reload: its `[alert]` and `[emerg]` lines only. */
  readonly emergencies: string;
  /** The lock of the one controller that may write here. */
  readonly lock: string;
  /** The lock of the one process that runs nginx, if that is not the controller. */
  readonly nginxLock: string;
  /**
   * Folders of the files a configuration names: certificates and keys, password files, everything
   * else.
   */
  readonly tls: string;
  readonly auth: string;
  readonly include: string;
  /**
   * The folder in which nginx buffers bodies, for `client_body_temp_path` and similar directives.
   */
  readonly temp: string;
  readonly logs: string;
  /** nginx's own folder of pages, in which it looks for files unless a snippet has a `root`. */
  readonly html: string;
  readonly sockets: string;
  /**
   * The files with salted hashes of passwords (see `Pass`): `controller` has that of the
   * controller, and `nginx` that of the program that runs nginx.
   */
  readonly keys: string;
  readonly controllerPass: string;
  readonly nginxPass: string;
  /** The operator's password, which the running controller accepts on its own ports. */
  readonly token: string;
  /** nginx's server for the controller: `GET /generation` returns the hash of the configuration. */
  readonly controlSocket: string;
  /** The socket on which the controller answers `sluice routes`. */
  readonly routesSocket: string;
  /**
   * The files that the controller keeps across restarts: the journal of routes, endpoints and
   * certificates, and the last good forms.
   */
  readonly data: string;
  readonly journal: string;
  /** The journal of releases before version 2. This release does not read it. */
  readonly formerJournal: string;
  /**
   * The key of the names of nginx's own locations. It is not a path, and is empty while the folder
   * is not open.
   */
  readonly nameKey: string;
}

/**
 * Folders whose files belong to configurations, and are removed when no configuration names them.
 */
export const configurationFolders = ["tls", "auth", "include"] as const;

/** Returns the paths of a run folder at `root`, which need not exist. */
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
    html: join(root, "html"),
    sockets,
    keys,
    controllerPass: join(keys, "controller"),
    nginxPass: join(keys, "nginx"),
    token: join(root, "operator.token"),
    controlSocket: join(sockets, "control.sock"),
    routesSocket: join(sockets, "routes.sock"),
    data,
    journal: join(data, "records.journal"),
    formerJournal: join(data, "journal"),
    nameKey: "",
  };
}
