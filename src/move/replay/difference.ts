/**
 * Differences between Ingresses and the routes that were made from them, each with its reason and
 * the work to do.
 */

/** The kinds of differences, which are the values of `--accept`. */
export const differenceKinds = {
  "fake-certificate": {
    why: "the controller shows hosts without a certificate its own self-made one, and a listener needs a Secret",
    todo: "give the host a certificate, or name one for all with --default-ssl-certificate",
  },
  "wildcard-depth": {
    why: "a wildcard of an Ingress takes one label, and one of the Gateway API takes several",
    todo: "accept it, or add a route for the deeper hosts",
  },
  "redirect-slash": {
    why: "from-to-www-redirect drops the slash at the end of the path, and the filter RequestRedirect keeps it",
    todo: "accept it: the page that is reached is the same",
  },
  "redirect-scheme": {
    why: "nginx adds a slash to the path under the scheme of the connection, and a route under that which a proxy in front reports",
    todo: "accept it: the page that is reached is the same",
  },
  "cookie-path": {
    why: "no browser returns a cookie for a pattern, so the cookie of a route is for the part before the pattern",
    todo: "give the Ingress a session-cookie-path, or accept it: clients then stay with their endpoint",
  },
  alias: { why: "no hostname of the Gateway API can express this alias", todo: "list the names that it stands for" },
  manifest: { why: "the API server would refuse the written object", todo: "write the route by hand" },
  annotation: {
    why: "routes have no field for this annotation, and RouteSettings cannot hold it there",
    todo: "keep the Ingress, or do without the annotation",
  },
  "backend-protocol": {
    why: "a rule uses the protocol of the port's appProtocol or of a BackendTLSPolicy, and backend-protocol only where there is neither",
    todo: "take appProtocol from the port or the policy away, or accept it",
  },
  certificate: { why: "the handshake shows another certificate", todo: "look at the listeners of the host" },
  balance: {
    why: "the endpoints of the Service are chosen in another way: of several Ingresses with one Service, one decides for all, and each route decides for itself",
    todo: "give the annotation to each Ingress that needs it, or accept it",
  },
  backend: { why: "other backends, or other shares, get the request", todo: "look at backendRefs of the rule" },
  path: { why: "the backend sees another path", todo: "look at the rewrite of the rule" },
  answer: { why: "the client gets another answer", todo: "look at the rule that takes the request" },
  unclear: { why: "only nginx reads the pattern", todo: "compare the answers with --requests" },
} as const;

export type DifferenceKind = keyof typeof differenceKinds;

export interface Difference {
  readonly kind: DifferenceKind;
  readonly host: string;
  /** A request that shows the difference, such as `GET https://shop.example/api`. */
  readonly request: string;
  /** The number of further requests to the host that show the same difference. */
  readonly more: number;
  /** `answer`, `backends`, `feature cors` ... */
  readonly field: string;
  readonly now: string;
  readonly after: string;
  /** Annotations that the field comes from, if it is a feature. */
  readonly annotations: readonly string[];
  /** The cause of the difference: that of its kind, or a more exact one if it is known. */
  readonly why: string;
  readonly todo: string;
}
