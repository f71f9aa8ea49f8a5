import { expect, test } from "vitest";
import { base, fake, ingress, put } from "../../../../test/support/sketch.ts";
import { sentence } from "../../model/problem.ts";
import { defaultOptions } from "../../table/options.ts";
import { translate } from "../../table/translator.ts";
import { emptyInputs } from "../../table/turn.ts";

test.each(["/a\n} pwned {", "/a\0", "/a\u0085", "/a\u2028", "/a\ud800"])(
  "the path %j alone is ignored, and a Problem says so",
  (path) => {
    const paths = [
      [path, "web", "ImplementationSpecific"],
      ["/b", "web"],
    ] as const;
    const snapshot = put(base, ingress({ name: "a", host: "a.example", paths }));
    const { configuration, problems } = translate({ ...emptyInputs, snapshot }, defaultOptions, fake);
    expect(
      configuration.servers
        .get("a.example")!
        .locations.map((one) => one.path)
        .sort(),
    ).toEqual(["/", "/b"]);
    expect([...problems.values()].flat().map(sentence)).toContain(
      "spec.rules[0].http.paths[0].path: has a control character or a line separator in it; the path is ignored",
    );
  },
);
