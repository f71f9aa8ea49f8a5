import { expect, test } from "vitest";
import { commentLines } from "./comments.ts";

test.each([
  ["ts", "/**\n * One.\n */\nconst a = 1; // not counted\n// Two.\n/* Three. */\nconst b = 2;", [1, 2, 3, 5, 6]],
  ["c", "/*\n * One.\n */\nint a;   /* not counted */\n/* Two. */\n#include <a.h>", [1, 2, 3, 5]],
  ["lua", "-- One.\nlocal a = 1\n  -- Two.", [1, 3]],
  ["sh", "#!/bin/sh\n# One.\necho", [2]],
  ["tmpl", "{{!-- One,\n     and two. --}}\n{{#if a}}\n# Three.\n{{/if}}\n{{!-- Four. --}}\nlisten 80;", [1, 2, 4, 6]],
  ["tpl", '{{/*\nOne.\n*/}}\n{{- define "a" }}\n# Two.\n{{- end }}\n{{/* Three. */}}', [1, 2, 3, 5, 7]],
])("the comments of a file with the extension %s are found", (extension, source, lines) => {
  expect(commentLines(source, extension).map(({ line }) => line)).toEqual(lines);
});
