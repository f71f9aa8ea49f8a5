/**
 * Waits until the API server accepts Ingresses. With a webhook it refuses them until it knows the
 * webhook's authority and the address of the Pod behind its Service, which is some time after the
 * Pod is ready.
 */
import type { Cluster } from "../../e2e/support/cluster.ts";
import { until } from "../../nginx/support/until.ts";

export async function ingressesAreTaken(cluster: Cluster): Promise<void> {
  const asked = ["create", "ingress", "probe", "--rule=probe.example.com/*=probe:80", "--dry-run=server"];
  const take = () =>
    cluster.kubectl(asked).then(
      () => true,
      () => false,
    );
  await until("an Ingress is taken", take, 180_000);
}
