/** The messages that all kinds share: apimachinery/pkg/apis/meta/v1. */
import { bool, int32, int64, map, message, part, parts, text, texts, time } from "./message.ts";

const ownerReference = message({
  1: text("kind"),
  3: text("name"),
  4: text("uid"),
  5: text("apiVersion"),
  6: bool("controller"),
  7: bool("blockOwnerDeletion"),
});

/**
 * Skips `managedFields` (17), often half of an object's bytes. A caller that writes an object back
 * needs to know of fields that are not declared here, so they leave a mark.
 */
export const objectMeta = message(
  {
    1: text("name", "omitempty"),
    2: text("generateName", "omitempty"),
    3: text("namespace", "omitempty"),
    4: text("selfLink", "omitempty"),
    5: text("uid", "omitempty"),
    6: text("resourceVersion", "omitempty"),
    7: int64("generation", "omitempty"),
    8: time("creationTimestamp"),
    9: time("deletionTimestamp"),
    10: int64("deletionGracePeriodSeconds"),
    11: map("labels"),
    12: map("annotations"),
    13: parts("ownerReferences", ownerReference),
    14: texts("finalizers"),
    17: (_into, reader) => void reader.bytes(),
  },
  (into) => {
    into.hasUnknownFields = true;
  },
);

export const listMeta = message({
  2: text("resourceVersion", "omitempty"),
  3: text("continue", "omitempty"),
  4: int64("remainingItemCount"),
});

const statusCause = message({
  1: text("reason", "omitempty"),
  2: text("message", "omitempty"),
  3: text("field", "omitempty"),
});

const statusDetails = message({
  1: text("name", "omitempty"),
  2: text("group", "omitempty"),
  3: text("kind", "omitempty"),
  4: parts("causes", statusCause),
  5: int32("retryAfterSeconds", "omitempty"),
  6: text("uid", "omitempty"),
});

export const status = message({
  1: part("metadata", listMeta),
  2: text("status", "omitempty"),
  3: text("message", "omitempty"),
  4: text("reason", "omitempty"),
  5: part("details", statusDetails),
  6: int32("code", "omitempty"),
});

export const condition = message({
  1: text("type"),
  2: text("status"),
  3: int64("observedGeneration", "omitempty"),
  4: time("lastTransitionTime"),
  5: text("reason"),
  6: text("message"),
});
