/**
 * Headers that Sluice adds to answers, beside each place where an author sets the same header: the
 * answers of a route with RouteSettings have the same headers as those of an Ingress with these
 * annotations. test/parity compares the latter with ingress-nginx.
 */
import { describe, expect, test } from "vitest";
import { request } from "../../nginx/support/request.ts";
import { gateway, gatewayClass, route, routeSettings } from "../../support/gateways.ts";
import { configMap, ingress, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const world = worldOf({ mode: "dynamic", flags: ["--gateway-addresses=192.0.2.70"] });
const allowed = {
  "allow-snippet-annotations": "true",
  "annotations-risk-level": "Critical",
  "global-allowed-response-headers": "X-Custom",
};

const lines = (name: string, value: string): readonly string[] => [
  `more_set_headers "${name}: ${value}";`,
  `more_set_headers -s 404 "${name}: ${value}";`,
  `more_set_headers -t text/html "${name}: ${value}";`,
  `more_clear_headers ${name};`,
  `add_header ${name} ${value};`,
  `add_header ${name} ${value} always;`,
  `if ($http_x_if) { more_set_headers "${name}: ${value}"; }`,
  `if ($http_x_if) { add_header ${name} ${value}; }`,
  `proxy_hide_header ${name};`,
];

const origin = { Origin: "https://x.example" };
const asked = [
  { headers: origin },
  { headers: { ...origin, "X-If": "1" } },
  { headers: { Origin: "https://y.example" } },
  { headers: origin, path: "/?status=404" },
  { headers: origin, method: "OPTIONS" },
  { headers: origin, path: "/?type=text/html" },
];

describe.each([
  [
    "CORS",
    "Access-Control-Allow-Origin",
    "https://other.example",
    { "enable-cors": "true", "cors-allow-origin": "https://x.example" },
  ],
  ["custom-headers", "X-Custom", "author", { "custom-headers": "ns/own" }],
])("the headers of %s", (_what, name, value, annotations) => {
  const seen = async (to: string, host: string) => {
    const answers = [];
    for (const one of asked) {
      const { status, headers } = await request({ to, host, ...one });
      const ours = Object.entries(headers).filter(([key]) => /^(access-control|x-custom|strict)/.test(key));
      answers.push([status, Object.fromEntries(ours)]);
    }
    return answers;
  };

  test.each(lines(name, value))("are those of an Ingress on a route, beside the snippet %s", async (snippet) => {
    world.backend.answer = ({ url }, response) => {
      const query = new URL(url!, "http://a").searchParams;
      const type = query.get("type") ?? "application/json";
      response.writeHead(Number(query.get("status") ?? 200), { "Content-Type": type, [name]: "backend" }).end("{}");
    };
    const values = { ...annotations, "configuration-snippet": snippet };
    await world.apply(
      settings(allowed),
      configMap("own", { "X-Custom": "custom" }),
      ingress({ name: "a", annotations: values }),
      gatewayClass(),
      gateway({}),
      route({ hostnames: ["a.example"] }),
      routeSettings({ to: [["HTTPRoute", "route"]], values }),
    );
    expect([world.problemsOf("a"), world.problemsOf("settings")]).toEqual([[], []]);
    const [ofIngress, ofRoute] = [await seen("192.0.2.1:24000", "a.example"), await seen("192.0.2.70:80", "a.example")];
    expect(ofRoute).toEqual(ofIngress);
  });

  test("browsers get one value beside more_set_headers", async () => {
    const snippet = `more_set_headers "${name}: $http_origin";`;
    const values = { ...annotations, "configuration-snippet": snippet };
    await world.apply(
      settings(allowed),
      configMap("own", { "X-Custom": "custom" }),
      ingress({ name: "a", annotations: values }),
      gatewayClass(),
      gateway({}),
      route({ hostnames: ["a.example"] }),
      routeSettings({ to: [["HTTPRoute", "route"]], values }),
    );
    for (const to of ["192.0.2.1:24000", "192.0.2.70:80"]) {
      const { headers } = await request({ to, host: "a.example", headers: origin });
      expect(headers[name.toLowerCase()]).toBe(name === "X-Custom" ? "custom" : "https://x.example");
    }
  });
});
