import { expect, test } from "vitest";
import { base, configMap, fake, ingress, put, service } from "../../../test/support/sketch.ts";
import { sentence } from "../../problem.ts";
import { defaultOptions } from "../options.ts";
import { translate } from "../translator.ts";
import { emptyInputs } from "../turn.ts";

const list = (length: number, item: string) => Array.from({ length }, (_, at) => `${item}${at}`).join(",");
const many = Array.from({ length: 1_000 }, (_, at) => [`/p${at}`, "web"] as const);
const hosts = many.map(([path], at) => ({
  host: `h${at}.example`,
  http: { paths: [{ path, pathType: "Prefix" as const, backend: { service: { name: "web", port: { number: 80 } } } }] },
}));
const long = { "enable-cors": "true", "cors-allow-origin": list(900, "https://app.example.com:80") };

const withoutLua = { ...defaultOptions, lacks: new Set(["lua"] as const) };

function sentences(
  object: ReturnType<typeof ingress>,
  options: typeof defaultOptions,
  ...more: Parameters<typeof put>[1][]
) {
  const inputs = { ...emptyInputs, snapshot: put(base, object, service("web"), ...more) };
  const { problems, configuration } = translate(inputs, options, fake);
  return { problems: [...problems.values()].flat().map(sentence), hosts: [...configuration.servers.keys()] };
}

test.each([
  ["text in static mode", withoutLua],
  ["records in dynamic mode", defaultOptions],
])("an Ingress with gigabytes of %s is not applied", (_, options) => {
  const big = ingress({ name: "big", host: "big.example", paths: many, annotations: long });
  const { problems, hosts } = sentences(big, options);
  expect(hosts).not.toContain("big.example");
  expect(problems).toEqual([
    expect.stringMatching(
      /^annotation cors-allow-origin: with all annotations .* for each of 1000 paths, and .* 16777216; the Ingress is not applied$/,
    ),
  ]);
  const some = ingress({ name: "big", host: "big.example", paths: many.slice(0, 500), annotations: long });
  expect(sentences(some, options)).toMatchObject({ problems: [], hosts: expect.arrayContaining(["big.example"]) });
});

test("a snippet counts for each path in static mode alone, because no record has it", () => {
  const annotations = { "configuration-snippet": `# ${"a".repeat(20_000)}` };
  const big = ingress({ name: "big", host: "big.example", paths: many, annotations });
  expect(sentences(big, withoutLua).problems.join()).toContain("for each of 1000 paths");
  expect(sentences(big, defaultOptions).problems.join()).not.toContain("for each of");
});

test("hosts add to the size in dynamic mode, because each may be a server block of its own", () => {
  const annotations = { ...long, "ssl-ciphers": "HIGH" };
  const { problems } = sentences(ingress({ name: "big", annotations, spec: { rules: hosts } }), defaultOptions);
  expect(problems.join()).toContain("for each of 1000 hosts");
});

test("a ConfigMap that an annotation names adds to the size", () => {
  const headers = configMap("ns/headers", { "X-Long": "a".repeat(20_000) });
  const guarded = { "auth-url": "https://auth.example.com/", "auth-proxy-set-headers": "ns/headers" };
  const big = ingress({ name: "big", host: "big.example", paths: many, annotations: guarded });
  expect(sentences(big, withoutLua, headers).problems.join()).toContain("for each of 1000 paths");
});

test("certificate authorities add to the size once for each host, because nginx reads them for each at every reload", () => {
  const guarded = { "auth-tls-secret": "ns/authorities" };
  const authorities = (count: number) => {
    const pem = `-----BEGIN CERTIFICATE-----\n${"a".repeat(500)}\n-----END CERTIFICATE-----\n`.repeat(count);
    return {
      ...{ apiVersion: "v1", kind: "Secret", metadata: { name: "authorities", namespace: "ns" } },
      data: { "ca.crt": Buffer.from(pem).toString("base64") },
    };
  };
  const big = ingress({ name: "big", annotations: guarded, spec: { rules: hosts } });
  expect(sentences(big, defaultOptions, authorities(100)).problems.join()).toContain("for each of 1000 hosts");
  expect(sentences(big, defaultOptions, authorities(3)).problems.join()).not.toContain("for each of 1000 hosts");
});
