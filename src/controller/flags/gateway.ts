/** Flags about the Gateway API. */
import { addressPool } from "../../core/kinds/gateway/address-pool.ts";
import { metadataPrefixes } from "../../core/kinds/gateway/metadata-prefixes.ts";
import { type PortRange, portRange } from "../../core/kinds/gateway/port-range.ts";
import { shaped } from "../../core/kinds/names.ts";
import { flag, ours, toggle } from "../flag.ts";
import { objectName } from "./kinds.ts";

const controllerName = shaped({
  label: "a domain and a path like sluice.dev/gateway-controller",
  shape: /^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?\/[\w./~%!$&'()*+,;=:-]{1,250}$/,
});

export const gatewayApi = ours({
  gatewayControllerName: flag({
    kind: controllerName,
    default: "sluice.dev/gateway-controller",
    value: "NAME",
    doc: "spec.controllerName of the GatewayClasses to serve.",
  }),
  gatewayAddresses: flag<readonly string[]>({
    kind: addressPool,
    default: [],
    list: true,
    value: "ADDRESSES",
    doc: "Addresses of this machine for Gateways, such as 192.0.2.10-192.0.2.19. Each Gateway gets one of its own, where nginx listens on the ports of its listeners.",
  }),
  sharedGateway: flag({
    kind: objectName,
    doc: "Gateway that has the Service, addresses and ports 80 and 443 of the Ingresses. Its routes stand beside the paths of all Ingresses, of all tenants.",
  }),
  gatewayServices: toggle({
    cluster: true,
    doc: "Gives each Gateway a Service of its own, which leads to ports of this controller's Pods. It needs rights to write Services and EndpointSlices.",
  }),
  gatewayServicePorts: flag<PortRange>({
    kind: portRange,
    default: { first: 20_000, last: 20_999 },
    value: "FIRST-LAST",
    cluster: true,
    doc: "Ports on which nginx listens for Gateways that have a Service of their own.",
  }),
  gatewayMetadataPrefixes: flag<readonly string[]>({
    kind: metadataPrefixes,
    default: [],
    list: true,
    value: "PREFIXES",
    cluster: true,
    doc: "Labels and annotations in spec.infrastructure of Gateways that are copied to their Services: team.example.com/ for all of that domain. Tenants can then configure the programs that read them, such as a cloud's load balancers.",
  }),
});
