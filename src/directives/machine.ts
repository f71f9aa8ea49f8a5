/**
 * The machine: all that nginx's text depends on beside the Configuration. It comes from the nginx
 * that was found, from the place where that runs, and from the flags; nothing of it comes from an
 * object of the cluster.
 */
import type { Capabilities } from "./capabilities.ts";

/**
 * The surroundings of nginx where it runs. The controller may be in another container with other
 * limits, so it asks the program that starts nginx.
 */
export interface Place {
  /** CPUs that the container may use. */
  readonly cpus: number;
  /** Files that a process may have open at most. */
  readonly openFiles: number;
  /** Whether the machine has an IPv6 address. */
  readonly ipv6: boolean;
  /** IP literals, IPv6 without brackets. */
  readonly nameservers: readonly string[];
  /** Longest queue of connections that were not yet accepted. */
  readonly backlog: number;
  /** The account that workers are to have; undefined where nginx is not root and has no choice. */
  readonly user: string | undefined;
  /**
   * Whether /dev/stdout can be opened as a file: a terminal, a file and a pipe can, the socket that
   * some programs start others with cannot.
   */
  readonly stdoutOpens: boolean;
}

export interface Machine extends Place {
  readonly capabilities: Capabilities;
  /** Paths for `load_module`, in order. */
  readonly modules: readonly string[];
  readonly mode: "dynamic" | "static";
  readonly ports: Ports;
  readonly healthPath: string;
  /** Whether the stream module has the https port (`--enable-ssl-passthrough`). */
  readonly passthrough: boolean;
  /** How requests are counted; undefined: they are not. Only in dynamic mode. */
  readonly counts: RequestCounts | undefined;
  /**
   * Where logs go that the operator leaves at the default path: `stderr` of a terminal, files or
   * devices elsewhere.
   */
  readonly accessLog: string;
  readonly errorLog: string;
  /** Whether the operator wants more of nginx's log than its notices. */
  readonly talkative: boolean;
  /** Files that settings name. */
  readonly files: {
    /** Written from `ssl-dh-param` and `ssl-session-ticket-key`, where they are set and usable. */
    readonly dhParam: string | undefined;
    readonly ticketKey: string | undefined;
    /** Written by Sluice from the tracing settings. */
    readonly telemetry: string;
    readonly modsecurityRules: string;
    readonly owaspRules: string;
    /** Absolute names of the MaxMind databases that are there. */
    readonly geoipDatabases: readonly string[];
  };
  /** Absolute paths, most of them in the run folder. */
  readonly paths: {
    /** The run folder, below which files are named. */
    readonly root: string;
    readonly temp: string;
    readonly controlSocket: string;
    /** The files by which nginx knows the controller, and the program that runs it. */
    readonly controllerPass: string;
    readonly nginxPass: string;
    /** Folder of the sockets. */
    readonly sockets: string;
    /** The port for TLS when the stream module has the https port. */
    readonly tlsSocket: string;
    readonly journal: string;
    /** Folder of the Lua modules. */
    readonly lua: string;
  };
  /**
   * A secret of this run folder alone: it keeps the names of nginx's own locations from being
   * guessed. Empty where none serves.
   */
  readonly nameKey: string;
  /** Another one for any other text of the Lua modules. */
  readonly luaVersion: string;
}

/** The settings of the flags about metrics. */
export interface RequestCounts {
  /** Whether host is a label, and requests for unknown hosts are left out. */
  readonly perHost: boolean;
  /** Whether those are counted all the same. */
  readonly undefinedHosts: boolean;
  /** 2xx instead of 200. */
  readonly statusClasses: boolean;
  /** Histograms for each combination of labels, rather than for each owner, Service and host. */
  readonly full: boolean;
  /** Upper bounds, smallest first. */
  readonly buckets: RequestBuckets;
}

export interface RequestBuckets {
  /** Seconds that a request takes, and its backend's answer. */
  readonly time: readonly number[];
  /** Seconds of the parts of that time: to connect, and until the header. */
  readonly part: readonly number[];
  readonly length: readonly number[];
  readonly size: readonly number[];
}

export interface Ports {
  readonly http: number;
  readonly https: number;
  /** The built-in 404 server. */
  readonly defaultServer: number;
  readonly status: number;
  /** UDP port of 127.0.0.1 where names that tenants chose are looked up. */
  readonly nameCheck: number;
  /** UDP port of 127.0.0.1 where nginx asks for the endpoints of streams. */
  readonly stream: number;
}
