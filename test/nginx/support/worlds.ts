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
import { forOperator, strictPolicy } from "../../../src/core/kinds/asked.ts";
import { type KubernetesObject, keyOf } from "../../../src/core/model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../../src/core/model/snapshot.ts";
import { defaultOptions } from "../../../src/core/table/options.ts";
import { type Translation, translate } from "../../../src/core/table/translator.ts";
import { emptyInputs } from "../../../src/core/table/turn.ts";
import { type Decided, decided, type Question } from "../../support/decided.ts";
import { type Gateways, startGateways } from "./gateways.ts";
import { testNginx } from "./nginx.ts";

export interface World {
  readonly objects: readonly KubernetesObject[];
  /** `namespace/name` of the Services. */
  readonly services: readonly string[];
}

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
  decide(question: Question): Decided;
  ask(question: Question): Promise<Answered>;
  readonly gateways: Gateways;
}

/** The addresses of other Gateways, which ask for them in `spec.addresses`. */
export const ownAddresses = ["127.102.0.1", "127.102.0.2"];
const backendPort = 9100;

/** `base` is the http port of nginx, and the first of four. */
export async function startWorlds(base: number): Promise<Worlds> {
  const gateways = await startGateways(base);
  await startBackends();
  const fake = await fakeCertificate(new Date());
  const options = {
    ...defaultOptions,
    asked: forOperator(strictPolicy),
    defaultServerPort: base + 2,
    gateway: {
      ...defaultOptions.gateway,
      ...{ shared: "ns/gw", httpPort: base, httpsPort: base + 1, addresses: ownAddresses },
    },
  };
  const ports = { http: base, https: base + 1 };
  const decideOptions = { ownPaths: ["/healthz", "/nginx_status"], builtInPort: base + 2, ports };
  let served: Translation | undefined;
  let agents = newAgents();
  let services: readonly string[] = [];
  const close = () => {
    agents.http.destroy();
    agents.https.destroy();
  };
  onTestFinished(close);
  return {
    gateways,
    async serve(world) {
      // A reload closes idle connections, also while a request is on its way.
      close();
      agents = newAgents();
      services = world.services;
      const all = [...services.flatMap(serviceOf), ...world.objects];
      const snapshot = withObjects(
        emptySnapshot,
        all.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object })),
      );
      served = translate({ ...emptyInputs, snapshot }, options, fake);
      await gateways.serve(served.configuration);
      return served;
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
  const at = /^127\.103\.(\d+)\.(\d+)$/.exec(address);
  if (status !== 200 || at === null) return location === undefined ? String(status) : `${status} ${location}`;
  return `${services[Number(at[1]) * 200 + Number(at[2]) - 1]} ${uri.replace(/\?.*$/, "")}`;
}

const addressOf = (nth: number): string => `127.103.${Math.floor(nth / 200)}.${(nth % 200) + 1}`;

/** The Service `none` has no endpoint. */
function serviceOf(key: string, nth: number): KubernetesObject[] {
  const [namespace = "", name = ""] = key.split("/");
  const metadata = { name, namespace };
  const slice = { ...metadata, labels: { "kubernetes.io/service-name": name } };
  const endpoints = name === "none" ? [] : [{ addresses: [addressOf(nth)], conditions: { ready: true } }];
  return [
    { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port: 80, targetPort: backendPort }] } },
    {
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata: slice, addressType: "IPv4", endpoints },
      ports: [{ port: backendPort, protocol: "TCP" }],
    },
  ] as unknown as KubernetesObject[];
}

async function startBackends(): Promise<void> {
  const nginx = await testNginx();
  onTestFinished(() => nginx.stop());
  await nginx.serve({
    http: `
    keepalive_requests 1000000;
    server {
      listen 0.0.0.0:${backendPort};
      location / { return 200 "$server_addr $request_uri"; }
    }`,
  });
}
