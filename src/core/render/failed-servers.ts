/**
 * Hosts on which the renderer itself failed. Such a host is left out of text and records, and its
 * owners get a Problem. So one object cannot prevent the rendering of the whole configuration.
 */

import { guarded } from "../../base/guarded.ts";
import type { Server } from "../model/configuration.ts";
import { type ServerKey, serverKey } from "../model/listeners.ts";
import { bugProblem, named, type Problem } from "../model/problem.ts";
import type { FeatureValues } from "../policies/registry.ts";
import type { RenderBugs } from "./rendering.ts";
import { TemplateError } from "./template.ts";

export class FailedServers {
  readonly #bugs = new Map<string, readonly Problem[]>();

  get bugs(): RenderBugs {
    return new Map(this.#bugs);
  }

  /**
   * Returns the result of `work` for the Server, or `instead` if it throws. The error of a
   * mistake in the operator's template is thrown again.
   */
  render<T>(server: Server<FeatureValues>, isOwnTemplate: boolean, work: () => T, instead: () => T): T {
    const key = serverKey(server);
    this.#bugs.delete(key);
    return guarded(work, (bug) => {
      if (bug instanceof TemplateError && isOwnTemplate) throw bug;
      this.#bugs.set(key, problemsOf(server, bug));
      return instead();
    });
  }

  /** Drops a Server that is gone, or all Servers, which are then made again. */
  forget(key?: ServerKey): void {
    if (key === undefined) this.#bugs.clear();
    else this.#bugs.delete(key);
  }
}

function problemsOf({ locations }: Server<FeatureValues>, bug: Error): readonly Problem[] {
  const owners = locations.flatMap(({ owner }) => (owner === undefined ? [] : [[named(owner), owner] as const]));
  return [...new Map(owners).values()].map((owner) => bugProblem(owner, bug));
}
