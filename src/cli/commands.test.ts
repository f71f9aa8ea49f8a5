import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { listenForEnding } from "../controller/run/ending.ts";
import { commands, helpText, unknownCommand } from "./commands.ts";

test("--help names every command", () => {
  for (const { usage, doc } of Object.values(commands))
    expect(helpText().replace(/ +/g, " ")).toContain(` ${usage} ${doc}`);
});

test.each(Object.keys(commands))("%s --help has a usage line", async (name) => {
  const texts: string[] = [];
  const fail = (sentence: string) => texts.push(`failed: ${sentence}`);
  const code = await commands[name]!.run(["--help"], { write: (text) => texts.push(text), fail });
  expect(code).toBe(0);
  expect(texts.join("")).toMatch(new RegExp(`^[^]*Usage: sluice ${name}\\b`));
  expect(texts.join("")).not.toContain("failed: ");
});

test("an unknown command names the nearest one, or the command that lists all", () => {
  expect(unknownCommand("sreve")).toBe('sluice: "sreve" is not a command (did you mean serve?)');
  expect(unknownCommand("bake")).toBe('sluice: "bake" is not a command; see sluice --help');
});

test("the first signal ends a command in order, and the second ends the program at once", async () => {
  const exits: number[] = [];
  const host = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) });
  const ending = listenForEnding(host as unknown as NodeJS.Process);
  host.emit("SIGINT", "SIGINT");
  expect(await ending.ended).toBe("SIGINT");
  expect(exits).toEqual([]);
  host.emit("SIGINT", "SIGINT");
  host.emit("SIGHUP", "SIGHUP");
  expect(exits).toEqual([130, 129]);
});

test("a second SIGTERM is ignored by a command that only a second Ctrl-C ends at once", () => {
  const exits: number[] = [];
  const host = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) });
  listenForEnding(host as unknown as NodeJS.Process, ["SIGINT"]);
  for (const signal of ["SIGTERM", "SIGTERM", "SIGINT"]) host.emit(signal, signal);
  expect(exits).toEqual([130]);
});
