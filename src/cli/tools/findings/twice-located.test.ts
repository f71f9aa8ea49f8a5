import { expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import { sentence } from "../../../core/model/problem.ts";
import { defaultOptions } from "../../../core/table/options.ts";
import { translate } from "../../../core/table/translator.ts";
import { emptyInputs } from "../../../core/table/turn.ts";
import { locatedTwice } from "./twice-located.ts";

test("a location is found on whichever host of the snippet another Ingress has it", () => {
  const key = "ingress-nginx/ingress-nginx-controller";
  const settings = configMap(key, { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" });
  const annotations = { "server-snippet": "location /api/ { expires 1h; }\nlocation /web/ { expires 1h; }" };
  const rules = ["a.example", "b.example", "c.example"].map((host) => ({ host }));
  const app = ingress({ name: "app", annotations, age: 5, spec: { ingressClassName: "nginx", rules } });
  const api = (host: string) => ingress({ name: `api-${host[0]}`, host, paths: [["/api", "web"]] });
  const snapshot = put(base, settings, service("web"), app, api("b.example"), api("c.example"));
  const { configuration } = translate({ ...emptyInputs, snapshot }, { ...defaultOptions, configMap: key }, fake);
  const found = locatedTwice(snapshot, configuration, "nginx.ingress.kubernetes.io");
  expect(found.map(sentence)).toEqual([
    "annotation server-snippet: line 1: location /api/ exists already, for path /api of Ingress ns/api-b; nginx would refuse it",
  ]);
});

test("location / exists already beside plain paths, and not beside patterns", () => {
  const key = "ingress-nginx/ingress-nginx-controller";
  const settings = configMap(key, { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical" });
  const snippet = { "server-snippet": "location / { expires 1h; }" };
  const plain = ingress({ name: "plain", host: "a.example", paths: [["/web", "web"]], annotations: snippet });
  const patterns = ingress({
    name: "patterns",
    host: "b.example",
    paths: [["/web", "web"]],
    annotations: { ...snippet, "use-regex": "true" },
  });
  const snapshot = put(base, settings, service("web"), plain, patterns);
  const { configuration } = translate({ ...emptyInputs, snapshot }, { ...defaultOptions, configMap: key }, fake);
  const found = locatedTwice(snapshot, configuration, "nginx.ingress.kubernetes.io");
  expect(found.map((one) => `${one.object.name}: ${sentence(one)}`)).toEqual([
    "plain: annotation server-snippet: line 1: location / exists already, for path / of Ingress ns/plain; nginx would refuse it",
  ]);
});
