import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { haveTypes, messagesFile, messagesText } from "../../../scripts/messages.ts";

test.skipIf(!haveTypes())("the messages are those of the Go types; npm run definitions writes them", () => {
  expect(readFileSync(messagesFile, "utf8")).toBe(messagesText());
});
