/**
 * The certificates of authorities in the key `ca.crt` of a ConfigMap or Secret. All of them are
 * parsed here, because one that OpenSSL cannot read would make nginx refuse all of its text. Other
 * text around them is left out.
 */
import { X509Certificate } from "node:crypto";
import type { ConfigMap, Secret } from "../model/objects.ts";
import { certificatesIn } from "./issuers.ts";

export type AuthoritiesRead =
  /** PEM; each certificate occurs once. */
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

const read = new WeakMap<ConfigMap | Secret, AuthoritiesRead>();

/**
 * Returns the same result for the same object, because bundles of some hundred certificates are
 * common.
 */
export function authoritiesIn(object: ConfigMap | Secret): AuthoritiesRead {
  let answer = read.get(object);
  if (answer === undefined) {
    const text = object.data?.["ca.crt"];
    answer = authoritiesOf(object.kind === "Secret" && text !== undefined ? decoded(text) : text);
    read.set(object, answer);
  }
  return answer;
}

const decoded = (text: string): string => Buffer.from(text, "base64").toString();

/** Reads certificates of authorities. `pem` is the value of the key. */
export function authoritiesOf(pem: string | undefined): AuthoritiesRead {
  if (pem === undefined) return { ok: false, why: "has no ca.crt" };
  const texts = new Set<string>();
  for (const [at, text] of certificatesIn(pem).entries()) {
    try {
      texts.add(new X509Certificate(text).toString());
    } catch {
      return { ok: false, why: `has a ca.crt whose certificate ${at + 1} cannot be read` };
    }
  }
  if (texts.size === 0) return { ok: false, why: "has a ca.crt that holds no certificate in PEM" };
  return { ok: true, text: [...texts].join("") };
}
