/**
 * Ingresses and routes of the shared Gateway `ns/gw` on one real nginx, made by the translator. The
 * Services `s1` to `s4` of the namespaces `ns` and `other` lead to the backends of these numbers.
 */

import { type DecideOptions, decide } from "../../../src/ask/matcher/decide.ts";
import { type ShadowReport, shadowReports } from "../../../src/ask/matcher/shadow/report.ts";
import { fakeCertificate } from "../../../src/core/certificates/fake.ts";
import { forOperator, strictPolicy } from "../../../src/core/kinds/asked.ts";
import { type EndpointSlice, type KubernetesObject, keyOf, type Service } from "../../../src/core/model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../../src/core/model/snapshot.ts";
import { defaultOptions } from "../../../src/core/table/options.ts";
import { type Translation, translate } from "../../../src/core/table/translator.ts";
import { emptyInputs } from "../../../src/core/table/turn.ts";
import { gateway, gatewayClass, namespace } from "../../support/gateways.ts";
import { ingressClass } from "../../support/ingress.ts";
import { startGateways } from "./gateways.ts";
import { request } from "./request.ts";

export interface BothApis {
  /**
   * Serves these objects beside the Gateway; returns what the translator made, and whether nginx
   * was reloaded.
   */
  serve(...objects: readonly KubernetesObject[]): Promise<Translation & { readonly reloaded: boolean }>;
  /**
   * Returns the number of the backend that answers, or the status of another answer, and checks
   * that `sluice why` says the same.
   */
  ask(host: string, path: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** Returns the answer that nginx gives without a backend. */
  answer(host: string, path: string, headers?: Readonly<Record<string, string>>): Promise<string>;
  /** Reports about what routes in shadow would have done. */
  shadows(): Promise<readonly ShadowReport[]>;
  readonly to: string;
}

/** `base` is the http port of nginx, and the first of four. */
export async function startBothApis(base: number): Promise<BothApis> {
  const it = await startGateways(base);
  const fake = await fakeCertificate(new Date());
  const to = `127.0.0.1:${base}`;
  const options = {
    ...defaultOptions,
    asked: forOperator(strictPolicy),
    defaultServerPort: base + 2,
    gateway: { ...defaultOptions.gateway, shared: "ns/gw", httpPort: base, httpsPort: base + 1 },
  };
  let served: Translation | undefined;
  const answer = async (host: string, path: string, headers: Readonly<Record<string, string>> = {}) => {
    const { status, body } = await request({ to, host, path, headers });
    return status === 200 ? `s${JSON.parse(body).backend}` : String(status);
  };
  return {
    answer,
    shadows: async () => shadowReports(served!.configuration, await it.shadow(), decideOptions(base)),
    to,
    async serve(...objects) {
      const all = [...surroundings, gateway({ spec: { listeners: [open] } }), ...objects];
      const snapshot = withObjects(
        emptySnapshot,
        all.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object })),
      );
      served = translate({ ...emptyInputs, snapshot }, options, fake);
      return { ...served, reloaded: await it.serve(served.configuration) };
    },
    async ask(host, path, headers = {}) {
      const answered = await answer(host, path, headers);
      const decided = decidedOf(served!, host, path, headers, base);
      return decided === answered ? answered : `nginx: ${answered}, why: ${decided}`;
    },
  };
}

const open = {
  name: "http",
  port: 80,
  protocol: "HTTP",
  allowedRoutes: { namespaces: { from: "All" as const } },
};

function serviceOf(namespace: string, n: number): KubernetesObject[] {
  const metadata = { name: `s${n}`, namespace, labels: { "kubernetes.io/service-name": `s${n}` } };
  const service: Service = {
    ...{ apiVersion: "v1", kind: "Service", metadata },
    spec: { ports: [{ port: 80, targetPort: 9000 }] },
  };
  const slice: EndpointSlice = {
    ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata, addressType: "IPv4" },
    endpoints: [{ addresses: [`127.101.0.${n}`], conditions: { ready: true } }],
    ports: [{ port: 9000, protocol: "TCP" }],
  };
  return [service, slice];
}

const namespaces = ["ns", "other"];
const surroundings: readonly KubernetesObject[] = [
  gatewayClass(),
  ingressClass as KubernetesObject,
  ...namespaces.map((name) => namespace(name)),
  ...namespaces.flatMap((name) => [1, 2, 3, 4].flatMap((n) => serviceOf(name, n))),
];

function decideOptions(port: number): DecideOptions {
  return { ownPaths: ["/healthz", "/nginx_status"], builtInPort: port + 2, ports: { http: port, https: port + 1 } };
}

function decidedOf(
  { configuration }: Translation,
  host: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  port: number,
): string {
  const asked = { scheme: "http", host, target, method: "GET", headers: new Map(Object.entries(headers)) } as const;
  const options = decideOptions(port);
  const { atListeners, atHosts: ofIngresses } = decide(configuration, asked, options);
  const [found] = atListeners;
  const { end } = found === undefined || found.passedOn !== undefined ? ofIngresses : found;
  if (end.kind === "proxied") return end.upstream.id.split("/")[1]!;
  return end.kind === "unclear" ? end.why : String(end.status);
}
