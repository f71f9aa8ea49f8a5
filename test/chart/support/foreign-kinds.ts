/**
 * Kinds of other projects that occur in the chart, with the fields that it uses: Prometheus
 * operator, KEDA, cert-manager. With these definitions the API server refuses a field that the
 * chart misspells. The fields come from these projects' own API pages.
 */

import type { Cluster } from "../../e2e/support/cluster.ts";
import { until } from "../../nginx/support/until.ts";

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly spec: Schema;
}

type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: "string" };
const whole: Schema = { type: "integer" };
const flag: Schema = { type: "boolean" };
const list = (items: Schema): Schema => ({ type: "array", items });
const fields = (properties: Readonly<Record<string, Schema>>): Schema => ({ type: "object", properties });
const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const issuerRef = fields({ name: text, kind: text, group: text });

const kinds: readonly Kind[] = [
  {
    group: "monitoring.coreos.com",
    version: "v1",
    kind: "ServiceMonitor",
    plural: "servicemonitors",
    spec: fields({
      namespaceSelector: fields({ any: flag, matchNames: list(text) }),
      selector: anything,
      endpoints: list(
        fields({
          port: text,
          interval: text,
          scrapeTimeout: text,
          honorLabels: flag,
          relabelings: list(anything),
          metricRelabelings: list(anything),
        }),
      ),
      jobLabel: text,
      targetLabels: list(text),
      labelLimit: whole,
      labelNameLengthLimit: whole,
      labelValueLengthLimit: whole,
      sampleLimit: whole,
      targetLimit: whole,
    }),
  },
  {
    group: "monitoring.coreos.com",
    version: "v1",
    kind: "PrometheusRule",
    plural: "prometheusrules",
    spec: fields({
      groups: list(
        fields({
          name: text,
          rules: list(
            fields({ alert: text, record: text, expr: text, for: text, labels: anything, annotations: anything }),
          ),
        }),
      ),
    }),
  },
  {
    group: "keda.sh",
    version: "v1alpha1",
    kind: "ScaledObject",
    plural: "scaledobjects",
    spec: fields({
      scaleTargetRef: fields({ name: text }),
      pollingInterval: whole,
      cooldownPeriod: whole,
      minReplicaCount: whole,
      maxReplicaCount: whole,
      fallback: fields({ failureThreshold: whole, replicas: whole }),
      triggers: list(fields({ type: text, metadata: anything })),
      advanced: fields({
        restoreToOriginalReplicaCount: flag,
        horizontalPodAutoscalerConfig: fields({ behavior: anything }),
      }),
    }),
  },
  {
    group: "cert-manager.io",
    version: "v1",
    kind: "Issuer",
    plural: "issuers",
    spec: fields({ selfSigned: fields({}), ca: fields({ secretName: text }) }),
  },
  {
    group: "cert-manager.io",
    version: "v1",
    kind: "Certificate",
    plural: "certificates",
    spec: fields({
      secretName: text,
      duration: text,
      issuerRef,
      commonName: text,
      isCA: flag,
      dnsNames: list(text),
      subject: fields({ organizations: list(text) }),
      revisionHistoryLimit: whole,
    }),
  },
];

/**
 * Creates their CustomResourceDefinitions, and waits until clients find the kinds: a definition is
 * established some time before the lists that clients read have its kind.
 */
export async function installForeignKinds(cluster: Cluster): Promise<void> {
  const input = kinds.map((kind) => JSON.stringify(definition(kind))).join("\n---\n");
  await cluster.kubectl(["apply", "--filename", "-"], { input });
  const names = kinds.map(({ plural, group }) => `${plural}.${group}`);
  const found = async () => (await cluster.kubectl(["api-resources", "--output", "name"])).split("\n");
  await until("the kinds are listed", async () => {
    const listed = await found();
    return names.every((name) => listed.includes(name));
  });
  for (const name of names)
    await until(`${name} are served`, () =>
      cluster.kubectl(["get", name]).then(
        () => true,
        () => false,
      ),
    );
}

function definition({ group, version, kind, plural, spec }: Kind): unknown {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [
        { name: version, served: true, storage: true, schema: { openAPIV3Schema: fields({ spec, status: anything }) } },
      ],
    },
  };
}
