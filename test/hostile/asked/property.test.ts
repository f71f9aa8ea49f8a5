/**
 * Whatever stands in annotations, settings and fields of objects, each address that nginx would ask is one that may be asked. The
 * addresses are read from what is rendered, in both modes, and judged by ranges that this test has of its own.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { BlockList, isIP, isIPv6 } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Field, Fields } from "../../../src/annotations/declare.ts";
import { featureList } from "../../../src/annotations/registry.ts";
import { fakeCertificate } from "../../../src/certificates/fake.ts";
import { machineFlags, translateOptions } from "../../../src/cli/options.ts";
import { machineOf } from "../../../src/machine.ts";
import { type KubernetesObject, keyOf } from "../../../src/model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../../src/model/snapshot.ts";
import { Table } from "../../../src/model/table.ts";
import { nginxHere, openRunFolder } from "../../../src/nginx/index.ts";
import { openRenderer } from "../../../src/render/open-renderer.ts";
import { compileTemplate } from "../../../src/render/template.ts";
import type { Setting } from "../../../src/settings/declare.ts";
import { settings as declarations } from "../../../src/settings/registry.ts";
import { builtInTemplates, readTemplateFiles } from "../../../src/template/files.ts";
import { translate } from "../../../src/translate/translator.ts";
import { emptyInputs } from "../../../src/translate/turn.ts";
import { flagsOf, type Mode } from "../../parity/subject.ts";
import { configMap, ingress, ingressClass, settings } from "../support/objects.ts";

const seed = Number(process.env.HOSTILE_SEED ?? 1);
const ownPorts = [10_254, 10_246, 8181, 10_245];
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
    pick(...keys).chain(({ key, kind }) => fc.tuple(fc.constant(key), fc.oneof(anything, pick("", ...kind.good)))),
    { maxLength: 4 },
  ),
);
const settingKeys = (Object.values(declarations) as Setting<unknown>[]).filter(({ key }) => !key.endsWith("snippet"));
const setting = pick(...settingKeys).chain(({ key, kind }) =>
  fc.tuple(fc.constant(key), fc.oneof(anything, pick("", ...kind.good))),
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
    // The operator may have this machine asked.
    anything.filter((text) => !/127|2130706433|0x7f|0177|::1\b|7f00|localhost/i.test(text)),
  ),
  found: fc.array(pick(...addresses.filter((text) => isIP(text) !== 0)), { maxLength: 3 }),
});

test("no address that nginx asks is one that may not be asked", { timeout: 120_000 }, async () => {
  const root = mkdtempSync(join(tmpdir(), "property-"));
  const [opened, found] = [openRunFolder(root), await nginxHere("nginx", process.env.PATH ?? "")];
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!opened.ok || !found.ok || !compiled.ok) throw new Error("no nginx, no folder or no template");
  const fake = await fakeCertificate(new Date());
  let judged = 0;
  const rendered = (drawn: ClusterWords, mode: Mode) => {
    const flags = flagsOf(mode, ["--tcp-services-configmap=ns/tcp"]);
    const logs = { accessLog: "/dev/null", errorLog: "stderr" };
    const machine = machineOf(found.nginx.capabilities, found.nginx.place, opened.folder, machineFlags(flags, logs));
    const options = translateOptions(flags, "run", undefined);
    const asked = { ...options.asked, ownAddresses: new Set(["192.0.2.1", "2001:db8::1"]) };
    const { configuration } = translate({ ...emptyInputs, snapshot: snapshotOf(drawn) }, { ...options, asked }, fake);
    const renderer = openRenderer(machine, compiled.template);
    const { text } = renderer.render(configuration);
    return { conf: text.conf, records: [...renderer.records.values()].map((text) => JSON.parse(text) as RecordWords) };
  };
  const holds = fc.property(cluster, pick<Mode>("dynamic", "static"), (drawn, mode) => {
    const { conf, records } = rendered(drawn, mode);
    const variablesOf = records.flatMap(({ locations = [] }) => locations.flatMap(({ variables = {} }) => [variables]));
    const urls = [
      ...[...conf.matchAll(/set \$(?:auth|mirror)_url ("(?:[^"\\]|\\.)*"|\S+);/g)].map(([, text]) =>
        text!.replace(/^"(.*)"$/, "$1"),
      ),
      ...variablesOf.flatMap(({ auth_url, mirror_url }) => [auth_url, mirror_url].filter((text) => text !== undefined)),
    ];
    const peers = [
      ...[...conf.matchAll(/^\s*server ((?:\[[^\]]*\]|[\d.]+)[^\s;]*)/gm)].map(([, text]) => text!),
      ...records.flatMap(({ endpoints = [] }) => endpoints),
    ].filter((peer) => peer !== "0.0.0.1" && peer !== "127.0.0.1:8181");
    judged += urls.length + peers.length;
    expect([...urls.flatMap(mistakeOfUrl), ...peers.flatMap(mistakeOfPeer)]).toEqual([]);
  });
  try {
    fc.assert(holds, { seed, numRuns: 60, endOnFailure: true });
  } finally {
    rmSync(root, { recursive: true });
  }
  expect(judged).toBeGreaterThan(500);
});

/** What a record of a host, or of an upstream, has to do with addresses. */
interface RecordWords {
  readonly endpoints?: readonly string[];
  readonly locations?: readonly { readonly variables?: { readonly auth_url?: string; readonly mirror_url?: string } }[];
}

type ClusterWords = typeof cluster extends fc.Arbitrary<infer T> ? T : never;

function snapshotOf({ ingresses, settings: operator, globalAuth, found }: ClusterWords) {
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
  const all = [...objects, ingressClass, configMap("tcp", tcp), settings(Object.fromEntries([...operator, ...more]))];
  const changes = all.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object }));
  const looked = [...addresses, ...names].map((name) => [name.toLowerCase(), found] as const);
  return { ...withObjects(emptySnapshot, changes), addresses: Table.empty<readonly string[]>().with(looked) };
}

const refused = new BlockList();
for (const [network, bits] of [
  ...([
    ["0.0.0.0", 8],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
    ["224.0.0.0", 4],
    ["100.100.100.200", 32],
  ] as const),
  ["255.255.255.255", 32] as const,
])
  refused.addSubnet(network, bits);
for (const [network, bits] of [
  ...([
    ["::", 127],
    ["fe80::", 10],
    ["ff00::", 8],
    ["2002:7f00::", 24],
    ["64:ff9b::7f00:0", 104],
  ] as const),
  ...([
    ["::7f00:0", 104],
    ["::ffff:7f00:0", 104],
    ["::ffff:a9fe:0", 112],
  ] as const),
])
  refused.addSubnet(network, bits, "ipv6");
const own = ["192.0.2.1", "2001:db8::1", "::ffff:c000:201"];

function mistakeOfPeer(peer: string): string[] {
  const [, host = "", at = "80"] = /^(.*?)(?::(\d+))?$/.exec(peer.startsWith("[") ? peer.replace("]", "") : peer) ?? [];
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(peer);
  const address = bracketed?.[1] ?? host;
  const number = Number(bracketed === null ? at : (bracketed[2] ?? "80"));
  if (isIP(address) === 0) return [`${peer} is no address`];
  const isRefused = refused.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  return isRefused || (own.includes(address) && ownPorts.includes(number)) ? [peer] : [];
}

function mistakeOfUrl(text: string): string[] {
  if (/^\$route_(auth|mirror)_url/.test(text)) return [];
  // A path and a query begin with / and ?, whatever a client sends.
  const authority = /^https?:\/\/((?:(?!\$\{?(?:request_uri|all_args|more_args)\b)[^/?])+)/i.exec(text)?.[1];
  if (authority === undefined) return [text];
  if (/^auth_[\da-f]{16}$/.test(authority)) return [];
  const [, host, number] = /^(.*)\.(\d+|\$\{server_port\})\.[to]\.sluice\.internal:\2$/.exec(authority) ?? [];
  if (host === undefined || number === undefined) return mistakeOfPeer(authority);
  const chosen = [...host.matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!);
  return chosen.every((name) => ["named_host", "namespace", "server_name"].includes(name)) ? [] : [text];
}
