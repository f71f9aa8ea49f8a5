/** What the machine and the process around nginx give to a rendering: facts that no ConfigMap holds. */
export interface Surroundings {
  /** CPUs that the container may use. */
  readonly cpus: number;
  /** Files that a process may open at most. */
  readonly openFiles: number;
  /** Whether the machine has an IPv6 address. */
  readonly ipv6: boolean;
  /** IP literals, IPv6 without brackets. */
  readonly nameservers: readonly string[];
  /** The length of the queue of connections not yet accepted. */
  readonly backlog: number;
  readonly ports: {
    readonly http: number;
    readonly https: number;
    /** Where nginx speaks TLS behind the passthrough listener; undefined without passthrough. */
    readonly behindPassthrough: number | undefined;
  };
  /** Where logs go that the operator leaves at the default path. */
  readonly accessLog: string;
  readonly errorLog: string;
  /** Whether the operator wants to hear more of nginx than its notices. */
  readonly talkative?: boolean;
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
}
