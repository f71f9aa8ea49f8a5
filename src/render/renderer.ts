/**
 * A Configuration as nginx gets it: the text of nginx.conf with its files, and the records of shared memory. The Renderer
 * remembers what it rendered per noun, and which shapes the running text has: a route whose shape is among them is data
 * only, a new shape is a reload. A shape that no route names any more stays until another reason brings a reload.
 */
import { createHash } from "node:crypto";
import type { FeatureValues } from "../annotations/registry.ts";
import type { Certificate, Configuration, Server } from "../model/configuration.ts";
import { Table } from "../model/table.ts";
import type { Settings } from "../settings/registry.ts";
import type { Machine } from "./machine.ts";
import { generationMark, mainView } from "./main-view.ts";
import { defaultPair, pairKey, pairRecord, serverRecords, upstreamKey, upstreamRecord } from "./records.ts";
import { type Shape, Shapes } from "./shape.ts";
import type { Template } from "./template.ts";

export interface RenderedFile {
  /** Below the run folder. */
  readonly path: string;
  readonly content: string;
}

export interface RenderedText {
  readonly conf: string;
  readonly generation: string;
  readonly files: readonly RenderedFile[];
  /** Names of the shapes in it. */
  readonly shapes: ReadonlySet<string>;
  /** Hashes of what it was made of, by what people call it: two texts differ because some of these differ. */
  readonly parts: Readonly<Record<string, string>>;
}

export interface Rendered {
  readonly text: RenderedText;
  /** Only records that changed since the last turn. */
  readonly records: ReadonlyMap<string, ChangedRecord>;
}

export interface ChangedRecord {
  /** Undefined: the record is gone. */
  readonly value: string | undefined;
  /** The shapes it names, which must be live before it is published. */
  readonly shapes: readonly string[];
}

type Whole = Configuration<Settings, FeatureValues>;

export class Renderer {
  readonly #machine: Machine;
  #template: Template;
  #shapes: Shapes | undefined;
  #last: Whole | undefined;
  #text: RenderedText | undefined;
  readonly #records: Map<string, string>;
  readonly #serverParts = new Map<string, { readonly keys: readonly string[]; readonly shapes: readonly Shape[] }>();
  readonly #lingering = new Map<string, Shape>();
  #bytes = 0;
  #recordsBytes = 0;
  readonly #users = new Map<string, { readonly shape: Shape; servers: number }>();

  /** `records` are those that shared memory may hold already, from the journal. */
  constructor(machine: Machine, template: Template, records: ReadonlyMap<string, string> = new Map()) {
    this.#machine = machine;
    this.#template = template;
    this.#records = new Map(records);
  }

  /** All text is rendered again with another template. */
  use(template: Template): void {
    this.#template = template;
    this.#shapes = undefined;
  }

  /** Throws a TemplateError where the template asks for what is not there. */
  render(next: Whole): Rendered {
    const changes = new Map<string, ChangedRecord>();
    if (this.#shapes === undefined || this.#last?.settings !== next.settings) {
      this.#shapes = new Shapes(this.#template, next.settings, this.#machine.capabilities);
      this.#forget(changes);
    }
    // A name may pass from one Server to another in one turn: what comes wins over what goes.
    const made = this.#recordChanges(next, this.#shapes);
    for (const { key, value } of made) if (value === undefined) changes.set(key, { value, shapes: [] });
    for (const { key, value, shapes } of made) if (value !== undefined) changes.set(key, { value, shapes });
    const records = new Map([...changes].filter(([key, { value }]) => this.#records.get(key) !== value));
    for (const [key, { value }] of records) {
      this.#bytes += (value?.length ?? 0) - (this.#records.get(key)?.length ?? 0);
      if (value === undefined) this.#records.delete(key);
      else this.#records.set(key, value);
    }
    const text = this.#textOf(next);
    this.#last = next;
    return { text, records };
  }

  /** All records of the last turn are published: shapes that no route names may go with the next text. */
  published(): void {
    this.#lingering.clear();
  }

  /** All records there are, for an instance that has none. */
  get records(): ReadonlyMap<string, string> {
    return this.#records;
  }

  /** How many distinct shapes the routes name. */
  get shapeCount(): number {
    return this.#users.size;
  }

  /** Everything is made again; a record that is not made again is gone. */
  #forget(changes: Map<string, ChangedRecord>): void {
    for (const key of this.#records.keys()) changes.set(key, { value: undefined, shapes: [] });
    for (const { shape } of this.#users.values()) this.#lingering.set(shape.name, shape);
    this.#last = undefined;
    this.#text = undefined;
    this.#serverParts.clear();
    this.#users.clear();
  }

  #recordChanges(next: Whole, shapes: Shapes): KeyedRecord[] {
    const last = this.#last;
    const changes: KeyedRecord[] = [plain(pairKey(defaultPair), pairRecord(next.defaultCertificate))];
    for (const { key, after } of next.certificates.changesSince(last?.certificates ?? Table.empty())) {
      changes.push(plain(pairKey(key), after && pairRecord(after)));
    }
    for (const { key, after } of next.upstreams.changesSince(last?.upstreams ?? Table.empty())) {
      changes.push(plain(upstreamKey(key), after && upstreamRecord(after)));
    }
    for (const { key, after } of next.servers.changesSince(last?.servers ?? Table.empty())) {
      changes.push(...this.#serverChanges(key, after, shapes));
    }
    return changes;
  }

  #serverChanges(name: string, server: Server<FeatureValues> | undefined, shapes: Shapes): KeyedRecord[] {
    const before = this.#serverParts.get(name) ?? { keys: [], shapes: [] };
    const records = server === undefined ? [] : serverRecords(server, shapes);
    const used = server === undefined ? [] : [...new Set(server.locations.map((location) => shapes.of(location)))];
    for (const shape of used) this.#count(shape, 1);
    for (const shape of before.shapes) this.#count(shape, -1);
    if (server === undefined) this.#serverParts.delete(name);
    else this.#serverParts.set(name, { keys: records.map(([key]) => key), shapes: used });
    const names = used.map((shape) => shape.name);
    return [
      ...before.keys.map((key) => plain(key, undefined)),
      ...records.map(([key, value]) => ({ key, value, shapes: names })),
    ];
  }

  #count(shape: Shape, servers: number): void {
    const user = this.#users.get(shape.name) ?? { shape, servers: 0 };
    user.servers += servers;
    if (user.servers > 0) this.#users.set(shape.name, user);
    else {
      this.#users.delete(shape.name);
      this.#lingering.set(shape.name, shape);
    }
  }

  /**
   * The text of before, while it has all shapes that are needed and nothing else in it changed. A new text keeps the shapes
   * that published routes may still name.
   */
  #textOf(next: Whole): RenderedText {
    const { settings, defaultCertificate } = next;
    const same = this.#last?.defaultCertificate.fingerprint === defaultCertificate.fingerprint;
    const has = [...this.#users.keys()].every((name) => this.#text?.shapes.has(name));
    const recordsBytes = memoryFor(this.#records.size, this.#bytes);
    if (this.#text !== undefined && same && has && recordsBytes === this.#recordsBytes) return this.#text;
    this.#recordsBytes = recordsBytes;
    const byName = new Map(this.#lingering);
    for (const [name, { shape }] of this.#users) byName.set(name, shape);
    const shapes = [...byName.keys()].sort().map((name) => byName.get(name)!);
    const view = mainView({ settings, machine: this.#machine, shapes, recordsBytes });
    const conf = String(this.#template.render("nginx", view));
    const files = defaultFiles(defaultCertificate);
    const generation = generationOf(conf, files);
    const parts = {
      settings: hashOf(JSON.stringify(settings)),
      "default certificate": defaultCertificate.fingerprint,
      "shared memory size": String(recordsBytes),
      shapes: [...byName.keys()].sort().join(),
    };
    const final = conf.replace(generationMark, generation);
    this.#text = { conf: final, generation, files, shapes: new Set(byName.keys()), parts };
    return this.#text;
  }
}

interface KeyedRecord extends ChangedRecord {
  readonly key: string;
}

function plain(key: string, value: string | undefined): KeyedRecord {
  return { key, value, shapes: [] };
}

/**
 * Bytes of shared memory for so many records. nginx's slabs round a record up to a power of two and pages are not shared
 * between sizes; doubled again, and grown in powers of two, since another size is a reload.
 */
export function memoryFor(records: number, bytes: number): number {
  const needed = 4 * bytes + 1024 * records;
  return 2 ** Math.ceil(Math.log2(Math.max(16 * 1024 * 1024, needed)));
}

/** nginx wants a certificate on disk for every TLS listener; the Lua then serves the right one. */
function defaultFiles({ chain, key }: Certificate): RenderedFile[] {
  return [
    { path: "tls/default.crt", content: chain },
    { path: "tls/default.key", content: key.reveal() },
  ];
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function generationOf(conf: string, files: readonly RenderedFile[]): string {
  const hash = createHash("sha256").update(conf);
  for (const { path, content } of files) hash.update("\0").update(path).update("\0").update(content);
  return hash.digest("hex").slice(0, 32);
}
