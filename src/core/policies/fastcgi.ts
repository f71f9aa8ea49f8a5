/**
 * Parameters for FastCGI backends. Those of the ConfigMap come after the stock ones and override
 * them. Both annotations are read and validated, whatever backend-protocol is. A parameter whose
 * name begins with HTTP_ stands for a header of the request, so those that only nginx may set are
 * left out, CONTENT_LENGTH among them.
 */

import { isPathVariable } from "../kinds/request-variables.ts";
import { isReservedHeader, reservedWhy } from "../kinds/reserved-headers.ts";
import { textOf, trimmed } from "../kinds/text.ts";
import { Token } from "../tokens/token.ts";
import { backendProtocol } from "./backend-protocol.ts";
import { type Other, type Resolved, resolvedFeature, textField } from "./declare.ts";
import { leftOut, refused, useless } from "./problems.ts";
import { named, referenceField } from "./reference.ts";

export interface FastCgi {
  readonly index: string;
  readonly params: readonly { readonly name: string; readonly value: string }[];
}

const names = /^[A-Za-z0-9._-]+$/;
const values = /^[A-Za-z0-9\-_${}/.]*$/;

/** nginx's variables about the script. They are allowed beside the variables of a request. */
const scriptVariables: ReadonlySet<string> = new Set([
  "document_root",
  "document_uri",
  "fastcgi_path_info",
  "fastcgi_script_name",
  "https",
  "realpath_root",
]);

const isParameterVariable = (name: string) => scriptVariables.has(name) || isPathVariable(name);

const forFastcgi = (_: unknown, other: Other) =>
  other(backendProtocol).scheme === "FCGI" ? undefined : "backend-protocol is not FCGI";

export const fastcgi = resolvedFeature({
  name: "fastcgi",
  scope: "location",
  fields: {
    index: textField("fastcgi-index", {
      example: "index.php",
      kind: trimmed(textOf({ label: "letters, digits and . - _", characters: "A-Za-z0-9._\\-" })),
      onBad: "reject",
      risk: "Medium",
      doc: "File that answers a request whose path ends with a slash, with backend-protocol FCGI.",
    }),
    params: referenceField("fastcgi-params-configmap", {
      refers: true,
      example: "shop/fastcgi-params",
      onBad: "reject",
      doc: "ConfigMap whose entries are FastCGI parameters, with backend-protocol FCGI; values may hold variables.",
    }),
  },
  resolve: ({ index, params: reference }, context): Resolved<FastCgi> => {
    if (reference === "") return { value: { index, params: [] } };
    const [namespace] = reference.includes("/") ? reference.split("/") : [];
    const isForeign = namespace !== undefined && namespace !== context.ingress.namespace;
    if (isForeign && context.foreign("ConfigMap", reference) !== undefined) {
      return {
        value: { index, params: [] },
        problems: [useless(context, key, "it is in another namespace; its parameters are not sent")],
      };
    }
    const found = named(reference, "ConfigMap", context.configMap, context);
    if (!found.ok) return refused(context, key, found.reason);
    const params = Object.entries(found.object.data ?? {}).map(([name, value]) => ({ name, value }));
    const bad = params.find(({ name, value }) => !names.test(name) || !values.test(value));
    if (bad !== undefined) {
      const why = `the entry ${JSON.stringify(bad.name)} of ConfigMap ${reference} holds more than ${allowed}`;
      return refused(context, key, { why }, "reject");
    }
    const { kept = [], left = [] } = Object.groupBy(params, ({ name }) => (saysReserved(name) ? "left" : "kept"));
    return {
      value: { index, params: kept.sort((a, b) => (a.name < b.name ? -1 : 1)) },
      problems: left.map(({ name }) => leftOut(context, key, `ConfigMap ${reference}: ${reservedWhy(name)}`)),
    };
  },
  onlyWith: { index: forFastcgi, params: forFastcgi },
  view: ({ index, params }, { protocol, declares, live, ofGateway, bind }) =>
    protocol === "fastcgi" && {
      index: index !== "" && Token.word(index),
      params: params.map(({ name, value }, at) => ({
        name: Token.word(name),
        value:
          live && !ofGateway && !value.includes("$")
            ? bind(`fastcgi_param_${at + 1}`, value)
            : Token.variables(value, (variable) => isParameterVariable(variable) || declares(variable)),
      })),
    },
});

const allowed = "letters, digits and - _ $ { } / .";
const key = "fastcgi-params-configmap";

/** Whether the parameter is the CGI form of a reserved header. */
function saysReserved(name: string): boolean {
  return isReservedHeader(name.replace(/^HTTP_/i, ""));
}
