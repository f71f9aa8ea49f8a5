import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { releasesIn } from "./live.ts";

test("a release of Helm gives its chart and its values, and a Secret that holds none is left out", () => {
  const config = { controller: { kind: "DaemonSet" } };
  const release = { name: "edge", config, chart: { metadata: { name: "ingress-nginx" }, values: { much: "more" } } };
  const packed = gzipSync(JSON.stringify(release)).toString("base64");
  const secret = (data: object) => ({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { namespace: "edge", name: "sh.helm.release.v1.edge.v3" } },
    data,
  });
  const read = releasesIn([
    secret({ release: Buffer.from(packed).toString("base64") }),
    secret({ release: "aGVsbG8=" }),
    secret({}),
  ]);
  expect(read.map(({ value }) => value)).toEqual([
    { kind: "release", metadata: { namespace: "edge", name: "edge" }, chart: "ingress-nginx", values: config },
  ]);
});
