import fc from "fast-check";
import { expect, test } from "vitest";
import { Dependencies } from "./dependencies.ts";

test("the dependencies that were set last are found in both directions", () => {
  const name = fc.constantFrom("a", "b", "c", "d");
  const claim = fc.tuple(name, fc.array(name, { maxLength: 4 }));
  fc.assert(
    fc.property(fc.array(claim, { maxLength: 20 }), (all) => {
      const dependencies = new Dependencies();
      const last = new Map<string, readonly string[]>();
      for (const [user, used] of all) {
        dependencies.set(user, used);
        last.set(user, used);
      }
      for (const one of ["a", "b", "c", "d"]) {
        const users = [...last].filter(([, used]) => used.includes(one)).map(([user]) => user);
        expect([...dependencies.usersOf(one)].sort()).toEqual(users.sort());
        expect(dependencies.isUsed(one)).toBe(users.length > 0);
        expect(dependencies.usedBy(one)).toEqual(last.get(one) ?? []);
      }
    }),
    { seed: 20261121 },
  );
});
