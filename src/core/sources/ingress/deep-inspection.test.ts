import { expect, test } from "vitest";
import { base, fake, ingress, put, service } from "../../../../test/support/sketch.ts";
import { type Problem, sentence } from "../../model/problem.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";
import { inspect } from "./deep-inspection.ts";

const withPath = (path: string) => ingress({ name: "a", host: "a.example", paths: [[path, "web"]] });

test.each([
  ["/x;alias /y;", "an alias directive"],
  ["/x\nroot\n/;", "a root directive"],
  ["/x/etc/passwd", "a protected file of the controller"],
  ["/var/run/secrets/x", "the folder with the controller's token"],
  ["/content_by_lua_x", "a Lua directive"],
])("the path %j is refused because of %s", (path, sign) => {
  const sentences = inspect(withPath(path)).map(sentence);
  const why = `it looks like ${sign}, and --deep-inspect is on; the Ingress is not applied`;
  expect(sentences).toEqual([`spec.rules[0].http.paths[0].path: ${why}`]);
});

test("hosts and the tls section are inspected, and ordinary words are allowed", () => {
  const spec = { tls: [{ hosts: ["x_by_lua"], secretName: "a/etc/nginx" }] };
  const fields = inspect(ingress({ name: "a", host: "h_by_lua", spec })).map((p) => (p as { field: string }).field);
  expect(fields).toEqual(["spec.rules[0].host", "spec.tls[0].hosts[0]", "spec.tls[0].secretName"]);
  for (const path of ["/etc/hosts", "/alias/root", "/lua"]) expect(inspect(withPath(path))).toEqual([]);
});

test("an Ingress with a suspicious path is not served, unless --deep-inspect is off", () => {
  const snapshot = put(base, service("web"), withPath("/x/etc/passwd"));
  const of = (deepInspect: boolean) => {
    const { configuration, problems } = translate(
      { ...emptyInputs, snapshot },
      { ...defaultOptions, deepInspect },
      fake,
    );
    const all: readonly Problem[] = [...problems.values()].flat();
    return [configuration.servers.has("a.example"), all.length];
  };
  expect(of(true)).toEqual([false, 1]);
  expect(of(false)).toEqual([true, 0]);
});
