import { expect, test } from "vitest";
import { Chance } from "../../../../test/support/chance.ts";
import { listQuery } from "../params.ts";
import { Listing, type ListQuery } from "./listing.ts";

interface Row {
  readonly name: string;
  readonly size: number;
}

const rows: readonly Row[] = [
  { name: "b/Two", size: 2 },
  { name: "a/one", size: 3 },
  { name: "c/three", size: 1 },
  { name: "a/four", size: 2 },
];
const listing = () =>
  new Listing(rows, { sorts: { name: ({ name }) => name, size: ({ size }) => size }, texts: ({ name }) => [name] });
const query = (text: string) => listQuery(new URLSearchParams(text), ["name", "size", "still", "moving"]) as ListQuery;
const names = (text: string) =>
  listing()
    .page(query(text))
    .rows.map(({ name }) => name);

test("the first column is the default order, and orders equal values of other columns up and down", () => {
  expect(names("")).toEqual(["a/four", "a/one", "b/Two", "c/three"]);
  expect(names("sort=size")).toEqual(["c/three", "a/four", "b/Two", "a/one"]);
  expect(names("sort=size&order=desc")).toEqual(["a/one", "b/Two", "a/four", "c/three"]);
});

test("pages together are the whole list in either direction", () => {
  for (const order of ["", "&order=desc"]) {
    const all = names(`sort=size${order}`);
    expect([0, 2, 4].flatMap((offset) => names(`sort=size${order}&limit=2&offset=${offset}`))).toEqual(all);
  }
  expect(listing().page(query("limit=2&offset=3"))).toMatchObject({ total: 4, matched: 4, offset: 3 });
});

test("each word of the filter has to occur, in upper or lower case", () => {
  expect(names("filter=TWO")).toEqual(["b/Two"]);
  expect(names("filter=o++a/")).toEqual(["a/four", "a/one"]);
  expect(listing().page(query("filter=nothing"))).toEqual({ total: 4, matched: 0, offset: 0, rows: [] });
});

test("an order is computed once, unless its values change", () => {
  let read = 0;
  const value = ({ size }: Row) => {
    read++;
    return size;
  };
  const columns = { sorts: { still: value, moving: value }, texts: () => [], moving: ["moving"] };
  const some = new Listing(rows, columns);
  for (let at = 0; at < 3; at++) some.page(query("sort=still"));
  expect(read).toBe(rows.length);
  for (let at = 0; at < 3; at++) some.page(query("sort=moving"));
  expect(read).toBe(4 * rows.length);
});

test.each([3, 5_000])("a list with %d changed rows shows the same as a new list in every order", (changes) => {
  const chance = new Chance(changes);
  const random = (end: number) => chance.below(end);
  const columns = {
    sorts: {
      name: ({ name }: Row) => name,
      size: ({ size }: Row) => size,
      still: ({ size }: Row) => -size,
      moving: ({ size }: Row) => size % 3,
    },
    texts: ({ name }: Row) => [name],
    moving: ["moving"],
  };
  let next = 0;
  const fresh = (count: number): Row[] =>
    Array.from({ length: count }, () => ({ name: `row-${next++}-${random(1_000)}`, size: random(20) }));
  let listing = new Listing<Row>(fresh(6_000), columns);
  const queries = ["", "sort=size", "sort=still&order=desc", "sort=moving", "filter=7", "sort=size&filter=9+4"];
  for (let round = 0; round < 5; round++) {
    const gone = new Set(listing.rows.filter(() => random(6_000) < changes));
    listing = listing.changed({ gone, fresh: fresh(changes) });
    for (const row of gone) expect(listing.rows.includes(row)).toBe(false);
    const anew = new Listing(
      listing.rows.toSorted((a, b) => (a.name < b.name ? 1 : -1)),
      columns,
    );
    for (const text of queries) {
      const asked = { ...query(text), limit: 10_000 };
      expect(listing.page(asked)).toEqual(anew.page(asked));
    }
  }
  expect(listing.changed({ gone: new Set(), fresh: [] })).toBe(listing);
});

test("a few changed rows need no new sorting", () => {
  let read = 0;
  const value = ({ name }: Row) => {
    read++;
    return name;
  };
  const many = Array.from({ length: 5_000 }, (_, at) => ({ name: `row-${at}`, size: 0 }));
  const listing = new Listing<Row>(many, { sorts: { name: value }, texts: () => [] });
  listing.page(query(""));
  read = 0;
  const changed = listing.changed({ gone: new Set([many[77]!]), fresh: [{ name: "row-77x", size: 1 }] });
  expect(changed.page(query("limit=1&offset=1")).rows).toEqual([many[1]]);
  expect(read).toBeLessThan(100);
});
