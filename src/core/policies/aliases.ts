/**
 * Further names of a host. They hold for the whole host: the oldest Ingress that lists some wins. A
 * name that is also the host of an Ingress stays with that host (RS-25.1); `translate/` works that
 * out.
 */

import { serverName } from "../kinds/server-names.ts";
import { listOf } from "../kinds/text.ts";
import { feature, field } from "./declare.ts";

export const aliases = feature({
  name: "aliases",
  scope: "host",
  notOnRoutes: "spec.hostnames of the route has all its names",
  live: true,
  fields: {
    names: field<readonly string[]>("server-alias", {
      example: "www.shop.example.com,shop.example.org",
      kind: listOf(serverName),
      fallback: () => [],
      onBad: "reject",
      risk: "High",
      doc: "Further names of the host, which get the same paths: host names, wildcards, or ~ and a regular expression.",
    }),
  },
  provides: ({ names }) => names.length > 0,
});
