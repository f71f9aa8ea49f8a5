/** Each mistake of a user is one Problem on its Ingress, in words that its author understands. */
import { expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service } from "../../../test/support/sketch.ts";
import { sentence } from "../model/problem.ts";
import { defaultOptions } from "./options.ts";
import { translate } from "./translator.ts";
import { emptyInputs } from "./turn.ts";

type Texts = Readonly<Record<string, string>>;

/** Returns the Problems of the Ingress `a` with these annotations, on the host a.example. */
function sentences(
  annotations: Texts,
  { settings = {}, paths = [["/", "web"]] as readonly Path[], others = [] as object[] } = {},
) {
  const own = configMap("ns/settings", settings);
  const objects = [own, service("web"), ingress({ name: "a", host: "a.example", paths, annotations }), ...others];
  const snapshot = put(base, ...(objects as Parameters<typeof put>[1][]));
  const { problems } = translate({ ...emptyInputs, snapshot }, { ...defaultOptions, configMap: "ns/settings" }, fake);
  return [...problems.values()]
    .flat()
    .filter(({ object }) => object.name === "a")
    .map(sentence);
}
type Path = readonly [path: string, service: string, type?: string];

test.each([
  ["proxy-read-timeout", "60s"],
  ["proxy-send-timeout", "18000s"],
  ["proxy-connect-timeout", "5t"],
  ["proxy-read-timeout", "4h"],
  ["proxy-read-timeout", '"60"'],
  ["proxy-body-size", "8mb"],
  ["proxy-body-size", '"8m"'],
  ["proxy-buffer-size", "16 k"],
  ["proxy-buffering", "true"],
  ["ssl-redirect", "yes"],
  ["force-ssl-redirect", '"true"'],
  ["limit-rps", "5/s"],
  ["backend-protocol", "HTTP2"],
  ["auth-type", "forward"],
  ["permanent-redirect", "https://b.example$request_uri"],
  ["auth-url", "https://b.example/%2F"],
  ["proxy-redirect-from", "~^/(.*)$"],
  ["canary-weight", "20%"],
])("the mistake in %s: %s has its sentence", (key, text) => {
  expect(sentences({ [key]: text })).toMatchSnapshot();
});

test.each([
  "client-max-body-size",
  "websocket-services",
  "proxy-buffers",
  "eventsource",
  "use-gzip",
  "use-forwarded-headers",
  "limit-req-status-code",
  "rewrite-traget",
  "secure-backends",
  "mirror-uri",
  "session-cookie-hash",
  "enable-influxdb",
])("the annotation %s, which does not exist or no longer, has its sentence", (key) => {
  expect(sentences({ [key]: "x" })).toMatchSnapshot();
});

const open = { "annotations-risk-level": "Critical", "allow-snippet-annotations": "true" };
const mistakes: Readonly<Record<string, readonly [Texts, Parameters<typeof sentences>[1]?]>> = {
  "a snippet at the usual risk level": [{ "configuration-snippet": "deny all;" }],
  "a snippet where only the risk level permits it": [
    { "server-snippet": "deny all;" },
    { settings: { "annotations-risk-level": "Critical" } },
  ],
  "a snippet that ends its block": [{ "configuration-snippet": "} location /x {" }, { settings: open }],
  "a snippet for websockets": [
    { "configuration-snippet": "proxy_set_header Upgrade $http_upgrade;\nproxy_set_header Connection upgrade;" },
    { settings: open },
  ],
  "a Secret of another namespace": [{ "auth-type": "basic", "auth-secret": "other/users" }],
  "a Secret that does not exist": [{ "auth-type": "basic", "auth-secret": "users" }],
  "client certificates with a Secret of another namespace": [{ "auth-tls-secret": "other/ca" }],
  "a prefix that is rewritten to one page": [{ "rewrite-target": "/" }, { paths: [["/app", "web"]] }],
  "a rewrite that does nothing": [{ "rewrite-target": "/" }],
  "a pattern that takes more paths than expected": [{ "use-regex": "true" }, { paths: [["/cart", "web"]] }],
  "an allow list on a path that no other Ingress defines": [
    { "whitelist-source-range": "192.0.2.0/24" },
    {
      paths: [["/admin", "web"]],
      others: [ingress({ name: "b", host: "a.example", paths: [["/shop", "web"]], age: -9 })],
    },
  ],
  "a satisfy that combines nothing": [
    { satisfy: "any" },
    {
      paths: [["/admin", "web"]],
      others: [ingress({ name: "b", host: "a.example", paths: [["/shop", "web"]], age: -9 })],
    },
  ],
  "a slash at the end that the https redirect takes away": [
    { "force-ssl-redirect": "true" },
    { paths: [["/github-webhook/", "web", "Exact"]] },
  ],
  "a Connection header that ends websockets": [{ "connection-proxy-header": "keep-alive" }],
  "passthrough without its flag": [{ "ssl-passthrough": "true" }],
  "a pattern without regular expressions": [{}, { paths: [["/api/v[0-9]+", "web", "ImplementationSpecific"]] }],
};
test.each(Object.entries(mistakes))("%s has its sentences", (_what, [annotations, around]) => {
  expect(sentences(annotations, around)).toMatchSnapshot();
});
