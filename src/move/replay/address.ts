/** An address that requests are sent to, for plain requests and for those over TLS. */
import type { AskedRequest } from "../../ask/matcher/request.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** If a scheme has no port, its requests are not sent to this address. */
export type Address = { readonly [scheme in AskedRequest["scheme"]]?: Place };

export type ReadAddress =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly why: string };

const defaultPorts = { http: 80, https: 443 } as const;

/**
 * Reads `192.0.2.10` (both schemes on their usual ports), `192.0.2.10:8080` (http),
 * `https://192.0.2.10:8443`, or an http and an https address with a comma between them.
 */
export function addressOf(text: string): ReadAddress {
  let address: Address = {};
  for (const part of text.split(",")) {
    const [, scheme, bracketed, name, port] =
      /^(?:(https?):\/\/)?(?:\[([\da-f:.%]+)\]|([\w.-]+))(?::(\d{1,5}))?\/?$/i.exec(part.trim()) ?? [];
    const host = bracketed ?? name;
    if (host === undefined || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)))
      return {
        ok: false,
        why: `${JSON.stringify(part)} is not an address such as 192.0.2.10, http://192.0.2.10:8080 or https://proxy.example`,
      };
    const both = scheme === undefined && port === undefined;
    const schemes = both ? (["http", "https"] as const) : ([scheme?.toLowerCase() ?? "http"] as ("http" | "https")[]);
    for (const one of schemes) {
      if (address[one] !== undefined) return { ok: false, why: `${JSON.stringify(text)} names two ${one} addresses` };
      address = { ...address, [one]: { host, port: port === undefined ? defaultPorts[one] : Number(port) } };
    }
  }
  return { ok: true, address };
}
