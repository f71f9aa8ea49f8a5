/**
 * The schema of flags under controller.extraArgs: an unreadable flag would end the controller at
 * each start.
 */
import type { Flag } from "../../src/controller/flag.ts";
import { type Shape, texts } from "./shape.ts";

const duration = "^[+-]?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$";

/**
 * Patterns are about values in quotes; helm checks a number without quotes by its range. An empty
 * value is the flag alone.
 */
export function flagShape({ kind: { label }, toggle }: Flag<unknown>): Shape {
  if (toggle)
    return {
      type: ["boolean", "string", "integer", "null"],
      pattern: "^(|[01tTfF]|true|TRUE|True|false|FALSE|False)$",
    };
  const words = /^one of (.+)$/.exec(label)?.[1]?.split(", ");
  if (words !== undefined) return { enum: [...words, null] };
  const [, from, to] = /^a (?:whole number|port),? from (\d+)(?: to (\d+))?/.exec(label) ?? [];
  if (/^a duration/.test(label)) return { type: ["string", "integer", "null"], pattern: duration, maximum: 0 };
  if (from === undefined) return { type: ["string", "number", "boolean", "null"] };
  const number = "[+-]?(0[xX][0-9a-fA-F_]+|0[oObB]?[0-7_]+|[0-9_]+)";
  return {
    type: ["integer", "string", "null"],
    pattern: label.endsWith(", or empty") ? `^(|${number})$` : `^${number}$`,
    minimum: Number(from),
    ...(to === undefined ? {} : { maximum: Number(to) }),
  };
}

/** The chart's templates refuse an unknown flag and name the one that was probably meant. */
export function flagShapes(flags: readonly Flag<unknown>[]): Shape {
  const properties = Object.fromEntries(flags.map((one) => [one.name, flagShape(one)]));
  return { ...texts, properties };
}
