/**
 * Decides which hosts are text. Some need a server block of their own, and others have to follow:
 * nginx picks the block by name before the router runs, so a block with a wildcard or a pattern
 * among its names takes every data host that matches. As soon as one host with a pattern among its
 * aliases is text, all hosts with patterns are, because any two may match one name.
 */

import { formOf } from "../../kinds/server-names.ts";
import type { Server } from "../../model/configuration.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { needsText } from "../conf/text-servers.ts";
import { isTaken, ownPatterns, type Pattern } from "./host-patterns.ts";

type Host = Server<FeatureValues>;

interface Patterned {
  readonly patterns: readonly Pattern[];
  readonly needsText: boolean;
}

export class TextHosts {
  readonly #patterned = new Map<string, Patterned>();
  #drawing: ReadonlyMap<string, Patterned> = new Map();

  /** Updates the state of a host. `settle` then returns whether other hosts are affected. */
  note(name: string, server: Host | undefined): void {
    const patterns = server === undefined || server.listener !== undefined ? [] : ownPatterns(server);
    if (server === undefined || patterns.length === 0) this.#patterned.delete(name);
    else this.#patterned.set(name, { patterns, needsText: needsText(server) });
  }

  /** Whether the set of hosts that have to follow may have changed. */
  settle(): boolean {
    const before = this.#drawing;
    const isAlias = ({ patterns }: Patterned) => patterns.some(({ alias }) => alias);
    const own = [...this.#patterned].filter(([, one]) => one.needsText);
    const all = own.length > 0 && [...this.#patterned.values()].some(isAlias);
    this.#drawing = new Map(all ? this.#patterned : own);
    return before.size !== this.#drawing.size || [...this.#drawing].some(([name, one]) => before.get(name) !== one);
  }

  /**
   * Whether the host is text. A listener's host never has to follow others: its routes are data,
   * and no name of another server takes its requests.
   */
  isText(server: Host): boolean {
    if (server.listener !== undefined) return false;
    if (needsText(server) || this.#drawing.has(server.name)) return true;
    if (this.#drawing.size === 0) return false;
    const names = [
      server.name,
      ...server.aliases.map((alias) => alias.name).filter((name) => formOf(name) === "exact"),
    ];
    const patterns = [...this.#drawing.values()].flatMap((one) => one.patterns);
    return names.some((name) => isTaken(name, patterns));
  }
}
