/**
 * The machine: everything beside the Configuration on which nginx's text depends. It comes from the
 * nginx that was found, from the machine or container that runs it, and from the flags, and never
 * from an object of the cluster.
 */
import type { Capabilities } from "./capabilities.ts";

/**
 * The surroundings of nginx. The controller may be in another container with other limits, so it
 * gets these from the program that starts nginx.
 */
export interface Place {
  /** CPUs that the container may use. */
  readonly cpus: number;
  /** The most files that a process may have open. */
  readonly openFiles: number;
  /** Whether the machine has an IPv6 address. */
  readonly ipv6: boolean;
  /** IP literals, IPv6 without brackets. */
  readonly nameservers: readonly string[];
  /** The longest queue of connections that are not accepted yet. */
  readonly backlog: number;
  /** The account for workers; undefined if nginx is not root and so cannot choose. */
  readonly user: string | undefined;
  /**
   * Whether /dev/stdout can be opened as a file. A terminal, a file and a pipe can; a socket, with
   * which some programs start others, cannot.
   */
  readonly stdoutOpens: boolean;
  /** Whether the user has mounted a volume at /var/log/nginx, in which nginx writes its logs. */
  readonly logVolume: boolean;
}

export interface Machine extends Place {
  readonly capabilities: Capabilities;
  /** Paths for `load_module`, in their order. */
  readonly modules: readonly string[];
  readonly mode: "dynamic" | "static";
  readonly ports: Ports;
  readonly healthPath: string;
  /** Whether the stream module has the https port (`--enable-ssl-passthrough`). */
  readonly passthrough: boolean;
  /**
   * The settings for counting requests, in dynamic mode only. If it is undefined, they are not
   * counted.
   */
  readonly counts: RequestCounts | undefined;
  /**
   * The targets of logs whose path the operator has not changed: `stderr` of a terminal, or else
   * files or devices.
   */
  readonly accessLog: string;
  readonly errorLog: string;
  /** Whether the operator wants more in nginx's log than notices. */
  readonly talkative: boolean;
  /** Files that settings name. */
  readonly files: {
    /** Written from `ssl-dh-param` and `ssl-session-ticket-key`, if these are set and usable. */
    readonly dhParam: string | undefined;
    readonly ticketKey: string | undefined;
    /** Written by Sluice from the tracing settings. */
    readonly telemetry: string;
    readonly modsecurityRules: string;
    readonly owaspRules: string;
    /** Absolute names of the MaxMind databases that exist. */
    readonly geoipDatabases: readonly string[];
  };
  /** Absolute paths, most of them in the run folder. */
  readonly paths: {
    /** The run folder, which contains the others. */
    readonly root: string;
    readonly temp: string;
    readonly controlSocket: string;
    /** The files that connect nginx with the controller, and the program that runs it. */
    readonly controllerPass: string;
    readonly nginxPass: string;
    /** Folder of the sockets. */
    readonly sockets: string;
    /** The port for TLS if the stream module has the https port. */
    readonly tlsSocket: string;
    readonly journal: string;
    /** The file for nginx's errors that the controller reads. */
    readonly upstreamErrors: string;
    /** Folder of the Lua modules. */
    readonly lua: string;
  };
  /**
   * A secret of this run folder. It keeps the names of nginx's own locations from being guessed.
   * Empty if no nginx serves.
   */
  readonly nameKey: string;
  /** Changes with the text of the Lua modules, so that nginx loads them again. */
  readonly luaVersion: string;
}

/** The settings of the flags about metrics. */
export interface RequestCounts {
  /** Whether the host is a label; requests for unknown hosts are then left out. */
  readonly perHost: boolean;
  /** Whether requests for unknown hosts are counted nevertheless. */
  readonly undefinedHosts: boolean;
  /** Whether the label is 2xx instead of 200. */
  readonly statusClasses: boolean;
  /** Whether each combination of labels has histograms, instead of each owner, Service and host. */
  readonly full: boolean;
  /** Upper bounds, the smallest first. */
  readonly buckets: RequestBuckets;
}

export interface RequestBuckets {
  /** Seconds of a whole request, and of its backend's answer. */
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
  /** The UDP port of 127.0.0.1 where names that tenants chose are resolved. */
  readonly nameCheck: number;
  /** The UDP port of 127.0.0.1 on which nginx queries the endpoints of streams. */
  readonly stream: number;
}
