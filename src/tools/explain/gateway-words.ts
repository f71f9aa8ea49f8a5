/**
 * Words of the Gateway API for `sluice explain`: reasons of conditions with what to do about them,
 * the annotations of routes, and the features of the conformance suite.
 */
import { featureRows } from "../../core/sources/gateway/features.ts";

export interface GatewayWord {
  readonly title: string;
  readonly doc: string;
  readonly lines: readonly (readonly [name: string, text: string])[];
}

/** The meaning of each reason of a condition, and what would change it. */
export const reasons: Readonly<Record<string, readonly [means: string, mend: string]>> = {
  AddressNotAssigned: [
    "No address of --gateway-addresses is left for the Gateway, or its Service was not made.",
    "Read the message; give the pool more addresses, or set sluice.gateway.services.enabled in the chart.",
  ],
  AddressNotUsable: ["The Gateway asks for an address that is not of the pool.", "Change spec.addresses."],
  BackendNotFound: ["A Service that the route names is missing.", "Create it, or correct backendRefs."],
  Conflicted: ["An older object has the same target, and that one counts.", "Remove one of the two."],
  HostnameConflict: [
    "Another listener of the Gateway has the port and the hostname.",
    "Give one of them another hostname or port; of two in one object neither is served.",
  ],
  IncompatibleFilters: [
    "Filters of one rule exclude each other.",
    "Keep one of them, such as a redirect or a rewrite.",
  ],
  Invalid: ["A field of the object cannot be used; the message names it.", "Correct the field."],
  InvalidCACertificateRef: ["Certificates of authorities cannot be read.", "Look at the key ca.crt of the ConfigMap."],
  InvalidCertificateRef: [
    "A Secret is missing, or is not a pair of certificate and key.",
    "Create or correct the Secret.",
  ],
  InvalidFilter: ["A filter names an object that is missing or unknown.", "Create it, or correct extensionRef."],
  InvalidKind: ["A reference names a kind that cannot stand there.", "Name a Service, or what the message asks for."],
  InvalidParameters: [
    "parametersRef leads to no ConfigMap, or to keys and values that are unknown.",
    "Correct the ConfigMap; the Gateway goes on with the Service that it has.",
  ],
  InvalidRouteKinds: ["A listener names kinds of routes that its protocol has not.", "Correct allowedRoutes.kinds."],
  ListenersNotValid: ["Some or all listeners are not served.", "Look at the conditions of each listener."],
  NoMatchingListenerHostname: [
    "No hostname of the route belongs to a listener of the Gateway.",
    "Change spec.hostnames of the route, or the hostname of a listener.",
  ],
  NoMatchingParent: ["The Gateway has no listener of that name or port.", "Correct sectionName or port in parentRefs."],
  NoResources: ["No address or no target port is left.", "Enlarge the range that the message names."],
  NotAllowed: ["The Gateway takes no ListenerSets of this namespace.", "Ask for spec.allowedListeners of the Gateway."],
  NotAllowedByHostPolicy: ["The host policy gives the host to another namespace.", "See docs/host-policy.md."],
  NotAllowedByListeners: [
    "The listener takes no routes of this kind or namespace.",
    "Ask for allowedRoutes of the listener; by default it takes those of its own namespace.",
  ],
  ParentNotAccepted: ["The Gateway of the ListenerSet is not accepted.", "Look at the conditions of the Gateway."],
  ParentNotProgrammed: ["The Gateway of the ListenerSet has no address yet.", "Look at the conditions of the Gateway."],
  Pending: ["Something has to come first, such as an address.", "Wait, and read the message."],
  PortUnavailable: [
    "nginx cannot listen on that port there: Ingresses, another Gateway or Sluice itself has it.",
    "Take another port, or give Gateways addresses or Services of their own.",
  ],
  ProtocolConflict: [
    "Listeners of one Gateway ask for one port with protocols that exclude each other.",
    "Give one of them another port.",
  ],
  RefNotPermitted: [
    "A reference to another namespace has no ReferenceGrant there.",
    "Create a ReferenceGrant in the namespace of the object that is named.",
  ],
  TargetNotFound: ["targetRefs names an object that is missing.", "Create it, or correct targetRefs."],
  TooManyListeners: ["ListenerSets of one namespace ask for more than 16 ports of a Gateway.", "Use fewer ports."],
  Unsupported: ["The Gateway API needs dynamic mode.", "Run Sluice with --mode=dynamic and an nginx with Lua."],
  UnsupportedAddress: ["spec.addresses has a type other than IPAddress.", "Write an IP address."],
  UnsupportedProtocol: [
    "Sluice does not know the protocol, or nginx here cannot do it.",
    "Write HTTP, HTTPS, TLS, TCP or UDP.",
  ],
  UnsupportedValue: ["A value of the route cannot be used; the message names the field.", "Correct the value."],
  UnsupportedVersion: [
    "Definitions of the Gateway API are of a version that Sluice does not know.",
    "Install one that it knows; see docs/gateway-api.md.",
  ],
  VersionUnknown: [
    "Sluice may not read the definitions of the Gateway API.",
    "Install the ClusterRole of the chart of this version.",
  ],
};

const annotations: Readonly<Record<string, string>> = {
  weight:
    "The share of requests, in percent, that a route takes where an Ingress on the same host has the path, too. The rest goes to the Ingress.",
  shadow:
    "With true the route serves nothing; sluice routes --shadow says which requests it would take and what would be otherwise.",
};

/** All words that can be explained. */
export const gatewayNames: readonly string[] = [
  ...Object.keys(reasons),
  ...Object.keys(annotations).map((name) => `sluice.dev/${name}`),
  ...featuresByName().keys(),
];

/** Returns several words if a name is, for example, a reason and a feature. */
export function gatewayWords(asked: string): readonly GatewayWord[] {
  const words: GatewayWord[] = [];
  const reason = Object.hasOwn(reasons, asked) ? reasons[asked] : undefined;
  if (reason !== undefined) {
    const [doc, mend] = reason;
    words.push({ title: `reason ${asked} of a condition of the Gateway API`, doc, lines: [["To change", mend]] });
  }
  const [, own = ""] = /^sluice\.dev\/(\w+)$/.exec(asked) ?? [];
  if (Object.hasOwn(annotations, own)) {
    const value = own === "weight" ? "a whole number from 0 to 100" : "true or false";
    const lines = [["Value", value] as const, ["A change costs", "no reload"] as const];
    words.push({ title: `annotation sluice.dev/${own} of an HTTPRoute or a GRPCRoute`, doc: annotations[own]!, lines });
  }
  const feature = featuresByName().get(asked);
  if (feature !== undefined) words.push(feature);
  return words;
}

/** Returns the features in the tables of docs/gateway-api.md, by name. */
function featuresByName(): ReadonlyMap<string, GatewayWord> {
  return new Map(
    featureRows().map((row) => {
      const [, name = "", versions = "", served = "", doc = ""] = row.split("|").map((cell) => cell.trim());
      const plain = (text: string) => text.replaceAll("`", "");
      const title = `feature ${plain(name)} of the Gateway API`;
      return [
        plain(name),
        {
          title,
          doc: plain(doc),
          lines: [
            ["Served", plain(served)],
            ["Versions", versions],
          ],
        },
      ];
    }),
  );
}
