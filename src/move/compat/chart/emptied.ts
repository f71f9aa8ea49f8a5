/**
 * Finds keys without a value for which the chart needs one. Helm takes such a key for one whose
 * default is removed, with all that stands below it.
 */
import { readFileSync } from "node:fs";
import { shipped } from "../../../base/shipped.ts";
import type { Path } from "../../../core/schema/findings.ts";
import { at } from "../../../tools/value-at.ts";

interface Needed {
  readonly path: string;
  /** The value that turns on the objects for which the key is needed. */
  readonly if?: string;
}

let read: readonly Needed[] | undefined;

/** `fallbackOf` returns the default of a value as JSON. */
export function emptied(values: unknown, fallbackOf: (path: string) => string | undefined): readonly Path[] {
  read ??= JSON.parse(readFileSync(shipped("charts/sluice/files/needed.json"), "utf8")) as readonly Needed[];
  return read.flatMap((needed) => {
    const on = needed.if === undefined ? "true" : (jsonAt(values, needed.if) ?? fallbackOf(needed.if) ?? "null");
    const isOff = ["null", "false", '""', "{}"].includes(on);
    return !isOff && jsonAt(values, needed.path) === "null" ? [needed.path.split(".")] : [];
  });
}

const jsonAt = (values: unknown, path: string): string | undefined => JSON.stringify(at(values, ...path.split(".")));
