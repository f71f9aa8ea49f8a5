/** Gives each path of a host to the oldest Claim that has it, and checks it on the way. */
import type { Problem } from "../../model/problem.ts";
import type { Claim, ClaimedPath, PathMatch } from "../claim.ts";
import type { BackendUses } from "../upstreams/backend-uses.ts";
import type { World } from "../world.ts";
import { patternAsCookiePath } from "./doubts.ts";
import { type Draft, draftOf } from "./draft.ts";
import { pathFault } from "./path-fault.ts";
import { shownHost } from "./shown-host.ts";

export class ClaimedPaths {
  readonly #byPath = new Map<string, Draft>();
  readonly #host: string;
  readonly #uses: BackendUses;
  readonly #world: World;
  readonly #problems: Problem[];

  /** Notes the backends of each path in `uses`, and adds its findings to `problems`. */
  constructor(host: string, uses: BackendUses, world: World, problems: Problem[]) {
    this.#host = host;
    this.#uses = uses;
    this.#world = world;
    this.#problems = problems;
  }

  /** The drafts, in the order in which their paths were added. */
  get drafts(): Draft[] {
    return [...this.#byPath.values()];
  }

  /** Adds a path. The paths of older Claims have to be added before. */
  add(claim: Claim, path: ClaimedPath): void {
    const { owner: object } = claim;
    const { field, match, backends } = path;
    const why = pathFault(match, this.#world.pathsAreText);
    if (why !== undefined) {
      const done = "the path is ignored";
      this.#problems.push({ object, kind: "value-unusable", field: `${field}.path`, why, done });
      return;
    }
    const holder = this.#byPath.get(keyOf(match))?.claim ?? this.#holderOf(claim, match);
    if (holder !== undefined) {
      const host = shownHost(this.#host);
      this.#problems.push({ object, kind: "path-taken", host, path: match.text, by: holder.owner });
      return;
    }
    if (!this.#uses.ofPath(claim, path)) return;
    this.#byPath.set(keyOf(match), draftOf(claim, match, backends, `${field}.path`));
    this.#problems.push(...patternAsCookiePath(claim, `${field}.path`));
  }

  /**
   * Returns the Claim of another namespace that has the same prefix with or without a slash. The
   * one with the slash would count as longer.
   */
  #holderOf({ owner: mine }: Claim, { type, text }: PathMatch): Claim | undefined {
    if (type !== "prefix" || this.#world.settings.allowCrossNamespaceHostSettings) return undefined;
    const other = text.endsWith("/") ? text.slice(0, -1) : `${text}/`;
    const holder = this.#byPath.get(keyOf({ type, text: other }))?.claim;
    return holder?.owner.namespace === mine.namespace ? undefined : holder;
  }
}

const keyOf = ({ type, text }: Pick<PathMatch, "type" | "text">): string => `${type} ${text}`;
