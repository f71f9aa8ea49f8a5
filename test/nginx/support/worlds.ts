/**
 * Serves worlds, small sets of objects of both APIs, on one real nginx, and asks it and the
 * matcher about the same requests. Ingresses and the Gateway `ns/gw` share two ports. Other
 * Gateways get addresses of their own. Each Service of a world has one backend, which answers with
 * the path that it gets; another nginx answers for all of them.
 */
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { text } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import { fakeCertificate } from "../../../src/core/certificates/fake.ts";
import { type Translation, translate } from "../../../src/core/table/translator.ts";
import { emptyInputs } from "../../../src/core/table/turn.ts";
import { type Decided, decided, type Question } from "../../support/decided.ts";
import {
  backendPorts,
  serviceAt,
  snapshotOf,
  type World,
  worldDecideOptions,
  worldOptions,
} from "../../support/world-options.ts";
import { type Gateways, startGateways } from "./gateways.ts";
import { testNginx } from "./nginx.ts";

export interface Answered {
  /**
   * `ns/web /path` for a Service and the path that it got, a status and the target of a redirect,
   * or `closed` if the connection ended without an answer.
   */
  readonly text: string;
  /** The common name of the certificate, if there was TLS. */
  readonly certificate?: string;
  readonly headers: IncomingMessage["headers"];
}

export interface Worlds {
  serve(world: World): Promise<Translation>;
  /**
   * Serves a translation of a world with these Services; with `keepsText` nginx gets only its data.
   */
  put(translation: Translation, services: readonly string[], keepsText?: boolean): Promise<void>;
  decide(question: Question): Decided;
  ask(question: Question): Promise<Answered>;
  readonly gateways: Gateways;
}

/** `base` is the http port of nginx, and the first of four. */
export async function startWorlds(base: number, passthrough = false): Promise<Worlds> {
  const gateways = await startGateways(base, undefined, { enableSslPassthrough: passthrough });
  await startBackends();
  const fake = await fakeCertificate(new Date());
  const options = worldOptions(base);
  const decideOptions = worldDecideOptions(base);
  const ports = { http: base, https: base + 1 };
  let served: Translation | undefined;
  let agents = newAgents();
  let services: readonly string[] = [];
  const close = () => {
    agents.http.destroy();
    agents.https.destroy();
  };
  onTestFinished(close);
  const put: Worlds["put"] = async (translation, all, keepsText = false) => {
    // A reload closes idle connections, also while a request is on its way.
    close();
    agents = newAgents();
    [served, services] = [translation, all];
    await gateways.serve(translation.configuration, keepsText);
  };
  return {
    gateways,
    put,
    async serve(world) {
      const translation = translate({ ...emptyInputs, snapshot: snapshotOf(world) }, options, fake);
      await put(translation, world.services);
      return translation;
    },
    decide: (question) => decided(served!.configuration, question, decideOptions),
    async ask(question) {
      const { gateway, scheme } = question;
      const found = [...served!.configuration.listenerPorts.values()].find(
        ({ listeners }) => gateway !== undefined && listeners.some((one) => one.gateway === gateway),
      );
      const host = found?.address ?? "127.0.0.1";
      const port = gateway === undefined ? ports[scheme] : question.port!;
      const answer = await sent(question, { host, port }, agents);
      if (answer === undefined) return { text: "closed", headers: {} };
      const { response, body, ...certificate } = answer;
      const { headers, statusCode } = response;
      return { headers, ...certificate, text: wordsOf(statusCode, headers, body, services) };
    },
  };
}

interface Sent {
  readonly response: IncomingMessage;
  readonly body: string;
  readonly certificate?: string;
}

interface Agents {
  readonly http: Agent;
  readonly https: SecureAgent;
}

/** Handshakes cost more than requests, so a few connections are used for all requests. */
const newAgents = (): Agents => ({
  http: new Agent({ keepAlive: true, maxSockets: 8 }),
  // A session that is resumed shows no certificate.
  https: new SecureAgent({ keepAlive: true, maxSockets: 2, maxCachedSessions: 0 }),
});

async function sent(
  { scheme, method, target: path, host, headers, sni = host }: Question,
  to: { readonly host: string; readonly port: number },
  agents: Agents,
): Promise<Sent | undefined> {
  const common = { ...to, method, path, headers: { ...headers, host } };
  const response = await new Promise<IncomingMessage | undefined>((resolve) => {
    const one =
      scheme === "http"
        ? httpRequest({ ...common, agent: agents.http })
        : httpsRequest({ ...common, agent: agents.https, servername: sni, rejectUnauthorized: false });
    one.on("response", resolve).on("error", () => resolve(undefined));
    one.end();
  });
  if (response === undefined) return undefined;
  const certificate = certificateOf(response);
  return { response, body: await text(response), ...certificate };
}

const certificates = new WeakMap<object, string>();

/** Reading a certificate costs more than a request. */
function certificateOf({ socket }: IncomingMessage): { readonly certificate?: string } {
  const secure = socket as TLSSocket;
  if (secure.getPeerCertificate === undefined) return {};
  const known = certificates.get(secure) ?? String(secure.getPeerCertificate().subject?.CN);
  certificates.set(secure, known);
  return { certificate: known };
}

function wordsOf(
  status: number | undefined,
  { location }: IncomingMessage["headers"],
  body: string,
  services: readonly string[],
): string {
  const [address = "", uri = ""] = body.split(" ");
  const service = status === 200 ? serviceAt(address, services) : undefined;
  if (service === undefined) return location === undefined ? String(status) : `${status} ${location}`;
  return `${service} ${uri.replace(/\?.*$/, "")}`;
}

async function startBackends(): Promise<void> {
  const nginx = await testNginx();
  onTestFinished(() => nginx.stop());
  await nginx.serve({
    http: `
    keepalive_requests 1000000;
    server {
      listen 0.0.0.0:${backendPorts.http};
      listen 0.0.0.0:${backendPorts.calls} http2;
      location / { return 200 "$server_addr $request_uri"; }
    }`,
  });
}
