/** The filter RequestRedirect. */
import { shown } from "../../kinds/kind.ts";
import type { Redirect } from "../../model/filters.ts";
import type { RouteFilter } from "../declare.ts";
import { pathChange, targetMistake } from "../rewrite/filter.ts";

const statuses = [301, 302, 303, 307, 308] as const;

export const filter: RouteFilter = {
  type: "RequestRedirect",
  field: "requestRedirect",
  mistake: ({ requestRedirect }, prefix) => {
    const { statusCode: code = 302, scheme = "https", ...target } = requestRedirect!;
    if (!statuses.some((one) => one === code))
      return { part: ".statusCode", why: `${code} is not one of ${statuses.join(", ")}` };
    if (scheme !== "http" && scheme !== "https")
      return { part: ".scheme", why: `${shown(scheme)} is not http or https` };
    return targetMistake(target, prefix);
  },
  read: ({ requestRedirect }, prefix) => {
    const { scheme, hostname, path, port, statusCode = 302 } = requestRedirect!;
    const redirect: Redirect = {
      scheme: scheme as Redirect["scheme"],
      hostname: hostname?.toLowerCase(),
      path: pathChange(path, prefix, escaped),
      port,
      status: statusCode as Redirect["status"],
    };
    return { redirect };
  },
};

/** Returns the path of a redirect as it stands in the header Location. */
function escaped(path: string): string {
  return path.toWellFormed().replace(/[^!-~]+/g, encodeURIComponent);
}
