/** Checks `metadata`, which has the same rules for all kinds, except for names. */

import { isMapping } from "../../core/model/mapping.ts";
import {
  anything,
  boolean,
  both,
  type Check,
  type Finding,
  listOf,
  mapOf,
  type Rule,
  record,
  text,
  whole,
  wrong,
} from "./check.ts";
import { dnsLabel, labelValue, qualifiedName } from "./names.ts";

const annotationBytes = 256 * 1024;

const texts = mapOf(qualifiedName, text());

const annotations: Check = (value) => {
  const findings = texts(value);
  if (findings.length > 0 || !isMapping(value)) return findings;
  let bytes = 0;
  for (const key in value) bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value[key]));
  return bytes > annotationBytes
    ? wrong([], `they have ${bytes} bytes together, and ${annotationBytes} is the limit`)
    : [];
};

const labelTexts = mapOf(qualifiedName, text(labelValue));

/** Finds keys of annotations among the labels, where they have no effect. */
const labels: Check = (value) => {
  let findings = labelTexts(value);
  if (!isMapping(value)) return findings;
  for (const key in value) if (/^nginx\.ingress\.kubernetes\.io\//.test(key)) findings = both(findings, misplaced(key));
  return findings;
};

const misplaced = (key: string): readonly Finding[] => [
  { path: [key], why: "it is an annotation, which belongs below metadata.annotations", fatal: false },
];

const time = text((value) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value))
    ? undefined
    : `${JSON.stringify(value)} is not a time such as 2026-01-31T12:00:00Z`,
);

export function metadata(name: Rule): Check {
  return record(
    {
      name: text(name),
      namespace: text(dnsLabel),
      labels,
      annotations,
      creationTimestamp: time,
      uid: text(),
      resourceVersion: text(),
      generation: whole(0, Number.MAX_SAFE_INTEGER),
      generateName: text(),
      deletionTimestamp: time,
      deletionGracePeriodSeconds: whole(0, Number.MAX_SAFE_INTEGER),
      finalizers: listOf(text()),
      ownerReferences: listOf(
        record({
          apiVersion: text(),
          kind: text(),
          name: text(),
          uid: text(),
          controller: boolean,
          blockOwnerDeletion: boolean,
        }),
      ),
      managedFields: anything,
      selfLink: text(),
    },
    ["name"],
  );
}
