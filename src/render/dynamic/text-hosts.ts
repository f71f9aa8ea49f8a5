/**
 * Which hosts are text. Some need a server block of their own; others are drawn along: nginx picks
 * the block by name before the router is asked, so a block with a wildcard or a pattern among its
 * names takes every data host that it fits. Hosts with patterns are drawn along together as soon as
 * one with an alias among them is text, since any two may fit one name.
 */
import type { FeatureValues } from "../../annotations/registry.ts";
import { formOf } from "../../kinds/server-names.ts";
import type { Server } from "../../model/configuration.ts";
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

  /** Takes in how a host is now; `settle` says whether that matters to others. */
  note(name: string, server: Host | undefined): void {
    const patterns = server === undefined || server.listener !== undefined ? [] : ownPatterns(server);
    if (server === undefined || patterns.length === 0) this.#patterned.delete(name);
    else this.#patterned.set(name, { patterns, needsText: needsText(server) });
  }

  /** Whether other hosts may be drawn along now than before. */
  settle(): boolean {
    const before = this.#drawing;
    const isAlias = ({ patterns }: Patterned) => patterns.some(({ alias }) => alias);
    const own = [...this.#patterned].filter(([, one]) => one.needsText);
    const all = own.length > 0 && [...this.#patterned.values()].some(isAlias);
    this.#drawing = new Map(all ? this.#patterned : own);
    return before.size !== this.#drawing.size || [...this.#drawing].some(([name, one]) => before.get(name) !== one);
  }

  /**
   * A listener's host never is: its routes are data, and no name of another server takes its
   * requests.
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
