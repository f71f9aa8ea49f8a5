/**
 * Lines that depend on several annotations: they are printed if they differ from the http
 * block's, and only for their protocol.
 */
import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf } from "../../test/support/reading.ts";
import { answers } from "./answers.ts";
import { backendRequest } from "./backend-request.ts";
import { nextUpstream } from "./next-upstream.ts";
import { proxyBuffers } from "./proxy-buffers.ts";

const lines = (directives: readonly { readonly name: unknown; readonly value: unknown }[]) =>
  directives.map(({ name, value }) => `${name} ${value}`);

test("buffers are raised to sizes that nginx accepts: at least two, of which one is not busy", () => {
  const { proxyBuffers: value } = valuesOf({ "proxy-buffers-number": "1", "proxy-busy-buffers-size": "64k" });
  expect(lines(proxyBuffers.directives!(value, settingsOf(), "http"))).toEqual([
    "proxy_buffer_size 4k",
    "proxy_buffers 2 4k",
    "proxy_busy_buffers_size 4096",
    "proxy_max_temp_file_size 1024m",
  ]);
});

test("retries keep the operator's retry-non-idempotent, and have directives of their own for gRPC", () => {
  const settings = settingsOf({ "retry-non-idempotent": "true" });
  const { nextUpstream: value } = valuesOf({ "proxy-next-upstream": "http_503 http_503" });
  expect(lines(nextUpstream.directives!(value, settings, "http"))).toEqual([
    "proxy_next_upstream http_503 non_idempotent",
  ]);
  expect(lines(nextUpstream.directives!(value, settings, "grpc"))).toEqual([
    "grpc_next_upstream http_503 non_idempotent",
  ]);
});

test.each([
  [
    { "proxy-redirect-from": "http://a/", "proxy-redirect-to": "http://b/" },
    ['proxy_redirect "http://a/" "http://b/"'],
    false,
  ],
  [{ "proxy-redirect-from": "off", "proxy-redirect-to": "http://b/" }, ["proxy_redirect off"], false],
  [{ "proxy-redirect-from": "default" }, [], true],
  [{ "proxy-redirect-from": "http://a/" }, [], true],
])("the annotations %j rewrite redirects of the backend as declared", (annotations, expected, defaultRedirect) => {
  const { answers: value } = valuesOf(annotations);
  expect(lines(answers.directives!(value, settingsOf(), "http"))).toEqual(expected);
  expect(answers.view!(value, notingPlace(), settingsOf())).toEqual({ defaultRedirect });
});

test("a Host for the backend is the literal value of the user, unless it names variables", () => {
  const place = notingPlace();
  const host = (text: string) =>
    String(
      backendRequest.requestHeaders!(valuesOf({ "upstream-vhost": text }).backendRequest, place, settingsOf())[0]
        ?.value,
    );
  expect(host("inner.example")).toBe("$route_host");
  expect(place.noted.variables).toEqual({ host: "inner.example" });
  expect(host("$service_name.$namespace.svc")).toBe('"${service_name}.${namespace}.svc"');
  expect(host("$http_x_shop.example")).toBe('"${http_x_shop}.example"');
  expect(host("$nosuch.example")).toBe("$route_host");
});

test.each([
  ["proxy-next-upstream", "http_502,error", `"http_502,error" has commas; write one blank between the words`],
  ["limit-rate", "5m", `"5m" has a unit; it is a number of kilobytes, like 5120`],
  ["limit-rate-after", "100k", `"100k" has a unit; it is a number of kilobytes, like 100`],
  [
    "auth-request-redirect",
    "$request_uri",
    `"$request_uri" holds "$"; allowed are letters, digits and - . _ ~ / : , ? & =; remove it, because the request's URI is sent without it`,
  ],
  [
    "auth-request-redirect",
    "https://$host$escaped_request_uri",
    `"https://$host$escaped_request_uri" holds "$"; allowed are letters, digits and - . _ ~ / : , ? & =; remove it, because the request's URI is sent without it`,
  ],
])("a value of %s in another notation gets advice", (key, text, why) => {
  const { problems } = readingOf({ [key]: text, "auth-url": "http://192.0.2.1/" });
  expect(problems.filter((one) => "key" in one && one.key === key)).toMatchObject([{ why }]);
});
