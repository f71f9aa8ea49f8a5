/** The benchmark's reader with plain client-node informers. */
import { CoreV1Api, DiscoveryV1Api, KubeConfig, makeInformer, NetworkingV1Api } from "@kubernetes/client-node";
import { measure } from "./measure.ts";

const config = new KubeConfig();
config.loadFromDefault();
const network = config.makeApiClient(NetworkingV1Api);
const core = config.makeApiClient(CoreV1Api);
const discovery = config.makeApiClient(DiscoveryV1Api);

await measure(async () => {
  const informers = [
    makeInformer(config, "/apis/networking.k8s.io/v1/ingresses", () => network.listIngressForAllNamespaces()),
    makeInformer(config, "/api/v1/services", () => core.listServiceForAllNamespaces()),
    makeInformer(config, "/apis/discovery.k8s.io/v1/endpointslices", () =>
      discovery.listEndpointSliceForAllNamespaces(),
    ),
  ];
  for (const informer of informers) await informer.start();
  return informers.reduce((sum, informer) => sum + informer.list().length, 0);
});
