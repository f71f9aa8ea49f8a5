/**
 * Finds fields of Gateways and ListenerSets that the API server accepts and Sluice does not serve,
 * and that close no listener.
 */
import { shown } from "../../kinds/kind.ts";
import type { ListenerSet } from "../../model/gateway/listener-set.ts";
import type { Gateway, RouteNamespaces } from "../../model/gateway/objects.ts";
import type { ObjectName, Problem } from "../../model/problem.ts";
import type { GatewayOptions } from "../../table/options.ts";
import { closingProblem, ignoredProblems } from "../../table/unknown-fields.ts";
import { guardsOfSets, ignoredFields, listenersKey } from "./listener/closed.ts";
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
    problems.push({ object, kind: "value-unusable", field, why, done });
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
  const noSets = "no ListenerSet is attached";
  for (const one of guardsOfSets(gateway)) problems.push(closingProblem(object, one, noSets));
  const sets = unknownChoice(object, "spec.allowedListeners.namespaces", spec?.allowedListeners?.namespaces, noSets);
  return [...problems, ...sets, ...unservedListenerFields(gateway, object)];
}

/** Returns such fields of a Gateway or a ListenerSet that concern its listeners. */
export function unservedListenerFields(source: Gateway | ListenerSet, object: ObjectName): readonly Problem[] {
  const listeners = source.spec?.listeners ?? [];
  return [
    ...ignoredProblems(object, ignoredFields(source)),
    ...listeners.flatMap(({ allowedRoutes }, at) =>
      unknownChoice(
        object,
        `${listenersKey}[${at}].allowedRoutes.namespaces`,
        allowedRoutes?.namespaces,
        "no route is attached",
      ),
    ),
  ];
}

const choices = ["All", "Same", "Selector", "None"];

/** Reports a way to choose namespaces that Sluice does not know. It chooses none. */
function unknownChoice(
  object: ObjectName,
  field: string,
  namespaces: RouteNamespaces | undefined,
  done: string,
): readonly Problem[] {
  const { from = "None" } = namespaces ?? {};
  if (choices.includes(from)) return [];
  const why = `${shown(from)} is not All, Same or Selector`;
  return [{ object, kind: "value-unusable", field: `${field}.from`, why, done }];
}
