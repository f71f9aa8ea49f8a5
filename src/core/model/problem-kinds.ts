/**
 * The kinds of Problems: how severe each is, and what it means for a reader who meets it as a label
 * of a metric, as the reason of an Event, or on the page. docs/troubleshooting.md has the same
 * table. `error` means that something is not served as written, and `warning` that something
 * written merely has no effect.
 */
import type { Problem } from "./problem.ts";

export type Severity = "error" | "warning";

export function severityOf(problem: Problem): Severity {
  if (problem.kind !== "manifest-unusable") return problemKinds[problem.kind][0];
  return (problem.fatal || problem.field === "") && problem.isEqual !== true ? "error" : "warning";
}

export const problemKinds: { readonly [K in Problem["kind"]]: readonly [Severity, meaning: string] } = {
  "annotation-unreadable": ["error", "the value of an annotation, or of a key of RouteSettings, cannot be used"],
  "annotation-unknown": ["warning", "there is no such annotation, here or in ingress-nginx"],
  "annotation-removed": ["warning", "ingress-nginx removed the annotation, and it does nothing"],
  "annotation-partly": ["warning", "a part of the value cannot be used, and the rest is"],
  "annotation-useless": ["warning", "the annotation has no effect where it is"],
  "annotation-doubtful": ["warning", "the value is used, and probably does not do what was meant"],
  "neighbours-changed": ["warning", "an annotation changes the paths of other Ingresses of the host"],
  "setting-unreadable": ["error", "the value of a key of the ConfigMap cannot be used"],
  "setting-unknown": ["warning", "the ConfigMap has a key that does not exist"],
  "setting-useless": ["warning", "a key of the ConfigMap has no effect here"],
  "setting-doubtful": ["warning", "the value of the key is used, and probably does not do what was meant"],
  "reference-missing": ["error", "a field names an object that does not exist"],
  "reference-forbidden": [
    "error",
    "a field names an object that may not be used from there; a grant is missing, for example",
  ],
  "reference-unusable": [
    "error",
    "a field names an object of another kind, a part that is not there, or unusable content",
  ],
  "value-unusable": ["error", "the value of a field cannot be used; correct it"],
  "value-unsupported": ["error", "the value is right, and nginx or Sluice cannot serve it here"],
  "value-useless": ["error", "the field can have no effect beside the others"],
  "claim-lost": ["error", "another object has what this one claims: a path, a host, a port or an address"],
  "settings-conflict": ["error", "two guards cannot hold together, so requests are refused"],
  "limit-exceeded": ["error", "there is more than Sluice permits; docs/security.md has the bounds"],
  "guard-unknown": ["error", "this version does not know the field, and it may protect requests, so they are refused"],
  "guard-foreign": ["error", "a guard of another controller is not applied here"],
  "snippet-refused": ["error", "nginx would refuse the text of a snippet"],
  "inspection-failed": ["error", "--deep-inspect found a text that is used in attacks"],
  "version-closed": ["error", "the present version is not applied, and its paths are closed because of its guards"],
  "field-doubtful": ["warning", "the field is used, and probably does not do what was meant"],
  "manifest-unusable": ["error", "a file of the folder, or an object in it, cannot be read"],
  "service-missing": ["error", "a path names a Service that does not exist"],
  "service-port-missing": ["error", "a path names a port that the Service does not have"],
  "nginx-refused": ["error", "nginx refused the text of the object, so it was set aside"],
  bug: ["error", "Sluice failed on the object; please report it"],
  "memory-full": ["error", "nginx's shared memory is full until the next reload"],
  "memory-short": ["warning", "nginx's shared memory is nearly full, and a reload enlarges it"],
  "path-taken": ["error", "an older Ingress has the path of the host"],
  "path-contested": ["error", "another Ingress has the path of the host; the webhook refuses the second one"],
  "host-refused": ["error", "the host policy gives the host to other namespaces"],
  "secret-unusable": ["error", "a Secret has no certificate that can be served"],
  "secret-kept": ["error", "a Secret is unusable now, and its last good certificate is served"],
  "certificate-doubtful": ["warning", "the certificate is served, and clients will refuse it"],
  "certificate-misfit": ["error", "the certificate is for other hosts"],
  "last-good": ["error", "the last good form of the object is in force instead of the present one"],
};
