/**
 * An nginx that can be opened, with its capabilities and surroundings. It is a program of this
 * container, or runs in the container beside (`remote.ts`); the rest of the code treats both alike.
 */

import type { Place } from "../core/tokens/machine.ts";
import { askCapabilities, type Capabilities } from "./capabilities.ts";
import { type NginxOptions, type OpenedNginx, openNginx } from "./nginx.ts";
import type { Pass } from "./pass.ts";
import { placeHere } from "./place.ts";
import type { SocketClient } from "./socket-client.ts";

export interface InstalledNginx {
  readonly capabilities: Capabilities;
  readonly place: Place;
  /** Whether nginx keeps running after this process has ended in the usual way. */
  readonly outlives: boolean;
  /**
   * The controller's connection from the search for nginx; undefined if the search needed none.
   */
  readonly pass?: Pass;
  /** Sends the requests to nginx in place of its socket. */
  readonly socket?: Pick<SocketClient, "send" | "close">;
  open(options: OpenOptions): Promise<OpenedNginx>;
}

export type OpenOptions = Omit<NginxOptions, "binary">;

export type FoundNginx =
  | { readonly ok: true; readonly nginx: InstalledNginx }
  | { readonly ok: false; readonly why: string };

/** Finds the nginx of this container; see `askCapabilities`. */
export async function nginxHere(binary: string, path: string): Promise<FoundNginx> {
  const found = await askCapabilities(binary, path);
  if (!found.ok) return found;
  const { capabilities } = found;
  const open = (options: OpenOptions) => openNginx({ ...options, binary: capabilities.binary });
  return { ok: true, nginx: { capabilities, place: placeHere(), outlives: false, open } };
}
