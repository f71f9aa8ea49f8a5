/**
 * Waits for rights. They take effect when the API server's authorizer knows them, some time after
 * the write was answered, and end when it knows that they are gone.
 */
import { until } from "../../nginx/support/until.ts";
import type { Cluster } from "./cluster.ts";

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface Rules {
  /** Absent for the whole cluster. */
  readonly namespace?: string | undefined;
  readonly rules: readonly Rule[];
}

/** Resolves when the user may do everything that the rules list. */
export const untilAllowed = (cluster: Cluster, user: string, rules: readonly Rules[]): Promise<true> =>
  untilAnswered(cluster, user, rules, "true");

/** Resolves when the user may do nothing that the rules list. */
export const untilDenied = (cluster: Cluster, user: string, rules: readonly Rules[]): Promise<true> =>
  untilAnswered(cluster, user, rules, "false");

async function untilAnswered(cluster: Cluster, user: string, rules: readonly Rules[], wanted: string): Promise<true> {
  const items = rules.flatMap(({ namespace, rules: some }) => some.flatMap((rule) => reviewsOf(user, namespace, rule)));
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const ask = ["create", "--filename", "-", "--output", "jsonpath={.status.allowed} "];
  return until(`the API server says ${wanted} of every right of ${user}`, async () => {
    const answers = (await cluster.kubectl(ask, { input })).trim().split(" ");
    return answers.length === items.length && answers.every((one) => one === wanted);
  });
}

function reviewsOf(user: string, namespace: string | undefined, rule: Rule): readonly object[] {
  const { apiGroups, resources, verbs, resourceNames = [undefined] } = rule;
  return apiGroups.flatMap((group) =>
    resources.flatMap((named) =>
      verbs.flatMap((verb) =>
        resourceNames.map((name) => {
          const [resource, subresource] = named.split("/");
          const resourceAttributes = { namespace, group, resource, subresource, verb, name };
          return {
            apiVersion: "authorization.k8s.io/v1",
            kind: "SubjectAccessReview",
            spec: { user, resourceAttributes },
          };
        }),
      ),
    ),
  );
}
