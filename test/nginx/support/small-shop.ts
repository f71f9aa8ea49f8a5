/**
 * A small cluster as a value that is edited at random: hosts with paths, Services with endpoints,
 * and one setting. The expected routes follow from the value, so that predictions and answers can
 * be compared with them.
 */
import fc from "fast-check";
import { ingress } from "../../support/ingress.ts";
import { backedService } from "../../support/sketch.ts";

export interface SmallShop {
  /** Keyed by host. */
  readonly ingresses: Readonly<Record<string, SmallIngress>>;
  /** The number of endpoints of each Service. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** The setting keep-alive. */
  readonly keepAlive: number;
}

export interface SmallIngress {
  /** The Service of each path. */
  readonly paths: Readonly<Record<string, string>>;
  /** The annotation proxy-read-timeout; 0 for none. */
  readonly timeout: number;
}

export type Edit = (shop: SmallShop, step: number) => SmallShop;

const host = fc.constantFrom("one.example", "two.example", "three.example");
const path = fc.constantFrom("/", "/a", "/a/b");
export const serviceNames = ["red", "green", "blue"] as const;
const service = fc.constantFrom(...serviceNames);

const onIngress = (name: string, change: (ingress: SmallIngress) => SmallIngress): Edit => {
  return (shop) => {
    const before = shop.ingresses[name] ?? { paths: {}, timeout: 0 };
    const { [name]: _, ...others } = shop.ingresses;
    const after = change(before);
    const gone = Object.keys(after.paths).length === 0;
    return { ...shop, ingresses: gone ? others : { ...others, [name]: after } };
  };
};

/**
 * A setting or a timeout gets a value that was never used before, so that remains of earlier values
 * in nginx cannot matter.
 */
export const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc
    .record({ host, path, service })
    .map((to) => onIngress(to.host, (one) => ({ ...one, paths: { ...one.paths, [to.path]: to.service } }))),
  fc.record({ host, path }).map((to) =>
    onIngress(to.host, (one) => {
      const { [to.path]: _, ...paths } = one.paths;
      return { ...one, paths };
    }),
  ),
  fc.record({ service, count: fc.nat({ max: 2 }) }).map(
    (to): Edit =>
      (shop) => ({ ...shop, endpoints: { ...shop.endpoints, [to.service]: to.count } }),
  ),
  host.map(
    (name): Edit =>
      (shop, step) =>
        onIngress(name, (one) => ({ ...one, timeout: 100 + step }))(shop, step),
  ),
  fc.constant<Edit>((shop, step) => ({ ...shop, keepAlive: 100 + step })),
);

/**
 * Returns the expected target of each route: from `host/path` to Service and timeout. A host
 * without the path `/` has the default backend there.
 */
export function routesMeant({ ingresses }: SmallShop): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(ingresses).flatMap(([name, { paths, timeout }]) =>
      Object.entries({ "/": "", ...paths }).map(([at, to]) => [`${name}${at}`, `${to} ${timeout}`] as const),
    ),
  );
}

/**
 * Returns the expected answer to a request: the name of the Service, 503 if it has no endpoints,
 * 404 if there is no route.
 */
export function answerMeant({ ingresses, endpoints }: SmallShop, name: string, at: string): string {
  const paths = Object.entries(ingresses[name]?.paths ?? {}).filter(([one]) =>
    `${at}/`.startsWith(one.replace(/\/?$/, "/")),
  );
  const [longest] = paths.sort(([a], [b]) => b.length - a.length);
  if (longest === undefined) return "404";
  return endpoints[longest[1]] === 0 ? "503" : longest[1];
}

/**
 * Returns the cluster as files of a folder. Backends listen on 127.0.0.1 and 127.0.0.2, on the
 * ports that `portOf` returns.
 */
export function filesOf(shop: SmallShop, portOf: (service: string) => number): Readonly<Record<string, string>> {
  const ingresses = Object.entries(shop.ingresses).map(([name, { paths, timeout }]) => {
    const annotations: Record<string, string> = timeout === 0 ? {} : { "proxy-read-timeout": String(timeout) };
    const words = { name: name.split(".")[0]!, namespace: "shop", host: name, annotations, ingressClass: "" };
    return ingress({ ...words, paths: Object.entries(paths) });
  });
  const backends = Object.entries(shop.endpoints).flatMap(([name, count]) => {
    const addresses = ["127.0.0.1", "127.0.0.2"].slice(0, count);
    return backedService({ name, namespace: "shop", addresses, port: portOf(name) });
  });
  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "ingress-nginx-controller", namespace: "ingress-nginx" },
    data: { "keep-alive": String(shop.keepAlive) },
  };
  return { "all.yaml": [...ingresses, ...backends, settings].map((one) => JSON.stringify(one)).join("\n---\n") };
}
