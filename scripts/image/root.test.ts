import { expect, test } from "vitest";
import { addRuleLinks } from "./root.ts";
import { file, type Tree } from "./tree.ts";

test("the OWASP rules are also at the paths that they have in ingress-nginx's image", () => {
  const rules = "usr/share/modsecurity-crs/rules";
  const names = [
    `${rules}/REQUEST-901-INITIALIZATION.conf`,
    `${rules}/unix-shell.data`,
    "etc/modsecurity/crs/crs-setup.conf",
    "etc/modsecurity/crs/REQUEST-900-EXCLUSION-RULES-BEFORE-CRS.conf",
    "usr/share/modsecurity-crs/util/av-scanning/x",
  ];
  const tree: Tree = new Map(names.map((name) => [name, file("")]));
  addRuleLinks(tree);
  const links = [...tree].flatMap(([path, entry]) => (entry.kind === "link" ? [`${path} ${entry.to}`] : []));
  const home = "etc/nginx/owasp-modsecurity-crs";
  expect(links).toEqual([
    `${home}/rules/REQUEST-901-INITIALIZATION.conf /${rules}/REQUEST-901-INITIALIZATION.conf`,
    `${home}/rules/unix-shell.data /${rules}/unix-shell.data`,
    `${home}/crs-setup.conf /etc/modsecurity/crs/crs-setup.conf`,
    `${home}/rules/REQUEST-900-EXCLUSION-RULES-BEFORE-CRS.conf /etc/modsecurity/crs/REQUEST-900-EXCLUSION-RULES-BEFORE-CRS.conf`,
  ]);
});
