import { expect, test } from "vitest";
import { blame } from "./blame.ts";

const shape = "@0123456789abcdef";
const records = new Map([
  ["host a.example", JSON.stringify({ locations: [{ shape, namespace: "ns", ingress: "a" }] })],
  ["host b.example", JSON.stringify({ locations: [{ shape: "@other", namespace: "ns", ingress: "b" }] })],
]);
const ofHost = new Map<string | undefined, string>([
  ['"/x"', "ns/x"],
  [undefined, "ns/all"],
]);
const authors = (server: string, location: string | undefined) => {
  const found = server === '"own.example"' ? ofHost.get(location) : undefined;
  return new Set(found === undefined ? [] : [found]);
};
const conf = (text: string) => text.split("\n").map((line) => line.replace(/^ {4}/, ""));
const text = conf(`    http {
        server {
            server_name _;
            location ${shape} {
                bad a;
            }
            location = /beside {
                bad i;
            }
        }
        server {
            server_name "own.example";
            location "/x" {
                location "/inside" {
                    bad b;
                }
                bad c;
                more_set_headers "X: a
bad d";
            }
            bad e;
            location = /snippet { bad g; } location = /snippet { bad h; }
        }
        bad f;
    }`);
const blamed = (words: string) => [
  ...blame(text.join("\n"), text.findIndex((line) => line.includes(words)) + 1, records, authors),
];

test.each([
  ["bad a", ["Ingress ns/a"], "all that have the shape"],
  ["bad i", [], "what stands beside the shapes may be anybody's"],
  ["bad b", ["Ingress ns/x"], "a snippet's own location belongs to who wrote the snippet"],
  ["bad c", ["Ingress ns/x"], "what comes after one is not in it"],
  ["bad d", ["Ingress ns/x"], "a line of a text in quotes"],
  ['location "/x"', ["Ingress ns/x"], "the line that opens it"],
  ["bad e", ["Ingress ns/all"], "a line of the server is in none of its locations"],
  ["bad g", ["Ingress ns/all"], "a location of a server snippet is the host's"],
  ["bad f", [], "what comes after a server is not in it"],
])("%s is blamed on %j: %s", (words, whom) => {
  expect(blamed(words)).toEqual(whom);
});

test("what stands in a host's server without authors is all of its Ingresses", () => {
  const own = ["    server_name a.example;", "    bad;"].join("\n");
  expect([...blame(own, 2, records)]).toEqual(["Ingress ns/a"]);
});

test("what stands in no server is nobody's", () => {
  expect([...blame("http {\n    bad;\n}", 2, records)]).toEqual([]);
});
