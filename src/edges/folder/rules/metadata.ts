/** The API server's rules for `metadata`, which are the same for all kinds, except for names. */
import { both, type Check, type Finding, fine, text, wrong } from "../../../core/schema/findings.ts";
import type { Rules } from "../../../core/schema/schema.ts";
import { dnsLabel, dnsSubdomain, keys, labelValue, qualifiedName } from "./names.ts";

const annotationBytes = 256 * 1024;

const smallEnough: Check = (value) => {
  let bytes = 0;
  const annotations = value as Readonly<Record<string, string>>;
  for (const key in annotations) bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key]!);
  return bytes > annotationBytes
    ? wrong([], `they have ${bytes} bytes together, and ${annotationBytes} is the limit`)
    : fine;
};

const time = text((value) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value))
    ? undefined
    : `${JSON.stringify(value)} is not a time such as 2026-01-31T12:00:00Z`,
);

/** Finds keys of annotations among the labels, where they have no effect. */
const misplaced: Check = (labels) => {
  let findings = fine;
  for (const key in labels as object)
    if (/^nginx\.ingress\.kubernetes\.io\//.test(key)) findings = both(findings, [misplacedKey(key)]);
  return findings;
};

const misplacedKey = (key: string): Finding => ({
  path: [key],
  why: "it is an annotation, which belongs below metadata.annotations",
  fatal: false,
});

const metadataKeys = keys(qualifiedName);

export const before: Rules = {
  "metadata.name": text(dnsSubdomain),
  "Service.metadata.name": text(dnsLabel),
  "Namespace.metadata.name": text(dnsLabel),
  "metadata.namespace": text(dnsLabel),
  "metadata.labels{}": text(labelValue),
  "metadata.creationTimestamp": time,
  "metadata.deletionTimestamp": time,
};

export const after: Rules = {
  "metadata.annotations": (value) => both(metadataKeys(value), smallEnough(value)),
  "metadata.labels": (value) => both(metadataKeys(value), misplaced(value)),
};
