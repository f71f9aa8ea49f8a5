/** Names the flag of a port on which nginx could not listen at the start. */
import { flags as declared, type Flags } from "../flags.ts";

const ports = ["httpPort", "httpsPort", "statusPort", "defaultServerPort"] as const;

export type PortFlags = Pick<Flags, (typeof ports)[number]>;

/**
 * Returns the sentence with the flag behind the address: nginx's messages have only addresses, and
 * a second Sluice on a machine needs other ports.
 */
export function withPortFlag(why: string, flags: PortFlags): string {
  return why.replace(/nginx (?:cannot|may not) listen on \S+:(\d+)(?=:)/, (words, port: string) => {
    const found = ports.find((name) => flags[name] === Number(port));
    return found === undefined ? words : `${words} (--${declared[found].name})`;
  });
}
