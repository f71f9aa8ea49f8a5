/**
 * Allowed contents of a chart value, as the JSON Schema that helm checks before it renders. Every
 * shape also accepts null: in a values file null removes a default, and helm keeps the null of a
 * key that has none.
 */
export type Shape = Readonly<Record<string, unknown>>;

const scalar = ["string", "number", "boolean", "null"];

/** YAML's words for yes and no, which a values file may have in quotes. */
const yesOrNo = "^([Tt]rue|TRUE|[Yy]es|YES|[Oo]n|ON|[Ff]alse|FALSE|[Nn]o|NO|[Oo]ff|OFF)?$";

/**
 * A value that templates test with `if`, for which any text but the empty one is true, as in
 * ingress-nginx's chart. NOTES.txt warns of a text that does not say yes.
 */
export const flag: Shape = { type: ["boolean", "string", "null"] };
/** A value that templates copy into an object or that only Sluice has; "false" is false there. */
export const copiedFlag: Shape = { ...flag, pattern: yesOrNo };
/** A value that templates test with `if` and then copy into an object. */
export const testedAndCopied: Shape = { ...copiedFlag };
export const text: Shape = { type: ["string", "null"] };
/** A version, which YAML reads as a number when it is written 1.5. */
export const version: Shape = { type: ["string", "number", "null"] };
/** An integer; users leave it empty, and Kubernetes then has its own default. */
export const whole: Shape = { type: ["integer", "string", "null"], pattern: "^[0-9]*$", minimum: 0 };
/** A port number; people write it with and without quotes, and leave it empty. */
export const port: Shape = { type: ["integer", "string", "null"], pattern: "^[0-9]*$", minimum: 0, maximum: 65535 };
/** A port by number or by name. */
export const target: Shape = { type: ["integer", "string", "null"] };
/** A count or a percentage, as in a PodDisruptionBudget, or empty. */
export const share: Shape = { type: ["integer", "string", "null"], minimum: 0, pattern: "^([0-9]+%?)?$" };
/** An integer that may be switched off by an empty string. */
export const optionalWhole: Shape = { type: ["integer", "string", "null"], pattern: "^[0-9]*$", minimum: 0 };
/** Keys and plain values: labels, annotations, ConfigMap entries, flags. */
export const texts: Shape = { type: ["object", "null"], additionalProperties: { type: scalar } };
/** Entries of the settings ConfigMap, of which any becomes text; NOTES name lists and mappings. */
export const entries: Shape = { type: ["object", "null"] };
/** Names to port numbers. */
export const ports: Shape = { type: ["object", "null"], additionalProperties: port };
export const words: Shape = { type: ["array", "null"], items: { type: ["string", "number"] } };
/** A piece of a Kubernetes object, copied as it is; the API server checks its fields. */
export const object: Shape = { type: ["object", "null"] };
export const objects: Shape = { type: ["array", "null"], items: { type: "object" } };
/** A piece of a Kubernetes object, or text that a template turns into one. */
export const objectOrText: Shape = { type: ["object", "string", "null"] };
export const objectsOrText: Shape = { type: ["array", "string", "null"] };
/** Like `objectsOrText`, for values that an older chart had as {} when they were empty. */
export const objectsOrNone: Shape = { type: ["array", "string", "object", "null"], maxProperties: 0 };

/** One of the given words. */
export const oneOf = (...choices: readonly string[]): Shape => ({ enum: [...choices, null] });

export const serviceType = oneOf("", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName");
export const trafficPolicy = oneOf("", "Cluster", "Local");
export const sessionAffinity = oneOf("", "None", "ClientIP");
export const ipFamilyPolicy = oneOf("", "SingleStack", "PreferDualStack", "RequireDualStack");
export const dnsPolicy = oneOf("", "ClusterFirst", "ClusterFirstWithHostNet", "Default", "None");
export const failurePolicy = oneOf("", "Fail", "Ignore");
export const seccompProfile = oneOf("", "RuntimeDefault", "Localhost", "Unconfined");
