/** Keys of modules with a few keys each: ModSecurity, GeoIP2 and the shared memory of Lua. */
import { type Kind, no, ok, shown } from "../kinds/kind.ts";
import { keyed, setting, toggle } from "./declare.ts";
import { countOrNone } from "./kinds.ts";
import { modsecurityRules } from "./modsecurity-rules.ts";

export interface SharedDictionary {
  readonly name: string;
  readonly kilobytes: number;
}

const largest = 204_800;

/**
 * `name: size`, separated by commas. A size without a unit is in megabytes, and unreadable items
 * are left out.
 */
const dictionaries: Kind<readonly SharedDictionary[]> = {
  label: "a comma-separated list of name:size, a size without unit being megabytes",
  read: (text) => {
    const parts = text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "");
    const found = parts.map((part) => ({ part, dictionary: dictionaryOf(part) }));
    const values = found.flatMap(({ dictionary }) => (dictionary === undefined ? [] : [dictionary]));
    const wrong = found.filter(({ dictionary }) => dictionary === undefined).map(({ part }) => shown(part));
    if (wrong.length === 0) return ok(values);
    const besides = `${wrong.join(", ")} is not name:size with a size up to ${largest}k`;
    return values.length === 0 ? no(besides) : { ok: true, value: values, besides };
  },
  write: (values) => values.map(({ name, kilobytes }) => `${name}: ${kilobytes}k`).join(", "),
  view: () => false,
};

function dictionaryOf(text: string): SharedDictionary | undefined {
  const [, name, digits, unit] = /^([a-z]\w{0,63})\s*:\s*(\d{1,9})([km]?)$/i.exec(text) ?? [];
  if (name === undefined) return undefined;
  const kilobytes = Number(digits) * (unit?.toLowerCase() === "k" ? 1 : 1024);
  return kilobytes >= 1 && kilobytes <= largest ? { name, kilobytes } : undefined;
}

export const modules = keyed({
  luaSharedDicts: setting<readonly SharedDictionary[]>({
    kind: dictionaries,
    default: [],
    needs: "lua",
    becomes: "lua_shared_dict",
    doc: "Sizes of shared memory. It grows with what it has to hold; configuration_data and certificate_data together are how much it has at least. Other names are for Lua code in snippets.",
  }),
  enableModsecurity: toggle({
    needs: "modsecurity",
    becomes: "modsecurity, with modsecurity_rules or the stock modsecurity_rules_file",
    doc: "Lets ModSecurity inspect every request; the annotation of an Ingress replaces it.",
  }),
  enableOwaspModsecurityCrs: toggle({
    needs: "modsecurity",
    onlyWith: ["enable-modsecurity"],
    becomes: "modsecurity_rules_file",
    doc: "Adds the OWASP core rule set.",
  }),
  modsecuritySnippet: setting({
    kind: modsecurityRules,
    default: "",
    needs: "modsecurity",
    onlyWith: ["enable-modsecurity"],
    becomes: "modsecurity_rules",
    doc: "Rules instead of the stock rules file.",
  }),
  useGeoip2: toggle({
    needs: "geoip2",
    becomes: "geoip2, for each database in the folder",
    doc: "Makes variables such as $geoip2_city_country_code from the MaxMind databases in the folder.",
  }),
  geoip2AutoreloadInMinutes: setting({
    kind: countOrNone({ max: 34_560 }),
    default: 0,
    needs: "geoip2",
    onlyWith: ["use-geoip2"],
    becomes: "auto_reload in geoip2",
    doc: "Minutes after which nginx looks for a new version of a database; 0 is never.",
  }),
});
