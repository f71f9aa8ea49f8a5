/**
 * Keys about the rights of the authors of Ingresses. After a change of one of them, every Ingress
 * is read again.
 */
import { lenientListOf } from "../kinds/combine.ts";
import { type Kind, ok } from "../kinds/kind.ts";
import { sizeBetween } from "../kinds/measures.ts";
import { headerName, line } from "../kinds/names.ts";
import { listOf, text } from "../kinds/text.ts";
import { oneOf } from "../kinds/words.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { takenAs } from "./kinds.ts";

const levels = oneOf(["Critical", "High", "Medium", "Low"], { anyCase: true });
/** An unknown word means the strictest level, as in ingress-nginx (RS-2.2). */
const riskLevel = takenAs("Low", levels, `, the strictest of ${levels.label.slice(7)}`);

/** The blank after a comma is part of the word, as in ingress-nginx. */
const words: Kind<readonly string[]> = {
  ...listOf(line),
  label: "words separated by commas, blanks included",
  read: (text) => ok(text.split(",").filter((word) => word !== "")),
  view: () => false,
};

export const tenants = keyed({
  allowSnippetAnnotations: toggle({
    permits: true,
    doc: "Permits snippets in annotations, which also need annotations-risk-level Critical: all authors of Ingresses can then configure nginx.",
  }),
  annotationsRiskLevel: setting({
    permits: true,
    kind: riskLevel,
    default: "High",
    doc: "Refuses an Ingress with an annotation above this risk.",
  }),
  annotationValueWordBlocklist: setting({
    permits: true,
    kind: words,
    default: [],
    doc: "Refuses an Ingress with one of these words in the value of an annotation.",
  }),
  allowCrossNamespaceResources: toggle({
    permits: true,
    doc: "Lets annotations name Secrets and ConfigMaps of other namespaces.",
  }),
  allowCrossNamespaceCanaries: toggle({
    own: true,
    doc: "Lets a canary take requests of an Ingress of another namespace: behind its authentication, with its users' cookies.",
  }),
  allowCrossNamespaceHostSettings: toggle({
    own: true,
    doc: "Lets every Ingress of a host configure the whole host, and not only those in the namespace of the oldest one.",
  }),
  strictValidatePathType: toggle({
    default: true,
    live: true,
    doc: "Makes the webhook refuse paths of type Exact, Prefix or none that hold more than letters, digits and . _ - /.",
  }),
  globalAllowedResponseHeaders: setting({
    kind: lenientListOf(headerName),
    default: [],
    doc: "Headers that the custom-headers annotation may set.",
  }),
  routeRecordsPerNamespace: setting({
    kind: sizeBetween("64k", "64g"),
    default: "8m",
    own: true,
    live: true,
    doc: "Records that the routes of one kind and namespace may need for hosts times listeners times matches, beyond four hosts for each route, which are free. The oldest routes come first, and one that does not fit is not attached.",
  }),
  ingressRecordsPerNamespace: setting({
    kind: sizeBetween("64k", "64g"),
    default: "8m",
    own: true,
    live: true,
    doc: "Characters that the Ingresses of a namespace may need for annotations, and the ConfigMaps that they name, times hosts or paths, and for aliases times hosts. Four hosts or paths of each Ingress, and 1,024 characters for each one, are free. The oldest Ingresses come first, and the paths of one that does not fit answer 503.",
  }),
  authoritiesPerNamespace: setting({
    kind: sizeBetween("64k", "64g"),
    default: "4m",
    own: true,
    live: true,
    doc: "Authorities and key pairs that nginx may load for the objects of one kind in a namespace: distinct BackendTLSPolicies, 32k for each beside its authorities, where those of the system count as 384k, Ingresses with proxy-ssl-secret or auth-tls-secret, once for each host, RouteSettings with these keys, once for each listener, and Gateways and ListenerSets whose Gateway has tls.frontend, once for each port, with 512k for a Gateway that has tls.backend. The oldest objects come first, and requests for one that does not fit get 500, 503 or 403, or no listener.",
  }),
  noAuthLocations: setting({
    kind: text.pathPrefixes,
    default: ["/.well-known/acme-challenge"],
    doc: "Paths (prefixes of the path in the Ingress) that need no authentication of any kind.",
  }),
});
