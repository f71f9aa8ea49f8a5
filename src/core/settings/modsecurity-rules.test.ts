import { expect, test } from "vitest";
import type { Token } from "../tokens/token.ts";
import { modsecurityRules } from "./modsecurity-rules.ts";

const written = (text: string) => (modsecurityRules.view(text) as readonly Token[]).map(String);

test("rules stand in one text, because a rule may refer to those before it", () => {
  expect(written("# one\nSecRule A \\\n  B chain\nSecRule C D\n\nSecMarker END")).toEqual([
    `"SecRule A \\\\\\n  B chain\\nSecRule C D\\nSecMarker END"`,
  ]);
});

test("longer rules stand in several texts, and a chain in one", () => {
  const long = (name: string, action = "pass") => `SecRule ${name} "@streq ${"x".repeat(1_500)}" "${action}"`;
  const texts = written([long("A"), long("B"), long("C", "chain"), long("D"), "SecMarker E"].join("\n"));
  const namesIn = (text: string) => [...text.matchAll(/Sec\w+ (\w)/g)].map(([, name]) => name).join("");
  expect(texts.map(namesIn)).toEqual(["AB", "CDE"]);
  const chain = [long("A", "chain"), long("B", "chain"), long("C")].join("\n");
  expect(modsecurityRules.read(chain)).toMatchObject({
    ok: false,
    why: expect.stringMatching(/^the rule that starts with "SecRule A \\"@streq x+" takes more than 4000 bytes$/),
  });
});

test("pairs with a backslash are read as nginx reads them between quotes", () => {
  expect(written(String.raw`SecRule A \"@rx ^\d\\.$\" \'t\'`)).toEqual([String.raw`"SecRule A \"@rx ^\\d\\.$\" 't'"`]);
});
