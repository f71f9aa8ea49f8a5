import { expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import { sentence } from "../../../core/model/problem.ts";
import { defaultOptions } from "../../../core/table/options.ts";
import { translate } from "../../../core/table/translator.ts";
import { emptyInputs } from "../../../core/table/turn.ts";
import { misplacedLocations } from "./nested-locations.ts";

const key = "ingress-nginx/ingress-nginx-controller";
const settings = configMap(key, { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" });

// Each case was compared with `nginx -t`.
test.each([
  ["/", "Prefix", "location ~ x { expires 1h; }", undefined],
  ["/", "Prefix", "expires 1h;\nlocation /a { expires 1h; }", undefined],
  ["/a/", "Prefix", "location /a/b { expires 1h; }", undefined],
  ["/a/", "Prefix", "location = /b { expires 1h; }", "location = /b does not begin with the path /a/ around it"],
  ["/a", "Prefix", "location ~ x { expires 1h; }", "location ~ x cannot be inside the exact location of path /a"],
  ["/a", "Exact", "location ~ x { expires 1h; }", "location ~ x cannot be inside the exact location of path /a"],
  [
    "/",
    "Prefix",
    "location @a { expires 1h; }",
    "location @a has a name, which only a location of the whole server can have",
  ],
] as const)("at path %s of type %s, the snippet %j: %s", (path, type, text, why) => {
  const annotations = { "configuration-snippet": text };
  const one = ingress({ name: "app", host: "a.example", annotations, paths: [[path, "web", type]] });
  const other = ingress({ name: "b", host: "a.example", paths: [["/b", "web"]] });
  const snapshot = put(base, settings, service("web"), one, other);
  const { configuration } = translate({ ...emptyInputs, snapshot }, { ...defaultOptions, configMap: key }, fake);
  const found = misplacedLocations(snapshot, configuration, "nginx.ingress.kubernetes.io");
  const line = text.slice(0, text.indexOf("location")).split("\n").length;
  const whole = `annotation configuration-snippet: line ${line}: ${why}; nginx would refuse it`;
  expect(found.map(sentence)).toEqual(why === undefined ? [] : [whole]);
});
