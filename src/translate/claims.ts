/** The Claims of all sources, and the hosts that they have paths on. */
import { bugProblem, guarded } from "../guarded.ts";
import { Dependencies } from "../model/dependencies.ts";
import { nameOf } from "../model/objects.ts";
import { byAge } from "./age.ts";
import type { Claim } from "./claim.ts";
import type { Problems } from "./problems.ts";
import type { Turn } from "./turn.ts";

/** One kind of object that Claims come from. */
export interface ClaimSource {
  /** `metadata.kind` of its objects. */
  readonly kind: string;
  /** Takes in the turn; gives `namespace/name` of the objects whose Claims may be others now. */
  changed(turn: Turn): Iterable<string>;
  /**
   * The Claim in force for an object, which is not always that of its present version; undefined
   * where there is none.
   */
  claim(key: string, turn: Turn): Claim | undefined;
  /** Forgets an object on which `claim` failed. */
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

  /** Of one host, oldest first. */
  of(host: string): Claim[] {
    return this.#oldestFirst(this.#hosts.usersOf(host));
  }

  /** Oldest first. */
  streamSnippets(): string[] {
    return this.#oldestFirst(this.#withStreamSnippet).map(({ features }) => features.streamSnippet.text);
  }

  /** Makes again the Claims that may be others now; gives the hosts that they were or are on. */
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

  /** Sluice failed on the object in a place where no good form can stand in. */
  #setAside(source: ClaimSource, name: string, bug: Error): undefined {
    source.setAside(name);
    const { kind } = source;
    this.#problems.tell(`${kind} ${name}`, [bugProblem({ kind, ...nameOf(name) }, bug)]);
    return undefined;
  }

  #oldestFirst(keys: Iterable<string>): Claim[] {
    const claims: Claim[] = [];
    for (const key of keys) claims.push(this.#all.get(key)!);
    return claims.length < 2 ? claims : claims.sort((a, b) => byAge(a.since, b.since));
  }
}
