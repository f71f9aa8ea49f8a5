import { expect, test } from "vitest";
import { configMap, ingress, put } from "../../../test/support/sketch.ts";
import { sentence } from "../../core/model/problem.ts";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import { defaultSettings } from "../../core/settings/registry.ts";
import { withoutModule } from "./image-modules.ts";

const options = { annotationsPrefix: "nginx.ingress.kubernetes.io", configMap: "edge/settings" };
const why = "the image's nginx has no OpenTelemetry module, so switch it off or bring one in an image of your own";

test("tracing that is switched on is reported once for an object, because the image has no module for it", () => {
  const keys = { "enable-opentelemetry": "true", "otlp-collector-host": "otel.tracing.svc", "enable-brotli": "true" };
  const traced = ingress({
    name: "web",
    annotations: { "enable-opentelemetry": "true", "opentelemetry-operation-name": "web" },
  });
  const quiet = ingress({ name: "quiet", annotations: { "enable-opentelemetry": "false" } });
  const snapshot = put(emptySnapshot, configMap("edge/settings", keys), traced, quiet);
  expect(withoutModule(snapshot, defaultSettings, options).map(sentence)).toEqual([
    `key enable-opentelemetry has no effect: ${why}`,
    `annotation enable-opentelemetry has no effect: ${why}`,
  ]);
});
