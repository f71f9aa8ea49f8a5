/**
 * A cluster as files, for the page: thousands of hosts of many teams, and in the namespace `shop`
 * one example of everything that a view shows: a canary, endpoints in each state, certificates of
 * each age, Problems, a Gateway, and hostile names.
 */
import { makeCertificate } from "../../../src/edges/admission/own-certificate.ts";
import { ingress as plainIngress } from "../../support/ingress.ts";

type Annotations = Readonly<Record<string, string>>;

const dayMs = 24 * 3_600_000;
/** The validity of a certificate of `makeCertificate`. */
const validMs = 365 * dayMs;

export const backendPort = 21_930;
/** The addresses on which backends listen. */
export const backendAddresses = ["127.0.0.21", "127.0.0.22", "127.0.0.23"];
/** An address without a server. */
export const deadAddress = "127.0.0.29";
/** Endpoints of one Service that are not ready. */
export const crowd = 30;
/**
 * Secret words that stand in a snippet, and in the user and the query of a URL. The page must not
 * show them.
 */
export const secretWords = ["hunter2-snippet", "hunter2-user", "hunter2-query"] as const;
const [snippetWord, userWord, queryWord] = secretWords;
export const hostile = {
  name: "<img src=x onerror=alert(1)>",
  path: `/"><script>alert(document.domain)</script>`,
  long: `/${"very-long-".repeat(60)}end`,
} as const;

const teams = ["books", "maps", "music", "news", "parcels", "payments", "photos", "search", "tickets", "weather"];
const apps = ["admin", "api", "app", "assets", "auth", "blog", "docs", "events", "feed", "files"];

export const hostAt = (at: number): string =>
  `${apps[at % 10]}-${Math.floor(at / 100)}.${teams[Math.floor(at / 10) % 10]}.example.com`;

/** Keyed by file name. */
export async function townFiles(hosts: number): Promise<Record<string, string>> {
  const files: Record<string, string> = {
    "settings.yaml": fileOf([settings]),
    "shop.yaml": fileOf(await shop()),
    "gateway.yaml": fileOf(gateway()),
    "shadow.yaml": fileOf([shadowRoute({ "sluice.dev/shadow": "true" })]),
  };
  for (let from = 0; from < hosts; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, hosts - from) }, (_, at) => plain(from + at));
    files[`hosts-${from}.yaml`] = fileOf(some.flat());
  }
  return files;
}

export const fileOf = (objects: readonly object[]): string => objects.map((one) => JSON.stringify(one)).join("\n---\n");

const settings = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "ingress-nginx" },
  data: {
    "allow-snippet-annotations": "true",
    "annotations-risk-level": "Critical",
    "keep-alive": "30",
    "http-snippet": `# ${snippetWord}`,
    "ssl-session-ticket-key": Buffer.alloc(48, 7).toString("base64"),
  },
};

interface IngressOptions {
  readonly name: string;
  readonly host: string;
  readonly path?: string;
  readonly service?: string;
  readonly secret?: string;
  readonly namespace?: string;
  readonly annotations?: Annotations;
}

export function ingress({ path = "/", service = "web", secret, ...words }: IngressOptions): object {
  return plainIngress({
    namespace: "shop",
    annotations: {},
    ingressClass: "",
    ...words,
    paths: [[path, service]],
    tls: secret,
  });
}

interface EndpointState {
  readonly address: string;
  readonly conditions?: object;
}

export function service(name: string, endpoints: readonly EndpointState[], namespace = "shop"): object[] {
  return [
    { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec: { ports: [{ port: 80 }] } },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: `${name}-1`, namespace, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: endpoints.map(({ address, conditions }) => ({ addresses: [address], conditions })),
      ports: [{ port: backendPort }],
    },
  ];
}

function plain(at: number): object[] {
  const namespace = teams[Math.floor(at / 10) % 10]!;
  const name = `${apps[at % 10]}-${Math.floor(at / 100)}`;
  return [
    ingress({ name, namespace, host: hostAt(at), service: name }),
    ...service(name, [{ address: `127.0.0.${21 + (at % 3)}` }], namespace),
  ];
}

async function shop(): Promise<object[]> {
  const alive = ["127.0.0.21", "127.0.0.22"].map((address) => ({ address }));
  return [
    ...service("web", [...alive, { address: deadAddress }, { address: "127.0.0.28", conditions: { ready: false } }]),
    ...service("web-next", [{ address: "127.0.0.23" }]),
    ...service("crowd", [
      ...alive,
      ...Array.from({ length: crowd }, (_, at) => ({ address: `127.0.0.${100 + at}`, conditions: { ready: false } })),
    ]),
    ...service("empty", [{ address: "127.0.0.28", conditions: { ready: false } }]),
    ingress({
      name: "web",
      host: "www.shop.example.com",
      secret: "fresh",
      annotations: {
        "load-balance": "ewma",
        "ssl-redirect": "false",
        "proxy-read-timeout": "30",
        "proxy-next-upstream-tries": "5",
        "auth-signin": `https://${userWord}:x@login.example.com/start?token=${queryWord}`,
        "configuration-snippet": `more_set_headers "X-Word: ${snippetWord}";`,
      },
    }),
    ingress({
      name: "web-next",
      host: "www.shop.example.com",
      service: "web-next",
      annotations: { canary: "true", "canary-weight": "20" },
    }),
    ingress({ name: "soon", host: "soon.shop.example.com", secret: "soon" }),
    ingress({ name: "old", host: "old.shop.example.com", secret: "old" }),
    ingress({ name: "empty", host: "empty.shop.example.com", service: "empty" }),
    ingress({ name: "crowd", host: "crowd.shop.example.com", service: "crowd" }),
    ingress({ name: "lost", host: "lost.shop.example.com", service: "nowhere" }),
    ingress({
      name: "guarded",
      host: "guarded.shop.example.com",
      annotations: { "auth-type": "basic", "auth-secret": "missing" },
    }),
    ingress({
      name: "listed",
      host: "listed.shop.example.com",
      annotations: { "whitelist-source-range": "192.0.2.0/24" },
    }),
    ingress({ name: "timeout", host: "slow.shop.example.com", annotations: { "proxy-read-timeout": "5 m" } }),
    ingress({
      name: "hostile",
      host: "hostile.shop.example.com",
      path: hostile.path,
      annotations: { "proxy-body-size": hostile.name, "proxy-buffer-size": "\u001b[31m\u202ered" },
    }),
    ingress({ name: "long", host: "long.shop.example.com", path: hostile.long }),
    await pair("fresh", "www.shop.example.com", 300),
    await pair("soon", "soon.shop.example.com", 5),
    await pair("old", "old.shop.example.com", -3),
  ];
}

function gateway(): object[] {
  const apiVersion = "gateway.networking.k8s.io/v1";
  return [
    {
      apiVersion,
      kind: "GatewayClass",
      metadata: { name: "sluice" },
      spec: { controllerName: "sluice.dev/gateway-controller" },
    },
    {
      apiVersion,
      kind: "Gateway",
      metadata: { name: "public", namespace: "shop" },
      spec: { gatewayClassName: "sluice", listeners: [{ name: "web", port: gatewayPort, protocol: "HTTP" }] },
    },
    {
      apiVersion,
      kind: "HTTPRoute",
      metadata: { name: "basket", namespace: "shop" },
      spec: {
        parentRefs: [{ name: "public" }],
        hostnames: ["basket.example.com"],
        rules: [
          {
            matches: [{ path: { type: "PathPrefix", value: "/" }, headers: [{ name: "x-team", value: "blue" }] }],
            backendRefs: [{ name: "web-next", port: 80 }],
          },
          { backendRefs: [{ name: "nowhere", port: 80 }] },
        ],
      },
    },
    {
      apiVersion,
      kind: "HTTPRoute",
      metadata: { name: "old", namespace: "shop" },
      spec: {
        parentRefs: [{ name: "public" }],
        hostnames: [shadowHost],
        rules: [{ backendRefs: [{ name: "web", port: 80 }] }],
      },
    },
  ];
}

export const gatewayPort = 21_090;
/** A host with a route that serves, and another route in shadow. */
export const shadowHost = "tried.example.com";

/** A route to the next version of a Service, with these annotations of `sluice.dev`. */
export function shadowRoute(annotations: Annotations): object {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "tried", namespace: "shop", annotations },
    spec: {
      parentRefs: [{ name: "public" }],
      hostnames: [shadowHost],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/cart" } }],
          backendRefs: [{ name: "web-next", port: 80 }],
        },
      ],
    },
  };
}

/** A Secret with a certificate that expires in this many days, or has expired. */
async function pair(name: string, host: string, days: number): Promise<object> {
  const { cert, key } = await makeCertificate([host], new Date(Date.now() + days * dayMs - validMs));
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "shop" },
    type: "kubernetes.io/tls",
    data: { "tls.crt": base64(cert), "tls.key": base64(key) },
  };
}
