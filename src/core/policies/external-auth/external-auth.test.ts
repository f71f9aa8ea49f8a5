import { expect, test } from "vitest";
import { notingPlace, printed, readingOf, settingsOf, valuesOf, type World } from "../../../../test/support/reading.ts";
import { sentence } from "../../model/problem.ts";
import { externalAuth } from "./declaration.ts";
import { hostOfUrl } from "./kinds.ts";
import { answeredHeaders } from "./view.ts";

const asked = { "auth-url": "http://192.0.2.20:4180/check" };

interface Shown {
  readonly place: ReturnType<typeof notingPlace>;
  readonly location: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: a printed view, looked into by the tests
  readonly question: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly signin: any;
}

function shown(annotations: Record<string, string>, world: World = {}, dynamic = true): Shown {
  const place = notingPlace({ dynamic });
  const view = externalAuth.view!(valuesOf(annotations, world).externalAuth, place, settingsOf(world.settings));
  const [question, signin] = place.noted.beside.map(printed);
  return { place, location: printed(view), question, signin };
}

test.each([
  ["http://auth.shop.svc/check", "auth.shop.svc"],
  ["https://$host:8443/x", "$host"],
  ["http://[2001:db8::1]:80/", "[2001:db8::1]"],
  ["http://a..b/", undefined],
  ["http://a b/", undefined],
  ["http://a/b c", undefined],
  ["ftp://a/", undefined],
  ["//a/", undefined],
  ["auth", undefined],
])("the host of the URL %s is %s", (url, host) => {
  expect(hostOfUrl(url)).toBe(host);
});

test("literal texts of users are route variables, so Ingresses that differ in nothing else share a shape", () => {
  const signin = { "auth-signin": "https://login.example/start", "auth-request-redirect": "/back" };
  const one = shown({ ...asked, ...signin });
  expect(one.place.noted.variables).toEqual({
    auth_url: "http://192.0.2.20:4180/check",
    auth_host: "192.0.2.20",
    auth_redirect: "/back",
    auth_signin: "https://login.example/start?rd=",
  });
  const two = shown({ "auth-url": "http://other/", "auth-signin": "https://b/?a=b", "auth-request-redirect": "/x" });
  expect([two.question, two.signin, two.location]).toEqual([one.question, one.signin, one.location]);
});

test("a URL with variables is text, in which only allowed variables are evaluated", () => {
  const { question } = shown({ "auth-url": "http://auth.svc/c?u=$request_uri&h=$http_x_user" });
  expect(question.url).toBe('"http://auth.svc.80.t.sluice.internal:80/c?u=${asked_form}&h=${http_x_user}"');
  expect(readingOf({ "auth-url": "http://auth.svc/$nosuch" }).verdict).toBe("reject");
});

test("a sign-in address that names credentials of the client is not used (F5 3ceb3c62)", () => {
  const { values, problems } = readingOf({ ...asked, "auth-signin": "https://a/?t=$http_authorization" });
  expect(values.externalAuth).toMatchObject({ question: { signin: "" } });
  expect(problems.map(sentence)).toEqual([
    'annotation auth-signin: "https://a/?t=$http_authorization" uses $http_authorization, which is not allowed here; the default is used',
  ]);
  const undeclared = readingOf({ ...asked, "auth-signin": "https://a/?t=$tenant" });
  expect(undeclared.problems.map(sentence)).toEqual([
    'annotation auth-signin: "https://a/?t=$tenant" uses $tenant, which no permitted snippet of this Ingress or of the ConfigMap declares; the default is used',
  ]);
});

test.each([
  ["https://a/start", "$route_auth_signin$pass_access_scheme://$own_host$escaped_request_uri"],
  [
    "https://$host/start?a=b",
    '"https://${host}/start?a=b&rd=${pass_access_scheme}://${own_host}${escaped_request_uri}"',
  ],
  ["https://$host/start?rd=$escaped_request_uri", '"https://${host}/start?rd=${escaped_request_uri}"'],
  ["https://a/start?rd=/x", "$route_auth_signin"],
])("the sign-in page %s gets the address of the request, unless it names one", (page, target) => {
  expect(shown({ ...asked, "auth-signin": page }).signin.target).toBe(target);
});

test("the client's own X-Original-URI, X-Scheme and certificate headers do not replace those of nginx (RS-32.30)", () => {
  const headers = (annotations: Record<string, string>) =>
    Object.fromEntries(
      shown(annotations).question.headers.map(({ name, value }: Record<string, string>) => [name, value]),
    );
  expect(headers(asked)).toMatchObject({
    "X-Original-URI": '""',
    "X-Scheme": '""',
    "X-Forwarded-Proto": '""',
    "ssl-client-verify": "$client_verify",
    "ssl-client-cert": "$client_certificate",
  });
  expect(headers({ ...asked, "auth-method": "POST" })).toMatchObject({
    "X-Original-URI": "$asked_form",
    "X-Scheme": "$pass_access_scheme",
  });
});

test("a header of the client is not removed by a line of its own where the author sets it", () => {
  const underscores = { "enable-underscores-in-headers": "true" };
  const open = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical", ...underscores };
  const names = (annotations: Record<string, string>) =>
    shown({ ...asked, ...annotations }, { settings: open }).question.headers.map(
      ({ name }: Record<string, string>) => name,
    );
  expect(names({})).toEqual(expect.arrayContaining(["X-Forwarded-Host", "X-Forwarded-User"]));
  const set = names({ "auth-snippet": "proxy_set_header X-Forwarded-Host $host;\nif ($a) { set $b c; }" });
  expect(set).not.toContain("X-Forwarded-Host");
  expect(set).toEqual(expect.arrayContaining(["X-Forwarded-User", "x_forwarded_host"]));
});

test.each([
  [
    { "auth-url": "nowhere" },
    {},
    "annotation auth-url: nowhere is not an absolute http or https URL; its paths answer 503",
  ],
  [
    { "auth-url": "not a url" },
    {},
    "annotation auth-url: not a url is not an absolute http or https URL; its paths answer 503",
  ],
  [
    { ...asked, "auth-proxy-set-headers": "h" },
    {},
    "annotation auth-proxy-set-headers: h is not namespace/name; its paths answer 503",
  ],
  [
    { ...asked, "auth-proxy-set-headers": "shop/h" },
    { "shop/h": { "X-A\rB": "x" } },
    'annotation auth-proxy-set-headers: ConfigMap shop/h, data.X-A\\u000dB: "X-A\\rB" is not a header name of letters, digits, - and _; it is left out; its paths answer 503',
  ],
] as const)(
  "the annotations %o close the paths",
  (annotations, configMaps: Record<string, Record<string, string>>, expected) => {
    const { verdict, problems } = readingOf(annotations, { configMaps });
    expect(verdict).toBe("deny");
    expect(problems.map(sentence)).toEqual([expected]);
  },
);

test("the entries of auth-proxy-set-headers come last, in quotes, with their variables (CVE-2025-15566)", () => {
  const configMaps = { "shop/h": { "X-Quote": 'a\'; "b" {', "X-Host": "on $host" } };
  const annotations = { ...asked, "auth-proxy-set-headers": "shop/h" };
  const { question, place } = shown(annotations, { configMaps });
  expect(question.headers.slice(-2)).toEqual([
    { name: "X-Host", value: '"on ${host}"' },
    { name: "X-Quote", value: "$route_auth_sent_2" },
  ]);
  expect(place.noted.variables.auth_sent_2).toBe('a\'; "b" {');
  const text = notingPlace({ live: false });
  externalAuth.view!(valuesOf(annotations, { configMaps }).externalAuth, text, settingsOf());
  // biome-ignore lint/suspicious/noExplicitAny: a printed view
  expect((printed(text.noted.beside[0]!) as any).headers.at(-1)).toEqual({
    name: "X-Quote",
    value: '"a\'; \\"b\\" {"',
  });
});

test("names of response headers for the backend are data, except those that nginx or other lines read", () => {
  const annotations = { ...asked, "auth-response-headers": "X-User, Authorization, X-Real-IP, X-Sent" };
  const place = notingPlace({ usesHeader: (name) => name === "X-Sent" });
  const { externalAuth: value } = valuesOf(annotations);
  const names = () => answeredHeaders(value, place).map(({ name }) => String(name));
  expect(names()).toEqual(["Authorization", "X-Real-IP", "X-Sent"]);
  expect(printed(externalAuth.view!(value, place, settingsOf()))).toMatchObject({ passes: true });
  expect(place.noted.variables.auth_passed).toBe("X-User");
});

test("all names of response headers are text where the access phase may end early", () => {
  const place = notingPlace({ setsHeaders: false });
  const { externalAuth: value } = valuesOf({ ...asked, "auth-response-headers": "X-User" });
  expect(answeredHeaders(value, place).map(({ name }) => String(name))).toEqual(["X-User"]);
  expect(printed(externalAuth.view!(value, place, settingsOf()))).toMatchObject({ passes: false });
  expect(place.noted.variables).not.toHaveProperty("auth_passed");
});

test("cached answers are kept apart by Ingress, host, path, URL of the service and key of the author", () => {
  const { question } = shown({ ...asked, "auth-cache-key": "$cookie_session" });
  expect(question.cache.key).toBe(
    '"${namespace}/${ingress_name}\\n${route_kept}\\n${route_auth_url}\\n${cookie_session}"',
  );
  expect(question.cache.durations).toEqual(["200 202 401 5m"]);
});

test("connections to one address of an auth service are kept in an upstream block of their own", () => {
  const { place, question } = shown({ ...asked, "auth-keepalive": "8", "auth-keepalive-timeout": "5" });
  expect(place.noted.http).toEqual([
    expect.stringMatching(
      /^upstream auth_[\da-f]{16} \{ server 192\.0\.2\.20:4180; keepalive 8; keepalive_requests 1000; keepalive_timeout 5s; \}$/,
    ),
  ]);
  expect(place.noted.variables.auth_url).toMatch(/^http:\/\/auth_[\da-f]{16}\/check$/);
  expect(place.noted.variables.auth_host).toBe("192.0.2.20");
  expect(question.headers).toContainEqual({ name: "Connection", value: '""' });
});

test("a Service's DNS name means its cluster IP; to other names connections are not kept, and a Problem says so", () => {
  const services = { "auth/proxy": { clusterIP: "10.96.0.7" }, "auth/headless": { clusterIP: "None" } };
  const url = (host: string) => ({ "auth-url": `https://${host}/`, "auth-keepalive": "8" });
  const { place } = shown(url("proxy.auth.svc.cluster.local"), { services });
  expect(place.noted.http[0]).toContain("server 10.96.0.7:443;");
  for (const host of ["headless.auth.svc", "none.auth.svc", "auth.example"]) {
    const { problems, values } = readingOf(url(host), { services });
    expect(problems.map(sentence)).toEqual([
      "annotation auth-keepalive has no effect: connections are kept to an IP address or to a Service with a cluster IP, and auth-url names neither",
    ]);
    expect(values.externalAuth).toMatchObject({ question: { pool: undefined } });
  }
});

test("the operator's auth service guards each Ingress that has none of its own and does not decline", () => {
  const settings = { "global-auth-url": "http://auth.ops.svc/check" };
  const hosts = [{}, asked, { "enable-global-auth": "false" }].map((annotations: Record<string, string>) => {
    const { externalAuth: value } = valuesOf(annotations, { settings });
    return value.kind === "ask" ? value.question.host : value.kind;
  });
  expect(hosts).toEqual(["auth.ops.svc", "192.0.2.20", "none"]);
  expect(valuesOf({}, { settings: { "global-auth-url": "nonsense" } }).externalAuth).toEqual({ kind: "refuse" });
});

test("paths that need no authentication have no auth service", () => {
  const place = notingPlace({ authenticates: false });
  const { externalAuth: value } = valuesOf({ ...asked, "auth-response-headers": "X-User" });
  expect(externalAuth.view!(value, place, settingsOf())).toBe(false);
  expect(externalAuth.requestHeaders!(value, place, settingsOf())).toEqual([]);
});

test.each([
  ...["http://$http_x/", "http://a.$cookie_x/", "http://$arg_h:80/", "http://a:$http_p/", "http://$best_http_host/"],
  ...[
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1:4180/",
    "http://169.254.169.254/latest",
    "http://unix:80/",
  ],
  ...["http://localhost./", "http://$1/", "http://upstream_balancer/", "http://0/"],
])("the URL %s is never called, and its paths answer 503", (url) => {
  const { verdict, problems } = readingOf({ "auth-url": url });
  expect(verdict).toBe("deny");
  expect(problems.map(sentence)).toEqual([expect.stringMatching(/^annotation auth-url: .*; its paths answer 503$/)]);
});

test("a URL may name the host that routing chose, and its addresses are checked when a request needs them", () => {
  const { question } = shown({ "auth-url": "https://$host/oauth2/auth" });
  expect(question.url).toBe('"https://${named_host}.443.t.sluice.internal:443/oauth2/auth"');
  expect(question.resolver).toBe("127.0.0.1:10243");
});

test("a header of the ConfigMap does not reset the count of passes through Sluice", () => {
  const configMaps = { "shop/more": { "X-Sluice-Hops": "x", "X-Team": "a" } };
  const { question } = shown({ ...asked, "auth-proxy-set-headers": "shop/more" }, { configMaps });
  const hops = question.headers.filter(({ name }: { name: string }) => /hops/i.test(name));
  expect(hops).toEqual([{ name: "X-Sluice-Hops", value: "$http_x_sluice_hops,$route_hop" }]);
});
