/**
 * Texts in values that mean something else than they seem to: a word that a switch of the chart
 * counts as true, a placeholder that nothing has filled in, parameters that are not used.
 */
import { readFileSync } from "node:fs";
import { shipped } from "../../../base/shipped.ts";
import { shown, unfilled } from "../../../core/kinds/kind.ts";
import { speltOtherwise } from "../../../core/kinds/vocabulary/places-of-words.ts";
import { isMapping } from "../../../core/model/mapping.ts";
import type { Path } from "../../../core/schema/findings.ts";
import { mistakeInDhParam } from "../../../core/settings/dh-param.ts";
import { settingList } from "../../../core/settings/registry.ts";
import { at } from "../../../tools/value-at.ts";
import { isForeign, isTheirTag } from "../image/images.ts";
import { goText } from "./go-text.ts";

export interface FoundText {
  readonly path: Path;
  /**
   * `ignored`: the text has another effect than it says. `unfilled`: a tool puts in the value.
   * `differs`: the controller does not use it. `fails`: the image lacks what it needs.
   */
  readonly fate: "ignored" | "unfilled" | "differs" | "fails";
  readonly why: string;
}

let read: readonly string[] | undefined;

export function unmeantTexts(values: unknown): readonly FoundText[] {
  read ??= JSON.parse(readFileSync(shipped("charts/sluice/files/switches.json"), "utf8")) as readonly string[];
  return [
    ...read.flatMap((name) => switchText(values, name.split("."))),
    ...placeholdersIn(values, []),
    ...dhParam(values),
    ...commands(values),
    ...ownImage(values),
    ...shapedSettings(values),
  ];
}

const settingKeys: readonly string[] = settingList.map(([, { key }]) => key);

const hooks = ["lifecycle.preStop", "lifecycle.postStart", "livenessProbe", "readinessProbe", "startupProbe"];

/** Programs of the image that its users start; there is no shell and no sleep. */
const programs = /^(.*\/)?(wait-shutdown|dbg|nginx|nginx-ingress-controller|sluice|sluice-init|node|flock)$/;

/** Finds commands of hooks and probes that start another program than those of the image. */
function commands(values: unknown): FoundText[] {
  const tag = at(values, "controller", "image", "tag");
  if (typeof tag === "string" && tag.endsWith("-debug")) return [];
  return hooks.flatMap((hook): FoundText[] => {
    const path = ["controller", ...hook.split(".")];
    const command = at(values, ...path, "exec", "command");
    const [program] = Array.isArray(command) ? command : [];
    if (typeof program !== "string" || programs.test(program)) return [];
    const instead = hook.startsWith("lifecycle")
      ? "start /wait-shutdown, with extraArgs shutdown-grace-period for a wait before it"
      : "let the probe use httpGet";
    const why = `its command starts ${shown(program)}, and the image has no shell and no other tools: ${instead}, or take an image tag with -debug`;
    return [{ path: path.slice(0, 2), fate: "fails", why }];
  });
}

/** Finds an image of others, which the chart starts in place of Sluice's, or ignores. */
function ownImage(values: unknown): FoundText[] {
  const image = at(values, "controller", "image");
  return ["repository", "image"].flatMap((name): FoundText[] => {
    const path = at(image, name);
    const isUsed = name === "repository" || !at(image, "repository");
    if (typeof path !== "string" || path === "" || !isUsed || placeholder.test(path)) return [];
    if (!isForeign(path)) return [];
    const why = isTheirTag(at(image, "tag"))
      ? `the chart ignores ${shown(path)}, because its tag is a version of ingress-nginx: take the value out, and build what it adds on Sluice's image`
      : `the chart starts ${shown(path)} in place of Sluice's image: take the value out, or build your image on Sluice's`;
    return [{ path: ["controller", "image", name], fate: "fails", why }];
  });
}

/** Finds keys of the ConfigMap with a list or a mapping, of which helm makes one text. */
function shapedSettings(values: unknown): FoundText[] {
  const config = at(values, "controller", "config");
  return Object.entries(isMapping(config) ? config : {}).flatMap(([key, value]): FoundText[] => {
    const path = ["controller", "config", key];
    const name = `value ${path.join(".")}`;
    if (isMapping(value) && Object.keys(value).some((inner) => settingKeys.includes(inner.toLowerCase())))
      return [{ path, fate: "ignored", why: `${name} holds keys that belong to controller.config itself` }];
    if (typeof value !== "object" || value === null || speltOtherwise(key, settingKeys) === undefined) return [];
    const found = Array.isArray(value) ? "a list" : "a mapping";
    const ofHeaders = isMapping(value) ? speltOtherwise(key, ["proxySetHeaders", "addHeaders"]) : undefined;
    const instead = ofHeaders === undefined ? "write the text yourself" : `controller.${ofHeaders} takes a mapping`;
    const why = `${name} is ${found}, which becomes the text ${shown(goText(value))}; ${instead}`;
    return [{ path, fate: "ignored", why }];
  });
}

function dhParam(values: unknown): FoundText[] {
  const value = at(values, "dhParam");
  if (typeof value !== "string" || value === "" || placeholder.test(value)) return [];
  const mistake = mistakeInDhParam(Buffer.from(value, "base64").toString("latin1"));
  if (mistake === undefined) return [];
  return [{ path: ["dhParam"], fate: "differs", why: `it is not used: its Secret ${mistake}` }];
}

const saysYes = /^(true|yes|on)?$/i;

function switchText(values: unknown, path: readonly string[]): FoundText[] {
  const value = at(values, ...path);
  if (typeof value !== "string" || saysYes.test(value)) return [];
  const hint = unfilled(value);
  if (hint !== undefined) return [{ path, fate: "unfilled", why: `${shown(value)}: ${hint}` }];
  const name = path.join(".");
  const why = `value ${name} is the text ${shown(value)}, which counts as true; write true or false without quotes`;
  return [{ path, fate: "ignored", why }];
}

/** Flags and keys of the ConfigMap are judged by themselves. */
const judgedElsewhere: ReadonlySet<string> = new Set([
  "controller.config",
  "controller.extraArgs",
  "controller.ingressClass",
]);

/** Keys above content that is copied and judged nowhere, or judged by itself. */
const isFree = (key: string | number): boolean =>
  typeof key === "number" || /annotations|labels|^(config|extraArgs|ingressClass)$/i.test(key);

/** A whole value, or a part of one that has no blanks, such as `arn:aws:acm:<region>`. */
const placeholder = /^(\S*(?<!\?)<[A-Za-z][\w.-]*>\S*|<[A-Za-z][\w .-]*>)$/;

function placeholdersIn(value: unknown, path: Path): FoundText[] {
  if (typeof value === "string" && /^\$\{[^{}]+\}$/.test(value) && !path.some(isFree)) {
    const hint = unfilled(value) ?? "a tool should have filled it in before, such as Terraform";
    return [{ path, fate: "unfilled", why: `${shown(value)}: ${hint}` }];
  }
  if (typeof value === "string" && value.length < longest && placeholder.test(value)) {
    const why = `${shown(value)}: replace the angle brackets and their content with a value of your own`;
    return [{ path, fate: "unfilled", why }];
  }
  if (judgedElsewhere.has(path.join("."))) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => placeholdersIn(item, [...path, at]));
  return isMapping(value) ? Object.entries(value).flatMap(([key, inner]) => placeholdersIn(inner, [...path, key])) : [];
}

const longest = 253;
