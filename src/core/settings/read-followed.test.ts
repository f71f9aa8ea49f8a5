import { generatePrimeSync } from "node:crypto";
import { expect, test } from "vitest";
import type { ConfigMap, Secret } from "../model/objects.ts";
import { sentence } from "../model/problem.ts";
import { followedOf } from "./read-followed.ts";
import { defaultSettings, type Settings } from "./registry.ts";

const object = { kind: "ConfigMap", namespace: "edge", name: "settings" };

function read(changed: Partial<Settings>, data?: Record<string, string>, secretData?: Record<string, string>) {
  const metadata = { namespace: "edge", name: "extra" };
  const configMap: ConfigMap | undefined = data && { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  const secret: Secret | undefined = secretData && { apiVersion: "v1", kind: "Secret", metadata, data: secretData };
  const lookup = { configMap: () => configMap, secret: () => secret };
  const { followed, problems } = followedOf({ ...defaultSettings, ...changed }, object, lookup);
  return { ...followed, sentences: problems.map((problem) => `${problem.object.name} ${sentence(problem)}`) };
}

test("entries become headers in the order of their names, and an empty one removes its header", () => {
  const data = { "X-Zone": "north\n", "X-Id": 'a "$req_id"', Server: "" };
  expect(read({ addHeaders: "edge/extra" }, data)).toMatchObject({
    addHeaders: [
      { name: "Server", value: "" },
      { name: "X-Id", value: 'a "$req_id"' },
      { name: "X-Zone", value: "north" },
    ],
    proxySetHeaders: [],
    sentences: [],
  });
});

test("entries that cannot be headers are left out, and the others stay", () => {
  const data = { "bad name": "x", "X-Two": "a\nX-Forged: b", "X-Var": "$nope", "X-Land": "$geoip2_asn", "X-Ok": "1" };
  expect(read({ proxySetHeaders: "edge/extra" }, data)).toMatchObject({
    proxySetHeaders: [{ name: "X-Ok", value: "1" }],
    sentences: [
      "extra data.X-Land: $geoip2_asn exists only with use-geoip2, which is off; it is left out",
      'extra data.X-Two: "a\\nX-Forged: b" has a line break or control character; it is left out',
      'extra data.X-Var: "$nope" names $nope, which nothing declares; it is left out',
      'extra data.bad name: "bad name" is not a header name of letters, digits, - and _; it is left out',
    ],
  });
});

test("an entry may use a variable that a snippet of the operator declares", () => {
  const settings = { addHeaders: "edge/extra", httpSnippet: "map $host $zone { default north; }" };
  expect(read(settings, { "X-Zone": "$zone" })).toMatchObject({ addHeaders: [{ value: "$zone" }], sentences: [] });
});

test("a missing object is a Problem of the settings", () => {
  expect(read({ addHeaders: "edge/extra", sslDhParam: "edge/dh" })).toEqual({
    addHeaders: [],
    proxySetHeaders: [],
    dhParam: undefined,
    sentences: [
      "settings data.add-headers: ConfigMap edge/extra not found; no headers come from it",
      "settings data.ssl-dh-param: Secret edge/dh is missing or has no dhparam.pem; nginx offers no DHE ciphers",
    ],
  });
});

/** Returns a DER sequence of a prime and the generator 2. */
function dhParameters(bits: number): string {
  const prime = Buffer.concat([Buffer.from([0]), Buffer.from(generatePrimeSync(bits))]);
  const element = (tag: number, content: Buffer) => {
    const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
    return Buffer.concat([Buffer.from([tag, ...length]), content]);
  };
  const der = element(0x30, Buffer.concat([element(2, prime), element(2, Buffer.from([2]))]));
  return `-----BEGIN DH PARAMETERS-----\n${der.toString("base64")}\n-----END DH PARAMETERS-----\n`;
}

test.each([
  [dhParameters(2048), undefined],
  [dhParameters(1024), "holds DH PARAMETERS of 1024 bits; at least 2048 are wanted"],
  [
    "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "does not hold one PEM block of type DH PARAMETERS",
  ],
  ["-----BEGIN DH PARAMETERS-----\nMAA=\n-----END DH PARAMETERS-----\n", "holds DH PARAMETERS that cannot be decoded"],
])("DH parameters are checked before nginx reads them", (pem, why) => {
  const { dhParam, sentences } = read({ sslDhParam: "edge/extra" }, undefined, {
    "dhparam.pem": Buffer.from(pem).toString("base64"),
  });
  expect(dhParam).toBe(why === undefined ? pem : undefined);
  expect(sentences).toEqual(
    why === undefined ? [] : [`settings data.ssl-dh-param: Secret edge/extra ${why}; nginx offers no DHE ciphers`],
  );
});
