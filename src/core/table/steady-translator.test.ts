import { expect, test } from "vitest";
import { base, fake, ingress, put, service } from "../../../test/support/sketch.ts";
import { defaultOptions } from "./options.ts";
import { SteadyTranslator } from "./steady-translator.ts";
import { translate } from "./translator.ts";
import { emptyInputs } from "./turn.ts";

test("a turn after one that threw an exception loses none of its changes", () => {
  const first = put(base, ingress({ name: "a", host: "a.example" }));
  const second = put(first, ingress({ name: "b", host: "b.example" }), service("web"));
  const broken = Object.create(second, {
    endpointSlices: {
      get: () => {
        throw new TypeError("broken");
      },
    },
  });
  const translator = new SteadyTranslator(defaultOptions, fake);
  const hosts = ({ configuration }: ReturnType<typeof translate>) => [...configuration.servers.keys()].sort();
  translator.turn({ ...emptyInputs, snapshot: first });
  expect(() => translator.turn({ ...emptyInputs, snapshot: broken })).toThrow("broken");
  const after = translator.turn({ ...emptyInputs, snapshot: second });
  const anew = translate({ ...emptyInputs, snapshot: second }, defaultOptions, fake);
  expect(hosts(after)).toEqual(hosts(anew));
  expect(hosts(after)).toContain("b.example");
  expect([...after.problems.values()].flat()).toEqual([...anew.problems.values()].flat());
});
