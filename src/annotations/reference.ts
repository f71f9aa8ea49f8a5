/**
 * Secrets and ConfigMaps that annotations name. A name in another namespace is refused unless the
 * operator allows it; otherwise authors of Ingresses could use objects that they may not read
 * (RS-2.11).
 */
import { textOf, trimmed } from "../kinds/text.ts";
import type { Context } from "./declare.ts";

/** Checks the characters of a reference only; whether the object exists is known later. */
export const referenceText = trimmed(
  textOf({ label: "letters, digits and - . _ ~ / :", characters: "A-Za-z0-9._~/:\\-" }),
);

export type Named<T> = { readonly ok: true; readonly object: T } | { readonly ok: false; readonly why: string };

/**
 * Returns the object that `text` names: `namespace/name`, or a bare name in the Ingress's own
 * namespace. `why` completes the sentence "annotation x: …".
 */
export function named<T>(text: string, kind: string, find: (key: string) => T | undefined, context: Context): Named<T> {
  const { ingress } = context;
  const parts = text.split("/");
  const [namespace = "", name = ""] = parts.length === 1 ? [ingress.namespace, text] : parts;
  if (parts.length > 2 || namespace === "" || name === "") return { ok: false, why: `${text} is not namespace/name` };
  const refused = namespace === ingress.namespace ? undefined : context.foreign(kind, `${namespace}/${name}`);
  if (refused !== undefined) return { ok: false, why: refused };
  const object = find(`${namespace}/${name}`);
  return object === undefined ? { ok: false, why: `${kind} ${namespace}/${name} not found` } : { ok: true, object };
}
