/**
 * The decision on a request, as a value: each step in the order in which nginx takes it, and how it
 * ends. Printers and pages are made of it.
 */
import type { Canary, Upstream } from "../model/configuration.ts";
import type { FoundHost } from "./host.ts";
import type { FoundPath } from "./path.ts";
import type { ReadRequest } from "./request.ts";

/** Something that stands before the backend and may stop a request. */
export interface Guard {
  /** The feature's name, as its file has it. */
  readonly what: string;
  /** A sentence: what it asks for, and what it says of this request. */
  readonly says: string;
  /** `depends`: on what no one knows beforehand, such as a password or the client's address. */
  readonly outcome: "passes" | "stops" | "depends";
  /** The status for the client where it stops. */
  readonly status?: number;
}

export type End =
  /** nginx answers by itself. */
  | { readonly kind: "answer"; readonly status: number; readonly why: string; readonly location?: string }
  | {
      readonly kind: "proxied";
      readonly upstream: Upstream;
      /** Alternatives that may take the request in its place. */
      readonly canaries: readonly { readonly canary: Canary; readonly upstream: Upstream | undefined }[];
      /** The path as the backend sees it, where it is rewritten. */
      readonly rewritten?: string;
      /** Whether another Service stands in because the Location's own has no endpoints. */
      readonly standsIn: boolean;
    }
  /** Only nginx can say. */
  | { readonly kind: "unclear"; readonly why: string };

export interface Decision {
  /** Undefined where nginx answers 400 before it looks at anything. */
  readonly request: ReadRequest | undefined;
  readonly host: FoundHost | undefined;
  /** Undefined where the host alone decides. */
  readonly path: FoundPath | undefined;
  /** In the order in which they are asked; none after the one that stops. */
  readonly guards: readonly Guard[];
  readonly end: End;
  /** Statuses whose answer another backend writes. */
  readonly errorPages: readonly number[];
}
