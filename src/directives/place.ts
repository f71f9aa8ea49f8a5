/**
 * Where a feature of an Ingress lands in nginx.conf, and what it may ask for there. In `static`
 * mode a value is written where it is used; in `dynamic` mode what is unique to a tenant is a route
 * variable, so that many Ingresses share one shape.
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
   * Whether one of Sluice's own of this name goes too: what an auth service does not say takes none
   * of them away.
   */
  readonly beside?: true;
}

/** A header of the answer. One without a value is not sent. */
export interface AnswerHeader extends Header {
  /** Whether it is sent with errors, too. */
  readonly always: boolean;
  /** Whether it stands in the place of the backend's. */
  readonly replaces: boolean;
}

export interface ErrorBackend {
  readonly pass: Token;
  readonly sets: readonly (readonly [name: string, value: Token])[];
}

/**
 * A location of its own beside the one a feature belongs to: the target of an auth request, a
 * mirror, an error page.
 */
export interface InternalLocation {
  /** The partial of the template that writes its body. */
  readonly partial: string;
  readonly view: View;
}

/** A server block, which may name files. */
export interface ServerPlace {
  /**
   * A file with `content`, private, its name a hash: the absolute path. `loaded` files are read at
   * a reload, `opened` ones at each request, so a new one of those costs no reload when its path is
   * a route variable.
   */
  file(use: "loaded" | "opened", content: string | Uint8Array): string;
}

/** Parts of the http block, and modules, that are there only while a shape needs them. */
export type HttpPart = "tracing" | "authCache" | "modsecurity";

/** The protocol towards the backend; each has directives of its own. */
export type Protocol = "http" | "grpc" | "fastcgi";

export interface Place extends ServerPlace {
  readonly protocol: Protocol;
  /**
   * Whether nginx has the Lua: then several headers of one name can be distinguished, and text
   * escaped.
   */
  readonly dynamic: boolean;
  /**
   * Whether an Ingress stands behind it; the Location for unknown hosts has no owner, and ConfigMap
   * lists spare it (RS-32.22).
   */
  readonly owned: boolean;
  /** Whether authentication applies: it is owned, and its path is none of no-auth-locations. */
  readonly authenticates: boolean;
  /**
   * The parameters of `resolver` for names that somebody else chose: the controller answers with
   * addresses that may be asked.
   */
  readonly resolver: Token;
  /** Whether a snippet that holds here declares the variable. */
  declares(variable: string): boolean;
  /** Says that the text has groups of the path, which are parts of the decoded path. */
  needsGroups(): void;
  /** Asks for a part of the http block. */
  needs(part: HttpPart): void;
  /** A line, or a block, of the http block that is there once for all who ask for it. */
  inHttp(text: Token): void;
  /**
   * The author whose pool of kept connections its requests use, where a snippet says how these
   * look; else empty.
   */
  readonly poolsOf: string;
  /**
   * Keeps its connections to backends apart from those of locations that say something else here.
   */
  pooledApart(by: string): void;
  /**
   * `raw` as the value of a route variable: in `dynamic` mode the variable, whose value becomes
   * data; in `static` mode the literal text. `name` is without `route_`, and declared by the
   * feature in `variables`.
   */
  bind(name: string, raw: string): Token;
  /**
   * Whether values may be data in the place of text: in `dynamic` mode, where the location has no
   * text of an author's, whose own locations would inherit the lines.
   */
  readonly live: boolean;
  /** Whether clients are asked who they are, or an auth service is asked about them. */
  readonly identifies: boolean;
  /** Whether it is for a route of a Gateway, and not for an Ingress. */
  readonly ofGateway: boolean;
  /** The requests have timeouts or a number of tries of their own, which the balancer sets. */
  timed(): void;
  /**
   * A header value with groups of the path in it, which are there only where a rewrite acts; else
   * the client's own header.
   */
  captured(raw: string): Token;
  /**
   * How the backend is asked that answers errors: the global default one, or with `own` the
   * Ingress's default-backend while that has endpoints. `sets` are variables, without `$`, that are
   * to be set before.
   */
  errorBackend(own: boolean): ErrorBackend;
  /**
   * Lines of `add_header` in snippets that a location beside this one makes nginx forget by one of
   * its own.
   */
  readonly forgottenBeside: readonly Token[];
  /**
   * Adds a location beside this one and returns its URI (`/_sluice/…`) or name (`@…`), made from a
   * hash of its text.
   */
  beside(kind: "uri" | "named", location: InternalLocation): Token;
}
