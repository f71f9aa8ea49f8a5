import { expect, test } from "vitest";
import { Token, type View } from "../tokens/token.ts";
import { compileTemplate } from "./compile-template.ts";
import { TemplateError } from "./template.ts";

function rendered(text: string, view: View, others: Readonly<Record<string, string>> = {}): string {
  const compiled = compileTemplate(new Map(Object.entries({ ...others, nginx: text })));
  if (!compiled.ok) throw new Error(compiled.why);
  return String(compiled.template.render("nginx", view));
}
const on = Token.conf`on`;

test("false parts are left out, and a line with only a condition leaves no empty line", () => {
  const text = "a;\n{{#if gzip}}\ngzip {{gzip}};\n{{/if}}\n{{#each rest}}{{this}};{{/each}}\nz;";
  expect(rendered(text, { gzip: false, rest: [on, on] })).toBe("a;\non;on;\nz;");
  expect(rendered(text, { gzip: on, rest: [] })).toBe("a;\ngzip on;\nz;");
});

test.each([
  ["a value", "{{nothing}}"],
  ["a condition", "{{#if nothing}}{{/if}}"],
  ["a negated condition", "{{#unless nothing}}{{/unless}}"],
  ["a list", "{{#each nothing}}{{/each}}"],
  ["the value for a partial", "{{> part nothing}}"],
  ["a part of a value", "{{#if there.nothing}}{{/if}}"],
])("a template with an undefined name as %s is refused", (_, text) => {
  const wrong = () => rendered(text, { there: { on } }, { part: "" });
  expect(wrong).toThrow(TemplateError);
  expect(wrong).toThrow(/^nginx\.tmpl: "nothing" not defined/);
});

test("a template of ingress-nginx is recognised and refused", () => {
  expect(compileTemplate(new Map([["nginx", "{{ range $x := .Servers }}"]]))).toMatchObject({
    ok: false,
    why: expect.stringMatching(/^it is a Go template/),
  });
});
