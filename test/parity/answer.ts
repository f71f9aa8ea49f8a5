/**
 * An answer in the form of the expectations: parts that vary from run to run are left out, or
 * replaced by a name in angle brackets. A repeated request only has a `tally` (or `answers`, or
 * `distinct`).
 */
import type { Seen } from "../support/echo-backend.ts";

export interface Answer {
  readonly request: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly seen?: Partial<Seen>;
  readonly body?: string;
  readonly error?: string;
  readonly tlsError?: string;
  readonly certificate?: string;
  readonly protocol?: string;
  readonly cipher?: string;
  readonly alpn?: string | null;
  readonly ticket?: boolean;
  readonly resumed?: boolean;
  readonly slow?: boolean;
  readonly statuses?: readonly number[];
  readonly kept?: boolean;
  readonly tally?: Readonly<Record<string, number>>;
  readonly answers?: readonly string[];
  readonly distinct?: number;
}
