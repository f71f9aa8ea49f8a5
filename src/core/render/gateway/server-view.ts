/** The views of the servers that have the ports of Gateways. */

import { catchAll } from "../../model/configuration.ts";
import { certificateWord } from "../../policies/client-certificate.ts";
import { forgottenLines, headerLinesOf } from "../../settings/header-lines.ts";
import { Token, type View } from "../../tokens/token.ts";
import { type AboutServers, inPlaceView, routedServer } from "../conf/server-views.ts";
import { serverBlock } from "../conf/source-map.ts";
import { asksForCertificate, ownServerViews, plainServerView, type Slot } from "../conf/text-servers.ts";
import type { Shape } from "../dynamic/shape.ts";
import { filesOf, type RenderedFile } from "../rendered-files.ts";
import type { ListenerServer } from "./divided-ports.ts";
import { gatewayListenLines, type ListenedPort } from "./listen.ts";

/** Ports that request the same certificates of their clients. */
export interface GatewayServer {
  readonly slot: Slot;
  /** At least one. */
  readonly ports: readonly ListenedPort[];
  /** The server of some listeners of a divided port; absent for the server of all others. */
  readonly own?: ListenerServer;
}

/** The most authorities between the certificate of a client and a trusted one. */
const depth = 10;

/**
 * Returns the servers of these ports. nginx sends what no name takes to the first server of a port.
 */
export function gatewayServers(ports: readonly ListenedPort[], slotOf: (port: ListenedPort) => Slot) {
  return [...Map.groupBy(ports, slotOf)].flatMap(([slot, ports]): GatewayServer[] => {
    const divided = ports[0]!.divided;
    const apart = divided?.servers.map((own): GatewayServer => ({ slot: own.slot, ports, own })) ?? [];
    if (divided?.takesRest !== true) return [{ slot, ports }, ...apart];
    const rest = divided.others.length === 0 ? [] : [{ slot, ports }];
    const isFirst = ({ own }: GatewayServer) => own!.hostnames.includes("");
    return [...apart.filter(isFirst), ...apart.filter((one) => !isFirst(one)), ...rest];
  });
}

/** Returns the names of the server for its ports, as far as they are names of hosts. */
export function hostnamesOf({ own, ports }: GatewayServer): readonly string[] {
  return (own?.hostnames ?? ports[0]!.divided?.others ?? []).filter((name) => name !== "");
}

/** Whether clients may send certificates, whatever the port says. */
export function verifiesClients({ own, ports }: GatewayServer): boolean {
  return ports.some(({ clients }) => clients !== undefined) || (own !== undefined && asksForCertificate(own));
}

/** Returns the view, and adds the files that its text names to `files`. */
export function gatewayServerView(
  about: AboutServers,
  server: GatewayServer,
  shapes: readonly Shape[],
  files: RenderedFile[],
): View {
  const { slot, ports, own } = server;
  const { settings, machine } = about;
  const lines = { http: headerLinesOf(settings.httpSnippet), server: [], location: [] };
  const isFirst = own === undefined ? ports[0]!.divided?.takesRest !== true : own.hostnames.includes("");
  const place = filesOf(machine.paths.root, files);
  return {
    ...routedServer(about, slot, shapes),
    listen: gatewayListenLines(ports, settings, machine.capabilities, machine, about.fronts, isFirst),
    rejectsUnknownNames: settings.sslRejectHandshake,
    // Ports of Gateways have no HTTP/3.
    http3: false,
    gateway: {
      transportSecurity: Token.variable("passed_transport_security"),
      forgotten: forgottenLines({ ...lines, location: [{ directive: "add_header", text: "" }] }, "add_header"),
      clients: clientsView(ports[0]!, machine.paths.root, files),
      certificate: own !== undefined && asksForCertificate(own) && Token.name(certificateWord(own.features)),
      checksName: own !== undefined && asksForCertificate(own) && !isFirst && firstAsks(ports[0]!),
    },
    paths: [],
    takesRest: true,
    inPlace: inPlaceView(about, shapes),
    names: serverBlock(namesOf(server, isFirst), own === undefined ? "" : slot),
    features: own === undefined ? plainServerView : ownServerViews(own.features, settings, place),
  };
}

/**
 * Returns the names of a server. A divided port has a server for every name: nginx remembers the
 * server of the handshake only if it has the name, and a request on that connection for a host
 * with client certificates then gets 421.
 */
function namesOf(server: GatewayServer, isFirst: boolean): Token {
  const names = hostnamesOf(server).map(Token.word);
  if (!isFirst) return Token.words(names);
  const rest = server.ports[0]!.divided === undefined ? [] : [Token.pattern("~.")];
  return Token.words([Token.name(catchAll), ...rest, ...names]);
}

/**
 * Returns whether the server of handshakes without a name requests certificates. nginx compares
 * these with the authorities of that server alone, even if the request names another host.
 */
function firstAsks({ tls, divided }: ListenedPort): boolean {
  return tls && divided?.servers.some((one) => one.hostnames.includes("") && asksForCertificate(one)) === true;
}

function clientsView({ clients }: ListenedPort, root: string, files: RenderedFile[]): View {
  if (clients === undefined) return false;
  const { authorities, lenient } = clients;
  return {
    authorities: Token.word(filesOf(root, files).file("loaded", authorities)),
    verify: Token.name(lenient ? "optional_no_ca" : "on"),
    depth: Token.count(depth),
    lenient,
  };
}
