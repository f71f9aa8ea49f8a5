/**
 * Whatever annotations, settings and fields of objects contain, nginx only connects to allowed
 * addresses. The addresses are read from the rendered text and records, in both modes, and are
 * compared with ranges of this test's own.
 */

import { isIP, isIPv6 } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import type { Field, Fields } from "../../../src/core/policies/declare.ts";
import { featureList } from "../../../src/core/policies/registry.ts";
import { settingList } from "../../../src/core/settings/registry.ts";
import type { Mode } from "../../parity/subject.ts";
import { annotationSamples, settingSamples } from "../../support/samples.ts";
import { judged, ownPorts } from "../support/judge.ts";
import { configMap, ingress, ingressClass, settings } from "../support/objects.ts";
import { openPaper } from "../support/on-paper.ts";

const seed = Number(process.env.HOSTILE_SEED ?? 1);
const pick = fc.constantFrom;

const addresses = [
  ...["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0.0.0.0", "0", "169.254.169.254", "2852039166"],
  ...["224.0.0.1", "255.255.255.255", "192.0.2.1", "192.0.2.20", "10.1.2.3", "100.100.100.200", "240.0.0.1"],
  ...["::1", "::", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "fe80::1", "ff02::1", "2002:7f00:1::", "64:ff9b::7f00:1"],
  ...["::7f00:1", "2001:db8::1", "2001:db8::20", "::ffff:192.0.2.1"],
];
const names = [
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "unix",
  "unix:/run/x.sock:",
  "upstream_balancer",
  "a.test",
  "a.test.",
];
const variables = [
  "$host",
  "${host}",
  "$http_x_target",
  "$arg_t",
  "$cookie_t",
  "$best_http_host",
  "$namespace",
  "a.$host",
  "$1",
];
const port = pick("", ":80", ":8080", ...ownPorts.map((one) => `:${one}`), ":$http_p", ":$server_port", ":0", ":99999");
const hostText = fc.oneof(
  pick(...addresses).map((one) => (isIPv6(one) ? `[${one}]` : one)),
  pick(...names, ...variables),
);
const url = fc
  .tuple(
    pick("http", "https", "HTTP", "unix", "http://unix:"),
    hostText,
    port,
    pick("", "/", "/x?y=$arg_z", "$request_uri", "?q"),
  )
  .map(([scheme, host, at, rest]) => `${scheme}://${host}${at}${rest}`);
const anything = fc.oneof({ weight: 4, arbitrary: url }, { weight: 1, arbitrary: hostText });

const keys = featureList
  .flatMap(([, feature]) => Object.values(feature.fields as Fields) as Field<unknown>[])
  .filter(({ key }) => !key.endsWith("snippet"));
const annotations = fc.tuple(
  fc.dictionary(pick("auth-url", "mirror-target"), anything, { minKeys: 1 }),
  fc.array(
    pick(...keys).chain((field) =>
      fc.tuple(fc.constant(field.key), fc.oneof(anything, pick("", ...annotationSamples(field).good))),
    ),
    { maxLength: 4 },
  ),
);
const settingKeys = settingList.map(([, setting]) => setting).filter(({ key }) => !key.endsWith("snippet"));
const setting = pick(...settingKeys).chain((one) =>
  fc.tuple(fc.constant(one.key), fc.oneof(anything, pick("", ...settingSamples(one).good))),
);
const one = fc.record({
  annotations,
  type: pick("ClusterIP", "ExternalName"),
  clusterIP: pick("None", ...addresses),
  externalName: hostText,
  servicePort: pick(80, ...ownPorts),
  target: pick(8080, ...ownPorts),
  endpoints: fc.array(pick(...addresses.filter((text) => isIP(text) !== 0)), { maxLength: 4 }),
});
const cluster = fc.record({
  ingresses: fc.array(one, { minLength: 30, maxLength: 30 }),
  settings: fc.array(setting, { maxLength: 3 }),
  globalAuth: fc.oneof(
    fc.constant(""),
    // The operator may use addresses of this machine, so they are left out.
    anything.filter((text) => !/127|2130706433|0x7f|0177|::1\b|7f00|localhost/i.test(text)),
  ),
  found: fc.array(pick(...addresses.filter((text) => isIP(text) !== 0)), { maxLength: 3 }),
});

test("no address to which nginx may connect is forbidden", { timeout: 120_000 }, async () => {
  const paper = await openPaper(["--tcp-services-configmap=ns/tcp"]);
  let all = 0;
  const holds = fc.property(cluster, pick<Mode>("dynamic", "static"), (drawn, mode) => {
    const looked = [...addresses, ...names].map((name) => [name.toLowerCase(), drawn.found] as const);
    const { count, mistakes } = judged(paper.render(objectsOf(drawn), mode, looked));
    all += count;
    expect(mistakes).toEqual([]);
  });
  try {
    fc.assert(holds, { seed, numRuns: 60, endOnFailure: true });
  } finally {
    paper.close();
  }
  expect(all).toBeGreaterThan(500);
});

type ClusterWords = typeof cluster extends fc.Arbitrary<infer T> ? T : never;

function objectsOf({ ingresses, settings: operator, globalAuth }: ClusterWords): readonly KubernetesObject[] {
  const objects = ingresses.flatMap((drawn, at): KubernetesObject[] => {
    const name = `s${at}`;
    const { type, clusterIP, externalName, servicePort, target, endpoints } = drawn;
    const [first, rest] = drawn.annotations;
    const ports = [{ name: "http", port: servicePort, targetPort: target }];
    const metadata = { name, namespace: "ns" };
    const slice = (family: "IPv4" | "IPv6") => ({
      ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", addressType: family },
      metadata: {
        ...metadata,
        name: `${name}-${family.toLowerCase()}`,
        labels: { "kubernetes.io/service-name": name },
      },
      endpoints: endpoints
        .filter((text) => isIPv6(text) === (family === "IPv6"))
        .map((address) => ({ addresses: [address] })),
      ports: [{ name: "http", port: target }],
    });
    const backend = { service: { name, port: { number: servicePort } } };
    return [
      {
        apiVersion: "v1",
        kind: "Service",
        metadata,
        spec: { type, clusterIP, externalName, ports },
      } as KubernetesObject,
      slice("IPv4") as KubernetesObject,
      slice("IPv6") as KubernetesObject,
      ingress({
        name,
        annotations: { ...Object.fromEntries(rest), ...first },
        spec: {
          ingressClassName: "nginx",
          rules: [{ host: `${name}.example`, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
        },
      }),
    ];
  });
  const tcp = Object.fromEntries(
    ingresses.map(({ servicePort }, at) => [String(5000 + at), `ns/s${at}:${servicePort}`]),
  );
  const more = globalAuth === "" ? [] : [["global-auth-url", globalAuth] as const];
  return [...objects, ingressClass, configMap("tcp", tcp), settings(Object.fromEntries([...operator, ...more]))];
}
