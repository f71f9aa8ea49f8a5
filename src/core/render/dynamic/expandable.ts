import { isRequestVariable } from "../../kinds/request-variables.ts";

/**
 * Returns a text with groups of the path in the router's form: `$1`, `${variable}` for an allowed
 * variable, `$$` for the sign itself.
 */
export function expandable(target: string, allowed = isRequestVariable): string {
  return target.replace(/\$(?:(\d)|(\w+)|\{(\w+)\})?/g, (found, group?: string, bare?: string, braced?: string) => {
    if (group !== undefined) return found;
    const name = bare ?? braced;
    return name !== undefined && allowed(name) ? `\${${name}}` : `$${found}`;
  });
}
