/**
 * The run folder: the only folder that Sluice writes to. `RunFolder` has the path of everything in
 * it; no other code builds one. All its folders are 0700. That matters most for the sockets: nginx
 * creates a Unix socket with mode 0666, so only the folder protects it.
 */
import { join } from "node:path";

/** Absolute paths without symbolic links. Those of folders exist once the run folder is open. */
export type RunFolder = Readonly<ReturnType<typeof pathsOf>>;

/**
 * Folders whose files belong to configurations, and are removed when no configuration names them.
 */
export const configurationFolders = ["tls", "auth", "include"] as const;

/** Returns the paths of a run folder at `root`, which need not exist. */
export function pathsOf(root: string) {
  const sockets = join(root, "sockets");
  const data = join(root, "data");
  const keys = join(root, "keys");
  return {
    root,
    /** The file that the nginx master reads when it starts and at every reload. */
    conf: join(root, "nginx.conf"),
    /**
     * The text that is about to be tested. It becomes `conf` when nginx accepts it, and
     * `refusedConf` when it does not.
     */
    candidateConf: join(root, "nginx.conf.candidate"),
    /** A text that is only tested. */
    trialConf: join(root, "nginx.conf.trial"),
    /** The last text nginx refused, kept for the operator. */
    refusedConf: join(root, "nginx.conf.refused"),
    /**
     * The last text that was seen to serve. A restart begins with it, and a failed reload returns
     * to it.
     */
    lastGoodConf: join(root, "nginx.conf.last-good"),
    pid: join(root, "nginx.pid"),
    /** The identity of the nginx that was started last, see `Master`. */
    instance: join(root, "nginx.instance"),
    /** nginx's messages when it cannot start or reload: its `[alert]` and `[emerg]` lines only. */
    emergencies: join(root, "nginx.emerg"),
    /** nginx's errors for the controller, which empties the file (`takeErrors`). */
    upstreamErrors: join(root, "nginx.errors"),
    /** The lock of the one controller that may write here. */
    lock: join(root, "controller.lock"),
    /** The lock of the one process that runs nginx, if that is not the controller. */
    nginxLock: join(root, "nginx.lock"),
    /**
     * Folders of the files a configuration names: certificates and keys, password files, everything
     * else.
     */
    tls: join(root, "tls"),
    auth: join(root, "auth"),
    include: join(root, "include"),
    /**
     * The folder in which nginx buffers bodies, for `client_body_temp_path` and similar directives.
     */
    temp: join(root, "temp"),
    logs: join(root, "logs"),
    /** nginx's own folder of pages, in which it looks for files unless a snippet has a `root`. */
    html: join(root, "html"),
    sockets,
    /**
     * The files with salted hashes of passwords (see `Pass`): `controller` has that of the
     * controller, and `nginx` that of the program that runs nginx.
     */
    keys,
    controllerPass: join(keys, "controller"),
    nginxPass: join(keys, "nginx"),
    /** The operator's password, which the running controller accepts on its own ports. */
    token: join(root, "operator.token"),
    /** nginx's server for the controller: `GET /generation` answers with the hash of `conf`. */
    controlSocket: join(sockets, "control.sock"),
    /** The socket on which the controller answers `sluice routes`. */
    routesSocket: join(sockets, "routes.sock"),
    /**
     * The files that the controller keeps across restarts: the journal of routes, endpoints and
     * certificates, and the last good forms.
     */
    data,
    journal: join(data, "records.journal"),
    /** The journal of releases before version 2. This release does not read it. */
    formerJournal: join(data, "journal"),
    /**
     * The key of the names of nginx's own locations. It is not a path, and is empty while the
     * folder is not open.
     */
    nameKey: "",
  };
}
