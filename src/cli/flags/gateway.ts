/** The Gateway API. */
import { addressPool } from "../../kinds/gateway/address-pool.ts";
import { shaped } from "../../kinds/names.ts";
import { flag } from "../flag.ts";

const controllerName = shaped({
  label: "a domain and a path like sluice.dev/gateway-controller",
  shape: /^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?\/[\w./~%!$&'()*+,;=:-]{1,250}$/,
  good: ["sluice.dev/gateway-controller"],
  bad: ["", "sluice.dev", "a b/c", "/x"],
});

export const gatewayApi = {
  gatewayControllerName: flag({
    name: "gateway-controller-name",
    kind: controllerName,
    default: "sluice.dev/gateway-controller",
    value: "NAME",
    own: true,
    doc: "spec.controllerName of the GatewayClasses to serve.",
  }),
  gatewayAddresses: flag<readonly string[]>({
    name: "gateway-addresses",
    kind: addressPool,
    default: [],
    list: true,
    value: "ADDRESSES",
    own: true,
    doc: "Addresses of this machine for Gateways, of which each gets one of its own: 192.0.2.10-192.0.2.19. nginx listens there on the ports of their listeners.",
  }),
};
