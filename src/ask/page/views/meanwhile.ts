/** Describes in a few words what is served while a Problem lasts. */
import { isOfField, type Problem } from "../../../core/model/problem.ts";

/** Returns these words. A new kind of Problem does not compile until it has words. */
export function meanwhile(problem: Problem): string {
  if (isOfField(problem)) return problem.done;
  switch (problem.kind) {
    case "annotation-unreadable":
      return { default: "as with the default", deny: "503 on its paths", reject: "nothing of this version" }[
        problem.done
      ];
    case "annotation-unknown":
    case "annotation-removed":
    case "annotation-useless":
    case "setting-unknown":
    case "setting-useless":
      return "as without it";
    case "annotation-partly":
      return "the rest of it";
    case "annotation-doubtful":
    case "field-doubtful":
    case "neighbours-changed":
    case "setting-doubtful":
    case "certificate-doubtful":
      return "as it is written";
    case "setting-unreadable":
      return problem.kept;
    case "manifest-unusable":
      return problem.done;
    case "service-missing":
    case "service-port-missing":
      return "503 on the path";
    case "nginx-refused":
      return problem.closes ? "503 on its paths" : "its last good version, if there was one";
    case "bug":
      return "everything else";
    case "snippet-refused":
      return "nothing with this text";
    case "guard-foreign":
      return "requests without the guard";
    case "inspection-failed":
      return "nothing of this version";
    case "version-closed":
      return "503 on its paths";
    case "memory-full":
    case "memory-short":
      return "what fits, until the reload";
    case "path-taken":
    case "path-contested":
      return `the path of ${problem.by.kind} ${problem.by.namespace ?? ""}/${problem.by.name}`;
    case "host-refused":
      return "the host without it";
    case "secret-unusable":
    case "certificate-misfit":
      return "the default certificate";
    case "secret-kept":
      return "its last good certificate";
    case "last-good":
      return problem.instead;
  }
}
