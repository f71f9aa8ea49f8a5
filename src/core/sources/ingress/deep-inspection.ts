/**
 * Finds hosts, paths and Secret names that look like an attempt to configure nginx (RS-1.9). They
 * could only reach nginx as quoted values, but the Ingress is refused nevertheless, so that the
 * attempt is noticed.
 */
import type { Ingress } from "../../model/objects.ts";
import type { Problem } from "../../model/problem.ts";

const signs: readonly (readonly [(text: string) => boolean, string])[] = [
  [(text) => hasInOrder(text, "alias", ";"), "an alias directive"],
  [(text) => hasInOrder(text, "root", ";"), "a root directive"],
  [(text) => /\/etc\/(passwd|shadow|group|nginx|ingress-controller)/.test(text), "a protected file of the controller"],
  [(text) => text.includes("/var/run/secrets"), "the folder with the controller's token"],
  [(text) => text.includes("_by_lua"), "a Lua directive"],
];

/** Whether `last` occurs somewhere after `first`. */
function hasInOrder(text: string, first: string, last: string): boolean {
  const at = text.indexOf(first);
  return at >= 0 && text.includes(last, at + first.length);
}

/**
 * Words that each suspicious text contains. Few texts have any of them, so this is a fast first
 * check.
 */
const words = /alias|root|\/etc\/|\/var\/run\/secrets|_by_lua/;
const anySign = (text: string): boolean => words.test(text) && signs.some(([isIn]) => isIn(text));

/** Returns one Problem for each suspicious field. */
export function inspect({ metadata, spec }: Ingress): Problem[] {
  const problems: Problem[] = [];
  spec?.rules?.forEach(({ host = "", http }, r) => {
    if (anySign(host)) report(host, `spec.rules[${r}].host`);
    http?.paths?.forEach(({ path = "" }, p) => {
      if (anySign(path)) report(path, `spec.rules[${r}].http.paths[${p}].path`);
    });
  });
  spec?.tls?.forEach(({ hosts = [], secretName = "" }, t) => {
    hosts.forEach((host, h) => {
      if (anySign(host)) report(host, `spec.tls[${t}].hosts[${h}]`);
    });
    if (anySign(secretName)) report(secretName, `spec.tls[${t}].secretName`);
  });
  return problems;

  function report(text: string, field: string): void {
    const object = { kind: "Ingress", namespace: metadata.namespace ?? "default", name: metadata.name };
    const [, sign] = signs.find(([isIn]) => isIn(text))!;
    problems.push({ object, kind: "inspection-failed", field, sign });
  }
}
