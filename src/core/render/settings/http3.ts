/**
 * HTTP/3 (`use-http3`): a QUIC listener beside each TLS one, and the header that announces it to
 * clients. All packets of a connection must reach the same worker, so the socket is split among the
 * workers (`reuseport`), whatever the key reuse-port is for TCP.
 */

import type { Settings } from "../../settings/registry.ts";
import { type Capabilities, capabilityNames } from "../../tokens/capabilities.ts";
import type { Machine } from "../../tokens/machine.ts";
import { Token, type View } from "../../tokens/token.ts";
import { addressesOf } from "./listen.ts";

export function servesHttp3(settings: Settings, can: Capabilities): boolean {
  return settings.useHttp3 && can.http3 && whyNoHttp3(settings, can) === undefined;
}

/**
 * Returns why HTTP/3 is not possible although nginx has it and it is turned on. The text completes
 * "key use-http3 has no effect: ".
 */
export function whyNoHttp3({ useHttp3, sslProtocols }: Settings, can: Capabilities): string | undefined {
  if (!useHttp3 || !can.http3) return undefined;
  if (!sslProtocols.includes("TLSv1.3")) return "it needs TLSv1.3, which ssl-protocols leaves out";
  return can.headersMore
    ? undefined
    : `clients would not learn of it: nginx here has no ${capabilityNames.headersMore}`;
}

/**
 * Returns the values of the `listen` lines of a server. `catchAll` is the server that owns the
 * sockets.
 */
export function quicLines(
  settings: Settings,
  can: Capabilities,
  machine: Machine,
  { port, catchAll }: { readonly port: number; readonly catchAll: boolean },
): readonly Token[] {
  if (!servesHttp3(settings, can)) return [];
  const parameters = ["quic", ...(catchAll ? ["default_server", "reuseport"] : [])];
  return addressesOf(settings, machine).map((address) =>
    Token.words([`${address}${port}`, ...parameters].map(Token.name)),
  );
}

/** Returns the view of `templates/settings/http3.tmpl`. */
export function http3View(settings: Settings, can: Capabilities, { ports }: Machine): View {
  if (!servesHttp3(settings, can)) return { announced: false };
  const port = settings.http3Port ?? ports.https;
  return { announced: Token.text(`h3=":${port}"; ma=${settings.http3MaxAge}`) };
}
