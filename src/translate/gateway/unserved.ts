/**
 * Finds fields of Gateways and routes that the API server accepts and Sluice does not serve. None
 * of them is a guard.
 */
import { shown } from "../../kinds/kind.ts";
import type { Gateway, GatewayListener } from "../../model/gateway/objects.ts";
import type { ObjectName, Problem } from "../../problem.ts";
import type { GatewayOptions } from "../options.ts";
import { isScope } from "./listener/default-gateways.ts";
import { uncopied } from "./services/desired.ts";

export function unservedFields(
  gateway: Gateway,
  object: ObjectName,
  { services }: Pick<GatewayOptions, "services">,
): readonly Problem[] {
  const { spec } = gateway;
  const problems: Problem[] = [];
  const add = (field: string, why: string, done: string) =>
    problems.push({ object, kind: "field-unusable", field, why, done });
  // A listener of a set may have the port.
  const isAlone = (spec?.allowedListeners?.namespaces?.from ?? "None") === "None";
  for (const [at, { port, tls }] of (spec?.tls?.frontend?.perPort ?? []).entries()) {
    const isGuarding = spec?.listeners?.some((one) => one.port === port && one.protocol === "HTTPS") === true;
    if (tls?.validation !== undefined && !isGuarding && isAlone) {
      add(`spec.tls.frontend.perPort[${at}]`, `no listener of protocol HTTPS has port ${port}`, "it asks no client");
    }
  }
  const scope = spec?.defaultScope;
  if (!isScope(scope)) {
    const done = "routes are attached where spec.parentRefs names the Gateway";
    add("spec.defaultScope", `${shown(scope!)} is not All or None`, done);
  }
  const { labels = {}, annotations = {} } = spec?.infrastructure ?? {};
  if (services !== undefined) problems.push(...uncopied(gateway, object, services));
  else if (Object.keys(labels).length + Object.keys(annotations).length > 0) {
    const why =
      "its labels and annotations have no effect, because the Gateway gets no Service of its own; a controller with --gateway-services makes one";
    problems.push({ object, kind: "field-doubtful", field: "spec.infrastructure", why });
  }
  return [...problems, ...unservedListenerFields(spec?.listeners ?? [], object)];
}

/** Returns such fields of the listeners of a Gateway or a ListenerSet. */
export function unservedListenerFields(listeners: readonly GatewayListener[], object: ObjectName): readonly Problem[] {
  return listeners.flatMap(({ tls }, at): Problem[] => {
    const options = Object.keys(tls?.options ?? {});
    if (options.length === 0) return [];
    const why = `${options.join(", ")} is not an option that Sluice knows`;
    const field = `spec.listeners[${at}].tls.options`;
    return [{ object, kind: "field-unusable", field, why, done: "it is ignored" }];
  });
}
