/**
 * The program accepts the arguments that the chart gives it: those of every case are read by the
 * flags' own declarations.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { chartValues } from "../../scripts/chart/values.ts";
import { parseFlags } from "../../src/controller/flags/parse.ts";
import { controllerOf, render } from "./support/helm.ts";
import { nest } from "./support/nest.ts";

const folder = join(import.meta.dirname, "cases");

/** Reads as the program does, after the kubelet has filled in the namespace. */
function read(args: readonly string[]) {
  const [program, ...words] = args.map((arg) => arg.replaceAll("$(POD_NAMESPACE)", "ingress-nginx"));
  expect(program).toBe("/nginx-ingress-controller");
  const parsed = parseFlags(words, "run");
  if (parsed.kind !== "flags") throw new Error(JSON.stringify(parsed));
  expect(parsed.rest).toEqual([]);
  expect(parsed.problems).toEqual([]);
  return parsed.flags;
}

test.each(readdirSync(folder))("the program accepts the arguments of the case %s", async (file) => {
  read(controllerOf(await render(parse(readFileSync(join(folder, file), "utf8")))).args);
});

const reach: readonly (readonly [values: Record<string, unknown>, flags: Record<string, unknown>])[] = [
  [
    { "controller.healthCheckPath": "/health", "controller.healthCheckHost": "127.0.0.1" },
    { healthCheckPath: "/health", healthzHost: "127.0.0.1" },
  ],
  [{ "controller.electionID": "mine", "controller.electionTTL": "90s" }, { electionId: "mine" }],
  [{ "controller.disableLeaderElection": true }, { disableLeaderElection: true }],
  [
    { "controller.ingressClassByName": true, "controller.ingressClass": "own" },
    { ingressClassByName: true, ingressClass: "own" },
  ],
  [{ "controller.ingressClassResource.controllerValue": "example.com/own" }, { controllerClass: "example.com/own" }],
  [{ "controller.watchIngressWithoutClass": true }, { watchIngressWithoutClass: true }],
  [{ "controller.scope.enabled": true }, { watchNamespace: "ingress-nginx" }],
  [{ "controller.scope.enabled": true, "controller.scope.namespace": "shop" }, { watchNamespace: "shop" }],
  [{ "controller.enableTopologyAwareRouting": true }, { enableTopologyAwareRouting: true }],
  [{ "controller.hostNetwork": true, "controller.reportNodeInternalIp": true }, { reportNodeInternalIpAddress: true }],
  [{ "controller.metrics.enabled": true }, { enableMetrics: true }],
  [{ "controller.enableAnnotationValidations": false }, { enableAnnotationValidation: false }],
  [
    { "controller.extraArgs": { "update-status": "false", "enable-ssl-passthrough": "" } },
    { updateStatus: false, enableSslPassthrough: true },
  ],
  [
    { "sluice.serviceIngressHost": "{service}.example.com" },
    { serviceIngress: true, serviceIngressHost: "{service}.example.com" },
  ],
  [{ "sluice.hostPolicy": "edge/hosts" }, { hostPolicy: "edge/hosts" }],
  [{ "sluice.uiPort": "10255" }, { uiPort: 10_255 }],
  [{ "sluice.uiPort": "0" }, { uiPort: 0 }],
  [
    {
      "sluice.gateway.controllerName": "example.com/edge",
      "sluice.gateway.addresses": "192.0.2.10-192.0.2.11",
      "sluice.gateway.shared": "infra/public",
    },
    {
      gatewayControllerName: "example.com/edge",
      gatewayAddresses: ["192.0.2.10", "192.0.2.11"],
      sharedGateway: "infra/public",
    },
  ],
  [{ "sluice.nginxContainer.enabled": true }, { nginxSocket: "/run/sluice/sockets/nginx.sock" }],
];

test.each(reach)("the values %j become the arguments %j", async (values, flags) => {
  expect(Object.keys(values).filter((path) => !chartValues.some((value) => value.path === path))).toEqual([]);
  expect(read(controllerOf(await render(nest(values))).args)).toMatchObject(flags);
});
