/**
 * The certificates of issuers that follow a host's certificate in its file. Few issuers sign for
 * many hosts, so the facts about each are cached by its text.
 */
import { X509Certificate } from "node:crypto";
import type { Weakness } from "../model/configuration.ts";
import { weaknessOf } from "./weakness.ts";

export type Issuer =
  | { readonly ok: true; readonly weakness: Weakness | undefined }
  /** One unreadable issuer makes nginx refuse the whole file. */
  | { readonly ok: false };

/** Returns the certificates behind the first one of the PEM text, in their order. */
export function issuersIn(chain: string): readonly Issuer[] {
  return certificatesIn(chain).slice(1).map(issuerOf);
}

const beginning = "-----BEGIN CERTIFICATE-----";

/**
 * Returns, for each certificate of a PEM text in its order, the text from this certificate to the
 * end.
 */
export function certificatesIn(chain: string): readonly string[] {
  const [, ...behind] = chain.split(beginning);
  return behind.map((text) => beginning + text);
}

const known = new Map<string, Issuer>();
/** Only some hundred issuers exist in the world; more of them come from tests. */
const mostKnown = 1_000;

function issuerOf(text: string): Issuer {
  let issuer = known.get(text);
  if (issuer === undefined) {
    issuer = read(text);
    if (known.size >= mostKnown) known.clear();
    known.set(text, issuer);
  }
  return issuer;
}

function read(text: string): Issuer {
  try {
    const certificate = new X509Certificate(text);
    // The signature of a root on itself does not matter.
    const isRoot = certificate.issuer === certificate.subject;
    return { ok: true, weakness: weaknessOf(certificate, certificate.publicKey, isRoot ? "root" : "issuer") };
  } catch {
    return { ok: false };
  }
}
