/**
 * Content of files that is no Kubernetes object: parts of charts, helmfiles, values of other charts
 * and files of other programs. A repository may have hundreds of them beside its objects.
 */
import { basename } from "node:path";
import type { Mapping } from "../../../core/model/mapping.ts";
import type { Files } from "../../tools/folder.ts";
import { hasChartBeside, isChart } from "./umbrella.ts";

/** Words that occur in objects of Kubernetes: even one with many mistakes has some of them. */
const ofObjects = ["apiVersion", "kind", "metadata", "spec"];

/** Whether a mapping without a kind is certainly no object with a mistake. */
export function isOtherContent(value: Mapping, file: string, files: Files): boolean {
  const isOfChart = isChart(value, file) || (/^values.*\.ya?ml$/.test(basename(file)) && hasChartBeside(file, files));
  return isOfChart || !ofObjects.some((word) => Object.hasOwn(value, word));
}

/** Whether the content is about Ingresses, so that it may make some. */
export const mentionsIngress = (value: unknown): boolean => /ingress/i.test(JSON.stringify(value));
