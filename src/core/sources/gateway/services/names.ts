/** Makes the name and labels of the Service of a Gateway, as GEP-1762 defines them. */
import { createHash } from "node:crypto";
import { type Gateway, gatewayGroup } from "../../../model/gateway/objects.ts";
import { managedByLabel, managedBySluice } from "../../../model/gateway/services.ts";

/** The most characters in names of Services, and in values of labels. */
const longest = 63;
const serviceName = /^[a-z]([a-z\d-]*[a-z\d])?$/;

/**
 * Returns `GATEWAY-CLASS`. If that cannot be the name of a Service, returns a similar name with
 * a hash at its end.
 */
export function serviceNameOf({ metadata, spec }: Gateway): string {
  const plain = `${metadata.name}-${spec?.gatewayClassName ?? ""}`;
  if (plain.length <= longest && serviceName.test(plain)) return plain;
  return hashed(plain.replace(/[^a-z\d-]/g, "-").replace(/^(?![a-z])/, "g"), plain);
}

/**
 * Returns labels with the Gateway and its class, and a label that says that Sluice manages the
 * object.
 */
export function serviceLabels({ metadata, spec }: Gateway): Readonly<Record<string, string>> {
  return {
    [managedByLabel]: managedBySluice,
    [`${gatewayGroup}/gateway-name`]: labelOf(metadata.name),
    [`${gatewayGroup}/gateway-class-name`]: labelOf(spec?.gatewayClassName ?? ""),
  };
}

/** Returns the name of an object as the value of a label, shortened if it is too long. */
function labelOf(name: string): string {
  return name.length <= longest ? name : hashed(name, name);
}

function hashed(text: string, of: string): string {
  const hash = createHash("sha256").update(of).digest("hex").slice(0, 8);
  return `${text.slice(0, longest - 9).replace(/[^a-z\d]+$/, "")}-${hash}`;
}
