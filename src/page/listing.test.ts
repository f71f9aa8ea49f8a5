import { expect, test } from "vitest";
import { Listing, type ListQuery } from "./listing.ts";
import { listQuery } from "./params.ts";

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

test("the first column is the usual order; another one, up or down", () => {
  expect(names("")).toEqual(["a/four", "a/one", "b/Two", "c/three"]);
  expect(names("sort=size")).toEqual(["c/three", "b/Two", "a/four", "a/one"]);
  expect(names("sort=size&order=desc")).toEqual(["a/one", "a/four", "b/Two", "c/three"]);
});

test("pages follow each other in either direction", () => {
  for (const order of ["", "&order=desc"]) {
    const all = names(`sort=size${order}`);
    expect([0, 2, 4].flatMap((offset) => names(`sort=size${order}&limit=2&offset=${offset}`))).toEqual(all);
  }
  expect(listing().page(query("limit=2&offset=3"))).toMatchObject({ total: 4, matched: 4, offset: 3 });
});

test("each word of the filter has to be there, in whatever case", () => {
  expect(names("filter=TWO")).toEqual(["b/Two"]);
  expect(names("filter=o++a/")).toEqual(["a/four", "a/one"]);
  expect(listing().page(query("filter=nothing"))).toEqual({ total: 4, matched: 0, offset: 0, rows: [] });
});

test("an order is made once, unless its values move", () => {
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
