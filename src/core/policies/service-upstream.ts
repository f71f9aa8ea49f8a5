/**
 * Decides whether requests go to the Service's own address instead of its Endpoints (RS-9.7). It
 * holds for the whole Upstream.
 */
import { feature, toggle } from "./declare.ts";

export const serviceUpstream = feature({
  name: "service-upstream",
  scope: "upstream",
  live: true,
  fields: {
    on: toggle("service-upstream", {
      fallback: (settings) => settings.serviceUpstream,
      doc: "Sends requests to the ClusterIP and port of the Service instead of its Endpoints.",
    }),
  },
  countsInCanaries: true,
});
