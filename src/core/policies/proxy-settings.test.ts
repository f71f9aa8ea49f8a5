/**
 * Lines that depend on several annotations: they are printed if they differ from the http
 * block's, and only for their protocol.
 */
import { expect, test } from "vitest";
import { notingPlace, readingOf, settingsOf, valuesOf } from "../../../test/support/reading.ts";
import { bytesOf } from "../kinds/measures.ts";
import { sentence } from "../model/problem.ts";
import { answers } from "./answers.ts";
import { backendRequest } from "./backend-request.ts";
import { proxyBuffers } from "./proxy-buffers.ts";
import { nextUpstream } from "./retries/declaration.ts";

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

const asked = (annotations: Record<string, string>, keys: Record<string, string> = {}) => {
  const reading = readingOf(annotations, { settings: keys });
  const { proxyBuffers: value, requestBody } = reading.values;
  return {
    buffers: lines(proxyBuffers.directives!(value, settingsOf(keys), "http")).slice(0, 3),
    body: requestBody.buffer,
    problems: reading.problems.map(sentence),
  };
};

test("buffers and bodies get no more memory than the operator permits, in sizes that nginx accepts", () => {
  const many = asked({ "proxy-buffers-number": "65536", "proxy-buffer-size": "1m", "proxy-busy-buffers-size": "64m" });
  expect(many.buffers).toEqual(["proxy_buffer_size 1m", "proxy_buffers 15 1m", "proxy_busy_buffers_size 14680064"]);
  expect(many.problems).toEqual([
    "annotation proxy-buffers-number: 65537 buffers of 1m for one answer are more than the operator permits (proxy-buffers-ceiling, 16m); 16 of 1m are used",
  ]);
  const large = asked({ "proxy-buffer-size": "64m" });
  expect(large.buffers).toEqual([
    "proxy_buffer_size 5461k",
    "proxy_buffers 2 5461k",
    "proxy_busy_buffers_size 5592064",
  ]);
  expect(large.problems.join()).toContain("annotation proxy-buffer-size: 5 buffers of 64m for one answer");
  const body = asked({ "client-body-buffer-size": "1g" });
  expect(body).toMatchObject({
    body: "32m",
    problems: [
      "annotation client-body-buffer-size: 1024m for one body are more than the operator permits (client-body-buffer-ceiling, 32m); 32m are used",
    ],
  });
});

test("the operator's own sizes hold, and annotations may ask for as much", () => {
  const keys = { "proxy-buffers-number": "64", "proxy-buffer-size": "1m", "client-body-buffer-size": "64m" };
  expect(asked({}, keys)).toMatchObject({ problems: [], body: "64m" });
  const same = asked({ "proxy-buffers-number": "64", "client-body-buffer-size": "63m" }, keys);
  expect(same).toMatchObject({ problems: [], body: "63m" });
  expect(same.buffers).toContain("proxy_buffers 64 1m");
  const more = asked({ "proxy-buffers-number": "65", "client-body-buffer-size": "65m" }, keys);
  expect(more).toMatchObject({ problems: [expect.any(String), expect.any(String)], body: "64m" });
  expect(more.buffers).toContain("proxy_buffers 64 1m");
  const raised = { "proxy-buffers-ceiling": "1g", "client-body-buffer-ceiling": "1g" };
  const annotations = { "proxy-buffers-number": "512", "proxy-buffer-size": "1m", "client-body-buffer-size": "1g" };
  expect(asked(annotations, raised)).toMatchObject({ problems: [], body: "1024m" });
});

test("all sizes that annotations may ask for fit into the ceiling and fulfil nginx's rules", () => {
  const sizes = ["512", "1k", "4k", "100k", "1m", "5m", "6m", "64m"];
  for (const number of ["1", "2", "3", "15", "16", "65536"]) {
    for (const size of sizes) {
      for (const busy of ["512", "64m", ""]) {
        const { buffers } = asked({
          ...{ "proxy-buffers-number": number, "proxy-buffer-size": size, "proxy-busy-buffers-size": busy },
        });
        const [one, all, on = ""] = buffers.map((line) => line.split(" ").slice(1));
        const each = bytesOf(one![0]!);
        expect((Number(all![0]) + 1) * each, `${number} ${size}`).toBeLessThanOrEqual(16 * 2 ** 20);
        expect(Number(all![0])).toBeGreaterThanOrEqual(2);
        const sent = on === "" || !/^busy/.test(buffers[2]!.slice(6)) ? 2 * each : bytesOf(on[0]!);
        expect(sent).toBeGreaterThanOrEqual(each);
        expect(sent).toBeLessThanOrEqual((Number(all![0]) - 1) * each || each);
      }
    }
  }
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
