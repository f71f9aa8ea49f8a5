/**
 * Decides which certificate is shown for a name for which both a listener and an Ingress have one.
 */
import { expect, test } from "vitest";
import { gateway, gatewayClass, listener } from "../../../../../test/support/gateways.ts";
import { ingress, ingressClass } from "../../../../../test/support/ingress.ts";
import { fake, put } from "../../../../../test/support/sketch.ts";
import { fakeCertificate } from "../../../certificates/fake.ts";
import type { KubernetesObject, Secret } from "../../../model/objects.ts";
import { sentence } from "../../../model/problem.ts";
import { emptySnapshot } from "../../../model/snapshot.ts";
import { defaultOptions } from "../../options.ts";
import { translate } from "../../translator.ts";
import { emptyInputs } from "../../turn.ts";

const { chain, key } = await fakeCertificate(new Date("2026-01-01"));
const base64 = (text: string) => Buffer.from(text).toString("base64");
const secret = (namespace: string): Secret => ({
  ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls" },
  metadata: { name: "pair", namespace },
  data: { "tls.crt": base64(chain), "tls.key": base64(key.reveal()) },
});
const host = "ingress.local";

interface Words {
  readonly namespace?: string;
  readonly created?: string;
  readonly hostname?: string;
}

/**
 * Returns which certificate is shown. The Gateway is in the namespace `ns` and was created in 2026.
 */
function shown({ namespace = "ns", created = "2027", hostname = host }: Words) {
  const https = {
    ...{ name: "tls", port: 443, protocol: "HTTPS" },
    tls: { certificateRefs: [{ name: "pair" }] },
    hostname,
  };
  const objects: readonly KubernetesObject[] = [
    ...[gatewayClass(), ingressClass as KubernetesObject, secret("ns"), secret("other")],
    gateway({ listeners: [listener(https)] }),
    ingress({ name: "web", namespace, host, tls: "pair", metadata: { creationTimestamp: created } }),
  ];
  const options = { ...defaultOptions, gateway: { ...defaultOptions.gateway, shared: "ns/gw" } };
  const { configuration, problems } = translate(
    { ...emptyInputs, snapshot: put(emptySnapshot, ...objects) },
    options,
    fake,
  );
  const about = [...(problems.get("certificates of listeners") ?? [])];
  return {
    yielding: [...configuration.yieldingListeners],
    sentences: about.map((one) => `${one.object.kind} ${one.object.name}: ${sentence(one)}`),
  };
}

test.each<[string, Words, ReturnType<typeof shown>]>([
  [
    "that of the listener, where both have one namespace",
    { created: "2020" },
    {
      yielding: [],
      sentences: [
        `Ingress web: spec.tls: Gateway ns/gw of the same namespace has a certificate for host ${host}; that one is shown on the port of both`,
      ],
    },
  ],
  [
    "that of the older Ingress, where the namespaces differ",
    { namespace: "other", created: "2020" },
    {
      yielding: ["ns/gw/tls"],
      sentences: [
        `Gateway gw: spec.listeners: the older Ingress other/web has a certificate for host ${host}; that one is shown on the port of both`,
      ],
    },
  ],
  [
    "that of the older Gateway, where the namespaces differ",
    { namespace: "other" },
    {
      yielding: [],
      sentences: [
        `Ingress web: spec.tls: the older Gateway ns/gw has a certificate for host ${host}; that one is shown on the port of both`,
      ],
    },
  ],
  [
    "each of both, where their names differ",
    { namespace: "other", created: "2020", hostname: "*.local" },
    { yielding: [], sentences: [] },
  ],
])("the certificate that clients get is %s", (_, words, expected) => {
  expect(shown(words)).toEqual(expected);
});
