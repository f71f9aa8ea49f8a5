/**
 * The directives for backends over TLS, of annotations and of BackendTLSPolicies. nginx finds a
 * kept connection by the address of its peer alone, so each set of directives has connections of
 * its own.
 */
import type { Authorities, BackendTls, Identity } from "../../model/backend-tls.ts";
import type { Place, ServerPlace } from "../../tokens/place.ts";
import { shortHash } from "../../tokens/short-hash.ts";
import { Token, type View } from "../../tokens/token.ts";

export interface TlsSettings {
  /** The certificate for backends that request one. */
  readonly identity: Identity | undefined;
  /** If it is undefined, any certificate of a backend is accepted. */
  readonly trust:
    | {
        readonly authorities: Authorities;
        readonly verify: boolean;
        readonly depth: number;
        readonly protocols: readonly string[];
        readonly ciphers: string | undefined;
      }
    | undefined;
  /** The name in the handshake. If it is empty, it is the internal name of the upstream block. */
  readonly name: string;
  readonly sni: boolean;
  /** Names of which the certificate must have one in place of `name`. */
  readonly names: readonly string[];
}

export interface TlsText {
  /** The view of `templates/proxy-ssl.tmpl`. */
  readonly view: readonly View[];
  /** Differs for different directives. */
  readonly id: string;
}

const onOrOff = (on: boolean) => Token.name(on ? "on" : "off");

export function tlsText(
  { identity, trust, name, sni, names }: TlsSettings,
  place: ServerPlace,
  prefix: "grpc_ssl" | "proxy_ssl",
): TlsText {
  const file = (text: string) => Token.word(place.file("loaded", text));
  const line = (name: string, value: Token) => ({ name: Token.name(`${prefix}_${name}`), value });
  const view = [
    ...(identity === undefined
      ? []
      : [line("certificate", file(identity.chain)), line("certificate_key", file(identity.key.reveal()))]),
    ...(trust === undefined
      ? []
      : [
          line(
            "trusted_certificate",
            trust.authorities.kind === "file" ? Token.word(trust.authorities.path) : file(trust.authorities.text),
          ),
          line("verify", onOrOff(trust.verify)),
          line("verify_depth", Token.count(trust.depth)),
          line("protocols", Token.words(trust.protocols.map(Token.name))),
          ...(trust.ciphers === undefined ? [] : [line("ciphers", Token.word(trust.ciphers))]),
        ]),
    ...(name === "" ? [] : [line("name", Token.text(name))]),
    line("server_name", onOrOff(sni)),
    ...(names.length === 0
      ? []
      : [{ name: Token.name("upstream_ssl_verify_san"), value: Token.words(names.map(Token.text)) }]),
  ];
  return { view, id: view.map((one) => `${one.name} ${one.value}`).join("\n") };
}

/** Returns the view for a location, whose connections are kept apart from others. */
export function pooledView(settings: TlsSettings, place: Place): View {
  const { view, id } = tlsText(settings, place, place.protocol === "grpc" ? "grpc_ssl" : "proxy_ssl");
  place.pooledApart(id);
  return view;
}

/** The most authorities between the certificate of a backend and a trusted one. */
const depth = 10;

/** Returns the settings of a BackendTLSPolicy. */
export function ofPolicy({ authorities, hostname: name, names, identity }: BackendTls): TlsSettings {
  const trust = { authorities, verify: true, depth, protocols: ["TLSv1.2", "TLSv1.3"], ciphers: undefined };
  return { identity, trust, name, sni: true, names };
}

/** Returns the directives for a server of the stream module. */
export function streamTlsView(tls: BackendTls, place: ServerPlace): View {
  const { view } = tlsText(ofPolicy(tls), place, "proxy_ssl");
  return [{ name: Token.name("proxy_ssl"), value: Token.conf`on` }, ...view];
}

/** Returns what an upstream block of its own needs: the view, and the end of the block's name. */
export function tlsOfBlock(tls: BackendTls | undefined, place: ServerPlace, isHttp2: boolean) {
  if (tls === undefined) return { proxySsl: [], apart: "" };
  const { view: proxySsl, id } = tlsText(ofPolicy(tls), place, isHttp2 ? "grpc_ssl" : "proxy_ssl");
  return { proxySsl, apart: `_${shortHash(id)}` };
}
