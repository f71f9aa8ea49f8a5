import { expect, test } from "vitest";
import { ingress } from "../../../test/support/sketch.ts";
import { sentence } from "../model/problem.ts";
import { readSettings } from "../settings/read.ts";
import { readAnnotations } from "./read.ts";

const nothing = { secret: () => undefined, configMap: () => undefined, service: () => undefined };

function read(annotations: Record<string, string>, data: Record<string, string>) {
  const { settings } = readSettings(data, { kind: "ConfigMap", name: "settings" }, {});
  const written = ingress({ name: "a", annotations });
  const { verdict, problems } = readAnnotations(written, "nginx.ingress.kubernetes.io", settings, nothing);
  return { verdict, sentences: problems.map(sentence) };
}

test("an annotation above the permitted risk keeps its Ingress out, also under its older name or with an empty value", () => {
  const low = { "annotations-risk-level": "Low" };
  expect(read({ "ssl-redirect": "false" }, low)).toEqual({ verdict: "serve", sentences: [] });
  expect(read({ "whitelist-source-range": "192.0.2.0/24" }, low)).toEqual({
    verdict: "reject",
    sentences: [
      "annotation whitelist-source-range: its risk is Medium, and annotations-risk-level permits Low at most; the Ingress is not applied",
    ],
  });
  expect(read({ "rewrite-target": "" }, low).verdict).toBe("reject");
  expect(read({ "rewrite-target": "/x" }, {}).verdict).toBe("serve");
});

test("a word of the blocklist keeps an Ingress out, even in unknown annotations", () => {
  const listed = { "annotation-value-word-blocklist": "forbidden, secret" };
  expect(read({ "rewrite-target": "/forbidden/x" }, listed)).toEqual({
    verdict: "reject",
    sentences: [
      'annotation rewrite-target: "forbidden" is in it, a word of annotation-value-word-blocklist; the Ingress is not applied',
    ],
  });
  expect(read({ "no-such-thing": "forbidden" }, listed).verdict).toBe("reject");
  expect(read({ "rewrite-target": "/secret" }, listed).verdict).toBe("serve");
});
