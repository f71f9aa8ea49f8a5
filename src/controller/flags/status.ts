/** Flags about the Lease among replicas, the addresses in the status of Ingresses, and Events. */
import { host } from "../../core/kinds/addresses.ts";
import { optional } from "../../core/kinds/combine.ts";
import { goDuration } from "../../core/kinds/flag-kinds.ts";
import { listOf } from "../../core/kinds/text.ts";
import { flag } from "../flag.ts";
import { dnsName, objectName, toggle, wholeNumber } from "./kinds.ts";

export const election = {
  electionId: flag({
    name: "election-id",
    kind: dnsName,
    default: "ingress-controller-leader",
    value: "NAME",
    cluster: true,
    doc: "Name of the Lease that decides which replica writes status.",
  }),
  electionTtl: flag({
    name: "election-ttl",
    kind: goDuration,
    default: 30_000,
    value: "DURATION",
    cluster: true,
    doc: "How long the Lease holds without being renewed.",
  }),
  disableLeaderElection: toggle({
    name: "disable-leader-election",
    default: false,
    cluster: true,
    doc: "Takes no Lease; then no replica writes the status of Ingresses.",
  }),
};

export const status = {
  updateStatus: toggle({
    name: "update-status",
    default: true,
    cluster: true,
    doc: "Writes the addresses of the controller to the status of Ingresses.",
  }),
  updateStatusOnShutdown: toggle({
    name: "update-status-on-shutdown",
    default: true,
    cluster: true,
    doc: "Takes the addresses out again when the last replica ends.",
  }),
  publishService: flag({
    name: "publish-service",
    kind: objectName,
    default: undefined,
    value: "NAMESPACE/NAME",
    cluster: true,
    doc: "Service whose addresses are written.",
  }),
  publishStatusAddress: flag({
    name: "publish-status-address",
    kind: optional(listOf(host)),
    default: undefined,
    value: "ADDRESSES",
    cluster: true,
    doc: "Addresses that are written, separated by commas.",
  }),
  reportNodeInternalIpAddress: toggle({
    name: "report-node-internal-ip-address",
    default: false,
    cluster: true,
    doc: "Writes the internal addresses of Nodes instead of the external ones.",
  }),
  statusUpdateInterval: flag({
    name: "status-update-interval",
    kind: wholeNumber(0, 86_400),
    default: 60,
    value: "SECONDS",
    cluster: true,
    doc: "How often status is compared and written; at least 5.",
  }),
  disableSyncEvents: toggle({
    name: "disable-sync-events",
    default: false,
    cluster: true,
    doc: "Writes no Events about Ingresses.",
  }),
};
