/**
 * Finds the owners of a line of nginx.conf. While the text is assembled, each block that belongs to
 * an object has a note after its name (`Token.noted`). The notes are then removed, and this map
 * keeps the lines of each block. Owners are only looked up when nginx refuses a line.
 */

import type { Location, Server } from "../../model/configuration.ts";
import type { ListenerPort } from "../../model/listeners.ts";
import { objectKey } from "../../model/objects.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import { Token } from "../../tokens/token.ts";
import type { OwnersAt } from "../rendering.ts";

type Host = Server<FeatureValues>;
type Own = Location<FeatureValues>;

/** Returns the server block of a host, named by its first `server_name`. */
export function hostBlock(names: Token, host: string): Token {
  return Token.noted(names, `host ${host}`);
}

/** Returns the server block of listeners of a Gateway, by its slot, or of a whole port. */
export function serverBlock(names: Token, slot: string): Token {
  return slot === "" ? names : Token.noted(names, `server ${slot}`);
}

/** Returns a location of its host, by the index of its Location. */
export function locationBlock(match: Token, index: number): Token {
  return Token.noted(match, `location ${index}`);
}

/** Returns the location of a shape, which all Locations of the shape share. */
export function shapeBlock(name: string): Token {
  return Token.noted(Token.name(name), `shape ${name}`);
}

/** Returns a `listen` line for a ListenerPort, which is its own block. */
export function listenLine(value: Token, port: string): Token {
  return Token.noted(value, `${lineNote}${port}`);
}

/** Begins notes that end with their line. */
export const lineNote = "listen ";

interface Hosts {
  get(name: string): Host | undefined;
  values(): Iterable<Host>;
}

interface Ports {
  get(id: string): Pick<ListenerPort, "owners"> | undefined;
}

/** The names of the shapes that may serve a Location. */
export type ShapesOf = (location: Own, host: Host) => readonly string[];

const noShapes: ShapesOf = () => [];

/** The lines of the noted blocks of one text. */
export class SourceMap {
  /**
   * The first and last line of the block, counted from 1, and its note; outer blocks come before
   * inner ones.
   */
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #notes: readonly string[];

  constructor(blocks: readonly { readonly start: number; readonly end: number; readonly note: string }[]) {
    this.#starts = Uint32Array.from(blocks, ({ start }) => start);
    this.#ends = Uint32Array.from(blocks, ({ end }) => end);
    this.#notes = blocks.map(({ note }) => note);
  }

  /** Returns the notes of all blocks around a line, the innermost first. */
  around(line: number): readonly string[] {
    return this.#notes.filter((_, at) => this.#starts[at]! <= line && line <= this.#ends[at]!).toReversed();
  }

  /**
   * Returns a function that finds the owners of a line among these hosts: those of the innermost
   * block that has any.
   */
  ownersAmong(hosts: Hosts, shapesOf: ShapesOf = noShapes, ports?: Ports): OwnersAt {
    return (line) => {
      const notes = this.around(line).map(kindAndName);
      const host = hosts.get(notes.find(([kind]) => kind === "host")?.[1] ?? "");
      for (const [kind, name] of notes) {
        if (kind === "listen" || kind === "server")
          return keysOf((ports?.get(name)?.owners ?? []).map((owner) => ({ owner })));
        const owners = keysOf(locationsOf(kind, name, { host, hosts, shapesOf }));
        if (owners.size > 0) return owners;
      }
      return new Set();
    };
  }
}

interface Lookup {
  readonly host: Host | undefined;
  readonly hosts: Hosts;
  readonly shapesOf: ShapesOf;
}

function locationsOf(kind: string, name: string, { host, hosts, shapesOf }: Lookup): readonly Own[] {
  if (kind === "host") return host?.locations ?? [];
  if (kind === "location") return host?.locations.slice(Number(name), Number(name) + 1) ?? [];
  return [...hosts.values()].flatMap((one) => one.locations.filter((own) => shapesOf(own, one).includes(name)));
}

/**
 * Returns the keys of the objects. If a location has `authors`, its text comes from them alone,
 * because the owner's own values are data.
 */
function keysOf(locations: readonly Pick<Own, "owner" | "authors">[]): ReadonlySet<string> {
  const owners = locations.flatMap(({ owner, authors }) => authors ?? owner ?? []);
  return new Set(owners.map(({ kind, namespace, name }) => objectKey(kind, `${namespace}/${name}`)));
}

function kindAndName(note: string): readonly [kind: string, name: string] {
  const at = note.indexOf(" ");
  return [note.slice(0, at), note.slice(at + 1)];
}

/** Matches a note of `Token.noted`, or the end of its block, which `indented` has marked. */
const marks = /\u0003([^\u0004]*)\u0004|\u0005/g;

/** Returns the text without its notes, and the lines of their blocks. */
export function withoutNotes(noted: string): { readonly text: string; readonly map: SourceMap } {
  const blocks: { start: number; end: number; note: string }[] = [];
  const open: { end: number }[] = [];
  const known = new Map<string, string>();
  let [line, at] = [1, 0];
  const text = noted.replace(marks, (_mark, written: string | undefined, offset: number) => {
    for (at = noted.indexOf("\n", at); at >= 0 && at < offset; at = noted.indexOf("\n", at + 1)) line++;
    if (at < 0) at = noted.length;
    const ended = written === undefined ? open.pop() : undefined;
    if (ended !== undefined) ended.end = line;
    if (written !== undefined) {
      const block = { start: line, end: line, note: noteOf(written, known) };
      blocks.push(block);
      open.push(block);
    }
    return "";
  });
  return { text, map: new SourceMap(blocks) };
}

/**
 * Returns the note. Each note is copied once: a substring would keep the whole noted text in
 * memory.
 */
function noteOf(written: string, known: Map<string, string>): string {
  const found = known.get(written);
  if (found !== undefined) return found;
  const note = Buffer.from(decodeURIComponent(written)).toString();
  known.set(Buffer.from(written).toString(), note);
  return note;
}
