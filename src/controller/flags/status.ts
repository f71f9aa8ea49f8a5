/** Flags about the Lease among replicas, the addresses in the status of Ingresses, and Events. */
import { host } from "../../core/kinds/addresses.ts";
import { optional } from "../../core/kinds/combine.ts";
import { goDuration } from "../../core/kinds/flag-kinds.ts";
import { listOf } from "../../core/kinds/text.ts";
import { flag, named, toggle } from "../flag.ts";
import { dnsName, objectName, wholeNumber } from "./kinds.ts";

export const election = named({
  electionId: flag({
    kind: dnsName,
    default: "ingress-controller-leader",
    value: "NAME",
    cluster: true,
    doc: "Name of the Lease that decides which replica writes status.",
  }),
  electionTtl: flag({
    kind: goDuration,
    default: 30_000,
    value: "DURATION",
    cluster: true,
    doc: "How long the Lease holds without being renewed.",
  }),
  disableLeaderElection: toggle({
    cluster: true,
    doc: "Takes no Lease; then no replica writes the status of Ingresses.",
  }),
});

export const status = named({
  updateStatus: toggle({
    default: true,
    cluster: true,
    doc: "Writes the addresses of the controller to the status of Ingresses.",
  }),
  updateStatusOnShutdown: toggle({
    default: true,
    cluster: true,
    doc: "Takes the addresses out again when the last replica ends.",
  }),
  publishService: flag({
    kind: objectName,
    value: "NAMESPACE/NAME",
    cluster: true,
    doc: "Service whose addresses are written.",
  }),
  publishStatusAddress: flag({
    kind: optional(listOf(host)),
    value: "ADDRESSES",
    cluster: true,
    doc: "Addresses that are written, separated by commas.",
  }),
  reportNodeInternalIpAddress: toggle({
    cluster: true,
    doc: "Writes the internal addresses of Nodes instead of the external ones.",
  }),
  statusUpdateInterval: flag({
    kind: wholeNumber(0, 86_400),
    default: 60,
    value: "SECONDS",
    cluster: true,
    doc: "How often status is compared and written; at least 5.",
  }),
  disableSyncEvents: toggle({ cluster: true, doc: "Writes no Events about Ingresses." }),
});
