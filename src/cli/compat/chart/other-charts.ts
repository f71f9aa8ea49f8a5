/**
 * Tells values of other charts by their content. Those of Argo CD, MetalLB, Jenkins and most CSI
 * drivers have a `controller`, too.
 */
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { declaredPaths } from "./values.ts";

/** Values that hardly any other chart has, at the top and below `controller`. */
const ofOurs = ["defaultBackend", "tcp", "udp", "dhParam", "portNamePrefix"];
const ofOurController = [
  ..."addHeaders admissionWebhooks allowSnippetAnnotations customTemplate electionID enableAnnotationValidations".split(
    " ",
  ),
  ..."enableMimalloc extraModules hostPort ingressClass ingressClassByName ingressClassResource keda".split(" "),
  ..."maxmindLicenseKey opentelemetry proxySetHeaders publishService reportNodeInternalIp".split(" "),
  ..."watchIngressWithoutClass".split(" "),
];

/** Whether values with a `controller` have parts, or mostly keys, that are not ingress-nginx's. */
export function areOfAnotherChart(values: Mapping): boolean {
  const { controller } = values;
  if (!isMapping(controller)) return false;
  if (ofOurs.some((key) => Object.hasOwn(values, key))) return false;
  if (ofOurController.some((key) => Object.hasOwn(controller, key))) return false;
  const known = new Set([...declaredPaths()].flatMap((path) => path.split(".")));
  // A key of another level is only misplaced.
  const isForeign = (key: string) => !known.has(key) && !key.startsWith("x-");
  if (Object.entries(values).some(([key, value]) => isMapping(value) && isForeign(key))) return true;
  const keys = Object.keys(controller);
  return keys.filter(isForeign).length * 2 > keys.length;
}
