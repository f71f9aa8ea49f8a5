/**
 * Client certificates (auth-tls-*, RS-18). They apply to a whole host, and nginx requests them in
 * the TLS handshake, so such a host is a server block of its own.
 *
 * If a Secret cannot be used, the host answers 403 on http and https, as with ingress-nginx. A
 * Secret without ca.crt has the same effect; ingress-nginx then silently requests no certificate at
 * all.
 */

import { X509Certificate } from "node:crypto";
import { type Kind, no, ok, shown } from "../kinds/kind.ts";
import { shaped } from "../kinds/names.ts";
import { integer } from "../kinds/numbers.ts";
import { regex } from "../kinds/patterns.ts";
import { trimmed } from "../kinds/text.ts";
import { oneOf } from "../kinds/words.ts";
import { keyOf, type Secret } from "../model/objects.ts";
import type { Why } from "../model/problem.ts";
import { unboundable } from "../tokens/pattern-bounds.ts";
import { Token } from "../tokens/token.ts";
import { type Context, field, type Resolved, resolvedFeature, textField, toggle } from "./declare.ts";
import { readablePem, readRevocationList } from "./pem.ts";
import { named, referenceField } from "./reference.ts";

export type ClientCertificate =
  | { readonly kind: "none" }
  /** Every request to the host gets 403. */
  | { readonly kind: "refuse" }
  | {
      readonly kind: "verify";
      /** PEM. */
      readonly authorities: string;
      /** PEM; empty if there are none. */
      readonly revoked: string;
      readonly verify: "on" | "off" | "optional" | "optional_no_ca";
      readonly depth: number;
      readonly errorPage: string;
      readonly passCertificate: boolean;
      readonly subject: string;
    };

const none: ClientCertificate = { kind: "none" };

const errorPage = shaped({
  label: "@name, a path, or [http(s)://]host[:port][/path]",
  shape: /^(?:@[\w-]{1,100}|(?:(?:https?:\/\/)?[\w.-]{1,253}(?::\d{1,5})?)?(?:\/[\w.-]*)*)$/,
  view: Token.text,
});

/** The most characters of the subject of a certificate. A longer one does not match. */
const longestSubject = 1_000;

const subject: Kind<string> = {
  ...regex,
  label: "CN= and a regular expression",
  read: (text) => {
    if (!text.startsWith("CN=")) return no(`${shown(text)} does not begin with CN=`);
    const read = regex.read(text);
    if (!read.ok) return read;
    const fault = unboundable(text);
    return fault === undefined ? ok(text) : no(`${shown(text)} ${fault}`);
  },
};

export const clientCertificate = resolvedFeature({
  name: "client-certificate",
  scope: "host",
  notOnRoutes: "clients show their certificates before nginx knows the path",
  onListeners: true,
  guard: true,
  gate: "secret",
  fields: {
    secret: referenceField("auth-tls-secret", {
      example: "shop/client-ca",
      onBad: "reject",
      doc: "Secret, as namespace/name, whose ca.crt (and ca.crl) decide about the certificates of clients of the whole host.",
    }),
    verify: field("auth-tls-verify-client", {
      example: "optional",
      kind: oneOf(["on", "off", "optional", "optional_no_ca"]),
      fallback: () => "on" as const,
      risk: "Medium",
      doc: "on: a missing or bad certificate gets 400, and plain http 403; optional: a missing one is accepted; optional_no_ca: any is accepted; off: none is requested.",
    }),
    depth: field("auth-tls-verify-depth", {
      example: "2",
      kind: integer({ min: 0, max: 100 }),
      fallback: () => 1,
      doc: "Certificates between a client's and the authority's; 0 counts as 1.",
    }),
    errorPage: textField("auth-tls-error-page", {
      example: "https://help.example.com/certificates",
      kind: trimmed(errorPage),
      onBad: "reject",
      risk: "High",
      doc: "URL or path that replaces the 400 for a client with a bad certificate, or none.",
    }),
    passCertificate: toggle("auth-tls-pass-certificate-to-upstream", {
      onBad: "reject",
      doc: "Hands the certificate to the backend in ssl-client-cert, as URL-encoded PEM.",
    }),
    subject: textField("auth-tls-match-cn", {
      example: "CN=(robot|printer)-[0-9]+",
      kind: subject,
      onBad: "reject",
      risk: "High",
      doc: "CN= and a regular expression: certificates whose subject does not match get 403, and so does plain http.",
    }),
  },
  resolve: (fields, context): Resolved<ClientCertificate> => {
    if (fields.secret === "") return { value: none };
    if (!fields.secret.includes("/")) return closed(context, { why: `${fields.secret} is not namespace/name` });
    const found = named<Secret>(fields.secret, "Secret", context.secret, context);
    if (!found.ok) return closed(context, found.reason);
    const { secret: _, depth, ...rest } = fields;
    const read = authoritiesOf(found.object);
    if ("why" in read) return closed(context, { why: `Secret ${keyOf(found.object)} ${read.why}` });
    return { value: { kind: "verify", ...rest, ...read, depth: Math.max(1, depth) } };
  },
  both: together,
  provides: (value) => value.kind !== "none",
  countsInCanaries: true,
  textServer: (value) => value.kind !== "none",
  serverView: (value, place) => {
    if (value.kind === "none") return false;
    if (value.kind === "refuse") return { refused: true };
    return {
      refused: false,
      authorities: Token.word(place.file("loaded", value.authorities)),
      revoked: value.revoked !== "" && Token.word(place.file("loaded", value.revoked)),
      verify: Token.name(value.verify),
      depth: Token.count(value.depth),
      errorPage: value.errorPage !== "" && Token.text(value.errorPage),
      subject: value.subject !== "" && Token.boundedAnywhere(value.subject, longestSubject),
    };
  },
});

type Values = { readonly clientCertificate: ClientCertificate };

/** Whether the clients of a host may send a certificate. */
export const verifiesClients = ({ clientCertificate }: Values): boolean => clientCertificate.kind === "verify";

/**
 * Whether every client of a host has to send a certificate, which a request without TLS cannot. If
 * a certificate is optional, such a request passes like one without a certificate.
 */
export const demandsCertificate = ({ clientCertificate: value }: Values): boolean =>
  value.kind === "verify" && value.verify === "on";

/** Returns the word in the record of a host, for the headers that describe the certificate. */
export const certificateWord = ({ clientCertificate: value }: Values): "" | "passed" | "checked" =>
  value.kind !== "verify" ? "" : value.passCertificate ? "passed" : "checked";

const strictness = ["on", "optional", "optional_no_ca", "off"] as const;

/**
 * Combines two values. nginx compares a certificate with one set of authorities and one pattern, so
 * these must be equal. The stricter one counts for each other value.
 */
function together(inner: ClientCertificate, outer: ClientCertificate): ClientCertificate | undefined {
  if (inner.kind === "none" || outer.kind === "none") return inner.kind === "none" ? outer : inner;
  if (inner.kind === "refuse" || outer.kind === "refuse") return { kind: "refuse" };
  if (inner.authorities !== outer.authorities || inner.revoked !== outer.revoked) return undefined;
  if (inner.subject !== "" && outer.subject !== "" && inner.subject !== outer.subject) return undefined;
  return {
    ...inner,
    verify: strictness.find((one) => one === inner.verify || one === outer.verify)!,
    depth: Math.min(inner.depth, outer.depth),
    // A path would be served without a certificate, so the outer level decides about it.
    errorPage: /^[/@]/.test(inner.errorPage) ? outer.errorPage : inner.errorPage || outer.errorPage,
    passCertificate: inner.passCertificate || outer.passCertificate,
    subject: inner.subject || outer.subject,
  };
}

function closed({ ingress: object }: Context, reason: Why): Resolved<ClientCertificate> {
  const done = "every request to its hosts gets 403";
  return {
    value: { kind: "refuse" },
    problems: [{ object, kind: "reference-unusable", field: "annotation auth-tls-secret", ...reason, done }],
  };
}

/**
 * Reads the authorities and the revocation lists of a Secret. One unreadable certificate would make
 * nginx refuse the whole configuration, so all of them are parsed here.
 */
function authoritiesOf({ data }: Secret): { authorities: string; revoked: string } | { why: string } {
  const authorities = pem(data?.["ca.crt"]);
  const revoked = pem(data?.["ca.crl"]);
  if (authorities.trim() === "") return { why: "has no ca.crt" };
  if (!readablePem(authorities, "CERTIFICATE", (block) => new X509Certificate(block))) {
    return { why: "has a ca.crt that does not hold certificates in PEM" };
  }
  if (revoked.trim() !== "" && !readablePem(revoked, "X509 CRL", readRevocationList)) {
    return { why: "has a ca.crl that does not hold revocation lists in PEM" };
  }
  return { authorities, revoked: revoked.trim() === "" ? "" : revoked };
}

function pem(base64: string | undefined): string {
  return Buffer.from(base64 ?? "", "base64").toString("utf8");
}
