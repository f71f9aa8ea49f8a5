/**
 * Other programs with a similar name. Their charts, images and annotations look like
 * ingress-nginx's but have other meanings, so the report names them and does not judge them.
 */
import { isMapping, type Mapping } from "../../core/model/mapping.ts";

/** The vendor and the product, as the subject of a sentence. */
export const vendors = {
  f5: "F5's NGINX Ingress Controller (nginx/nginx-ingress), another program",
  bitnami: "Bitnami's chart nginx-ingress-controller, whose values have other names",
  unclear:
    "a chart called nginx-ingress, which may be F5's or one that ended in 2020; write them below ingress-nginx if they are that chart's",
} as const;

export type Vendor = keyof typeof vendors;

/** Keys below `controller` that only F5's chart has. */
const ofF5 =
  /^(appprotect(dos)?|(default|wildcard)TLS|customConfigMap|enable(CertManager|CustomResources|ExternalDNS|LatencyMetrics|OIDC|Snippets|TLSPassthrough)|globalConfiguration|(health|nginx|ready)Status|mgmt|nginx(Debug|ReloadTimeout|plus)|reportIngressStatus|setAsDefaultIngress|telemetryReporting)$/;
/** Ports of F5's Service are mappings, with a switch beside each number. */
const portsOfF5 = ["httpPort", "httpsPort"];
const ofBitnami = ["electionID", "ingressClassResource", "publishService", "addHeaders"];
/** Many charts have these, such as Loki's, so they only count beside one of Bitnami's own. */
const oftenBeside = ["config", "extraArgs"];

/** Returns the vendor of these values, by their keys, if they are not ingress-nginx's. */
export function vendorOfValues(values: Mapping): Vendor | undefined {
  const { controller } = values;
  if (isMapping(controller) && isOfF5(controller) && !isMixed(controller)) return "f5";
  if (Object.hasOwn(values, "nginxServiceMesh") || Object.hasOwn(values, "nginxAgent")) return "f5";
  const found = (keys: readonly string[]) => keys.filter((key) => Object.hasOwn(values, key)).length;
  const isBitnamis = found(ofBitnami) > 0 && found([...ofBitnami, ...oftenBeside]) > 1;
  return controller === undefined && isBitnamis ? "bitnami" : undefined;
}

/** F5's chart has the keys of the ConfigMap below `entries`, and a class with several fields. */
function isOfF5(controller: Mapping): boolean {
  const { config, image, ingressClass, service } = controller;
  if (Object.keys(controller).some((key) => ofF5.test(key)) || isMapping(ingressClass)) return true;
  if (isMapping(config) && isMapping(config.entries)) return true;
  if (isMapping(service) && portsOfF5.some((port) => isMapping(service[port]))) return true;
  return isF5s(image);
}

const isF5s = (image: unknown): boolean => isMapping(image) && isImageOfF5(String(image.repository ?? ""));

/**
 * Whether values of ingress-nginx's chart hold keys of F5's as well, which they ignore. An image of
 * F5's decides alone.
 */
const isMixed = (controller: Mapping): boolean =>
  onlyOurs.some((key) => Object.hasOwn(controller, key)) && !isF5s(controller.image);

const onlyOurs = [
  "admissionWebhooks",
  "allowSnippetAnnotations",
  "enableAnnotationValidations",
  "ingressClassByName",
  "ingressClassResource",
  "networkPolicy",
  "watchIngressWithoutClass",
];

/** Whether values are ingress-nginx's, although they stand below the name of another chart. */
export const areOurs = ({ controller }: Mapping): boolean =>
  isMapping(controller) && onlyOurs.some((key) => Object.hasOwn(controller, key));

const imagesOfF5 = /(^|\/)(nginx\/nginx-ingress|nginx-ic(-[\w-]+)?\/nginx-plus-ingress|nginx-plus-ingress)([:@].*)?$/;

export const isImageOfF5 = (image: string): boolean => imagesOfF5.test(image);
export const controllerOfF5 = "nginx.org/ingress-controller";
export const isAnnotationOfF5 = (key: string): boolean => /^nginx\.(org|com)\//.test(key);
