/**
 * Asks the running nginx about a request. The question is a request to nginx's control socket with
 * the same host, path, query and headers, so nginx reads these as it would read the request.
 * Headers that are about one connection, and the password for another server, are in the body
 * instead.
 */

import type { ListenerPort } from "../../../core/model/listeners.ts";
import { isShared, slotOf } from "../../../core/render/gateway/listen.ts";
import type { Machine } from "../../../core/tokens/machine.ts";
import type { Routed, RouterQuestion } from "../../../nginx/routed.ts";
import { portsFor } from "../../matcher/gateway/ports.ts";
import type { Served } from "../../matcher/host.ts";
import { schemeOf } from "../../matcher/redirects.ts";
import { type AskedRequest, type ReadRequest, readRequest } from "../../matcher/request.ts";
import { LiveRouter } from "./live-router.ts";
import type { AskedWorld } from "./world.ts";

export interface LiveNginx {
  readonly machine: Machine;
  readonly route: (question: RouterQuestion) => Promise<Routed | undefined>;
}

export type LiveAnswer = { readonly live: LiveRouter } | { readonly note: string };

export async function askNginx(
  { served, decide: options }: Pick<AskedWorld, "served" | "decide">,
  asked: AskedRequest,
  nginx: LiveNginx,
): Promise<LiveAnswer> {
  if (nginx.machine.mode === "static") return { note: "in static mode nginx has no router that can be asked" };
  const request = readRequest(asked);
  if (request === undefined) return { note: "nginx refuses such a request before it routes any" };
  const apart = portsFor(served, asked, options).filter((port) => !isShared(port, nginx.machine));
  const question = { served, asked, request, machine: nginx.machine };
  const answers = new Map<string, Routed>();
  for (const port of [undefined, ...apart]) {
    const routed = await nginx.route(questionOf(question, port));
    if (routed === undefined) return { note: "nginx does not answer, or refuses the request itself" };
    answers.set(port?.id ?? "", routed);
  }
  const live = new LiveRouter(answers);
  return live.fits(served) ? { live } : { note: "nginx was given other routes meanwhile; ask again" };
}

interface Questioned {
  readonly served: Served;
  readonly asked: AskedRequest;
  readonly request: ReadRequest;
  readonly machine: Machine;
}

/**
 * Makes the question for one port. `port` is the port of a Gateway; undefined for the ports of
 * Ingresses.
 */
function questionOf({ served, asked, request, machine }: Questioned, port: ListenerPort | undefined): RouterQuestion {
  const { scheme, method, headers } = asked;
  const tls = scheme === "https";
  const [sent, beside] = [true, false].map((may) =>
    [...headers].filter(([name]) => name !== "host" && kept.includes(name) !== may),
  );
  const length = headers.get("content-length");
  return {
    host: request.host,
    target: request.requestUri,
    headers: Object.fromEntries(sent!),
    variables: {
      ...Object.fromEntries(kept.map((name) => [variableOf(name), false as const])),
      ...Object.fromEntries(beside!.map(([name, value]) => [variableOf(name), value])),
      request_method: method,
      content_length: length ?? false,
      scheme,
      https: tls ? "on" : false,
      ssl_server_name: (tls && (asked.sni ?? request.host)) || false,
      server_port: String(port?.listenPort ?? machine.ports[scheme]),
      server_addr: port?.address ?? false,
      pass_access_scheme: schemeOf(asked, served.settings),
      remote_addr: asked.client ?? false,
    },
    slot: port === undefined ? "" : slotOf(port, machine),
    shared: port === undefined,
    ...(port?.address === undefined ? {} : { address: port.address }),
    tls,
    rejects: served.settings.sslRejectHandshake,
  };
}

/** Headers that belong to one connection, and those with which the question itself is sent. */
const kept = [
  ...["authorization", "connection", "content-length", "expect", "keep-alive", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "http2-settings"],
];

const variableOf = (header: string): string => `http_${header.replaceAll("-", "_")}`;
