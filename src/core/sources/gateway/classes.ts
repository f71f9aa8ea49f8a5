/**
 * Reads the GatewayClasses of this controller. There are few, so all are read again when one of
 * them or their parameters may have changed.
 */
import type { GatewayClass } from "../../model/gateway/objects.ts";
import type { DesiredCondition, DesiredStatus } from "../../model/gateway/status.ts";
import { type Problem, sentence } from "../../model/problem.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { TranslateOptions } from "../../table/options.ts";
import { closingProblem, ignoredProblems, unknownIn } from "../../table/unknown-fields.ts";
import { fails, holds, wordsOfAll } from "./conditions.ts";
import { supportedFeatures } from "./features.ts";
import { type PartialParameters, readParameters, withoutServices } from "./parameters.ts";
import { minorOf, supportedVersion } from "./versions.ts";

export interface ClassReading {
  /** Whether Gateways of the class are served. */
  readonly isServed: boolean;
  readonly status: DesiredStatus;
  readonly problems: readonly Problem[];
  /** Undefined if they cannot be read. */
  readonly parameters: PartialParameters | undefined;
}

/** Returns the classes by name. */
export function readClasses(snapshot: Snapshot, options: TranslateOptions): ReadonlyMap<string, ClassReading> {
  const ours = [...snapshot.gatewayClasses].filter(
    ([, { spec }]) => spec?.controllerName === options.gateway.controllerName,
  );
  return new Map(ours.map(([name, object]) => [name, readClass(object, snapshot, options)]));
}

/** Whether an object from which classes are read has changed. */
export function mayClassesDiffer(before: Snapshot, now: Snapshot): boolean {
  return (["gatewayClasses", "configMaps", "definitionVersions"] as const).some((part) => before[part] !== now[part]);
}

function readClass(gatewayClass: GatewayClass, snapshot: Snapshot, options: TranslateOptions): ClassReading {
  const isStatic = options.lacks.has("lua");
  const { definitionVersions } = snapshot;
  const minor = minorOf(definitionVersions);
  const object = { kind: "GatewayClass", name: gatewayClass.metadata.name };
  const reference = gatewayClass.spec?.parametersRef;
  const read =
    reference &&
    readParameters({
      reference,
      object,
      field: "spec.parametersRef",
      done:
        options.gateway.services === undefined
          ? withoutServices
          : "its Gateways keep the Services that they have, and new ones get none",
      configMap: (key) => snapshot.configMaps.get(key),
    });
  const parameters = read?.problem;
  const unknown = unknownIn(gatewayClass);
  const guard = unknown.find(({ mayGuard }) => mayGuard);
  const ignored = ignoredProblems(object, guard === undefined ? unknown : []);
  const unserved: Problem | undefined = isStatic
    ? {
        object,
        kind: "value-unsupported",
        field: "spec.controllerName",
        why: "the Gateway API needs dynamic mode, and this controller is in static mode",
        done: notServed,
      }
    : guard && closingProblem(object, guard, notServed);
  return {
    isServed: unserved === undefined,
    status: {
      kind: "GatewayClass",
      object: gatewayClass,
      conditions: [accepted(unserved, parameters, ignored), supportedVersion(definitionVersions)],
      // Features had another form in v1.0 and v1.1, where the API server would refuse the status.
      supportedFeatures: isStatic || (minor !== undefined && minor < 2) ? [] : supportedFeatures(options, minor),
    },
    problems: [unserved, parameters, ...ignored].filter((one) => one !== undefined),
    parameters: read === undefined ? {} : read.values,
  };
}

const notServed = "its Gateways are not served";

function accepted(
  unserved: Problem | undefined,
  parameters: Problem | undefined,
  ignored: readonly Problem[],
): DesiredCondition {
  if (unserved !== undefined) return fails("Accepted", "Unsupported", sentence(unserved));
  if (parameters !== undefined) return fails("Accepted", "InvalidParameters", sentence(parameters));
  const more = ignored.length === 0 ? "" : `. ${wordsOfAll(ignored)}`;
  return holds("Accepted", `Sluice serves Gateways of this class${more}`);
}

/** Whether the two readings are equal for the Gateways of the class. */
export function isSameClass(one: ClassReading | undefined, other: ClassReading | undefined): boolean {
  const textOf = (reading: ClassReading | undefined) => JSON.stringify([reading?.isServed, reading?.parameters]);
  return textOf(one) === textOf(other);
}
