/** The Claims of all sources, and the hosts on which they have paths. */
import { guarded } from "../../base/guarded.ts";
import { Dependencies } from "../model/dependencies.ts";
import { nameOf } from "../model/objects.ts";
import { bugProblem } from "../model/problem.ts";
import { byAge } from "./age.ts";
import type { Claim } from "./claim.ts";
import type { Problems } from "./problems.ts";
import type { Turn } from "./turn.ts";

/** A kind of object that yields Claims. */
export interface ClaimSource {
  /** `metadata.kind` of its objects. */
  readonly kind: string;
  /**
   * Updates the source for the turn, and returns `namespace/name` of the objects whose Claims may
   * have changed.
   */
  changed(turn: Turn): Iterable<string>;
  /**
   * Returns the Claim in force for an object, which may come from an older version; undefined if
   * there is none.
   */
  claim(key: string, turn: Turn): Claim | undefined;
  /** Drops an object on which `claim` failed. */
  setAside(key: string): void;
}

export class Claims {
  readonly #sources: readonly ClaimSource[];
  readonly #problems: Problems;
  readonly #all = new Map<string, Claim>();
  readonly #withStreamSnippet = new Set<string>();
  readonly #hosts = new Dependencies();

  constructor(sources: readonly ClaimSource[], problems: Problems) {
    this.#sources = sources;
    this.#problems = problems;
  }

  /** Returns the Claims of one host, oldest first. */
  of(host: string): Claim[] {
    return this.#oldestFirst(this.#hosts.usersOf(host));
  }

  /** Returns the snippets for streams, that of the oldest Claim first. */
  streamSnippets(): string[] {
    return this.#oldestFirst(this.#withStreamSnippet).map(({ features }) => features.streamSnippet.text);
  }

  /** Makes the Claims again that may have changed. Returns the hosts that they had or have. */
  renew(turn: Turn): Set<string> {
    const hosts = new Set<string>();
    for (const source of this.#sources) {
      for (const name of source.changed(turn)) {
        const key = `${source.kind} ${name}`;
        for (const host of this.#hosts.usedBy(key)) hosts.add(host);
        const claim = guarded(
          () => source.claim(name, turn),
          (bug) => this.#setAside(source, name, bug),
        );
        this.#put(claim?.key ?? key, claim);
        if (claim !== undefined) for (const host of claim.hosts.keys()) hosts.add(host);
      }
    }
    return hosts;
  }

  #put(key: string, claim: Claim | undefined): void {
    if (claim === undefined) this.#all.delete(key);
    else this.#all.set(key, claim);
    if ((claim?.features.streamSnippet.text ?? "") === "") this.#withStreamSnippet.delete(key);
    else this.#withStreamSnippet.add(key);
    this.#hosts.set(key, claim === undefined ? [] : [...claim.hosts.keys()]);
  }

  /** Drops an object on which Sluice failed at a point where no last good form can replace it. */
  #setAside(source: ClaimSource, name: string, bug: Error): undefined {
    source.setAside(name);
    const { kind } = source;
    this.#problems.replace(`${kind} ${name}`, [bugProblem({ kind, ...nameOf(name) }, bug)]);
    return undefined;
  }

  #oldestFirst(keys: Iterable<string>): Claim[] {
    const claims: Claim[] = [];
    for (const key of keys) claims.push(this.#all.get(key)!);
    return claims.length < 2 ? claims : claims.sort((a, b) => byAge(a.since, b.since));
  }
}
