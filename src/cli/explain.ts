/**
 * `sluice explain KEY`: explains a ConfigMap key, an annotation or a flag, and words of the Gateway
 * API. One name may be several of them.
 */

import { didYouMean } from "../base/did-you-mean.ts";
import type { Flag } from "../controller/flag.ts";
import { flagList } from "../controller/flags.ts";
import { usage, writtenDefault } from "../controller/help.ts";
import { written } from "../core/kinds/kind.ts";
import { meaningOf } from "../core/kinds/vocabulary/places-of-words.ts";
import type { AnyFeature, Field } from "../core/policies/declare.ts";
import { isForListeners, whyNotOnRoutes } from "../core/policies/on-routes.ts";
import { featureList } from "../core/policies/registry.ts";
import { elsewhere, removed } from "../core/policies/removed.ts";
import type { Setting } from "../core/settings/declare.ts";
import { endingOf } from "../core/settings/read.ts";
import { settingList } from "../core/settings/registry.ts";
import { gatewayNames, gatewayWords } from "../tools/explain/gateway-words.ts";
import { defaultOf, fieldsOf, scopes, unreadable } from "../tools/reference/annotations-page.ts";
import { flagNotes } from "../tools/reference/flags-page.ts";
import { nginxOf, notes } from "../tools/reference/settings-page.ts";
import { type Out, printed } from "./out.ts";

const help = `Usage: sluice explain KEY

Explains an annotation, a key of the ConfigMap or a flag: its effect, its default, the values it takes,
and what a change of it costs. KEY is written as in a manifest (proxy-body-size,
nginx.ingress.kubernetes.io/proxy-body-size) or as on a command line (--ingress-class). It may also be
a reason of a condition of the Gateway API (PortUnavailable), one of its features (HTTPRouteCORS) or
sluice.dev/weight. The flag --help itself is explained by: sluice explain help

Exit code 0, or 2 for a name that does not exist.
`;

const allSettings = settingList.map(([, setting]) => setting);
const allFields = featureList.flatMap(([, feature]) => fieldsOf(feature).map((field) => ({ feature, field })));
const inData = "no reload in dynamic mode, where it is data";
const namesOf = ({ key, aliases = [] }: Field<unknown>) => [key, ...aliases];

/** Returns exit code 0, or 2 for a name that does not exist. */
export function explain(argv: readonly string[], out: Out): number {
  const [asked] = argv;
  if (asked === "--help" || asked === "-h") return printed(out, help);
  if (asked === undefined || argv.length !== 1) {
    out.fail("sluice explain takes one word: a ConfigMap key, an annotation or a flag");
    return 2;
  }
  const name = asked.replace(/^.*\//, "").replace(/^--?/, "");
  const found = [
    ...(asked.startsWith("-") || asked.includes("/") ? [] : settingParts(name)),
    ...(asked.startsWith("-") ? [] : annotationParts(name)),
    ...(asked.includes("/") ? [] : flagParts(name)),
    ...gatewayWords(asked).map(({ title, doc, lines }) => part(title, doc, lines)),
  ];
  if (found.length === 0) {
    const isFlag = asked.startsWith("-");
    const meaning = isFlag
      ? meaningOf(name, "flag", flagNames())
      : asked.includes("/")
        ? meaningOf(
            name,
            "annotation",
            allFields.flatMap(({ field }) => namesOf(field)),
          )
        : meaningOf(name, "setting", allNames());
    const known = (isFlag ? undefined : (elsewhere(name) ?? endingOf(name))) ?? meaning.elsewhere;
    if (known !== undefined) {
      out.fail(`${asked} does not exist: ${known}`);
      return 2;
    }
    const similar = dashed(meaning.nearest, isFlag);
    out.fail(`${asked} is no ConfigMap key, annotation, flag or word of the Gateway API${didYouMean(similar)}`);
    return 2;
  }
  out.write(found.join("\n"));
  return 0;
}

const otherNames = () => [...allSettings.map(({ key }) => key), ...allFields.flatMap(({ field }) => namesOf(field))];
const flagNames = () => flagList.map(([, flag]) => flag.name);

/** Returns all names that can be explained. */
export function allNames(): string[] {
  return [...otherNames(), ...flagNames(), ...gatewayNames];
}

/** Puts the dashes before a name if the user wrote the dashes, or if only a flag has it. */
function dashed(meant: string | undefined, isFlag: boolean): string | undefined {
  const isWord = !isFlag && [...otherNames(), ...gatewayNames].includes(meant ?? "");
  return meant === undefined || isWord ? meant : `--${meant}`;
}

function settingParts(name: string): string[] {
  return allSettings.filter(({ key }) => key === name.toLowerCase()).map(settingPart);
}

function settingPart(setting: Setting<unknown>): string {
  const cost = setting.noEffect === undefined && setting.live !== true ? "a reload of nginx" : "no reload";
  return part(`ConfigMap key ${setting.key}`, setting.doc, [
    ["Default", written(setting.kind, setting.default) || "empty"],
    ["Value", setting.kind.label],
    ["nginx", nginxOf(setting) ?? ""],
    ["A change costs", cost],
    ["Note", plain(notes(setting).join(" "))],
  ]);
}

function annotationParts(name: string): string[] {
  const current = allFields.filter(({ field }) => namesOf(field).includes(name)).map(annotationPart);
  if (!Object.hasOwn(removed, name)) return current;
  const successor = removed[name];
  return [
    part(`annotation ${name}`, `Removed; it does nothing.${successor === undefined ? "" : ` Use ${successor}.`}`, []),
  ];
}

function annotationPart({ feature, field }: { feature: AnyFeature; field: Field<unknown> }): string {
  const { directive, kind } = field;
  return part(`annotation nginx.ingress.kubernetes.io/${field.key}`, `${field.doc}${unreadable(field)}`, [
    ["Default", plain(defaultOf(field)) || "empty"],
    ["Value", kind.label],
    ["Applies", scopes[feature.scope]],
    ["On routes", onRoutes(field.key)],
    ["Risk", field.risk],
    ["Also written", (field.aliases ?? []).join(", ")],
    ["nginx", directive === undefined ? "" : [directive.name, directive.grpc].filter(Boolean).join(", ")],
    [
      "A change costs",
      feature.live === true ? inData : "a reload of nginx, unless other paths have the same settings already",
    ],
  ]);
}

function onRoutes(key: string): string {
  const why = whyNotOnRoutes(key);
  if (isForListeners(key)) return `in RouteSettings of a Gateway or listener alone: ${why}`;
  return why === undefined ? "in RouteSettings" : `not served: ${why}`;
}

function flagParts(name: string): string[] {
  return flagList.filter(([, flag]) => flag.name === name || flag.short === name).map(([, flag]) => flagPart(flag));
}

function flagPart(flag: Flag<unknown>): string {
  return part(`flag ${usage(flag)}`, flag.doc, [
    ["Default", writtenDefault(flag, "run") || "empty"],
    ["Value", flag.kind.label],
    ["A change costs", flag.noEffect === undefined ? "a start of the controller" : ""],
    ["Note", plain(flagNotes(flag).join(" "))],
  ]);
}

function part(title: string, doc: string, lines: readonly (readonly [string, string])[]): string {
  const shown = lines.filter(([, text]) => text !== "").map(([name, text]) => `  ${`${name}:`.padEnd(16)}${text}\n`);
  return `${title}\n  ${doc}\n${shown.join("")}`;
}

/** Removes the marks of Markdown. */
function plain(text: string): string {
  return text.replaceAll("**", "").replaceAll("`", "");
}
