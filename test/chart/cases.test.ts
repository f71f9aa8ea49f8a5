/** The chart's cases, each with what it tests, and the default installation as a golden file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readSettings } from "../../src/core/settings/read.ts";
import { valuesInUse } from "../../src/move/compat/chart/values.ts";
import { controllerOf, type Manifest, one, type Rendered, render, workloadOf } from "./support/helm.ts";

const caseOf = (name: string): Promise<Rendered> =>
  render(parse(readFileSync(join(import.meta.dirname, "cases", `${name}.yaml`), "utf8")));
const portsOf = (service: Manifest) =>
  service.spec.ports.map(
    (port: Manifest) => `${port.name} ${port.port}:${port.targetPort}${port.nodePort ? `@${port.nodePort}` : ""}`,
  );

/** Returns the lines of the notes about keys that nothing knows. */
const unknownIn = (notes: string): string[] =>
  notes
    .slice(notes.indexOf("Keys that neither this chart"))
    .split("\n")
    .filter((line) => line.startsWith("- "));

/** Returns the judgement of `sluice compat` about values that the chart does not have. */
const judgedByCompat = (content: Readonly<Record<string, unknown>>) =>
  valuesInUse({ content, placeOf: () => ({ file: "values.yaml", line: 1, column: 1 }) })
    .filter(({ fate }) => fate === "refused" || fate === "ignored")
    .map(({ path, fate, note }) => ({ path, fate, meant: /did you mean (.*)\?/.exec(note)?.[1] }));

test("the default installation has the objects of the golden file", async () => {
  const { manifest } = await render();
  await expect(manifest).toMatchFileSnapshot(join(import.meta.dirname, "golden/defaults.yaml"));
});

test.each([
  [{ controller: { type: "NodePort" } }, "controller.type", "controller.service.type"],
  [{ service: { type: "NodePort" } }, "service", "controller.service"],
  [{ replicaCount: 2 }, "replicaCount", "controller.replicaCount"],
  [{ controller: { serviceAccount: { create: false } } }, "controller.serviceAccount", "serviceAccount"],
  [{ controller: { rbac: { create: false } } }, "controller.rbac", "rbac"],
  [{ controller: { defaultBackend: { enabled: true } } }, "controller.defaultBackend", "defaultBackend"],
  [{ controller: { service: { metrics: { enabled: true } } } }, "controller.service.metrics", "controller.metrics"],
  [
    { controller: { metrics: { additionalLabels: { release: "monitoring" } } } },
    "controller.metrics.additionalLabels",
    "controller.metrics.prometheusRule.additionalLabels or controller.metrics.serviceMonitor.additionalLabels",
  ],
])("a value at a wrong level has no effect, and the notes name the right one: %j", async (values, path, meant) => {
  const { notes } = await render(values);
  expect(unknownIn(notes)).toEqual([`- ${path} (did you mean ${meant}?)`]);
  expect(judgedByCompat(values)).toEqual([{ path, fate: "ignored", meant }]);
});

test.each([
  [{ controler: { replicaCount: 2 } }, "controler: did you mean controller?"],
  [{ controller: { replicas: 2 } }, "controller.replicas: did you mean controller.replicaCount?"],
  [{ controller: { hostnetwork: true } }, "controller.hostnetwork: did you mean controller.hostNetwork?"],
  [{ controller: { tollerations: [] } }, "controller.tollerations: did you mean controller.tolerations?"],
  [{ controller: { replicaCuont: 2 } }, "controller.replicaCuont: did you mean controller.replicaCount?"],
  [
    { controller: { image: { PullPolicy: "Always" } } },
    "controller.image.PullPolicy: did you mean controller.image.pullPolicy?",
  ],
  [
    { controller: { service: { nodePort: {} } } },
    "controller.service.nodePort: did you mean controller.service.nodePorts?",
  ],
  [{ controller: { "host-network": true } }, "controller.host-network: did you mean controller.hostNetwork?"],
  [{ sluice: { memorylimit: "1Gi" } }, "sluice.memorylimit: did you mean sluice.memoryLimit?"],
  [{ sluice: { gateway: { servces: {} } } }, "sluice.gateway.servces: did you mean sluice.gateway.services?"],
  [{ sluice: { services: {} } }, "sluice.services: did you mean sluice.gateway.services?"],
  [{ "ingress-nginx": { controller: {} } }, "ingress-nginx: what stands below it belongs at the top of the file"],
])("a typo, and a whole file a level too deep, are refused: %j", async (values, line) => {
  const refused = await render(values).catch(({ message }) => message);
  expect(refused.split("\n")).toContainEqual(expect.stringContaining(`- ${line}`));
  const meant = /did you mean (.*)\?/.exec(line)?.[1];
  expect(judgedByCompat(values)).toEqual([{ path: line.split(":")[0], fate: "refused", meant }]);
});

test("an unknown key that ingress-nginx ignored is named in the notes, and nothing is refused", async () => {
  const values = {
    baseDomain: "shop.example",
    name: "ingress-controller",
    namespace: "ingress",
    configmap: { "use-gzip": "true" },
    controllerMetrics: { enabled: true },
    controller: {
      namespace: "ingress",
      appprotect: { enable: false },
      stats: { enabled: "true" },
      service: { internalTrafficPolicy: "Local" },
      metrics: { service: { monitor: {} } },
      config: { "enable-vts-status": "false", "enable-http2": "on", "service-tokens": "false", "Use-Gzip": "true" },
    },
  };
  const { notes } = await render(values);
  expect(judgedByCompat(values).map(({ path, fate }) => `${fate} ${path}`)).toEqual([
    "ignored baseDomain",
    "ignored name",
    "ignored namespace",
    "ignored configmap",
    "ignored controllerMetrics",
    "ignored controller.namespace",
    "ignored controller.appprotect",
    "ignored controller.stats",
    "ignored controller.service.internalTrafficPolicy",
    "ignored controller.metrics.service.monitor",
  ]);
  expect(unknownIn(notes)).toEqual([
    "- baseDomain",
    "- configmap",
    "- controller.appprotect",
    "- controller.metrics.service.monitor",
    "- controller.namespace",
    "- controller.service.internalTrafficPolicy",
    "- controller.stats",
    "- controllerMetrics",
    "- name",
    "- namespace",
    "- controller.config.enable-http2 (did you mean use-http2?)",
    "- controller.config.enable-vts-status (the VTS module was removed from ingress-nginx; the metrics say the same)",
    "- controller.config.service-tokens (did you mean server-tokens?)",
  ]);
});

test("a key that resembles one beside it and is more than a typo of it is named in the notes", async () => {
  const values = {
    controller: {
      service: { externalDNS: { hostname: "edge.example" } },
      image: { imagePullPolicy: "Always" },
      securityContext: { runAsUser: 101 },
      metrics: { service: { loadBalancerClass: "tailscale" } },
    },
  };
  const judged = judgedByCompat(values);
  expect(judged.map(({ fate }) => fate)).toEqual(judged.map(() => "ignored"));
  const hints = judged.map(({ path, meant }) => `- ${path}${meant === undefined ? "" : ` (did you mean ${meant}?)`}`);
  expect(unknownIn((await render(values)).notes)).toEqual(hints.sort());
});

test("a key that belongs elsewhere is named with its right place: the ConfigMap, a flag, an annotation or a value", async () => {
  const values = {
    controller: {
      "use-forwarded-headers": "true",
      enableSslPassthrough: true,
      config: { "tcp-services-configmap": "a/b", "limit-rps": "5", hostNetwork: "true", useGzip: "true" },
    },
  };
  const { notes } = await render(values);
  expect(unknownIn(notes)).toEqual([
    "- controller.enableSslPassthrough (it is a flag of the controller, controller.extraArgs.enable-ssl-passthrough)",
    "- controller.use-forwarded-headers (it is a key of the controller's ConfigMap, controller.config.use-forwarded-headers)",
    "- controller.config.hostNetwork (it is a value of the chart, controller.hostNetwork)",
    "- controller.config.limit-rps (it is an annotation of an Ingress)",
    "- controller.config.tcp-services-configmap (it is a flag of the controller, controller.extraArgs.tcp-services-configmap)",
    "- controller.config.useGzip (did you mean use-gzip?)",
  ]);
  const judged = valuesInUse({ content: values, placeOf: () => ({ file: "values.yaml", line: 1, column: 1 }) });
  expect(judged.filter(({ fate }) => fate === "ignored").map(({ note }) => note)).toEqual([
    "value controller.use-forwarded-headers does not exist: it is a key of the controller's ConfigMap; it is ignored",
    "value controller.enableSslPassthrough does not exist: it is a flag of the controller, --enable-ssl-passthrough; it is ignored",
  ]);
});

test("a key that is a directive of nginx gets its counterpart, or is reported as a directive, as in the program", async () => {
  const config = {
    "access-log": "off",
    client_max_body_size: "8m",
    "enable-opentracing": "true",
    gzip: "on",
    "limit-req": "zone=a",
    "proxy-cache-path": "/tmp/cache",
    proxy_read_timeot: "5",
    resolver: "127.0.0.1",
    "zstd-level": "3",
  };
  const { notes } = await render({ controller: { config, client_max_body_size: "8m" } });
  const { problems } = readSettings(config, { kind: "ConfigMap", name: "controller" }, {});
  const hints = problems.flatMap((one) => {
    if (one.kind === "setting-useless") return [`- controller.config.${one.key} (${one.why})`];
    if (one.kind !== "setting-unknown") return [];
    const { key, nearest, elsewhere } = one;
    const hint = nearest === undefined ? elsewhere : `did you mean ${nearest}?`;
    return [`- controller.config.${key}${hint === undefined ? "" : ` (${hint})`}`];
  });
  expect(unknownIn(notes)).toEqual([
    "- controller.client_max_body_size (proxy-body-size is the largest body)",
    ...hints,
  ]);
  expect(hints).toHaveLength(Object.keys(config).length);
  expect(hints).toContain(
    "- controller.config.proxy-cache-path (proxy_cache_path is a directive of nginx, which only a snippet can hold)",
  );
});

test("a flag that the controller does not have is refused, because no Pod would start with it", async () => {
  const extraArgs = {
    "enable-ssl-passtrough": "",
    "publish-status-address": "192.0.2.1",
    "no-such-thing": "x",
    "use-gzip": "true",
  };
  const refused = await render({ controller: { extraArgs } }).catch(({ message }) => message);
  expect(refused).toContain(
    "- controller.extraArgs.enable-ssl-passtrough: the controller has no flag --enable-ssl-passtrough; did you mean enable-ssl-passthrough?",
  );
  expect(refused).toContain("- controller.extraArgs.no-such-thing: the controller has no flag --no-such-thing");
  expect(refused).toContain(
    "- controller.extraArgs.use-gzip: the controller has no flag --use-gzip; it is a key of the controller's ConfigMap, controller.config.use-gzip",
  );
  expect(refused).not.toContain("--no-such-thing;");
  expect(refused).not.toContain("publish-status-address");
});

test.each([
  [{ extraArgs: { "http-port": "80x" } }, "/controller/extraArgs/http-port"],
  [{ extraArgs: { "http-port": 99999 } }, "/controller/extraArgs/http-port"],
  [{ extraArgs: { "update-status": "never" } }, "/controller/extraArgs/update-status"],
  [{ extraArgs: { "election-ttl": "30 seconds" } }, "/controller/extraArgs/election-ttl"],
  [{ extraArgs: { mode: "lua" } }, "/controller/extraArgs/mode"],
  [{ service: { type: "Loadbalancer" } }, "/controller/service/type"],
  [{ service: { externalTrafficPolicy: "local" } }, "/controller/service/externalTrafficPolicy"],
  [{ dnsPolicy: "ClusterFirstWithHostNetwork" }, "/controller/dnsPolicy"],
  [{ admissionWebhooks: { failurePolicy: "ignore" } }, "/controller/admissionWebhooks/failurePolicy"],
])(
  "a value that the controller or the API server would refuse is refused by the chart: %j",
  async (controller, place) => {
    await expect(render({ controller })).rejects.toThrow(place);
  },
);

test.each([
  { "http-port": 8080, "https-port": "8443", "update-status": false, "enable-ssl-passthrough": "" },
  { "publish-service": "$(POD_NAMESPACE)/edge", "election-ttl": "1m30s", v: 2, mode: "static" },
  { "enable-ssl-passthrough": null, "metrics-per-host": "false", "time-buckets": "0.005,0.01,1" },
])("flags in the spellings that users have are accepted: %j", async (extraArgs) => {
  expect((await render({ controller: { extraArgs } })).objects.length).toBeGreaterThan(5);
});

test("a Kubernetes object in the place of a values file is reported as an object, and none of its keys as a typo", async () => {
  const values = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: {} };
  const refused = await render(values).catch(({ message }) => message);
  expect(refused).toContain("this is a Kubernetes object and no values file of this chart");
  expect(refused).toContain("kind ConfigMap");
  expect(refused).not.toContain("did you mean");
});

test("a key that is the end of a name, or a part of another chart, gets a hint", async () => {
  const controller = {
    strategy: { type: "Recreate" },
    podDisruptionBudget: { enabled: true },
    wallarm: { enabled: true },
  };
  expect(unknownIn((await render({ controller })).notes)).toEqual([
    "- controller.podDisruptionBudget (controller.minAvailable and maxUnavailable are its limits, and two replicas have one)",
    "- controller.strategy (did you mean controller.updateStrategy?)",
    "- controller.wallarm (only Wallarm's build of ingress-nginx has it, and its module is not in the image)",
  ]);
  expect(judgedByCompat({ controller }).map(({ path, fate }) => `${fate} ${path}`)).toEqual([
    "ignored controller.strategy",
    "ignored controller.podDisruptionBudget",
  ]);
});

test("a key that is only a small part of a name is no typo of it", async () => {
  const values = { common: { team: "edge" }, controller: { ingress: { enabled: false } } };
  expect(unknownIn((await render(values)).notes)).toEqual([
    "- common (did you mean commonLabels?)",
    "- controller.ingress (did you mean controller.ingressClassResource?)",
  ]);
  expect(judgedByCompat(values).map(({ fate }) => fate)).toEqual(["ignored", "ignored"]);
});

test("an empty text in place of a whole number leaves it to Kubernetes, as in ingress-nginx's chart", async () => {
  const controller = { replicaCount: "", minReadySeconds: "", terminationGracePeriodSeconds: "" };
  const { spec } = one(await render({ controller }), "Deployment", "ingress-nginx-controller");
  const { terminationGracePeriodSeconds } = spec.template.spec;
  expect([spec.replicas, spec.minReadySeconds, terminationGracePeriodSeconds]).toEqual([null, null, null]);
  const budget = { replicaCount: 2, minAvailable: "", maxUnavailable: 1 };
  const { spec: disruption } = one(
    await render({ controller: budget }),
    "PodDisruptionBudget",
    "ingress-nginx-controller",
  );
  expect([disruption.minAvailable, disruption.maxUnavailable]).toEqual([undefined, 1]);
});

test("fields of Services that are 0 or empty are left out, as in ingress-nginx's chart", async () => {
  const specOf = async (service: object) =>
    one(await render({ controller: { service } }), "Service", "ingress-nginx-controller").spec;
  expect(await specOf({ healthCheckNodePort: 0, clusterIP: "", allocateLoadBalancerNodePorts: false })).toEqual({
    ...(await specOf({})),
    allocateLoadBalancerNodePorts: false,
  });
  expect((await specOf({ healthCheckNodePort: 30_100 })).healthCheckNodePort).toBe(30_100);
});

test("every typo is named, and values of other charts are left alone", async () => {
  const controller = { replicas: 2, image: { tags: "1" }, config: { any: "thing" } };
  const refused = render({ controller, "x-anchor": {}, global: { storageClass: "fast" }, hostNetwork: true });
  const lines = ["controller.image.tags: did you mean controller.image.tag?", "controller.replicas: did you"];
  await expect(refused).rejects.toThrow(new RegExp(lines.map((line) => `- ${line}[^\n]*`).join("\n")));
});

test.each([
  [{ controller: { kind: "StatefulSet" } }, /controller\/kind/],
  [{ controller: { replicaCount: "two" } }, /controller\/replicaCount/],
  [{ rbac: { scope: true } }, /needs controller\.scope\.enabled: true/],
])("a wrong value is refused: %j", async (values, complaint) => {
  await expect(render(values)).rejects.toThrow(complaint);
});

test("settings become text, and an integer stays one", async () => {
  const rendered = await caseOf("settings-and-flags");
  expect(one(rendered, "ConfigMap", "ingress-nginx-controller").data).toEqual({
    "add-headers": "ingress-nginx/ingress-nginx-custom-add-headers",
    "allow-snippet-annotations": "true",
    "client-body-buffer-size": "1048576",
    "compute-full-forwarded-for": "true",
    "log-format-upstream": '{"release":"ingress-nginx","status":"$status"}',
    "proxy-body-size": "64m",
    "proxy-set-headers": "ingress-nginx/ingress-nginx-custom-proxy-headers",
    "ssl-dh-param": "ingress-nginx/ingress-nginx-controller",
    "use-forwarded-headers": "true",
  });
  expect(controllerOf(rendered).args).toEqual([
    "/nginx-ingress-controller",
    "--publish-service=$(POD_NAMESPACE)/ingress-nginx-controller",
    "--election-id=ingress-nginx-leader",
    "--election-ttl=60s",
    "--controller-class=k8s.io/ingress-nginx",
    "--ingress-class=nginx",
    "--configmap=$(POD_NAMESPACE)/ingress-nginx-controller",
    "--validating-webhook=:8443",
    "--validating-webhook-certificate-secret=$(POD_NAMESPACE)/ingress-nginx-admission",
    "--validating-webhook-configuration=ingress-nginx-admission",
    "--watch-ingress-without-class=true",
    "--enable-topology-aware-routing=true",
    "--health-check-path=/health",
    "--shutdown-grace-period=30",
    "--default-ssl-certificate=ingress-nginx/wildcard",
    "--enable-ssl-passthrough",
    "--sync-rate-limit=0.5",
    "--v=2",
  ]);
  expect(rendered.notes).toContain("add nginx configuration, which affects all tenants");
});

test("TCP and UDP ports appear in ConfigMaps, flags, Pod, Service and NetworkPolicy", async () => {
  const rendered = await caseOf("tcp-udp");
  expect(one(rendered, "ConfigMap", "ingress-nginx-tcp").data).toEqual({
    "5432": "databases/postgres:5432",
    "6379": "databases/ingress-nginx-redis:6379:PROXY",
  });
  const service = one(rendered, "Service", "ingress-nginx-controller");
  const streams = [
    "edge-5432-tcp 5432:edge-5432-tcp@30032",
    "edge-6379-tcp 6379:edge-6379-tcp",
    "edge-53-udp 53:edge-53-udp",
  ];
  expect(portsOf(service)).toEqual(["http 80:http", "https 443:https", ...streams]);
  const names = controllerOf(rendered).ports.map(({ name }: Manifest) => name);
  expect(names).toEqual(["http", "https", "edge-5432-tcp", "edge-6379-tcp", "edge-53-udp", "webhook"]);
  expect(one(rendered, "NetworkPolicy").spec.ingress[0].ports).toContainEqual({ protocol: "UDP", port: 53 });
  expect(controllerOf(rendered).args).toContain("--udp-services-configmap=$(POD_NAMESPACE)/ingress-nginx-udp");
});

test("HTTP/3 opens a UDP port beside https on Pod, Service and NetworkPolicy, and clients learn the Service's port", async () => {
  const service = { type: "NodePort", ports: { https: 8443 }, nodePorts: { https: 30443 } };
  const rendered = await render({ sluice: { http3: true }, controller: { service, networkPolicy: { enabled: true } } });
  expect(one(rendered, "ConfigMap", "ingress-nginx-controller").data).toEqual({
    "use-http3": "true",
    "http3-port": "8443",
  });
  const { ports } = one(rendered, "Service", "ingress-nginx-controller").spec;
  const udp = { name: "http3", port: 8443, protocol: "UDP", targetPort: "http3", nodePort: 30443 };
  expect(ports.filter(({ protocol }: Manifest) => protocol === "UDP")).toEqual([udp]);
  const opened = { name: "http3", containerPort: 443, protocol: "UDP" };
  expect(controllerOf(rendered).ports).toContainEqual(opened);
  expect(one(rendered, "NetworkPolicy").spec.ingress[0].ports).toContainEqual({ protocol: "UDP", port: 443 });
});

test("a Pod in its own network opens low ports by the sysctl and drops every capability", async () => {
  const rendered = await caseOf("defaults");
  const { spec } = workloadOf(rendered).spec.template;
  expect(spec.securityContext.sysctls).toEqual([{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }]);
  expect(controllerOf(rendered).securityContext.capabilities).toEqual({ drop: ["ALL"] });
  expect(controllerOf(rendered).command).toEqual(["/sluice-init"]);
});

test("a Pod in the node's network opens low ports by the capability that the entry point passes on", async () => {
  const rendered = await caseOf("host-network");
  const { spec } = workloadOf(rendered).spec.template;
  expect(spec.securityContext).toBeUndefined();
  expect(controllerOf(rendered).securityContext.capabilities).toEqual({ drop: ["ALL"], add: ["NET_BIND_SERVICE"] });
  expect(controllerOf(rendered).command).toBeUndefined();
  expect(rendered.objects.filter(({ kind }) => kind === "Service").map(({ metadata }) => metadata.name)).toEqual([
    "ingress-nginx-controller-admission",
  ]);
});

test("the notes warn of a user's security context without that capability", async () => {
  const controller = { hostNetwork: true, containerSecurityContext: { capabilities: { drop: ["ALL"] } } };
  const rendered = await render({ controller });
  expect(controllerOf(rendered).command).toEqual(["/sluice-init"]);
  expect(rendered.notes).toContain("WARNING: controller.containerSecurityContext drops that capability");
});

test("the internal Service is beside the public one, each with its own ports", async () => {
  const rendered = await caseOf("load-balancers");
  expect(portsOf(one(rendered, "Service", "ingress-nginx-controller"))).toEqual(["http 80:http", "https 443:http"]);
  expect(portsOf(one(rendered, "Service", "ingress-nginx-controller-internal"))).toEqual([
    "http 80:http",
    "https 8443:http",
  ]);
});

test("a controller for one namespace has no rights on the cluster, and reads the two namespaces that it needs", async () => {
  const rendered = await caseOf("one-namespace");
  expect(rendered.objects.map(({ kind }) => kind).filter((kind) => kind.startsWith("Cluster"))).toEqual([]);
  const resources = (namespace: string) =>
    rendered.objects
      .filter(({ kind, metadata }) => kind === "Role" && metadata.namespace === namespace)
      .flatMap(({ rules }) => rules.flatMap((rule: Manifest) => rule.resources));
  expect(resources("shop")).toContain("ingresses");
  expect(resources("shop")).not.toContain("leases");
  expect(resources("ingress-nginx")).toContain("leases");
  expect(resources("ingress-nginx")).not.toContain("ingresses");
});

test("a controller for one namespace reads others only where values name objects there", async () => {
  const extraArgs = { "default-ssl-certificate": "certificates/wildcard" };
  const rendered = await render({ controller: { scope: { enabled: true, namespace: "shop" }, extraArgs } });
  const may = (namespace: string) =>
    rendered.objects
      .filter(({ kind, metadata }) => kind === "Role" && metadata.namespace === namespace)
      .flatMap(({ rules }) => rules.flatMap(({ resources, verbs }: Manifest) => [`${verbs} ${resources}`]));
  expect(may("certificates")).toEqual([
    "get,list,watch services",
    "list,watch endpointslices",
    "list,watch configmaps,secrets",
    "create,patch events",
  ]);
  expect(may("shop")).toContain("update ingresses/status");
});

test("with nginx in its own container, the token is mounted into the controller alone", async () => {
  const { spec } = workloadOf(await caseOf("nginx-container")).spec.template;
  expect(spec.automountServiceAccountToken).toBe(false);
  const holders = spec.containers.filter(({ volumeMounts }: Manifest) =>
    volumeMounts.some(({ mountPath }: Manifest) => mountPath === "/var/run/secrets/kubernetes.io/serviceaccount"),
  );
  expect(holders.map(({ name }: Manifest) => name)).toEqual(["controller"]);
});

test("without the status there is no right to write it", async () => {
  const resources = ({ objects }: Rendered) =>
    objects.flatMap(({ rules = [] }) => rules.flatMap((rule: Manifest) => rule.resources));
  expect(resources(await render())).toContain("ingresses/status");
  const quiet = await render({ controller: { extraArgs: { "update-status": "false" } } });
  expect(resources(quiet)).not.toContain("ingresses/status");
});

test.each([
  [{ image: { tag: "v1.12.1", digest: "sha256:1" } }, "sluice/controller:0.1.0"],
  [{ image: { repository: "mirror.example.com/ingress-nginx/controller", tag: "v1.9.4" } }, "sluice/controller:0.1.0"],
  [{ image: { registry: "mirror.example.com" } }, "mirror.example.com/sluice/controller:0.1.0"],
  [{ image: { registry: "mirror.example.com", tag: "v1.12.1" } }, "mirror.example.com/sluice/controller:0.1.0"],
  [
    { image: { repository: "mirror.example.com/edge", tag: "0.2.0", digest: "sha256:1" } },
    "mirror.example.com/edge:0.2.0@sha256:1",
  ],
  [{ image: { image: "edge/own", tag: 0.2 } }, "edge/own:0.2"],
])("the values %j give the image %s", async (controller, image) => {
  expect(controllerOf(await render({ controller })).image).toBe(image);
});

const valuesNamedIn = (notes: string) => [...notes.matchAll(/^- (\S+): /gm)].map((match) => match[1]);

test("a pinned image of ingress-nginx and values without an effect are named in the notes", async () => {
  const { notes } = await caseOf("pinned-and-patched");
  expect(notes).toContain("That pin is ignored");
  expect(valuesNamedIn(notes)).toEqual([
    "controller.image.chroot",
    "controller.enableMimalloc",
    "controller.admissionWebhooks.createSecretJob.resources",
    "controller.admissionWebhooks.patch.image.registry",
    "controller.admissionWebhooks.patch.nodeSelector",
  ]);
});

test("an image of a user's own is named in a warning of the notes, and a mirrored one is not", async () => {
  const notesOf = async (image: object) => (await render({ controller: { image } })).notes;
  expect(await notesOf({ repository: "registry.example.com/edge/nginx", tag: "2.1" })).toContain(
    "WARNING: these values start registry.example.com/edge/nginx:2.1 in place of Sluice's image.",
  );
  expect(await notesOf({ registry: "mirror.example" })).not.toContain("WARNING");
  expect(await notesOf({ repository: "mirror.example/ingress-nginx/controller" })).not.toContain("WARNING");
});

test("an image that others have built on ingress-nginx's is not called ingress-nginx's own in the notes", async () => {
  const notesOf = async (image: object) => (await render({ controller: { image } })).notes;
  const notes = await notesOf({ registry: "docker.io", image: "crowdsecurity/controller", tag: "v1.13.2" });
  expect(notes).toContain(
    "WARNING: these values name the image crowdsecurity/controller:v1.13.2, whose tag is a version",
  );
  expect(notes).not.toContain("ingress-nginx's own image");
  for (const image of [{ tag: "v1.13.2" }, { image: "mirror/ingress-nginx-controller", tag: "v1.13.2" }])
    expect(await notesOf(image)).toContain("These values pin ingress-nginx's own image");
});

test("tracing that old values switch off is not named in the notes, and tracing that they switch on is", async () => {
  const named = async (enabled: boolean | string) =>
    valuesNamedIn((await render({ controller: { opentelemetry: { enabled } } })).notes);
  const ofCompat = (enabled: boolean | string) =>
    valuesInUse({
      content: { controller: { opentelemetry: { enabled, name: "otel" } } },
      placeOf: () => ({ file: "values.yaml", line: 1, column: 1 }),
    }).map(({ fate }) => fate);
  expect([await named(true), ofCompat(true)]).toEqual([["controller.opentelemetry"], ["no meaning"]]);
  for (const off of [false, "false"]) expect([await named(off), ofCompat(off)]).toEqual([[], ["same"]]);
});

test("values without a meaning below a switch that is off are not named in the notes", async () => {
  const named = async (enabled: boolean) =>
    valuesNamedIn(
      (
        await render({
          controller: { admissionWebhooks: { enabled, patch: { image: { tag: "1" } } } },
          defaultBackend: { enabled, autoscaling: { enabled: true, apiVersion: "autoscaling/v2beta1" } },
        })
      ).notes,
    );
  expect(await named(true)).toEqual([
    "controller.admissionWebhooks.patch.image.tag",
    "defaultBackend.autoscaling.apiVersion",
  ]);
  expect(await named(false)).toEqual([]);
});

test("values without an effect beside other values are named in the notes", async () => {
  const controller = {
    kind: "DaemonSet",
    autoscaling: { enabled: true },
    reportNodeInternalIp: true,
    service: { internal: { enabled: true } },
    scope: { enabled: true, namespaceSelector: "team=a" },
    metrics: { serviceMonitor: { enabled: true } },
    customTemplate: { configMapKey: "nginx.tmpl" },
    config: { "use-geoip2": true },
  };
  const { notes } = await render({ controller });
  const idle = notes.slice(notes.indexOf("Values that have no effect because of other values:"));
  expect(valuesNamedIn(idle)).toEqual([
    "controller.autoscaling.enabled",
    "controller.service.internal.enabled",
    "controller.reportNodeInternalIp",
    "controller.scope.namespaceSelector",
    "controller.metrics.serviceMonitor.enabled",
    "controller.config.use-geoip2",
    "controller.customTemplate.configMapKey",
  ]);
});

test("use-geoip2 has an effect where a volume holds the folder of the databases", async () => {
  const notesWith = async (extraArgs: object, mountPath: string) =>
    (
      await render({
        controller: {
          extraArgs,
          config: { "use-geoip2": "true" },
          extraVolumes: [{ name: "databases", emptyDir: {} }],
          extraVolumeMounts: [{ name: "databases", mountPath }],
        },
      })
    ).notes;
  expect(await notesWith({}, "/etc/ingress-controller/geoip")).not.toContain("use-geoip2");
  expect(await notesWith({ "geoip-folder": "/geoip/lite" }, "/geoip")).not.toContain("use-geoip2");
  expect(await notesWith({}, "/etc/ingress-controller/geoip2")).toContain("- controller.config.use-geoip2: it needs");
});

test("values that are templates may use the helpers of ingress-nginx's chart, and the others are copied unchanged", async () => {
  const labels = {
    name: '{{ include "ingress-nginx.name" . }}',
    part: '{{ template "ingress-nginx.controller.fullname" . }}',
  };
  const sidecar = { name: "sidecar", image: "log", args: ["--format={{ .Level }}"] };
  const rendered = await render({
    controller: {
      topologySpreadConstraints: [{ labelSelector: { matchLabels: labels } }],
      extraContainers: [sidecar],
      config: { "plugins-of": '{{ include "ingress-nginx.namespace" . }}' },
    },
  });
  const { spec } = workloadOf(rendered).spec.template;
  expect(spec.topologySpreadConstraints[0].labelSelector.matchLabels).toEqual({
    name: "ingress-nginx",
    part: "ingress-nginx-controller",
  });
  expect(spec.containers[1]).toEqual(sidecar);
  expect(one(rendered, "ConfigMap").data).toEqual({ "plugins-of": "ingress-nginx" });
});

test("the default backend is Sluice's own unless the values name another", async () => {
  const ownBackend = one(await caseOf("default-backend-own"), "Deployment", "ingress-nginx-defaultbackend");
  expect(ownBackend.spec.template.spec.containers[0]).toMatchObject({
    image: "sluice/controller:0.1.0",
    command: ["/default-backend"],
    args: ["--port=8080"],
  });
  const theirs = await caseOf("default-backend");
  const container = one(theirs, "Deployment", "ingress-nginx-defaultbackend").spec.template.spec.containers[0];
  expect(container.image).toBe("registry.example.com/pages:1.5");
  expect(container.command).toBeUndefined();
  expect(controllerOf(theirs).args).toContain(
    "--default-backend-service=$(POD_NAMESPACE)/ingress-nginx-defaultbackend",
  );
});

test("a container whose resources lack memory gets a limit", async () => {
  const resourcesOf = async (values: object) => controllerOf(await render(values)).resources;
  const requests = { cpu: "100m", memory: "90Mi" };
  expect(await resourcesOf({})).toEqual({ requests, limits: { memory: "4Gi" } });
  expect(await resourcesOf({ sluice: { memoryLimit: "" } })).toEqual({ requests });
  const own = { requests: { ...requests, memory: "8Gi" } };
  expect(await resourcesOf({ controller: { resources: own } })).toEqual(own);
  const limits = { memory: "1Gi", cpu: 2 };
  expect(await resourcesOf({ controller: { resources: { limits } } })).toEqual({ requests, limits });
});

test("both containers wait at their end for load balancers, at most half of the termination grace period, and the notes say so", async () => {
  const gracesOf = async (controller: object, sluice: object = {}) => {
    const rendered = await render({ controller, sluice: { ...sluice, nginxContainer: { enabled: true } } });
    noted = Number(/A Pod that ends serves for (\d+) more seconds/.exec(rendered.notes)?.[1]);
    const { containers } = workloadOf(rendered).spec.template.spec;
    return containers.map(({ args }: { readonly args: readonly string[] }) =>
      args.filter((one) => one.startsWith("--shutdown-grace-period=")).map((one) => Number(one.split("=")[1])),
    );
  };
  let noted: number | undefined;
  const both = (seconds: number) => [[seconds], [seconds]];
  expect(await gracesOf({})).toEqual(both(30));
  expect(noted).toBe(30);
  expect(await gracesOf({}, { shutdownGracePeriod: 45 })).toEqual(both(45));
  expect(await gracesOf({ terminationGracePeriodSeconds: 41 })).toEqual(both(20));
  expect(noted).toBe(20);
  expect(await gracesOf({ terminationGracePeriodSeconds: 0 })).toEqual(both(0));
  expect(await gracesOf({ terminationGracePeriodSeconds: "" }, { shutdownGracePeriod: "45" })).toEqual(both(45));
  expect(await gracesOf({ extraArgs: { "shutdown-grace-period": 7 } })).toEqual(both(7));
  expect(noted).toBe(7);
  expect(await gracesOf({ extraArgs: { "shutdown-grace-period": 0 } })).toEqual(both(0));
});

test("keys and passwords can be kept in memory instead of on the node's disk", async () => {
  const runOf = async (values: object) => {
    const { volumes } = workloadOf(await render(values)).spec.template.spec;
    return volumes.find(({ name }: Manifest) => name === "sluice-run");
  };
  expect(await runOf({})).toEqual({ name: "sluice-run", emptyDir: {} });
  expect(await runOf({ sluice: { runInMemory: true } })).toEqual({
    name: "sluice-run",
    emptyDir: { medium: "Memory" },
  });
});

test.each([
  [{ registry: "k8s.gcr.io", image: "ingress-nginx/controller", tag: "v0.47.0" }, "sluice/controller:0.1.0"],
  [{ registry: "k8s.gcr.io" }, "sluice/controller:0.1.0"],
  [{ registry: "us.gcr.io/k8s-artifacts-prod" }, "sluice/controller:0.1.0"],
  [
    { repository: "quay.io/kubernetes-ingress-controller/nginx-ingress-controller", tag: "0.30.0" },
    "sluice/controller:0.1.0",
  ],
  [{ registry: "mirror.example", image: "edge", tag: "v0.51.0" }, "mirror.example/sluice/controller:0.1.0"],
  [{ registry: "mirror.example", tag: "0.1.0" }, "mirror.example/sluice/controller:0.1.0"],
  [{ repository: "mirror.example/edge/sluice", tag: "0.12.0" }, "mirror.example/edge/sluice:0.12.0"],
])("the image %j of old values starts %s", async (image, started) => {
  expect(controllerOf(await render({ controller: { image } })).image).toBe(started);
});

test("a registry of old values that is ignored leaves the global one in force", async () => {
  const image = async (registry: string, overall: string) =>
    controllerOf(await render({ controller: { image: { registry } }, global: { image: { registry: overall } } })).image;
  expect(await image("registry.k8s.io", "own.example")).toBe("own.example/sluice/controller:0.1.0");
  expect(await image("mirror.example", "own.example")).toBe("mirror.example/sluice/controller:0.1.0");
  expect(await image("registry.k8s.io", "registry.k8s.io")).toBe("sluice/controller:0.1.0");
});

test("a key that has no meaning in its right place either is not refused there", async () => {
  const values = { controller: { podSecurityPolicy: { enabled: true } } };
  expect((await render(values)).notes).toContain("- controller.podSecurityPolicy\n");
  expect(judgedByCompat(values)).toEqual([{ path: "controller.podSecurityPolicy", fate: "ignored", meant: undefined }]);
});
