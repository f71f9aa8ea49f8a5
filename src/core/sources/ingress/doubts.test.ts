import { expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import type { KubernetesObject } from "../../model/objects.ts";
import { sentence } from "../../model/problem.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

const sentences = (...objects: KubernetesObject[]) => {
  const { problems } = translate(
    { ...emptyInputs, snapshot: put(base, service("web"), ...objects) },
    { ...defaultOptions, configMap: "ns/settings" },
    fake,
  );
  return [...problems.values()].flat().map(sentence).sort();
};
const rewritten = (path: string, target: string, type?: string) =>
  sentences(
    ingress({
      name: "a",
      host: "a.example",
      paths: [[path, "web", type ?? "ImplementationSpecific"]],
      annotations: { "rewrite-target": target },
    }),
  );

test.each([
  ["/app(/|$)(.*)", "/$2", []],
  [
    "/app(/|$)(.*)",
    "/$1",
    [
      "annotation rewrite-target: $1 is the slash of (/|$), so everything below the path /app(/|$)(.*) reaches the backend as //; write /$2",
    ],
  ],
  [
    "/(v1|v2)($|/)(.*)$",
    "/$1$2",
    [
      "annotation rewrite-target: $2 is the slash of ($|/), so everything below the path /(v1|v2)($|/)(.*)$ reaches the backend as /$1/; write /$1$3",
    ],
  ],
  ["/(v1|v2)(/|$)(.*)", "/$1", []],
  ["/app(/|$)(.*)", "/x$1$2", []],
  [
    "/app",
    "/",
    [
      "annotation rewrite-target: everything below the path /app reaches the backend as /; the path /app(/|$)(.*) with rewrite-target /$2 keeps what follows",
    ],
  ],
  [
    "/",
    "/app",
    [
      "annotation rewrite-target: everything below the path / reaches the backend as /app; the path /(.*) with rewrite-target /app/$1 keeps what follows",
    ],
  ],
  [
    "/api/*",
    "/",
    [
      "annotation rewrite-target: everything below the path /api/* reaches the backend as /; the path /api(/|$)(.*) with rewrite-target /$2 keeps what follows",
    ],
  ],
  [
    "/app(/|$)(.*)",
    "/",
    [
      "annotation rewrite-target: everything below the path /app(/|$)(.*) reaches the backend as /; rewrite-target /$2 keeps what follows",
    ],
  ],
  [
    "/api/.*",
    "/v1/",
    [
      "annotation rewrite-target: everything below the path /api/.* reaches the backend as /v1/; the path /api(/|$)(.*) with rewrite-target /v1/$2 keeps what follows",
    ],
  ],
  ["/a|/b", "/c", ["annotation rewrite-target: everything below the path /a|/b reaches the backend as /c"]],
  ["/", "/", ["annotation rewrite-target: the path is / already, so nothing is rewritten"]],
  ["/app", "/app", ["annotation rewrite-target: the path is /app already, so nothing is rewritten"]],
  ["/app", "/$2", ["annotation rewrite-target: it names $2, and the path /app has no group"]],
  ["/a(?:b)(c)[(]", "/$2", ["annotation rewrite-target: it names $2, and the path /a(?:b)(c)[(] has 1 group"]],
  ["/only$", "/one", []],
  [
    "/old",
    "https://new.example",
    [
      "annotation rewrite-target: clients are sent with 302 from everything below the path /old to https://new.example itself, and no backend is asked; the path /old(/|$)(.*) with rewrite-target https://new.example/$2 keeps what follows",
    ],
  ],
  [
    "/(.*)",
    "https://new.example$1",
    [
      "annotation rewrite-target: nothing stands between the host and $1, so that clients are sent to another host such as new.examplex; write https://new.example/$1",
    ],
  ],
  ["/old(/.*)", "https://new.example$1", []],
  ["/old(\\/.*)", "https://new.example$1", []],
  ["/old(?:/|$)((?:/.*)?)", "https://new.example$1", []],
  ["/(.*)", "https://new.example/$1", []],
  [
    "/app/(.*)",
    "$1",
    [
      "annotation rewrite-target: the path that the backend gets has no slash at its beginning, which most backends refuse with 400; write /$1",
    ],
  ],
  [
    "/app$",
    "new.example",
    [
      "annotation rewrite-target: the path that the backend gets has no slash at its beginning, which most backends refuse with 400; write https://new.example to send clients there, or /new.example",
    ],
  ],
  [
    "/app$",
    "index.html",
    [
      "annotation rewrite-target: the path that the backend gets has no slash at its beginning, which most backends refuse with 400; write /index.html",
    ],
  ],
  ["/app(/.*)", "$1", []],
  ["/app/.*", "$uri", []],
])("path %s with rewrite-target %s gets the warnings that apply", (path, target, expected) => {
  expect(rewritten(path, target)).toEqual(expected);
});

test.each([
  ["/", ["annotation app-root: / is redirected to itself, so that no client gets an answer; remove it"]],
  ["/home", []],
])("app-root %s gets the warnings that apply", (path, expected) => {
  expect(sentences(ingress({ name: "a", host: "a.example", annotations: { "app-root": path } }))).toEqual(expected);
});

test.each([
  ["http://shadow", "shadow", "shadow.ns.svc.cluster.local"],
  ["http://shadow.shop.svc:8080/x", "shadow.shop.svc", "shadow.shop.svc.cluster.local"],
  ["http://shadow.shop.svc.cluster.local", undefined, undefined],
  ["http://shadow.example", undefined, undefined],
  ["http://192.0.2.1/", undefined, undefined],
])("the mirror-target and auth-url %s get a warning if only search domains complete their host", (url, host, meant) => {
  const warning = (key: string, effect: string) =>
    `annotation ${key}: ${host} is resolved without search domains: the DNS of a cluster does not find it, and ${effect}; write ${meant}`;
  const copied = ingress({ name: "a", host: "a.example", annotations: { "mirror-target": url } });
  expect(sentences(copied)).toEqual(host === undefined ? [] : [warning("mirror-target", "no copy is sent")]);
  const guarded = ingress({ name: "a", host: "a.example", annotations: { "auth-url": url } });
  expect(sentences(guarded)).toEqual(host === undefined ? [] : [warning("auth-url", "every request gets 500")]);
});

test("the host of an auth-url with auth-keepalive is that of a Service, whose address is known", () => {
  const annotations = { "auth-url": "http://web.ns.svc/check", "auth-keepalive": "5" };
  const guarded = ingress({ name: "a", host: "a.example", annotations });
  const own = { ...service("web"), spec: { clusterIP: "192.0.2.9", ports: [{ port: 80 }] } };
  expect(sentences(guarded, own)).toEqual([]);
});

test("paths without the group that rewrite-target names are said in one sentence, and broken patterns not at all", () => {
  const paths = ["/a(b", "/a", "/b/(.*)", "/c", "/d", "/e/(.*)/(.*)"].map((path) => [path, "web"] as const);
  const annotations = { "use-regex": "true", "rewrite-target": "/$2" };
  const found = sentences(ingress({ name: "a", host: "a.example", paths, annotations }));
  expect(found.filter((one) => one.startsWith("annotation rewrite-target"))).toEqual([
    "annotation rewrite-target: it names $2, and the paths /a, /b/(.*), /c and 1 more have fewer groups",
  ]);
});

test("an Exact path has no paths below it that a rewrite could lose", () => {
  expect(rewritten("/app", "/", "Exact")).toEqual([]);
});

test("a limit-rate that is meant in bytes gets its kilobytes", () => {
  const found = (rate: string) =>
    sentences(
      ingress({
        name: "a",
        host: "a.example",
        paths: [["/", "web"]],
        annotations: { "limit-rate": rate, "limit-rate-after": "104857600", "proxy-buffering": "on" },
      }),
    );
  expect(found("52428800")).toEqual([
    "annotation limit-rate: it is a number of kilobytes, and 52428800 of them a second limit no answer; for 52428800 bytes write 51200",
  ]);
  expect(found("51200")).toEqual([]);
});

test.each([
  [{ "cors-allow-origin": "https://a.example" }, "annotation cors-allow-origin has no effect: enable-cors is not true"],
  [{ "fastcgi-index": "index.php" }, "annotation fastcgi-index has no effect: backend-protocol is not FCGI"],
  [{ "x-forwarded-prefix": "/x" }, "annotation x-forwarded-prefix has no effect: it is sent only with rewrite-target"],
  [
    { "limit-rate": "10" },
    "annotation limit-rate has no effect: nginx slows down only what it buffers, and proxy-buffering is off",
  ],
  [{ "limit-whitelist": "192.0.2.1" }, "annotation limit-whitelist has no effect: no limit is set"],
  [{ "permanent-redirect-code": "308" }, "annotation permanent-redirect-code has no effect: no redirect is set"],
  [
    { "client-max-body-size": "1m" },
    "annotation client-max-body-size does not exist: proxy-body-size is the largest body; it is ignored",
  ],
  [
    { "send-timeout": "600" },
    "annotation send-timeout does not exist: proxy-send-timeout limits the pauses while the backend takes the request; it is ignored",
  ],
  [
    { "use-forwarded-headers": "true" },
    "annotation use-forwarded-headers does not exist: it is a key of the controller's ConfigMap; it is ignored",
  ],
  [
    { "default-ssl-certificate": "a/b" },
    "annotation default-ssl-certificate does not exist: it is a flag of the controller, --default-ssl-certificate; it is ignored",
  ],
  [{ rewriteTarget: "/" }, "annotation rewriteTarget does not exist (did you mean rewrite-target?); it is ignored"],
  [
    { "proxy-body-sise": "1m" },
    "annotation proxy-body-sise does not exist (did you mean proxy-body-size?); it is ignored",
  ],
  [
    { "proxy-read-timeout": "60s" },
    'annotation proxy-read-timeout: "60s" has a unit; it is a number of seconds, like 60; the default is used',
  ],
  [{ "server-alias": "a.example, .b.example" }, []],
])("the annotations %j cause a warning", (annotations, expected) => {
  expect(sentences(ingress({ name: "a", host: "a.example", annotations }))).toEqual([expected].flat());
});

test("an Ingress that turns the paths of others into regular expressions gets a Problem", () => {
  const plain = ingress({ name: "plain", host: "a.example", paths: [["/cart", "web"]] });
  const regex = ingress({
    name: "regex",
    host: "a.example",
    paths: [["/x.*", "web"]],
    annotations: { "use-regex": "true" },
  });
  expect(sentences(plain, regex)).toEqual([
    "annotation use-regex makes every path of host a.example a regular expression, those of Ingress ns/plain too: /cart there also takes /cartoons",
  ]);
  expect(sentences(regex)).toEqual([]);
});

test("below a plain prefix that is its own rewrite-target, the rest of the path is dropped", () => {
  expect(rewritten("/app", "/app", "Exact")).toEqual([
    "annotation rewrite-target: the path is /app already, so nothing is rewritten",
  ]);
  expect(rewritten("/app", "/app", "Prefix")).toEqual([
    "annotation rewrite-target: everything below the path /app reaches the backend as /app; the path /app(/|$)(.*) with rewrite-target /app/$2 keeps what follows",
  ]);
});

test("an alias that is the host of an Ingress stays with that host, and its author gets a Problem", () => {
  const alias = ingress({ name: "a", host: "a.example", annotations: { "server-alias": "b.example" } });
  expect(sentences(alias, ingress({ name: "b", host: "b.example" }))).toEqual([
    "annotation server-alias has no effect: b.example is the host of an Ingress",
  ]);
  const two = ingress({ name: "a", host: "a.example", annotations: { "server-alias": "b.example,c.example" } });
  expect(sentences(two, ingress({ name: "b", host: "b.example" }))).toEqual([
    "annotation server-alias: b.example is the host of an Ingress; the rest of it is used",
  ]);
});

test("a parameter of FastCGI may be empty, as in the recipe against the header Proxy", () => {
  const annotations = { "backend-protocol": "FCGI", "fastcgi-params-configmap": "params" };
  const own = ingress({ name: "a", host: "a.example", annotations });
  expect(sentences(own, configMap("ns/params", { SCRIPT_FILENAME: "" }))).toEqual([]);
});

test.each(["nginx.org/rewrites", "nginx.com/sticky-cookie-services"])(
  "the annotation %s of another program is reported as without effect",
  (key) => {
    const own = ingress({ name: "a", host: "a.example", paths: [["/", "web", "Prefix"]] });
    const foreign = { ...own, metadata: { ...own.metadata, annotations: { [key]: "x" } } };
    const [prefix] = key.split("/");
    expect(sentences(foreign)).toEqual([
      `annotation ${key} has no effect: the prefix ${prefix} is for F5's NGINX Ingress Controller, another program`,
    ]);
  },
);

test("an annotation for the class that differs from the class in the spec is reported", () => {
  const spec = { ingressClassName: "nginx", defaultBackend: { service: { name: "web", port: { number: 80 } } } };
  const one = ingress({ name: "a", spec });
  const of = (noted: string) =>
    sentences({ ...one, metadata: { ...one.metadata, annotations: { "kubernetes.io/ingress.class": noted } } });
  expect(of("nginx")).toEqual([]);
  expect(of("traefik")).toEqual([
    'annotation kubernetes.io/ingress.class: spec.ingressClassName is "nginx", which counts; the API refuses a new Ingress in which both differ',
  ]);
});

test("a typing mistake in the prefix or in the name of the class is reported with the right name", () => {
  const one = ingress({ name: "a", host: "a.example" });
  const of = (...names: readonly string[]) =>
    sentences({
      ...one,
      metadata: { ...one.metadata, annotations: Object.fromEntries(names.map((name) => [name, "nginx"])) },
    });
  expect(of("kubernets.io/ingress.class", "nginx.ingres.kubernetes.io/any")).toEqual([
    "annotation kubernets.io/ingress.class has no effect: the class is read from kubernetes.io/ingress.class",
    "annotation nginx.ingres.kubernetes.io/any has no effect: the prefix nginx.ingres.kubernetes.io is not read; write nginx.ingress.kubernetes.io/any",
  ]);
  expect(of("kubernetes.io/ingress.class", "kubernetes.io/ingress.clas", "alb.ingress.kubernetes.io/any")).toEqual([]);
});

test.each(["ingress.kubernetes.io", "nginx.kubernetes.io"])(
  "the Problem of an annotation with the prefix %s names the prefix that is read",
  (prefix) => {
    const one = ingress({ name: "a", host: "a.example" });
    const annotations = { [`${prefix}/rewrite-target`]: "/x", [`${prefix}/backends`]: "{}" };
    expect(sentences({ ...one, metadata: { ...one.metadata, annotations } })).toEqual([
      `annotation ${prefix}/rewrite-target has no effect: the prefix ${prefix} is not read; write nginx.ingress.kubernetes.io/rewrite-target`,
    ]);
    const both = { "ingress.kubernetes.io/proxy-body-size": "0", "nginx.ingress.kubernetes.io/proxy-body-size": "0" };
    expect(sentences({ ...one, metadata: { ...one.metadata, annotations: both } })).toEqual([]);
  },
);

const dropped = "browsers drop the cookie at once, so no client stays at its endpoint; remove it";
test.each([
  [{ "limit-rps": "-5" }, ["annotation limit-rps: it is below 0 and limits nothing"]],
  [{ "limit-connections": "0", "limit-rpm": "3" }, []],
  [{ affinity: "cookie", "session-cookie-max-age": "0" }, [`annotation session-cookie-max-age: ${dropped}`]],
  [{ affinity: "cookie", "session-cookie-expires": "-1" }, [`annotation session-cookie-expires: ${dropped}`]],
  [{ affinity: "cookie", "session-cookie-expires": "60" }, []],
  [
    { "upstream-hash-by": "$remote_addr", "upstream-hash-by-subset": "true", "upstream-hash-by-subset-size": "-5" },
    ["annotation upstream-hash-by-subset-size: it is below 0, and 3 counts in its place"],
  ],
  [
    { "auth-url": "http://192.0.2.7/", "auth-keepalive": "5", "auth-keepalive-timeout": "0" },
    ["annotation auth-keepalive-timeout: it is below 1, so auth-keepalive keeps no connection"],
  ],
])("numbers that mean something else: %j", (annotations, expected) => {
  expect(sentences(ingress({ name: "a", host: "a.example", annotations }))).toEqual(expected);
});

test("a canary-weight-total below 100 counts as 100", () => {
  const main = ingress({ name: "a", age: 9, host: "a.example" });
  const annotations = (total: string) => ({ canary: "true", "canary-weight": "3", "canary-weight-total": total });
  const canary = (total: string) =>
    ingress({ name: "b", host: "a.example", paths: [["/", "other"]], annotations: annotations(total) });
  const found = (total: string) => sentences(service("other"), main, canary(total));
  expect(found("10")).toEqual([
    "annotation canary-weight-total: it is below 100, and 100 counts in its place; write canary-weight as a share of 100",
  ]);
  expect(found("100")).toEqual([]);
});

test.each(["GRPC", "GRPCS", "HTTP"])(
  "backend-protocol %s is reported where clients may not use HTTP/2, if it needs that",
  (scheme) => {
    const web = ingress({ name: "a", host: "a.example", annotations: { "backend-protocol": scheme } });
    const settings = configMap("ns/settings", { "use-http2": "false" });
    const { problems } = translate(
      { ...emptyInputs, snapshot: put(base, service("web"), web, settings) },
      { ...defaultOptions, configMap: "ns/settings" },
      fake,
    );
    const words = "annotation backend-protocol: use-http2 of the ConfigMap is false, and clients of gRPC need HTTP/2";
    expect([...problems.values()].flat().map(sentence)).toEqual(scheme === "HTTP" ? [] : [words]);
  },
);

test.each([
  ["upstream-vhost", "$service.example", "$service is no variable here, so the backend gets it as it is written"],
  [
    "upstream-vhost",
    "${var.zone}.example",
    "part of it is not filled in, so the backend gets it as it is written; a tool should have filled in ${var.zone} before, such as Terraform",
  ],
  ["upstream-vhost", "${host}.inner", undefined],
  ["upstream-vhost", "$1.inner", undefined],
  [
    "upstream-hash-by",
    "$request_uri$APP",
    "$APP is no variable here, so that part is the same for every request; a tool should have filled in $APP before, such as envsubst",
  ],
  ["upstream-hash-by", "$upstream_http_x", undefined],
  ["rewrite-target", "/$tenant", "$tenant is no variable here, so the backend gets it as it is written"],
])("%s: %s warns of a variable that nothing fills in", (key, text, why) => {
  const one = { name: "a", host: "a.example", paths: [["/x", "web", "Exact"]] } as const;
  const found = sentences(ingress({ ...one, annotations: { [key]: text } }));
  expect(found).toEqual(why === undefined ? [] : [`annotation ${key}: ${why}`]);
});

test("rewrite-target and x-forwarded-prefix may name the groups of their own path", () => {
  const own = { "use-regex": "true", "rewrite-target": "/$rest", "x-forwarded-prefix": "/$lang" };
  const paths = [["/(?<lang>[a-z]+)/(?P<rest>.*)", "web", "ImplementationSpecific"]] as const;
  expect(sentences(ingress({ name: "a", host: "a.example", paths, annotations: own }))).toEqual([]);
});

test("upstream-vhost may name a variable that a snippet of the Ingress or of the ConfigMap declares", () => {
  const settings = configMap("ns/settings", {
    ...{ "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" },
    "http-snippet": 'map $host $zone { default "eu"; }',
  });
  const annotations = (host: string) => ({ "configuration-snippet": "set $team red;", "upstream-vhost": host });
  const of = (host: string) => {
    const own = ingress({ name: "a", host: "a.example", paths: [["/", "web"]], annotations: annotations(host) });
    const snapshot = put(base, service("web"), settings, own);
    const { problems } = translate({ ...emptyInputs, snapshot }, { ...defaultOptions, configMap: "ns/settings" }, fake);
    return [...problems.values()].flat().map(sentence);
  };
  expect(of("$zone.$team.example")).toEqual([]);
  expect(of("$zone.$squad.example")).toEqual([expect.stringContaining("$squad is no variable here")]);
});

test.each([
  ["ip_hash", "$binary_remote_addr, the client's address,"],
  ["request_uri", "$request_uri"],
])("upstream-hash-by %s, without a variable, sends all requests to one Endpoint", (text, meant) => {
  const annotations = { "upstream-hash-by": text };
  const of = (more: object) => sentences(ingress({ name: "a", annotations: { ...annotations, ...more } }));
  expect(of({})).toEqual([
    `annotation upstream-hash-by: it names no variable, so all requests have the same hash and the same Endpoint; ${meant} would divide them`,
  ]);
  expect(of({ affinity: "cookie" })).toEqual([
    "annotation upstream-hash-by has no effect: affinity chooses the Endpoint",
  ]);
  expect(of({ "upstream-hash-by": `$${text}` }).join()).not.toContain("names no variable");
  expect(of({ "upstream-vhost": "$nosuch.example" }).join()).toMatch(/names no variable.*\$nosuch is no variable here/);
});

test("a cookie has no Endpoints to choose from where service-upstream is on", () => {
  const why =
    "annotation affinity has no effect: service-upstream makes the Service's cluster IP the only Endpoint, unless the Service is headless";
  const of = (on: string) =>
    sentences(ingress({ name: "a", annotations: { affinity: "cookie", "service-upstream": on } }));
  expect(of("true")).toContain(why);
  expect(of("false")).not.toContain(why);
});

test("connection-proxy-header keeps websockets away, unless a snippet sets the header as well", () => {
  const settings = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" };
  const own = (snippet: string) =>
    sentences(
      configMap("ns/settings", settings),
      ingress({
        name: "a",
        host: "a.example",
        annotations: { "connection-proxy-header": "keep-alive", "configuration-snippet": snippet },
      }),
    ).filter((one) => one.includes("websockets do not work"));
  expect(own("")).toHaveLength(1);
  expect(own("proxy_set_header X-Connection upgrade;")).toHaveLength(1);
  expect(own('proxy_set_header Connection "upgrade";')).toEqual([]);
});
