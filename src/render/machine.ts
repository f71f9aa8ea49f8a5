/** What the template must know of the machine and the flags; nothing of it comes from a cluster object. */
import type { Capabilities } from "../directives/capabilities.ts";
import type { Surroundings } from "./settings/surroundings.ts";

export interface Machine {
  readonly capabilities: Capabilities;
  readonly around: Surroundings;
  /** Paths for `load_module`, in order. */
  readonly modules: readonly string[];
  /** Account of the workers; undefined where the controller is not root and they share its own. */
  readonly user: string | undefined;
  readonly mode: "dynamic" | "static";
  readonly ports: Ports;
  readonly healthPath: string;
  /** Whether the stream module has the https port (`--enable-ssl-passthrough`). */
  readonly passthrough: boolean;
  /** How requests are counted; undefined: they are not. Only in dynamic mode. */
  readonly counts: RequestCounts | undefined;
  /** Absolute paths. */
  readonly paths: MachinePaths;
  /** What only this run folder has: it keeps the names of nginx's own locations from being guessed. Empty where none serves. */
  readonly nameKey: string;
  /** Another one for any other text of the Lua modules. */
  readonly luaVersion: string;
}

/** What the flags of metrics say. */
export interface RequestCounts {
  /** Whether host is a label, and requests for hosts that nobody names are left out. */
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
  /** Of a request and of its backend's answer. */
  readonly time: readonly number[];
  /** Of the parts of that time: to connect, and until the header. */
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
}

export interface MachinePaths {
  /** The run folder, below which files are named. */
  readonly root: string;
  readonly temp: string;
  readonly controlSocket: string;
  /** The files by which nginx knows the controller, and the program that runs it. */
  readonly controllerPass: string;
  readonly nginxPass: string;
  /** Folder of the sockets. */
  readonly sockets: string;
  /** Where nginx speaks TLS when the stream module has the https port. */
  readonly tlsSocket: string;
  readonly journal: string;
  /** Folder of the Lua modules. */
  readonly lua: string;
}
