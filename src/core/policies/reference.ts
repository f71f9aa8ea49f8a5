/**
 * Secrets and ConfigMaps that annotations name. A name in another namespace is refused unless the
 * operator allows it; otherwise authors of Ingresses could use objects that they may not read
 * (RS-2.11).
 */
import { textOf, trimmed } from "../kinds/text.ts";
import { notFound } from "../model/missing.ts";
import type { Why } from "../model/problem.ts";
import { type Context, type Declared, type Field, textField } from "./declare.ts";

/** Checks the characters of a reference only; whether the object exists is known later. */
const referenceText = trimmed(textOf({ label: "letters, digits and - . _ ~ / :", characters: "A-Za-z0-9._~/:\\-" }));

/** Declares an annotation that names a Secret or a ConfigMap. */
export function referenceField(key: string, declared: Omit<Declared<string>, "kind" | "risk">): Field<string> {
  return textField(key, { kind: referenceText, risk: "Medium", ...declared });
}

export type Named<T> = { readonly ok: true; readonly object: T } | { readonly ok: false; readonly reason: Why };

/**
 * Returns the object that `text` names: `namespace/name`, or a bare name in the Ingress's own
 * namespace.
 */
export function named<T>(text: string, kind: string, find: (key: string) => T | undefined, context: Context): Named<T> {
  const { ingress } = context;
  const parts = text.split("/");
  const [namespace = "", name = ""] = parts.length === 1 ? [ingress.namespace, text] : parts;
  if (parts.length > 2 || namespace === "" || name === "")
    return { ok: false, reason: { why: `${text} is not namespace/name` } };
  const refused = namespace === ingress.namespace ? undefined : context.foreign(kind, `${namespace}/${name}`);
  if (refused !== undefined) return { ok: false, reason: { why: refused } };
  const object = find(`${namespace}/${name}`);
  return object === undefined ? { ok: false, reason: notFound(kind, `${namespace}/${name}`) } : { ok: true, object };
}
