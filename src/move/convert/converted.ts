/**
 * Makes a conversion with its proof. The written YAML is read again for the proof, so that a
 * mistake in the text is found as well.
 */

import { translateOptions } from "../../controller/flags/options.ts";
import type { Command, Flags } from "../../controller/flags.ts";
import { named } from "../../core/model/problem.ts";
import { type ObjectChange, type Snapshot, withObjects } from "../../core/model/snapshot.ts";
import { Table } from "../../core/model/table.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { translate } from "../../core/table/translator.ts";
import { emptyInputs } from "../../core/table/turn.ts";
import { readManifest } from "../../edges/folder/manifest.ts";
import { unmadeCertificate } from "../../tools/folder.ts";
import { leftOutNote } from "../../tools/left-out.ts";
import { type Difference, differenceKinds } from "../replay/difference.ts";
import type { World } from "../replay/effect.ts";
import { proveWithEndpoints } from "../replay/endpoints.ts";
import type { Proof } from "../replay/proof.ts";
import { type Conversion, type ConvertOptions, convert } from "./convert.ts";
import { passedHosts } from "./passthrough/passed.ts";
import { yamlOf } from "./yaml.ts";

export interface Converted {
  readonly conversion: Conversion;
  readonly yaml: string;
  /** The objects after the Ingresses were deleted. */
  readonly after: Snapshot;
  readonly proof: Proof;
  /** A sentence about Ingresses of other classes, if there are some. */
  readonly unserved: string | undefined;
  /** The two sides that the proof compared. */
  readonly worlds: { readonly ofIngresses: World; readonly ofRoutes: World };
}

/** The ports of the Gateway that is written. */
const ports = { http: 80, https: 443 } as const;

/**
 * Returns options with which the written Gateway is served on the ports of Ingresses, as with
 * `serve`, so that it needs no addresses.
 */
export function optionsFor(flags: Flags, as: Command): TranslateOptions {
  const options = translateOptions({ ...flags, httpPort: ports.http, httpsPort: ports.https }, as, undefined);
  return { ...options, gateway: { ...options.gateway, addresses: [], sharesPorts: true } };
}

export function converted(
  now: Snapshot,
  { flags, as }: { readonly flags: Flags; readonly as: Command },
  options: Pick<ConvertOptions, "gateway" | "gatewayClass">,
): Converted {
  const translating = optionsFor(flags, as);
  const before = translate({ ...emptyInputs, snapshot: now }, translating, unmadeCertificate);
  const conversion = convert(now, before, {
    ...options,
    controllerName: translating.gateway.controllerName,
    annotationsPrefix: translating.annotationsPrefix,
    defaultBackend: translating.defaultBackendService,
    passesTls: translating.enableSslPassthrough,
  });
  const yaml = yamlOf(conversion.objects);
  const { objects, faults } = readManifest(yaml);
  const ingresses = Table.from([...now.ingresses].filter(([key]) => conversion.kept.has(key)));
  const without = withObjects({ ...now, ingresses }, objects as readonly ObjectChange[]);
  const after = translate({ ...emptyInputs, snapshot: without }, translating, unmadeCertificate);
  const world = (served: World["served"]): World => ({
    served,
    options: { ownPaths: [flags.healthCheckPath, "/nginx_status"], builtInPort: flags.defaultServerPort, ports },
    defaultService: translating.defaultBackendService,
    passed: passedHosts(served.servers.values(), now.services, translating.enableSslPassthrough),
  });
  const worlds = { ofIngresses: world(before.configuration), ofRoutes: world(after.configuration) };
  const proof = proveWithEndpoints(worlds, now, (host) => !conversion.keptHosts.has(host));
  const refused = faults.map(({ object, field, why }): Difference => {
    const { todo } = differenceKinds.manifest;
    const about = object === undefined ? "an object" : named(object);
    const known = { host: about, request: about, more: 0, field, now: "", after: "", annotations: [] };
    return { kind: "manifest", ...known, why: `${field}: ${why}`, todo };
  });
  const differences = [...refused, ...proof.differences];
  const unserved = leftOutNote(now, (key) => before.accepted.has(key), translating.ingressClass);
  return { conversion, yaml, after: without, proof: { ...proof, differences }, unserved, worlds };
}
