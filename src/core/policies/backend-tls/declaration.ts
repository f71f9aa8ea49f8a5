/**
 * TLS towards backends (proxy-ssl-*): the client certificate, and the authorities that are trusted.
 * BackendTLSPolicies (`src/core/sources/gateway/backend-tls/`) are read apart, because they belong
 * to Services, verify always and have a status. Both become the same directives (`text.ts`).
 *
 * Nothing takes effect without proxy-ssl-secret (RS-24.1), and without ca.crt in it only the name
 * does, as with ingress-nginx. Connections with different settings are kept apart, because a
 * verified route could otherwise reuse an unverified one (trap 7).
 */
import { X509Certificate } from "node:crypto";
import { certificateOf, decoded } from "../../certificates/certificate.ts";
import { blankListOf } from "../../kinds/combine.ts";
import { shaped } from "../../kinds/names.ts";
import { integer } from "../../kinds/numbers.ts";
import { trimmed } from "../../kinds/text.ts";
import { cipherList } from "../../kinds/tls.ts";
import { oneOf } from "../../kinds/words.ts";
import { SecretText } from "../../model/configuration.ts";
import { keyOf, type Secret } from "../../model/objects.ts";
import type { Why } from "../../model/problem.ts";
import { backendProtocol } from "../backend-protocol.ts";
import { field, type Other, type Resolved, resolvedFeature, textField } from "../declare.ts";
import { readablePem } from "../pem.ts";
import { refused, useless } from "../problems.ts";
import { named, referenceField } from "../reference.ts";
import { configurationSnippet } from "../snippets.ts";
import { pooledView, type TlsSettings } from "./text.ts";

export type ProxySsl =
  | { readonly kind: "none" }
  | {
      readonly kind: "identity";
      /** PEM. If it is empty, no certificate is sent. */
      readonly chain: string;
      readonly key: SecretText;
      /** PEM. If it is empty, backends are not verified, and no certificate is sent. */
      readonly authorities: string;
      readonly verify: boolean;
      readonly depth: number;
      /**
       * The name in the handshake. If it is empty, it is the internal name of the upstream
       * block.
       */
      readonly name: string;
      readonly sni: boolean;
      readonly protocols: readonly string[];
      readonly ciphers: string;
    };

const serverName = shaped({
  label: "a name of letters, digits and - . _ : * without variables",
  shape: /^[\w.:*-]{1,253}$/,
});

const onOff = oneOf(["on", "off"]);

export const proxySsl = resolvedFeature({
  name: "proxy-ssl",
  scope: "ingress",
  gate: "secret",
  fields: {
    secret: referenceField("proxy-ssl-secret", {
      refers: true,
      example: "shop/backend-identity",
      onBad: "reject",
      doc: "Secret, as namespace/name, whose tls.crt and tls.key are shown to backends and whose ca.crt they are verified with.",
    }),
    verify: field("proxy-ssl-verify", {
      example: "on",
      kind: onOff,
      fallback: () => "off" as const,
      onBad: "deny",
      doc: "on: a backend whose certificate does not match ca.crt and proxy-ssl-name gets no request, and the client gets 502.",
    }),
    depth: field("proxy-ssl-verify-depth", {
      example: "2",
      kind: integer({ min: 0, max: 100 }),
      fallback: () => 1,
      doc: "Certificates between a backend's and the authority's; 0 counts as 1.",
    }),
    name: textField("proxy-ssl-name", {
      example: "web.shop.svc.cluster.local",
      kind: trimmed(serverName),
      risk: "High",
      doc: "The name that a backend's certificate must have, and that is sent as SNI with proxy-ssl-server-name.",
    }),
    sni: field("proxy-ssl-server-name", {
      example: "on",
      kind: onOff,
      fallback: () => "off" as const,
      doc: "Whether nginx sends the name of the backend to it by SNI.",
    }),
    protocols: field<readonly string[]>("proxy-ssl-protocols", {
      example: "TLSv1.2 TLSv1.3",
      kind: blankListOf(oneOf<string>(["TLSv1.2", "TLSv1.3"])),
      fallback: () => ["TLSv1.2"],
      doc: "Versions of TLS that nginx may use with backends, separated by blanks.",
    }),
    ciphers: field("proxy-ssl-ciphers", {
      example: "HIGH:!aNULL:!MD5",
      kind: trimmed(cipherList),
      fallback: () => "DEFAULT",
      risk: "Medium",
      doc: "Ciphers of TLS up to 1.2 that are offered to backends, as OpenSSL writes them.",
    }),
  },
  resolve: (fields, context): Resolved<ProxySsl> => {
    if (fields.secret === "") return { value: { kind: "none" } };
    const no = (reason: Why) => refused(context, "proxy-ssl-secret", reason);
    if (!fields.secret.includes("/")) return no({ why: `${fields.secret} is not namespace/name` });
    const found = named<Secret>(fields.secret, "Secret", context.secret, context);
    if (!found.ok) return no(found.reason);
    const secret = `Secret ${keyOf(found.object)}`;
    const identity = identityOf(found.object);
    if ("why" in identity) return no({ why: `${secret} ${identity.why}` });
    const verify = fields.verify === "on";
    if (verify && identity.authorities === "")
      return no({ why: `${secret} has no ca.crt, and proxy-ssl-verify needs it` });
    const { name, ciphers, protocols, depth } = fields;
    const sorted = [...new Set(protocols)].sort();
    const own = { verify, depth: Math.max(1, depth), name, sni: fields.sni === "on", protocols: sorted, ciphers };
    const value: ProxySsl = { kind: "identity", ...identity, ...own };
    if (identity.authorities !== "") return { value };
    const why = `${secret} has no ca.crt, and without it no certificate is shown to backends`;
    return { value, problems: [useless(context, "proxy-ssl-secret", why)] };
  },
  onlyWith: {
    secret: (_, other) => forTls(other),
    depth: (value) => (value.kind === "identity" && !value.verify ? "proxy-ssl-verify is not on" : undefined),
    name: (value) =>
      value.kind === "identity" && !value.verify && !value.sni
        ? "neither proxy-ssl-verify nor proxy-ssl-server-name is on"
        : undefined,
  },
  view: (value, place) => value.kind !== "none" && place.protocol !== "fastcgi" && pooledView(settingsOf(value), place),
});

/** Returns why connections to backends have no TLS. A snippet may pass requests on by itself. */
function forTls(other: Other): string | undefined {
  const { scheme } = other(backendProtocol);
  if (!["HTTP", "GRPC", "FCGI"].includes(scheme)) return undefined;
  if (/\b(?:proxy|grpc)_pass\b/.test(other(configurationSnippet).text)) return undefined;
  return `backend-protocol is ${scheme}, and only connections by HTTPS or GRPCS have TLS`;
}

type Identity = Extract<ProxySsl, { kind: "identity" }>;

function settingsOf({ chain, key, authorities: text, name, sni, ...trust }: Identity): TlsSettings {
  const isTrusting = text !== "";
  return {
    identity: chain === "" || !isTrusting ? undefined : { chain, key },
    trust: isTrusting ? { ...trust, authorities: { kind: "pem", text } } : undefined,
    name,
    sni,
    names: [],
  };
}

/**
 * Reads the Secret. A pair that does not fit together would make nginx refuse the whole
 * configuration.
 */
function identityOf(secret: Secret): Pick<Identity, "chain" | "key" | "authorities"> | { readonly why: string } {
  const authorities = decoded(secret, "ca.crt") ?? "";
  const hasPair = decoded(secret, "tls.crt") !== undefined || decoded(secret, "tls.key") !== undefined;
  if (!hasPair && authorities === "") return { why: "has neither a key pair nor a ca.crt" };
  if (authorities !== "" && !readablePem(authorities, "CERTIFICATE", (block) => new X509Certificate(block))) {
    return { why: "has a ca.crt that does not hold certificates in PEM" };
  }
  if (!hasPair) return { chain: "", key: new SecretText(""), authorities };
  const pair = certificateOf(secret);
  if (!pair.ok) return { why: pair.why };
  return { chain: pair.certificate.chain, key: pair.certificate.key, authorities };
}
