/** What the partial of a server sees for the one that has all ports of Gateways. */
import { Token, type View } from "../../directives/token.ts";
import { catchAll } from "../../model/configuration.ts";
import { forgottenLines, headerLinesOf } from "../../settings/header-lines.ts";
import { transportSecurity } from "../conf/conf.ts";
import { type AboutServers, routedServer } from "../conf/server-views.ts";
import { gatewaySlot, plainServerView } from "../conf/text-servers.ts";
import type { Shape } from "../dynamic/shape.ts";
import { gatewayListenLines, type ListenedPort } from "./listen.ts";

export function gatewayServerView(about: AboutServers, ports: readonly ListenedPort[], shapes: readonly Shape[]): View {
  const { settings, machine } = about;
  const lines = { http: headerLinesOf(settings.httpSnippet), server: [], location: [] };
  return {
    ...routedServer(about, gatewaySlot, shapes),
    listen: gatewayListenLines(ports, settings, machine.capabilities, machine),
    rejectsUnknownNames: settings.sslRejectHandshake,
    // Datagrams have no port of a Gateway.
    http3: false,
    gateway: {
      transportSecurity: transportSecurity(settings).otherwise!,
      forgotten: forgottenLines({ ...lines, location: [{ directive: "add_header", text: "" }] }, "add_header"),
    },
    paths: [],
    takesRest: true,
    names: Token.name(catchAll),
    features: plainServerView,
  };
}
