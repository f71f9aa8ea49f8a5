/**
 * The types of client-node as JSON: read-only, and each time is a text. client-node's own requests
 * turn times into Dates, and Sluice's do not, because a Date takes more memory and is never needed.
 */
import type { KubernetesObject } from "./object.ts";

export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Json<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Json<T[Name]> }
      : T;

/** An object of this type of client-node. The API server always gives it a kind and a name. */
export type JsonObject<T> = KubernetesObject & Json<Omit<T, keyof KubernetesObject>>;
