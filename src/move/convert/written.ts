/**
 * The output of `convert`: objects of the Gateway API as plain values, with comments that name the
 * origin of each part.
 */
import type { ObjectMeta } from "../../core/model/objects.ts";

/** An object with its comments. */
export interface Written {
  readonly object: WrittenObject;
  readonly comments: readonly Comment[];
}

export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: object;
  /** The data of a ConfigMap; absent from objects of other kinds. */
  readonly data?: Readonly<Record<string, string>>;
}

/** Lines of text above the value that the path leads to; an empty path is the object itself. */
export interface Comment {
  readonly at: readonly (string | number)[];
  readonly text: string;
}

/**
 * A remark on the conversion beside the objects: a name that was shortened, a route that was split,
 * or a part that was left out.
 */
export interface Note {
  /** The object, such as `Ingress shop/web`. */
  readonly about: string;
  readonly text: string;
}
