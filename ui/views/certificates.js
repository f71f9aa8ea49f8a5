/** Shows certificates, those that expire first at the top. */
import { get } from "../api.js";
import { badge, h, name, row } from "../dom.js";
import { showList } from "../list.js";
import { ago, count } from "../words.js";

/** @import { CertificateRow } from "../../src/ask/page/api/certificates.ts" */
/** @import { View } from "../main.js" */

const tones = /** @type {const} */ ({
  ok: "good",
  "wrong name": "bad",
  weak: "warn",
  "not valid yet": "warn",
  "expires soon": "warn",
  expired: "bad",
});

/**
 * Some of a list, and how many more there are.
 * @param {readonly string[]} all
 * @param {number} total
 */
function some(all, total) {
  const shown = all.slice(0, 5);
  return [
    name(shown.join(", ") || "–"),
    total > shown.length && h("small", {}, `and ${count(total - shown.length)} more`),
  ];
}

/** @param {CertificateRow} certificate */
function certificateRow({
  secret,
  names,
  issuer,
  keyAlgorithm,
  notAfter,
  state,
  weakness,
  isDefault,
  hosts,
  someHosts,
  stapling,
}) {
  const left = Date.parse(notAfter) - Date.now();
  return row([
    ["Secret", [secret === "fake" ? "made by Sluice" : secret, isDefault && badge("default", "calm")], "wide"],
    ["Names", some(names, names.length), "wide"],
    ["Issuer", [issuer || "–", h("small", {}, keyAlgorithm)], "wide"],
    ["Expires", [notAfter.slice(0, 10), h("small", {}, left < 0 ? `${ago(-left)} ago` : `in ${ago(left)}`)], "when"],
    ["State", [badge(state, tones[state]), weakness !== "" && h("small", {}, name(weakness))]],
    ["Served for", some(someHosts, hosts), "wide"],
    ["Stapling", stapling],
  ]);
}

/** @type {View} */
export const view = {
  title: "Certificates",
  shows: ["certificates"],
  show: (root) =>
    showList(root, {
      ask: (question, signal) => get("certificates", question, signal),
      rows: ["certificate", "certificates"],
      caption: "Certificates, the first to expire first",
      filterHint: "name, Secret, issuer, expired …",
      empty: "There are no certificates.",
      usualSort: "expires",
      columns: [
        ["Secret", "secret", "wide"],
        ["Names", "names", "wide"],
        ["Issuer", "issuer", "wide"],
        ["Expires", "expires"],
        ["State", "state"],
        ["Served for", "hosts", "wide"],
        ["Stapling", "stapling"],
      ],
      row: certificateRow,
    }),
};
