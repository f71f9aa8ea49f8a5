/** A release of a chart that another tool installs, and where its values come from. */
import type { Path } from "../../../edges/folder/check.ts";
import type { Vendor } from "../vendors.ts";

export interface Release {
  /** `HelmRelease flux/ingress`. */
  readonly of: string;
  readonly namespace: string;
  /** The release's name, from which the chart makes the names of its objects. */
  readonly name: string;
  readonly chart: "ours" | Vendor;
  /** The chart is a folder of a repository, which may only depend on ingress-nginx's. */
  readonly isFolder?: true;
  /** It is RKE2's copy of the chart. */
  readonly isOfRke2?: true;
  /** In rising order of precedence, as helm merges them. */
  readonly parts: readonly Part[];
}

/** The source of a part of the values. */
export type Part =
  /** A mapping in the object itself. */
  | { readonly kind: "inline"; readonly path: Path }
  /** YAML as text in the object. */
  | { readonly kind: "text"; readonly path: Path }
  /** `controller.config.hsts: "true"`. */
  | { readonly kind: "parameter"; readonly path: Path; readonly name: string; readonly value: string }
  /** A ConfigMap, by namespace and name, with YAML under a key. */
  | { readonly kind: "configmap"; readonly path: Path; readonly id: string; readonly key: string }
  /**
   * A values file, by its path from the object's own file or from the top of the folder; `why`
   * counts if it is not here.
   */
  | {
      readonly kind: "file";
      readonly path: Path;
      readonly from: "object" | "top";
      readonly name: string;
      readonly why: string;
    }
  /** A folder of a git repository, which has further values; `why` counts if it is not here. */
  | { readonly kind: "folder"; readonly path: Path; readonly name: string; readonly why: string }
  /** Values that no object here has. */
  | { readonly kind: "elsewhere"; readonly path: Path; readonly why: string };
