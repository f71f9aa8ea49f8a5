/**
 * Compares the template that `npm run build` compiles with the one that a program compiles at its
 * start: on all golden cases, both give the same text.
 */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { preparedModule } from "../../scripts/bundle.ts";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import type { Prepared } from "../../src/core/render/prepared.ts";
import { preparedTemplate } from "../../src/core/render/prepared-template.ts";
import { TemplateError, type TemplateFiles } from "../../src/core/render/template.ts";
import { Token } from "../../src/core/tokens/token.ts";
import { builtInTemplates, readTemplateFiles } from "../../src/nginx/template/files.ts";
import { Studio } from "./support/studio.ts";

const cases = new URL("cases/", import.meta.url);
const files = readTemplateFiles(builtInTemplates);
let compiled: Studio;
let prepared: Studio;

beforeAll(async () => {
  compiled = await Studio.open();
  prepared = await Studio.open(preparedTemplate(files, await formsOf(files)));
});
afterAll(() => {
  compiled.close();
  prepared.close();
});

async function formsOf(files: TemplateFiles): Promise<ReadonlyMap<string, Prepared>> {
  const source = Buffer.from(preparedModule(files)).toString("base64");
  return (await import(`data:text/javascript;base64,${source}`)).prepared;
}

test.each(readdirSync(cases))("the prepared template renders %s as the compiled one does", (name) => {
  const text = readFileSync(new URL(`${name}/cluster.yaml`, cases), "utf8");
  const objects = parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject);
  const [one, other] = [compiled, prepared].map((studio) => {
    const translation = studio.translated(objects);
    return [studio.dynamic(translation).text, studio.static(translation)].map((text) => studio.neutral(text));
  });
  expect(other).toEqual(one);
});

test("a prepared template also refuses a name that its View lacks", async () => {
  const small = new Map([
    ["nginx", "a {{there}};{{> part}}"],
    ["part", "{{#if nothing}}{{/if}}"],
  ]);
  const template = preparedTemplate(small, await formsOf(small))!;
  const wrong = () => template.render("nginx", { there: Token.conf`on` });
  expect(wrong).toThrow(TemplateError);
  expect(wrong).toThrow(/^nginx\.tmpl: "nothing" not defined/);
});

test("a file with another text than that of the build is compiled", async () => {
  const forms = await formsOf(files);
  expect(preparedTemplate(new Map(files).set("cors", "# changed"), forms)).toBeUndefined();
  expect(preparedTemplate(new Map(files).set("further", ""), forms)).toBeUndefined();
});
