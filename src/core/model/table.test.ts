import fc from "fast-check";
import { expect, test } from "vitest";
import { Table } from "./table.ts";

const history = fc.array(
  fc.array(fc.tuple(fc.string({ maxLength: 3 }), fc.option(fc.nat(5), { nil: undefined })), { maxLength: 8 }),
  { maxLength: 6 },
);

test("a Table answers like a Map after any history, and older Tables keep their answers", () => {
  fc.assert(
    fc.property(history, (batches) => {
      let table = Table.empty<number>();
      const map = new Map<string, number>();
      const past: [Table<number>, Map<string, number>][] = [];
      for (const batch of batches) {
        past.push([table, new Map(map)]);
        table = table.with(batch);
        for (const [key, value] of batch) value === undefined ? map.delete(key) : map.set(key, value);
      }
      for (const [was, expected] of [...past, [table, map] as const]) {
        expect(new Map(was)).toEqual(expected);
        expect(was.size).toBe(expected.size);
      }
    }),
  );
});

test("the changes since an older Table lead to the newer one, and name no key whose value stayed", () => {
  fc.assert(
    fc.property(history, history, (first, second) => {
      const before = first.reduce((table, batch) => table.with(batch), Table.empty<number>());
      const after = second.reduce((table, batch) => table.with(batch), before);
      const changes = after.changesSince(before);
      expect(changes.every((change) => change.before !== change.after)).toBe(true);
      expect(new Map(before.with(changes.map(({ key, after }) => [key, after])))).toEqual(new Map(after));
    }),
  );
});
