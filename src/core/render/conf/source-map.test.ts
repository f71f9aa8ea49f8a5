import { expect, test } from "vitest";
import { Token } from "../../tokens/token.ts";
import { indented } from "./indent.ts";
import { hostBlock, locationBlock, shapeBlock, withoutNotes } from "./source-map.ts";

const data = Token.name("_");
const own = hostBlock(Token.word("own.example"), "own.example");
const x = locationBlock(Token.word("/x"), 3);
const other = hostBlock(Token.words([Token.word("*.a.example"), Token.word("b.example")]), "*.a.example");
const noted = indented(`http {
server {
server_name ${data};
location ${shapeBlock("@0123")} {
in shape;
}
location = /beside { beside; }
}
server {
listen 80;
server_name ${own};
location ${x} {
location "/inside" {
inside;
}
after inside;
more_set_headers "X: {
in quotes";
}
location = /one ${locationBlock(Token.word("/one"), 4)} { one line; }
of host;
location = /snippet { of snippet; }
}
after server;
server { server_name ${other}; }
last;
}
`);
const { text, map } = withoutNotes(noted);
const lines = text.split("\n");
const around = (words: string) => map.around(lines.findIndex((line) => line.includes(words)) + 1);

test("the text has no notes in it", () => {
  expect(text).not.toMatch(/[\u0003-\u0005]/);
  expect(text).toContain('        location "/x" {\n            location "/inside" {\n');
});

test.each([
  ["in shape", ["shape @0123"], "a named location belongs to its shape"],
  ["location @0123", ["shape @0123"], "the line that opens it belongs to it"],
  ["beside", [], "a location without a note belongs to its server"],
  ["listen 80", [], "lines before the name of the server belong to none"],
  ["inside;", ["location 3", "host own.example"], "a location of a snippet belongs to the one around it"],
  ["after inside", ["location 3", "host own.example"], "so does what follows it"],
  ["in quotes", ["location 3", "host own.example"], "braces in quotes end nothing"],
  ["one line", ["location 4", "host own.example"], "a block may end on its own line"],
  ["of host", ["host own.example"], "a line between locations belongs to the host"],
  ["of snippet", ["host own.example"], "so does a location of a server snippet"],
  ["after server", [], "what follows a server is in none"],
  ['server_name "*.a', ["host *.a.example"], "names are decoded"],
  ["last", [], "a server may end on its own line"],
])("the line with %s belongs to %j: %s", (words, notes) => {
  expect(around(words)).toEqual(notes);
});
