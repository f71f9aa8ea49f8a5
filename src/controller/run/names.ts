/** Resolves ExternalName Services with the nameservers of this machine, and logs failures. */
import { textIn } from "../../base/text-in.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { Source } from "../../core/sync/ports.ts";
import type { Log } from "../../edges/log/log.ts";
import { type NameEvent, withAddresses } from "../../edges/names/addresses.ts";
import { dnsLookup, type Lookup } from "../../edges/names/lookup.ts";
import { readResolvConf } from "../../edges/names/resolv-conf.ts";
import type { Flags } from "../flags.ts";

export interface NameOptions {
  readonly flags: Pick<Flags, "disableSvcExternalName">;
  readonly log: Log;
  readonly clock: Clock;
  /** By default the nameservers of this machine are asked. */
  readonly lookup?: Lookup;
}

/**
 * Adds addresses to the Source, unless the flag turns ExternalName Services off. resolv.conf is
 * read once (process contract I 69).
 */
export function addressedSource(source: Source, options: NameOptions, signal: AbortSignal): Source {
  const { flags, log, clock, lookup = dnsLookup(readResolvConf(textIn("/etc/resolv.conf"))) } = options;
  if (flags.disableSvcExternalName) return source;
  return withAddresses(source, { lookup, clock, report: reporter(log) }, signal);
}

/** Logs failures. A failing name is logged once, until it resolves again. */
function reporter(log: Log): (event: NameEvent) => void {
  const failing = new Set<string>();
  return (event) => {
    const { name } = event;
    if (event.kind === "found") {
      failing.delete(name);
      if (event.changed)
        log.info({ name, addresses: event.addresses.join(", ") || "none" }, "the name of a Service was looked up");
    } else if (!failing.has(name)) {
      failing.add(name);
      log.warn({ name, why: event.why }, "the name of a Service cannot be looked up; the last addresses are kept");
    }
  };
}
