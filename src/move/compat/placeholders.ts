/**
 * Placeholders such as `${DOMAIN}` in names and hosts of manifests, where a tool puts its values
 * later. A word of the same length takes their place, so that the objects can be read and places in
 * the file stay.
 */

const field = String.raw`^[ \t]*(?:- +)*(?:(?:host|name|namespace|secretName|ingressClassName)["']?:[ \t]+)?(?:&\S+[ \t]+)?["']?`;
const name = new RegExp(
  String.raw`(${field})([\w.*-]*\$\{[^{}\n]+\}(?:[\w.-]|\$\{[^{}\n]+\})*)(?=["']?[ \t]*(?:#.*)?$)`,
  "gm",
);

export function withNamesFilled(text: string): string {
  return text.includes("${") ? text.replace(name, (_, before: string, whole: string) => before + filled(whole)) : text;
}

const filled = (whole: string): string =>
  whole.replace(/\$\{[^{}]+\}/g, (one) =>
    one
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "")
      .padEnd(one.length, "x"),
  );
