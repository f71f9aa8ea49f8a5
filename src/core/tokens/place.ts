/**
 * Describes a place in nginx.conf where a feature of an Ingress writes its directives, and the
 * parts that the feature may add there. In `static` mode a value is written where it is used. In
 * `dynamic` mode a value that only one tenant has is a route variable, so that many Ingresses share
 * one shape.
 */
import type { Token, View } from "./token.ts";

export interface Directive {
  readonly name: Token;
  readonly value: Token;
}

/** A request header towards the backend; an empty value removes it. */
export interface Header {
  readonly name: Token;
  readonly value: Token;
  /**
   * Whether it also replaces a header of Sluice's own with this name. A header that the auth
   * service does not send removes none.
   */
  readonly beside?: true;
  /** Whether gRPC needs no such line: its servers tell `_` and `-` apart. */
  readonly onlyHttp?: true;
}

/** A header of the answer. A header without a value is not sent. */
export interface AnswerHeader extends Header {
  /** Whether it is sent with errors, too. */
  readonly always: boolean;
  /** Whether it replaces the backend's header. */
  readonly replaces: boolean;
  /** Whether it stays in blocks of a snippet that add headers of their own. */
  readonly inBlocks?: true;
  /** Name and value for more_set_headers (src/core/render/location/set-headers.ts). */
  readonly line?: Token;
  /** The variable of the `if` in which ingress-nginx sets the header. */
  readonly when?: Token;
}

export interface ErrorBackend {
  readonly pass: Token;
  readonly sets: readonly (readonly [name: string, value: Token])[];
}

/**
 * A location beside the one that a feature belongs to: for an auth request, a mirror, or an error
 * page.
 */
export interface InternalLocation {
  /** The partial template that writes its body. */
  readonly partial: string;
  readonly view: View;
}

/** A server block, which may name files. */
export interface ServerPlace {
  /**
   * Writes a private file with `content`, whose name is a hash, and returns its absolute path.
   * `loaded` files are read at a reload and `opened` ones at each request, so a new `opened` file
   * needs no reload when its path is a route variable.
   */
  file(use: "loaded" | "opened", content: string | Uint8Array): string;
}

/** Parts of the http block, and modules, that only exist while a shape needs them. */
export type HttpPart = "tracing" | "authCache" | "modsecurity" | "limits";

/** The protocol towards the backend. Each has directives of its own. */
export type Protocol = "http" | "grpc" | "fastcgi";

export interface Place extends ServerPlace {
  readonly protocol: Protocol;
  /** Whether nginx has Lua, which can read several headers of one name, and escape text. */
  readonly dynamic: boolean;
  /**
   * Whether it belongs to an Ingress. The Location for unknown hosts has no owner, and lists of the
   * ConfigMap skip it (RS-32.22).
   */
  readonly owned: boolean;
  /**
   * Whether authentication applies: the Location has an owner, and no-auth-locations does not list
   * its path.
   */
  readonly authenticates: boolean;
  /**
   * The parameters of `resolver` for names that a tenant chose: the controller answers, with
   * allowed addresses only.
   */
  readonly resolver: Token;
  /** Whether a snippet that holds here declares the variable. */
  declares(variable: string): boolean;
  /** Whether a snippet that holds here contains this word, such as the name of a variable. */
  names(word: string): boolean;
  /** Notes that the text uses groups of the path, which are parts of the decoded path. */
  needsGroups(): void;
  /** Requires a part of the http block. */
  needs(part: HttpPart): void;
  /** Adds a line or block of the http block, once for all that need it. */
  inHttp(text: Token): void;
  /**
   * The author of an Ingress with its own pool of kept connections, because its snippet changes how
   * requests are framed; otherwise empty.
   */
  readonly poolsOf: string;
  /**
   * The namespace with zones of its own for limits, for routes and in `static` mode; otherwise
   * empty. nginx evicts the oldest entries of a full zone, of whatever tenant.
   */
  readonly zonesOf: string;
  /** Separates its connections to backends from those of locations that pass another value here. */
  pooledApart(by: string): void;
  /**
   * Returns `raw` as the value of a route variable. In `dynamic` mode that is the variable, and the
   * value becomes data; in `static` mode it is the literal text. `name` is without `route_`, and
   * the feature declares it in `variables`.
   */
  bind(name: string, raw: string): Token;
  /**
   * Whether values may be data instead of text: in `dynamic` mode, if the location has no snippet,
   * whose own locations would inherit the lines.
   */
  readonly live: boolean;
  /**
   * Whether headers for the backend may be set in the request itself, at the end of the access
   * phase: values are data, and nothing reads the client's headers later or ends the phase early.
   */
  readonly setsHeaders: boolean;
  /** Whether Sluice or the operator has lines of its own about a request header of this name. */
  usesHeader(name: string): boolean;
  /** Whether clients have to identify themselves, or an auth service decides about them. */
  readonly identifies: boolean;
  /** Whether it is for a route of a Gateway, and not for an Ingress. */
  readonly ofGateway: boolean;
  /** Whether a request's body goes to the backend as it comes in, and nginx does not keep it. */
  readonly streams: boolean;
  /**
   * Notes that the requests have their own timeouts or number of tries, which the balancer sets.
   */
  timed(): void;
  /**
   * Returns a header value with groups of the path. Groups exist only if a path is rewritten;
   * elsewhere the client's own header is used.
   */
  captured(raw: string): Token;
  /**
   * Returns how to reach the backend that answers errors: the global default backend, or with `own`
   * the Ingress's default-backend while that has endpoints. `sets` are variables, without `$`, that
   * are set before.
   */
  errorBackend(own: boolean): ErrorBackend;
  /** Returns the headers that a redirect to a sign-in page has beside its own. */
  signinHeaders(): readonly AnswerHeader[];
  /** Whether authors set headers of answers around the location. */
  readonly setAround: boolean;
  /**
   * Lines of `add_header` in snippets that are not inherited, because a location beside this one
   * has a line of its own.
   */
  readonly forgottenBeside: readonly Token[];
  /**
   * Adds a server that listens on a socket of nginx's own. Returns the socket (`unix:…`) and the
   * name of the upstream block that leads there; both contain a hash of the text.
   */
  behindSocket(server: { readonly partial: string; readonly view: Readonly<Record<string, View>> }): {
    readonly block: Token;
    readonly socket: Token;
  };
  /**
   * Adds a location beside this one. Returns its URI (`/_sluice/…`) or name (`@…`), which contains
   * a hash of its text.
   */
  beside(kind: "uri" | "named", location: InternalLocation): Token;
}
