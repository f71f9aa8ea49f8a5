/**
 * Keeps the Claims of TCPRoutes, UDPRoutes and TLSRoutes on the listeners of Gateways. They have no
 * paths, so they make no Servers.
 */
import { guarded } from "../../../base/guarded.ts";
import { nameOf } from "../../model/objects.ts";
import { bugProblem } from "../../model/problem.ts";
import { byAge } from "../../table/age.ts";
import type { Claim } from "../../table/claim.ts";
import type { ClaimSource } from "../../table/claims.ts";
import type { Problems } from "../../table/problems.ts";
import type { Turn } from "../../table/turn.ts";

export class StreamClaims {
  readonly #sources: readonly ClaimSource[];
  readonly #problems: Problems;
  readonly #all = new Map<string, Claim>();
  #oldestFirst: readonly Claim[] = [];

  constructor(sources: readonly ClaimSource[], problems: Problems) {
    this.#sources = sources;
    this.#problems = problems;
  }

  /** The Claims, oldest first. It is the same array while no Claim changes. */
  get all(): readonly Claim[] {
    return this.#oldestFirst;
  }

  renew(turn: Turn): void {
    let isOther = false;
    for (const source of this.#sources) {
      for (const name of source.changed(turn)) {
        const key = `${source.kind} ${name}`;
        const claim = guarded(
          () => source.claim(name, turn),
          (bug) => this.#setAside(source, name, bug),
        );
        if (claim === undefined && !this.#all.delete(key)) continue;
        if (claim !== undefined) this.#all.set(key, claim);
        isOther = true;
      }
    }
    if (isOther) this.#oldestFirst = [...this.#all.values()].sort((a, b) => byAge(a.since, b.since));
  }

  #setAside(source: ClaimSource, name: string, bug: Error): undefined {
    source.setAside(name);
    const { kind } = source;
    this.#problems.replace(`${kind} ${name}`, [bugProblem({ kind, ...nameOf(name) }, bug)]);
    return undefined;
  }
}
