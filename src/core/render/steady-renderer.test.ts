import { expect, test } from "vitest";
import type { Rendered, Renderer } from "./rendering.ts";
import { SteadyRenderer } from "./steady-renderer.ts";
import { type Template, TemplateError } from "./template.ts";

const [builtIn, own] = [{}, {}] as Template[];

/** A Renderer that fails as long as it uses `own`. */
function failing(error: Error) {
  let used = builtIn;
  const rendered = { records: new Map() } as unknown as Rendered;
  const renderer = {
    use: (template: Template) => {
      used = template!;
    },
    render: () => {
      if (used === own) throw error;
      return rendered;
    },
  } as unknown as Renderer;
  return { renderer, rendered };
}

test("the built-in template replaces one that fails, and a Problem reports it", () => {
  const { renderer, rendered } = failing(new TemplateError("no such name"));
  const reported: string[] = [];
  const steady = new SteadyRenderer(renderer, builtIn!, (why) => reported.push(why));
  steady.use(own!);
  expect(steady.render({} as never)).toBe(rendered);
  expect(steady.render({} as never)).toBe(rendered);
  expect(reported).toEqual(["no such name"]);
});

test("any other error is a bug and is thrown", () => {
  const { renderer } = failing(new RangeError("bug"));
  const steady = new SteadyRenderer(renderer, builtIn!, () => {});
  steady.use(own!);
  expect(() => steady.render({} as never)).toThrow("bug");
});
