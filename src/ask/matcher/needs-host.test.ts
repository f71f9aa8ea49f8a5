import { expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service, slice } from "../../../test/support/sketch.ts";
import { decideOptions } from "../../controller/flags/options.ts";
import { defaultFlags } from "../../controller/flags.ts";
import { defaultOptions } from "../../core/table/options.ts";
import { translate } from "../../core/table/translator.ts";
import { emptyInputs } from "../../core/table/turn.ts";
import { decide } from "./decide.ts";

const key = "ingress-nginx/ingress-nginx-controller";
const settings = { "location-snippet": "location ~ robots.txt { return 200 'no robots'; }" };
const world = put(
  base,
  configMap(key, settings),
  service("web"),
  slice("web", "192.0.2.1"),
  ingress({ name: "hosted", host: "shop.example", paths: [["/", "web"]] }),
  ingress({ name: "hostless", host: "", paths: [["/any", "web"]] }),
);

// test/nginx/faults.test.ts sees the same answers of nginx.
test.each([
  ["shop.example", "/", "dynamic", { kind: "proxied" }],
  ["unknown.example", "/", "dynamic", { status: 503, why: expect.stringMatching(/^the key location-snippet has/) }],
  ["unknown.example", "/any", "dynamic", { status: 503, why: expect.stringMatching(/: the key location-snippet has/) }],
  ["unknown.example", "/", "static", { status: 404 }],
] as const)("a location inside location-snippet is beside %s%s in %s mode", (host, target, mode, expected) => {
  const { configuration } = translate({ ...emptyInputs, snapshot: world }, { ...defaultOptions, configMap: key }, fake);
  const asked = { method: "GET", scheme: "http", host, target, headers: new Map() } as const;
  const options = decideOptions({ ...defaultFlags("serve"), mode });
  expect(decide(configuration, asked, options).atHosts.end).toMatchObject(expected);
});
