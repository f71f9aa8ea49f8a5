import { expect, test } from "vitest";
import { defaultFlags } from "../../../controller/flags.ts";
import { sentence } from "../../../core/model/problem.ts";
import { readManifest } from "../../../edges/folder/manifest.ts";
import { judged } from "../findings.ts";

const settings = `apiVersion: v1
kind: ConfigMap
metadata: { name: ingress-nginx-controller, namespace: ingress-nginx }
data: { allow-snippet-annotations: "true", annotations-risk-level: Critical }
`;

const found = (annotations: Readonly<Record<string, string>>, mode: "dynamic" | "static") => {
  const own = Object.entries(annotations).map(([key, value]) => [`nginx.ingress.kubernetes.io/${key}`, value]);
  const ingress = {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "chat", namespace: "ns", annotations: Object.fromEntries(own) },
    spec: {
      rules: [
        {
          host: "a.example",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
          },
        },
      ],
    },
  };
  const files = new Map([
    ["settings.yaml", readManifest(settings)],
    ["ingress.yaml", readManifest(JSON.stringify(ingress))],
  ]);
  const flags = { ...defaultFlags("serve"), mode, configmap: "ingress-nginx/ingress-nginx-controller" };
  const { findings } = judged(files, flags);
  return findings.map(({ problem }) => sentence(problem)).filter((one) => one.includes("snippet"));
};

test.each(["dynamic", "static"] as const)("a directive that an annotation sets too is found in %s mode", (mode) => {
  const snippet = "proxy_set_header X-One 1;\nclient_max_body_size 50M;\nproxy_read_timeout 600s;";
  const size =
    'annotation configuration-snippet: line 2: the block around it has "client_max_body_size 8m" already, and nginx takes client_max_body_size once; nginx would refuse it';
  expect(found({ "configuration-snippet": snippet, "proxy-body-size": "8m" }, mode)).toContain(size);
  expect(found({ "configuration-snippet": "proxy_set_header X-One 1;\nadd_header X-Two 2;" }, mode)).toEqual([]);
});

test("a directive that stands twice in the snippet itself is found", () => {
  expect(found({ "configuration-snippet": "expires 1h;\nexpires 1h;" }, "dynamic")).toEqual([
    'annotation configuration-snippet: line 1: the block around it has "expires 1h" already, and nginx takes expires once; nginx would refuse it',
  ]);
});

test("a directive of the http-snippet that Sluice or the ConfigMap sets is found", () => {
  const text = "map $http_x $x { default 1; }\nserver_tokens off;\nkeepalive_timeout 65;\ngzip_buffers 4 8k;";
  const configMap = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "ingress-nginx-controller", namespace: "ingress-nginx" },
    data: { "http-snippet": text, "server-snippet": "gzip on;", "keep-alive": "30" },
  });
  const flags = { ...defaultFlags("serve"), configmap: "ingress-nginx/ingress-nginx-controller" };
  const { findings } = judged(new Map([["settings.yaml", readManifest(configMap)]]), flags);
  const twice = (line: number, there: string) =>
    `data.http-snippet: line ${line}: the block around it has "${there}" already, and nginx takes ${there.split(" ")[0]} once; nginx would refuse it`;
  expect(findings.map(({ problem }) => sentence(problem))).toEqual([
    twice(2, "server_tokens off"),
    twice(3, "keepalive_timeout 30s"),
  ]);
});
