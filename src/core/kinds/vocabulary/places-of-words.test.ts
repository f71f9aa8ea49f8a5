import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flagList } from "../../../controller/flags.ts";
import { annotationKeys } from "../../policies/read.ts";
import { settings } from "../../settings/registry.ts";
import { meaningOf, placeOfWord, speltOtherwise } from "./places-of-words.ts";

const valuesFile = join(import.meta.dirname, "../../../../charts/sluice/files/values.json");
const values = JSON.parse(readFileSync(valuesFile, "utf8")) as readonly string[];
/**
 * Values such as `controller.name` have names that say nothing outside the chart, and an apiVersion
 * is a field of every object.
 */
const ownNames = values.filter((path) => /^controller\.(?!apiVersion$)[a-z]+[A-Z]\w*$/.test(path));

test("all-words.json has the words of the declarations", async () => {
  const lists = {
    setting: Object.values(settings).map(({ key }) => key),
    annotation: annotationKeys,
    // Flags such as --mode have names that say nothing elsewhere.
    flag: flagList.map(([, { name }]) => name).filter((name) => name.includes("-")),
    value: ownNames,
  };
  const words = Object.fromEntries(Object.entries(lists).map(([place, names]) => [place, names.toSorted()]));
  await expect(`${JSON.stringify(words, null, 1)}\n`).toMatchFileSnapshot(join(import.meta.dirname, "all-words.json"));
});

test.each([
  ["tcp-services-configmap", "annotation", "it is a flag of the controller, --tcp-services-configmap"],
  ["enableSslPassthrough", "setting", "it is a flag of the controller, --enable-ssl-passthrough"],
  ["use-forwarded-headers", "annotation", "it is a key of the controller's ConfigMap"],
  ["useForwardedHeaders", "annotation", "it is a key of the controller's ConfigMap, use-forwarded-headers"],
  ["nginx.ingress.kubernetes.io/limit-rps", "setting", "it is an annotation of an Ingress, limit-rps"],
  ["limit-rate", "flag", "it is a key of the controller's ConfigMap, and an annotation of an Ingress"],
  ["replica-count", "setting", "it is a value of the chart, controller.replicaCount"],
  ["proxy-set-headers", "annotation", "it is a key of the controller's ConfigMap"],
  ["proxy-body-sise", "flag", undefined],
] as const)("the place of the word %s, found as %s, is named", (word, here, where) => {
  expect(placeOfWord(word, here)).toBe(where);
});

test.each([
  ["client_max_body_size", { elsewhere: "proxy-body-size is the largest body" }],
  [
    "keepalive-timeout",
    { elsewhere: "keep-alive is the time for clients, and upstream-keepalive-timeout that for backends" },
  ],
  ["proxy-cache-path", { elsewhere: "proxy_cache_path is a directive of nginx, which only a snippet can hold" }],
  ["gzip-vary", { elsewhere: "gzip_vary is a directive of nginx, which only a snippet can hold" }],
  ["worker-connections", { nearest: "max-worker-connections" }],
  ["add-header", { nearest: "add-headers" }],
  ["use_gzip", { nearest: "use-gzip" }],
  ["modsecurity", { nearest: "enable-modsecurity" }],
  ["gzip", { nearest: "use-gzip" }],
  ["use-gzp", { nearest: "use-gzip" }],
  ["enable-gzip", { nearest: "use-gzip" }],
  ["enable-http2", { nearest: "use-http2" }],
  ["use-server-tokens", { nearest: "server-tokens" }],
  ["nothing-of-the-kind", {}],
])("the meaning of the unknown key %s is found", (word, meaning) => {
  expect(
    meaningOf(
      word,
      "setting",
      Object.values(settings).map(({ key }) => key),
    ),
  ).toEqual(meaning);
});

test("the place where a word was found is not suggested for it", () => {
  expect(placeOfWord("limit-rps", "annotation")).toBeUndefined();
});

test("names are compared without prefix, dashes and capitals", () => {
  expect(speltOtherwise("nginx.ingress.kubernetes.io/rewriteTarget", ["app-root", "rewrite-target"])).toBe(
    "rewrite-target",
  );
  expect(speltOtherwise("rewrite-targets", ["rewrite-target"])).toBeUndefined();
});
