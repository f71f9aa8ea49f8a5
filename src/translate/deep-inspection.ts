/**
 * Hosts, paths and Secret names that look like an attempt to configure nginx (RS-1.9). None of them could reach nginx as
 * more than a quoted value; the Ingress is refused all the same, because whoever writes such a thing should hear of it.
 */
import type { Ingress } from "../model/objects.ts";
import type { Problem } from "../problem.ts";

const signs: readonly (readonly [RegExp, string])[] = [
  [/alias.*;/s, "an alias directive"],
  [/root.*;/s, "a root directive"],
  [/\/etc\/(passwd|shadow|group|nginx|ingress-controller)/, "a protected file of the controller"],
  [/\/var\/run\/secrets/, "the folder with the controller's token"],
  [/_by_lua/, "a Lua directive"],
];

/** One Problem for each field that shows a sign. */
export function inspect({ metadata, spec }: Ingress): Problem[] {
  const object = { kind: "Ingress", namespace: metadata.namespace ?? "default", name: metadata.name };
  return textsOf(spec).flatMap(([field, text]) => {
    const sign = signs.find(([pattern]) => pattern.test(text));
    if (sign === undefined) return [];
    const why = `it looks like ${sign[1]}, and --deep-inspect is on`;
    return [{ object, kind: "field-unusable", field, why, done: "the Ingress is not applied" }];
  });
}

function textsOf(spec: Ingress["spec"]): (readonly [field: string, text: string])[] {
  const rules = [...(spec?.rules ?? []).entries()].flatMap(([r, { host = "", http }]) => [
    [`spec.rules[${r}].host`, host] as const,
    ...(http?.paths ?? []).map(({ path = "" }, p) => [`spec.rules[${r}].http.paths[${p}].path`, path] as const),
  ]);
  const tls = [...(spec?.tls ?? []).entries()].flatMap(([t, { hosts = [], secretName = "" }]) => [
    ...hosts.map((host, h) => [`spec.tls[${t}].hosts[${h}]`, host] as const),
    [`spec.tls[${t}].secretName`, secretName] as const,
  ]);
  return [...rules, ...tls];
}
