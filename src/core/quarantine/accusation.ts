/**
 * The order in which a search suspects objects and keys after a refusal. A port that nginx names
 * comes first, then the owners of the line that it names. If that does not help, or the line has no
 * owner, the changed settings follow. If the machine is not the cause, the ports of TCP and UDP
 * services and all changed objects follow then. Settings that allow others to write text come last;
 * otherwise the author of one bad snippet would turn off all other snippets. If none of these
 * helps, all of them are set aside together, because the same error may have two causes.
 */

import type { Snapshot } from "../model/snapshot.ts";
import { settingList } from "../settings/registry.ts";
import type { Bisection } from "./bisection.ts";
import type { Suspect, Suspects } from "./suspects.ts";

export interface Refused {
  /** nginx's output. Messages quote a part of it. */
  readonly stderr: string;
  readonly line: number | undefined;
  /** The file or address in the error, if nginx names no line. */
  readonly names: string | undefined;
  /**
   * Whether the machine is the cause, so that the same text may work later. Then only objects that
   * the error names are suspected.
   */
  readonly mayPass: boolean;
  readonly conf: string;
  /** Keys of the objects, like `Ingress shop/web`, that have text at a line of `conf`. */
  readonly ownersAt: (line: number) => ReadonlySet<string>;
}

export interface Evidence {
  readonly suspects: Suspects;
  /** The Snapshot from which the refused text was made. */
  readonly snapshot: Snapshot;
  /** The Snapshot that nginx serves. */
  readonly live: Snapshot;
}

/** Returns whether there is a new suspect, without which the next try may succeed. */
export function accuse(search: Bisection, why: string, refused: Refused, evidence: Evidence): boolean {
  const { suspects, snapshot, live } = evidence;
  const known = search.setAside;
  const port = portAt(suspects, refused.names, snapshot);
  if (port !== undefined && !known.has(port)) {
    search.accuse([port], why);
    return true;
  }
  const line = refused.line ?? lineNaming(refused.names, refused.conf);
  const owners = line === undefined ? [] : [...refused.ownersAt(line)].filter((owner) => suspects.has(owner));
  const accused = owners.filter((owner) => !known.has(owner));
  const settings = suspects.changed("settings", snapshot, live);
  const permitting = settings.filter((suspect) => permissions.has(suspect));
  const written = settings.filter((suspect) => !permissions.has(suspect));
  // This runs even if the line has no owner any more, because the line of an accused object may
  // also be in the location of unknown hosts.
  const inVain = written.some((suspect) => !known.has(suspect)) && search.accusedInVain(why);
  if (accused.length > 0 && !inVain) {
    search.accuse(accused, why);
    return true;
  }
  if (search.suspect(written, why)) return true;
  if (refused.mayPass) return false;
  if (search.suspect(suspects.changed("ports", snapshot, live), why)) return true;
  if (search.suspect(suspects.changed("objects", snapshot, live), why)) return true;
  // Permissions are given back before the snippets that they permit, so that those are judged.
  return search.suspect(permitting, why) || search.suspectTogether(permitting);
}

/** Returns the TCP or UDP service with the port that nginx cannot bind. */
export function portAt(suspects: Suspects, address: string | undefined, snapshot: Snapshot): Suspect | undefined {
  const port = /:(\d+)$/.exec(address ?? "")?.[1];
  const asking = (["port tcp/", "port udp/"] as const).map((protocol): Suspect => `${protocol}${port}`);
  return asking.find((suspect) => suspects.version(snapshot, suspect) !== undefined);
}

/** Settings that let authors of other objects write text. */
const permissions: ReadonlySet<Suspect> = new Set(
  settingList.flatMap(([, { key, permits }]) => (permits === true ? [`setting ${key}` as const] : [])),
);

/** Returns the first line that contains `text`, counted from 1. */
function lineNaming(text: string | undefined, conf: string): number | undefined {
  if (text === undefined) return undefined;
  const at = conf.split("\n").findIndex((line) => line.includes(text));
  return at < 0 ? undefined : at + 1;
}
