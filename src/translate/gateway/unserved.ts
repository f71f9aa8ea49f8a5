/** Fields of Gateways and routes that are accepted by the API server and not served here. None of them guards anything. */
import type { Gateway } from "../../model/gateway/objects.ts";
import type { ObjectName, Problem } from "../../problem.ts";

export function unservedFields({ spec }: Gateway, object: ObjectName): readonly Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, why: string, done: string) =>
    problems.push({ object, kind: "field-unusable", field, why, done });
  const from = spec?.allowedListeners?.namespaces?.from ?? "None";
  if (from !== "None") add("spec.allowedListeners", "ListenerSets are not served yet", "no listener is added by them");
  const { backend } = spec?.tls ?? {};
  if (backend !== undefined) {
    add("spec.tls.backend", "is not served yet", "backends are not shown a client certificate");
  }
  const { labels = {}, annotations = {} } = spec?.infrastructure ?? {};
  if (Object.keys(labels).length + Object.keys(annotations).length > 0) {
    const why = "Sluice makes no objects of its own for the Gateway";
    add("spec.infrastructure", why, "its labels and annotations are copied nowhere");
  }
  for (const [at, { tls }] of (spec?.listeners ?? []).entries()) {
    const options = Object.keys(tls?.options ?? {});
    if (options.length > 0) {
      add(`spec.listeners[${at}].tls.options`, `${options.join(", ")} is no option that Sluice knows`, "it is ignored");
    }
  }
  return problems;
}
