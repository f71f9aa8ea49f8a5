import { expect, test } from "vitest";
import { configMap, put } from "../../../test/support/sketch.ts";
import type { ConfigMap } from "../../core/model/objects.ts";
import { sentence } from "../../core/model/problem.ts";
import { emptySnapshot } from "../../core/model/snapshot.ts";
import { settingsElsewhere } from "./settings-elsewhere.ts";

const read = "ingress-nginx/ingress-nginx-controller";
const of = (...maps: ConfigMap[]) => settingsElsewhere(put(emptySnapshot, ...maps), read).map(sentence);
const keys = { "allow-snippet-annotations": "true" };

test("settings of a ConfigMap in another namespace are said not to be read, if the one that is read is missing", () => {
  const other = configMap("matrix/ingress-nginx-controller", keys);
  expect(of(other)).toEqual([
    `metadata.name: its keys are not read, because the settings are those of ConfigMap ${read}; --configmap=matrix/ingress-nginx-controller reads these`,
  ]);
  expect(of(other, configMap(read, keys))).toEqual([]);
  expect(of(configMap("matrix/ingress-nginx-controller", { page: "none" }))).toEqual([]);
  expect(of(configMap("matrix/pages", keys))).toEqual([]);
});
