/** The view of the servers that have the ports of Gateways. */
import { Token, type View } from "../../directives/token.ts";
import { catchAll } from "../../model/configuration.ts";
import { forgottenLines, headerLinesOf } from "../../settings/header-lines.ts";
import { type AboutServers, routedServer } from "../conf/server-views.ts";
import { plainServerView, type Slot } from "../conf/text-servers.ts";
import type { Shape } from "../dynamic/shape.ts";
import { filesOf, type RenderedFile } from "../rendered-files.ts";
import { gatewayListenLines, type ListenedPort } from "./listen.ts";

/** Ports that ask their clients for the same certificates. */
export interface GatewayServer {
  readonly slot: Slot;
  /** At least one. */
  readonly ports: readonly ListenedPort[];
}

/** The most authorities between the certificate of a client and a trusted one. */
const depth = 10;

/** Returns the view, and adds the files that its text names to `files`. */
export function gatewayServerView(
  about: AboutServers,
  { slot, ports }: GatewayServer,
  shapes: readonly Shape[],
  files: RenderedFile[],
): View {
  const { settings, machine } = about;
  const lines = { http: headerLinesOf(settings.httpSnippet), server: [], location: [] };
  return {
    ...routedServer(about, slot, shapes),
    listen: gatewayListenLines(ports, settings, machine.capabilities, machine, about.fronts),
    rejectsUnknownNames: settings.sslRejectHandshake,
    // Ports of Gateways have no HTTP/3.
    http3: false,
    gateway: {
      transportSecurity: Token.variable("passed_transport_security"),
      forgotten: forgottenLines({ ...lines, location: [{ directive: "add_header", text: "" }] }, "add_header"),
      clients: clientsView(ports[0]!, machine.paths.root, files),
    },
    paths: [],
    takesRest: true,
    names: Token.name(catchAll),
    features: plainServerView,
  };
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
