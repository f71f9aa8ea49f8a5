/**
 * Decides whether Sluice knows the version of the Gateway API's definitions. With unknown versions
 * Gateways are served as far as possible, which the specification calls best effort.
 */
import type { DefinitionVersions } from "../../model/gateway/definition-versions.ts";
import { gatewayGroup } from "../../model/gateway/objects.ts";
import type { DesiredCondition } from "../../model/gateway/status.ts";
import { fails, holds } from "./conditions.ts";

/** The minor versions of v1 whose kinds and fields Sluice knows. */
const minors = { first: 0, last: 7 } as const;
const known = `v1.${minors.first} to v1.${minors.last}`;

const type = "SupportedVersion";

export function supportedVersion(versions: DefinitionVersions | undefined): DesiredCondition {
  if (versions === undefined || (versions !== "unreadable" && versions.size === 0)) {
    return holds(type, `Sluice knows the Gateway API ${known}`);
  }
  if (versions === "unreadable") {
    const why = "the definitions of the Gateway API cannot be read, because the right to get them is missing";
    return { type, status: "Unknown", reason: "VersionUnknown", message: `${why}. Sluice knows ${known}` };
  }
  const unknown = unknownVersions(versions);
  if (unknown !== undefined) return fails(type, "UnsupportedVersion", unknown);
  return holds(type, `the definitions of the Gateway API are of ${[...new Set(versions.values())].sort().join(", ")}`);
}

/** Returns the sentence about definitions of unknown versions; undefined if there are none. */
export function unknownVersions(versions: DefinitionVersions): string | undefined {
  if (versions === "unreadable") return undefined;
  const strange = [...versions].filter(([, version]) => !isKnown(version));
  const byVersion = [...Map.groupBy(strange, ([, version]) => version)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const parts = byVersion.map(([version, some]) => {
    const names = some.map(([name]) => name).sort();
    const which = names.length === 1 ? `the definition ${names[0]}` : `the definitions ${names.join(", ")}`;
    const be = names.length === 1 ? "is" : "are";
    return `${which} ${version === "" ? `${be} without a version` : `${be} of ${version}`}`;
  });
  if (parts.length === 0) return undefined;
  return `${parts.join("; ")}. Sluice knows ${known}; Gateways are served as far as that goes`;
}

/** Returns the minor version of v1 of which the definition of GatewayClasses is, if it is known. */
export function minorOf(versions: DefinitionVersions | undefined): number | undefined {
  if (versions === undefined || versions === "unreadable") return undefined;
  return minorIn(versions.get(`gatewayclasses.${gatewayGroup}`) ?? "");
}

function isKnown(version: string): boolean {
  const minor = minorIn(version);
  return minor !== undefined && minor >= minors.first && minor <= minors.last;
}

function minorIn(version: string): number | undefined {
  const minor = /^v1\.(\d{1,4})\.\d+(?:-.*)?$/.exec(version)?.[1];
  return minor === undefined ? undefined : Number(minor);
}
