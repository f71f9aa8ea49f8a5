/**
 * Recognises values of ingress-nginx's chart by their content, wherever they are written. Charts of
 * Argo CD, MetalLB, Jenkins and most CSI drivers have a `controller`, too.
 */
import { isMapping, type Mapping } from "../../../core/model/mapping.ts";
import { settingList } from "../../../core/settings/registry.ts";
import { at } from "../../../tools/value-at.ts";
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

export interface Where {
  /** Whether the text around the values, their file or a key above them names ingress-nginx. */
  readonly isNamed: boolean;
  /** Whether it is a whole file, or stands at its top, and not a part of another object. */
  readonly isFile: boolean;
}

/**
 * Whether a mapping has three keys of the chart, one of them under `controller`; fewer are enough
 * where something names ingress-nginx, or in a file of its own. The tag of an image says nothing.
 */
export function areOurValues(values: Mapping, { isNamed, isFile }: Where): boolean {
  const { controller } = values;
  if (!isMapping(controller)) return (isNamed || isFile) && ofOurs.some((key) => Object.hasOwn(values, key));
  if (isNamed) return true;
  if (areOfAnotherChart(values, controller)) return false;
  const config = Object.keys(isMapping(controller.config) ? controller.config : {});
  const paths = [...declaredPaths()].filter((path) => !path.startsWith("controller.image"));
  const found = paths.filter((path) => at(values, ...path.split(".")) !== undefined);
  const score = found.length + config.filter((key) => settingKeys.has(key)).length;
  return score >= 3 || (isFile && score > 0);
}

const settingKeys: ReadonlySet<string> = new Set(settingList.map(([, { key }]) => key));

/** Whether values with a `controller` have parts, or mostly keys, that are not ingress-nginx's. */
function areOfAnotherChart(values: Mapping, controller: Mapping): boolean {
  if (ofOurs.some((key) => Object.hasOwn(values, key))) return false;
  if (ofOurController.some((key) => Object.hasOwn(controller, key))) return false;
  const known = new Set([...declaredPaths()].flatMap((path) => path.split(".")));
  // A key of another level is only misplaced.
  const isForeign = (key: string) => !known.has(key) && !key.startsWith("x-");
  if (Object.entries(values).some(([key, value]) => isMapping(value) && isForeign(key))) return true;
  const keys = Object.keys(controller);
  return keys.filter(isForeign).length * 2 > keys.length;
}
