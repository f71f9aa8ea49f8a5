/**
 * The certificates of authorities in the key `ca.crt` of a ConfigMap. All of them are parsed here,
 * because one that OpenSSL cannot read would make nginx refuse the whole configuration. Text around
 * them is left out.
 */
import { X509Certificate } from "node:crypto";
import type { ConfigMap } from "../model/objects.ts";
import { certificatesIn } from "./issuers.ts";

export type AuthoritiesRead =
  /** PEM; each certificate occurs once. */
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

const read = new WeakMap<ConfigMap, AuthoritiesRead>();

/**
 * Returns the same object for the same ConfigMap, because bundles of some hundred certificates are
 * common.
 */
export function authoritiesIn(configMap: ConfigMap): AuthoritiesRead {
  let answer = read.get(configMap);
  if (answer === undefined) {
    answer = authoritiesOf(configMap.data?.["ca.crt"]);
    read.set(configMap, answer);
  }
  return answer;
}

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
