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
  return textsOf(spec).flatMap(([text, field]) => {
    const sign = signs.find(([pattern]) => pattern.test(text));
    if (sign === undefined) return [];
    const why = `it looks like ${sign[1]}, and --deep-inspect is on`;
    return [{ object, kind: "field-unusable", field: field(), why, done: "the Ingress is not applied" }];
  });
}

/** The name of a field is asked for where there is something to say, which is nearly never. */
function textsOf(spec: Ingress["spec"]): (readonly [text: string, field: () => string])[] {
  const rules = (spec?.rules ?? []).flatMap(({ host = "", http }, r) => [
    [host, () => `spec.rules[${r}].host`] as const,
    ...(http?.paths ?? []).map(({ path = "" }, p) => [path, () => `spec.rules[${r}].http.paths[${p}].path`] as const),
  ]);
  const tls = (spec?.tls ?? []).flatMap(({ hosts = [], secretName = "" }, t) => [
    ...hosts.map((host, h) => [host, () => `spec.tls[${t}].hosts[${h}]`] as const),
    [secretName, () => `spec.tls[${t}].secretName`] as const,
  ]);
  return [...rules, ...tls];
}
