/**
 * The system under test, behind the smallest face that the cases need.
 * `settled` is the important part: it resolves when everything applied so far is live in every worker, so that no case waits for a fixed time
 * and no probe has to be sent.
 */
import type { KubernetesObject } from "../../src/model/objects.ts";

export interface Subject {
  /** Creates or replaces. Gives one line, `Kind name: why`, for each object that was refused as an API server would refuse it. */
  readonly apply: (objects: readonly KubernetesObject[]) => Promise<readonly string[]>;
  readonly remove: (objects: readonly KubernetesObject[]) => Promise<void>;
  /** Resolves when all that was applied and removed is live; rejects when that cannot happen any more. */
  readonly settled: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface SubjectOptions {
  readonly mode: Mode;
  /** As an operator writes them, `--http-port=8088`; ingress-nginx's defaults stand beside them. */
  readonly flags: readonly string[];
  /** What the cluster holds before the controller starts; flags may name it. */
  readonly objects: readonly KubernetesObject[];
}
export type Mode = "dynamic" | "static";
export type StartSubject = (options: SubjectOptions) => Promise<Subject>;

export const startSubject: StartSubject = async () => {
  throw new Error("No feature is built yet, so no case may run: see features.ts");
};
