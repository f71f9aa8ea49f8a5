/**
 * The part of the key of cached auth answers beside the author's own text: host, type and path, as
 * in ingress-nginx (RS-16.7). A wildcard host is one host, and so is a host with its aliases.
 */

import type { Server } from "../../model/configuration.ts";
import { serverKey } from "../../model/listeners.ts";
import { keepsAnswers } from "../../policies/external-auth/question.ts";
import type { FeatureValues } from "../../policies/registry.ts";

/** Returns an empty text if no answer is cached. `index` is that of the Location. */
export function keptBy(server: Server<FeatureValues>, index: number): string {
  const { locations, routes } = server;
  const { path, features } = locations[index]!;
  if (!keepsAnswers(features)) return "";
  const own = routes.filter((route) => route.match !== "slash" && route.location === index);
  const isExact = own.every(({ match }) => match === "exact");
  return `${serverKey(server)} ${isExact ? "exact" : "prefix"} ${path}`;
}
