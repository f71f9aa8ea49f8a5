/** The sentences of Problems that are gone. Only the log has them. */

import { visible } from "../../base/visible.ts";
import { isOfField, keyed, type Problem } from "../../core/model/problem.ts";

/**
 * Returns the sentence for a Problem that is gone, whether its author corrected the mistake or
 * removed the object.
 */
export function mended(p: Problem): string {
  return visible(mendedWords(p));
}

function mendedWords(p: Problem): string {
  if (isOfField(p)) return `${p.field} is in order or gone`;
  switch (p.kind) {
    case "annotation-unreadable":
    case "annotation-unknown":
    case "annotation-removed":
    case "annotation-partly":
    case "annotation-useless":
    case "annotation-doubtful":
    case "neighbours-changed":
      return `${keyed(p)} is in order or gone`;
    case "setting-unreadable":
    case "setting-unknown":
    case "setting-useless":
    case "setting-doubtful":
      return `key ${p.key} is in order or gone`;
    case "service-missing":
    case "service-port-missing":
      return `${p.field}: Service ${p.service} is found or not named any more`;
    case "secret-unusable":
    case "secret-kept":
      return `${p.field}: Secret ${p.secret} is usable or not named any more`;
    case "certificate-misfit":
      return `a certificate for ${p.host} is there or not named any more`;
    case "certificate-doubtful":
      return "another certificate is served or this one is in order";
    case "path-taken":
    case "path-contested":
      return `path ${p.path} of host ${p.host} is not claimed twice any more`;
    case "host-refused":
      return `${p.host} is permitted, or the object does not have it any more`;
    case "field-doubtful":
    case "snippet-refused":
    case "guard-foreign":
    case "inspection-failed":
      return `${p.field} is in order or gone`;
    case "manifest-unusable":
      return "the file was read and is in force, or it is gone";
    case "version-closed":
      return "metadata.annotations is in order or gone";
    case "nginx-refused":
      return "nginx accepts it, or its refused version is gone";
    case "bug":
      return "Sluice reads it, or it is gone";
    case "memory-full":
    case "memory-short":
      return "nginx's shared memory is large enough";
    case "last-good":
      return "its present form is in force, or it is gone";
  }
}
