/** Flags about the Lease among replicas, the addresses in the status of Ingresses, and Events. */
import { host } from "../../core/kinds/addresses.ts";
import { optional } from "../../core/kinds/combine.ts";
import { listOf } from "../../core/kinds/text.ts";
import { flag, inCluster, toggle } from "../flag.ts";
import { dnsName, duration, objectName, wholeNumber } from "./kinds.ts";

export const election = inCluster({
  electionId: flag({
    kind: dnsName,
    default: "ingress-controller-leader",
    value: "NAME",
    doc: "Name of the Lease that decides which replica writes status.",
  }),
  electionTtl: flag({ kind: duration, default: 30_000, doc: "How long the Lease holds without being renewed." }),
  disableLeaderElection: toggle({ doc: "Takes no Lease; then no replica writes the status of Ingresses." }),
});

export const status = inCluster({
  updateStatus: toggle({ default: true, doc: "Writes the addresses of the controller to the status of Ingresses." }),
  updateStatusOnShutdown: toggle({ default: true, doc: "Takes the addresses out again when the last replica ends." }),
  publishService: flag({ kind: objectName, doc: "Service whose addresses are written." }),
  publishStatusAddress: flag({
    kind: optional(listOf(host)),
    value: "ADDRESSES",
    doc: "Addresses that are written, separated by commas.",
  }),
  reportNodeInternalIpAddress: toggle({ doc: "Writes the internal addresses of Nodes instead of the external ones." }),
  statusUpdateInterval: flag({
    kind: wholeNumber(0, 86_400),
    default: 60,
    value: "SECONDS",
    doc: "How often status is compared and written; at least 5.",
  }),
  disableSyncEvents: toggle({ doc: "Writes no Events about Ingresses." }),
});
