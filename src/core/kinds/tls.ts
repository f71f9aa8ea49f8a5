/** Kinds for the names of TLS: protocols, cipher lists, curves. */
import { createSecureContext } from "node:tls";
import { Token } from "../tokens/token.ts";
import { blankListOf } from "./combine.ts";
import { type Kind, no, ok, shown } from "./kind.ts";
import { oneOf } from "./words.ts";

export const tlsProtocols = blankListOf(oneOf(["SSLv2", "SSLv3", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]));

/** An OpenSSL cipher list for TLS up to 1.2. OpenSSL itself checks that it leaves a cipher. */
export const cipherList: Kind<string> = {
  label: "an OpenSSL cipher list",
  read: (text) => {
    if (!/^[\w!@+:=, -]{1,2000}$/.test(text)) return no(`${shown(text)} is not an OpenSSL cipher list`);
    if (hasCipher(text)) return ok(text);
    // The ciphers of TLS 1.3 have a setting of their own, and nginx leaves all of them on.
    const what = text.includes("TLS_") ? "ciphers of TLS 1.3, which are always on, and none of TLS 1.2" : "no cipher";
    return no(`${shown(text)} names ${what} that OpenSSL knows`);
  },
  view: Token.word,
};

/** A list separated by colons only, as ingress-nginx accepts it in an annotation. */
export const colonCipherList: Kind<string> = {
  ...cipherList,
  label: "an OpenSSL cipher list with colons",
  read: (text) =>
    /[, ]/.test(text)
      ? no(`${shown(text)} has a comma or a blank between ciphers; write a colon there`)
      : cipherList.read(text),
};

/**
 * Whether the list has a cipher for TLS up to 1.2. Node removes names of TLS 1.3 before OpenSSL
 * sees the list. nginx does not, and refuses a list that has nothing else.
 */
function hasCipher(list: string): boolean {
  const ciphers = list
    .split(/[:, ]/)
    .filter((name) => name !== "" && !/^[-+!]?TLS_/.test(name))
    .join(":");
  if (ciphers === "") return false;
  try {
    createSecureContext({ ciphers });
    return true;
  } catch {
    return false;
  }
}

const groups =
  "P-256 P-384 P-521 prime256v1 secp384r1 secp521r1 secp256k1 X25519 X448 brainpoolP256r1 brainpoolP384r1 brainpoolP512r1 ffdhe2048 ffdhe3072 ffdhe4096 ffdhe6144 ffdhe8192 X25519MLKEM768 SecP256r1MLKEM768 SecP384r1MLKEM1024";
const known = new Set(groups.toLowerCase().split(" "));

/** `auto`, or names of curves separated by colons. */
export const curves: Kind<string> = {
  label: "auto, or curves separated by colons",
  read: (text) => {
    const stranger = text === "auto" ? undefined : text.split(":").find((name) => !known.has(name.toLowerCase()));
    return stranger === undefined ? ok(text) : no(`${shown(stranger)} is not a curve that OpenSSL knows`);
  },
  view: Token.name,
};
