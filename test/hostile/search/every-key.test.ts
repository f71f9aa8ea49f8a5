/**
 * Combines each annotation, each key of the ConfigMap and each field of an object with each of the
 * values that once affected other tenants: names of groups, names of headers about the connection,
 * and addresses. A random search finds few of these pairs, so all of them are tried here, in both
 * modes, and judged by the tree of nginx's text. RouteSettings are read by the same code, so CI
 * tries one in eight of their values; `npm run test:hostile` tries all.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import type { Field, Fields } from "../../../src/core/policies/declare.ts";
import { featureList } from "../../../src/core/policies/registry.ts";
import { settingList } from "../../../src/core/settings/registry.ts";
import { bySettings, gateway, gatewayClass, route, routeSettings } from "../../support/gateways.ts";
import { treeOf } from "../../support/nginx-tree.ts";
import { annotationSamples, type Samples, settingSamples } from "../../support/samples.ts";
import { judged } from "../support/judge.ts";
import { configMap, ingress, ingressClass, secret, service, settings } from "../support/objects.ts";
import { openPaper, type Paper, type Rendered } from "../support/on-paper.ts";
import { clientAuthority } from "../tenants/authority.ts";
import { namedGroups } from "./compiled.ts";
import { reservedHeadersSet } from "./framing.ts";

const groups = [
  ...[
    "(?<best_http_host>.*)",
    "(?P<uri>a)",
    "(?'args'a)",
    "~^(?<host>.*)$",
    "~*(?<host>a) /x",
    "/(?<best_http_host>.*)",
  ],
  ...[
    "CN=(?<best_http_host>.*)",
    "(?|(?<uri>a)|b)",
    "[[](?<uri>a)",
    "[^]](?<uri>a)",
    "(?#)(?<uri>a)",
    "\\Qa\\E(?<uri>a)",
  ],
  ...["~^https?://(?<host>.*)$ https://a", "(?i)(?<uri>a)", "((?<uri>a))", "\\((?<uri>a)", "a,~(?<uri>b)"],
];
const framingNames = ["Content-Length", "transfer_encoding", "Transfer-Encoding"];
const headerNames = [
  ...framingNames,
  ...[
    "Connection",
    "HOST",
    "Upgrade",
    "te",
    "Trailer",
    "Expect",
    "Keep-Alive",
    "HTTP2-Settings",
    "Proxy",
    "Proxy-Connection",
  ],
];
const headers = headerNames.flatMap((name) => [name, `X-A,${name}`, `${name}: 5`]);
const addresses = [
  ...[
    "unix:/run/x.sock:",
    "127.0.0.1:10246",
    "localhost:10254",
    "[::1]:10245",
    "169.254.169.254",
    "[::ffff:127.0.0.1]",
  ],
  ...["0x7f.1", "0", "224.0.0.1", "192.0.2.1:10246", "$http_x_target", "$arg_t:80", "upstream_balancer", "$1"],
];
const urls = ["http", "https"].flatMap((scheme) => addresses.map((address) => `${scheme}://${address}/x`));

const fields = featureList.flatMap(([, feature]) => Object.values(feature.fields as Fields)) as Field<unknown>[];
const values = ({ good }: Samples): readonly string[] => {
  const near = good.slice(0, 3).flatMap((text) => [`${text}(?<uri>a)`, `(?<uri>a)${text}`]);
  return [...groups, ...headers, ...addresses, ...urls, ...near];
};

/** Further annotations that an annotation needs for an effect, by the beginning of its key. */
const around: readonly (readonly [RegExp, Readonly<Record<string, string>>])[] = [
  [/^auth-tls-/, { "auth-tls-secret": "ns/ca" }],
  [/^auth-(?!tls|type|realm|secret)/, { "auth-url": "http://192.0.2.99/check" }],
  [/^auth-(type|realm|secret)/, { "auth-type": "basic", "auth-secret": "ns/users" }],
  [/^cors-/, { "enable-cors": "true" }],
  [/^mirror-/, { "mirror-target": "http://192.0.2.99/" }],
  [/^canary-/, { canary: "true" }],
  [/^proxy-ssl-/, { "proxy-ssl-secret": "ns/ca", "backend-protocol": "HTTPS" }],
  [/^fastcgi-/, { "backend-protocol": "FCGI" }],
  [/^session-cookie-|^affinity-/, { affinity: "cookie" }],
  [/^rewrite-target$/, { "use-regex": "true" }],
  [/^proxy-redirect-from$/, { "proxy-redirect-to": "http://a/" }],
  [/^proxy-redirect-to$/, { "proxy-redirect-from": "http://a/" }],
  [/^default-backend$/, { "custom-http-errors": "404" }],
];

/** Names of groups in the patterns that Sluice writes. */
const ofSluice =
  /\(\?<(?:redirect_host_name|redirect_uri_stem|query_without_path|decided_host|decided_port|first_forwarded_host|dashes_of_hops|subdomain|affinity_came_\w+)$/;

const lists = ["auth-proxy-set-headers", "custom-headers", "fastcgi-params-configmap"];
const data = Object.fromEntries([...headerNames, "HTTP_TRANSFER_ENCODING", "X-A"].map((name) => [name, "5"]));
/** The operator allows everything except snippets, so that no other limit hides a hole. */
const generous = {
  "annotations-risk-level": "Critical",
  "global-allowed-response-headers": [...headerNames, "HTTP_TRANSFER_ENCODING", "X-A"].join(","),
};
const standing = [
  ...[ingressClass, ...service("web", "192.0.2.97", 80), secret("ca", { "ca.crt": clientAuthority, "tls.crt": "a" })],
  ...[secret("users", { auth: "u:{PLAIN}p" }), configMap("headers", data)],
];

const ofAnnotations = (): KubernetesObject[] =>
  fields.flatMap((field) => {
    const gates = Object.assign({}, ...around.filter(([begins]) => begins.test(field.key)).map(([, one]) => one));
    return values(annotationSamples(field)).map((text, at) =>
      ingress({
        name: `${field.key}-${at}`,
        paths: [["/a(/|$)(.*)", "ImplementationSpecific"]],
        annotations: { ...gates, [field.key]: text },
      }),
    );
  });

const ofFields = (): KubernetesObject[] => {
  const paths = groups.flatMap((text) =>
    (["ImplementationSpecific", "Prefix", "Exact"] as const).map((type) => [`/${text}`, type] as const),
  );
  const named = (annotations: Readonly<Record<string, string>>, name: string) => ingress({ name, paths, annotations });
  return [
    named({}, "text"),
    named({ "use-regex": "true" }, "regex"),
    named({ "use-regex": "true", "rewrite-target": "/$1" }, "rewritten"),
    named({ "app-root": "/a", "auth-url": "http://192.0.2.99/" }, "guarded"),
    ...lists.map((key) => {
      const gates = key === "fastcgi-params-configmap" ? { "backend-protocol": "FCGI" } : {};
      const auth = key.startsWith("auth") ? { "auth-url": "http://192.0.2.99/" } : {};
      return ingress({ name: key, annotations: { ...gates, ...auth, [key]: "ns/headers" } });
    }),
    ingress({ name: "hosts", host: "*.hosts.example", paths }),
  ];
};

const web = { name: "web", port: 80 };
const rulesOf = (filters: readonly object[], matches?: readonly object[]) => [
  { backendRefs: [web], filters, ...(matches === undefined ? {} : { matches }) },
];

const isLong = process.env.HOSTILE_OBJECTS !== undefined;
/**
 * Whether the pair is tried: each value with some fields and each field with some values, the same
 * ones each time.
 */
const isTried = (field: number, value: number): boolean => isLong || (field + value) % 8 === 0;

/** Each annotation as a value of RouteSettings that a route names. */
const ofRouteSettings = (): KubernetesObject[] =>
  fields.flatMap((field, of) => {
    const { key } = field;
    const gates = Object.assign({}, ...around.filter(([begins]) => begins.test(key)).map(([, one]) => one));
    const matches = [{ path: { type: "RegularExpression", value: "/a(/|$)(.*)" } }];
    return values(annotationSamples(field)).flatMap((text, at) => {
      if (!isTried(of, at)) return [];
      const name = `${key}-${at}`;
      return [
        routeSettings({ name, values: { ...gates, [key]: text } }),
        route({ name, hostnames: [`${name}.example`], rules: rulesOf([bySettings(name)], matches) }),
      ];
    });
  });

/** Texts in the filters and matches of a route. */
const ofFilters = (): KubernetesObject[] => {
  const changes = (name: string) => [
    { set: [{ name, value: "5" }] },
    { add: [{ name, value: "5" }] },
    { remove: [name] },
  ];
  const paths = [...groups, ...addresses, ...urls].flatMap((text) =>
    ["ReplaceFullPath", "ReplacePrefixMatch"].map((type) => ({ path: { type, [`r${type.slice(1)}`]: text } })),
  );
  const filters: readonly object[] = [
    ...headerNames.flatMap(changes).flatMap((change) => [
      { type: "RequestHeaderModifier", requestHeaderModifier: change },
      { type: "ResponseHeaderModifier", responseHeaderModifier: change },
    ]),
    ...paths.flatMap((change) => [
      { type: "URLRewrite", urlRewrite: change },
      { type: "RequestRedirect", requestRedirect: change },
    ]),
    ...[...groups, ...addresses].flatMap((hostname) => [
      { type: "URLRewrite", urlRewrite: { hostname } },
      { type: "RequestRedirect", requestRedirect: { hostname } },
      { type: "CORS", cors: { allowOrigins: [hostname], allowHeaders: [hostname], exposeHeaders: [hostname] } },
    ]),
  ];
  const matches = groups.flatMap((value) => [
    { path: { type: "RegularExpression", value } },
    { headers: [{ type: "RegularExpression", name: "x", value }] },
    { queryParams: [{ type: "RegularExpression", name: "x", value }] },
  ]);
  return [
    ...filters.map((filter, at) =>
      route({ name: `filter-${at}`, hostnames: [`f${at}.example`], rules: rulesOf([filter]) }),
    ),
    ...matches.map((match, at) =>
      route({ name: `match-${at}`, hostnames: [`m${at}.example`], rules: rulesOf([], [match]) }),
    ),
  ];
};

describe("routes of Gateways", () => {
  let paper: Paper;
  beforeAll(async () => {
    paper = await openPaper(["--gateway-addresses=192.0.2.70"]);
  });
  afterAll(() => paper.close());

  test.each([
    ["value of RouteSettings", ofRouteSettings, 100],
    ["filter or match", ofFilters, 1],
  ] as const)(
    "no %s creates a variable, sets a header about the connection or causes a request to a forbidden address",
    (_, objects, least) => {
      const all = [...standing, settings(generous), gatewayClass(), gateway({}), ...objects()];
      const rendered = paper.render(all, "dynamic");
      const tree = treeOf(rendered.conf);
      const groupsMade = namedGroups(tree).filter((group) => !ofSluice.test(group));
      expect(rendered.records.length).toBeGreaterThan(100);
      expect(judged(rendered).count).toBeGreaterThanOrEqual(least);
      expect([...new Set([...groupsMade, ...reservedHeadersSet(tree), ...judged(rendered).mistakes])]).toEqual([]);
    },
  );
});

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  let paper: Paper;
  beforeAll(async () => {
    paper = await openPaper();
  });
  afterAll(() => paper.close());

  /** With `isOperators`, settings that only the operator may have are not findings. */
  const findings = (rendered: Rendered, isOperators = false): readonly string[] => {
    const tree = treeOf(rendered.conf);
    const framing = /content.length|transfer.encoding/i;
    return [
      ...namedGroups(tree).filter((group) => !ofSluice.test(group)),
      ...reservedHeadersSet(tree).filter((line) => !isOperators || framing.test(line)),
      ...(isOperators ? [] : judged(rendered).mistakes),
    ];
  };

  test("no annotation creates a variable, sets a header about the connection or causes a request to a forbidden address", () => {
    const rendered = paper.render([...standing, settings(generous), ...ofAnnotations()], mode);
    expect(judged(rendered).count).toBeGreaterThan(100);
    expect([...new Set(findings(rendered))].slice(0, 20)).toEqual([]);
  });

  test("no field of an object creates a variable or causes a request to a forbidden address", () => {
    const rendered = paper.render([...standing, settings(generous), ...ofFields()], mode);
    expect([...new Set(findings(rendered))]).toEqual([]);
  });

  test("no key of the ConfigMap creates a variable or changes the framing of a message", () => {
    const known = settingList.map(([, setting]) => setting).filter(({ key }) => !key.endsWith("snippet"));
    const most = Math.max(...known.map((one) => values(settingSamples(one)).length));
    const found = new Set<string>();
    for (let at = 0; at < most; at++) {
      const drawn = known.map((one) => [one.key, values(settingSamples(one))[at] ?? "ns/headers"] as const);
      const words = { "global-auth-url": "http://192.0.2.99/ops", ...Object.fromEntries(drawn), ...generous };
      if (at % 2 === 0) words["global-auth-url"] = "http://192.0.2.99/ops";
      const guarded = ingress({ name: "guarded", annotations: { "auth-url": "http://192.0.2.99/" } });
      const rendered = paper.render([...standing, settings(words), guarded, ingress({ name: "plain" })], mode);
      for (const one of findings(rendered, true)) found.add(one);
    }
    expect([...found]).toEqual([]);
  });
});
