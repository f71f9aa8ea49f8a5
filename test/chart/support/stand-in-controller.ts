/**
 * Stands in for the controller in a Pod, as far as helm and kubectl notice: with the rights of the Pod's own account and nothing more it makes the
 * webhook's Secret, writes the CA into the webhook configuration, and lets every Ingress pass.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { json } from "node:stream/consumers";
import { issueServer } from "../../e2e/support/authority.ts";
import type { Cluster } from "../../e2e/support/cluster.ts";
import type { StartPod } from "./kubelet.ts";

export const standInController =
  (cluster: Cluster): StartPod =>
  async (pod, address) => {
    const args = (pod.spec.containers[0]?.args ?? []).map((arg) =>
      arg.replace("$(POD_NAMESPACE)", pod.metadata.namespace!),
    );
    const flag = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
    const configuration = flag("validating-webhook-configuration");
    const secret = flag("validating-webhook-certificate-secret")?.split("/")[1];
    if (configuration === undefined || secret === undefined) return { stop: async () => {} };

    const namespace = ["--namespace", pod.metadata.namespace!];
    const account = pod.spec.serviceAccountName ?? "default";
    const token = ["--token", (await cluster.kubectl(["create", "token", account, ...namespace])).trim()];
    const as = (verb: readonly string[]) => cluster.kubectl([...verb, ...token, ...namespace]);

    const { service } = JSON.parse(
      await as([
        "get",
        "validatingwebhookconfiguration",
        configuration,
        "--output",
        "jsonpath={.webhooks[0].clientConfig}",
      ]),
    );
    const file = `${secret}-${pod.metadata.uid}`;
    await issueServer(cluster.authority, cluster.folder, file, `DNS:${service.name}.${service.namespace}.svc`);
    const pem = (name: string) => readFileSync(`${cluster.folder}/${name}`);
    const keys = [`--from-file=cert=${cluster.folder}/${file}.crt`, `--from-file=key=${cluster.folder}/${file}.key`];
    // A second Pod finds the Secret there.
    await as(["create", "secret", "generic", secret, ...keys]).catch(() => as(["get", "secret", secret]));
    const caBundle = readFileSync(cluster.authority.certificateFile).toString("base64");
    const patch = JSON.stringify([{ op: "add", path: "/webhooks/0/clientConfig/caBundle", value: caBundle }]);
    await as(["patch", "validatingwebhookconfiguration", configuration, "--type=json", "--patch", patch]);

    const server = createServer({ cert: pem(`${file}.crt`), key: pem(`${file}.key`) }, async (request, response) => {
      const { request: review } = (await json(request)) as { request: { uid: string } };
      const answer = { uid: review.uid, allowed: true };
      response.end(JSON.stringify({ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer }));
    });
    const port = Number(flag("validating-webhook")?.split(":").at(-1));
    await new Promise<void>((listening) => server.listen(port, address, listening));
    return { stop: () => new Promise((stopped) => server.close(() => stopped()).closeAllConnections()) };
  };
