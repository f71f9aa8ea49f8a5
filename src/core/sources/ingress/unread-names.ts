/**
 * Recognises annotations whose whole name is close to one that Sluice reads: with an old prefix,
 * one of another program, or a typing mistake in the prefix or in the name of the class. Other
 * unknown names belong to other programs, and nothing is said about them.
 */

import { editDistance } from "../../kinds/nearest.ts";
import { classAnnotation } from "../../model/objects.ts";
import { annotationKeys } from "../../policies/read.ts";

/**
 * ingress-nginx has not read the first prefix since 2017, but old manifests still have it. Some
 * charts write it beside the right one, for other programs. The others are common mistakes.
 */
const wrongPrefixes = [
  "ingress.kubernetes.io",
  "nginx.kubernetes.io",
  "ingress.nginx.kubernetes.io",
  "nginx.ingress.k8s.io",
];

/** The most letters that are wrong in a typing mistake. */
const mostWrong = 2;

/**
 * Returns why the annotation with this name has no effect; undefined if it has one, or if it is
 * another program's. `annotations` are all those of the Ingress.
 */
export function unreadName(name: string, prefix: string, annotations: object): string | undefined {
  const slash = name.indexOf("/");
  const [own, key] = [name.slice(0, slash), name.slice(slash + 1)];
  if (slash === -1 || own === prefix) return undefined;
  if (own === "nginx.org" || own === "nginx.com")
    return `the prefix ${own} is for F5's NGINX Ingress Controller, another program`;
  const isMeant = wrongPrefixes.includes(own) ? annotationKeys.includes(key) : isMisspelt(own, prefix);
  if (isMeant)
    return `${prefix}/${key}` in annotations ? undefined : `the prefix ${own} is not read; write ${prefix}/${key}`;
  if (!isMisspelt(name, classAnnotation)) return undefined;
  return classAnnotation in annotations ? undefined : `the class is read from ${classAnnotation}`;
}

function isMisspelt(text: string, word: string): boolean {
  if (text === word || Math.abs(text.length - word.length) > mostWrong) return false;
  return editDistance(text, word) <= mostWrong;
}
