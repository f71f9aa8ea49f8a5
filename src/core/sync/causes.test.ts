import { expect, test } from "vitest";
import { causes } from "./causes.ts";

/** A text whose lines may end with the objects that own them, behind `# `. */
function text(...lines: readonly string[]) {
  const owners = lines.map((line) => new Set(line.split(" # ")[1]?.split(", ") ?? []));
  const conf = lines.map((line) => line.split(" # ")[0]).join("\n");
  return { conf, ownersAt: (line: number) => owners[line - 1]! };
}

const web = (...body: readonly string[]) => text("http {", "  gzip on;", ...body, "}");

test.each([
  ["a directive of an object", ["  a 1; # Ingress shop/web"], ["  a 2; # Ingress shop/web"], "a of Ingress shop/web"],
  [
    "directives that an object has no more",
    ["  a 1; # Ingress shop/web", "  b 1; # Ingress shop/web"],
    [],
    "no a, b of Ingress shop/web",
  ],
  ["a setting, which has no object", ["  a 1;"], ["  a 2;"], "a"],
  ["a size and its double, which stands ready", [], ["  a 1; # Ingress shop/web", "  a 2;"], "a of Ingress shop/web"],
  ["a block with another name", ["  location @a {"], ["  location @b {"], ""],
])("the cause of a reload is %s", (_, before, after, expected) => {
  expect(causes(web(...before), web(...after))).toBe(expected);
});

test("the causes of a reload are three, and the number of the others", () => {
  const names = (count: number, of: string) => Array.from({ length: count }, (_, at) => `${of}${at}`);
  const many = names(15, "Ingress shop/web-").join(", ");
  const ofObjects = causes(web(), web(`  a 1; # ${many}`));
  expect(ofObjects).toBe("a of Ingress shop/web-0, a of Ingress shop/web-1, a of Ingress shop/web-2 and 12 more");
  const directives = names(5, "d").map((name) => `  ${name} 1; # Ingress shop/web`);
  expect(causes(web(), web(...directives))).toBe("d0, d1, d2 and 2 more of Ingress shop/web");
});
