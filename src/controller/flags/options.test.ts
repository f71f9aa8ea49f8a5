import { expect, test } from "vitest";
import type { Command } from "../flags.ts";
import { translateOptions } from "./options.ts";
import { parseFlags } from "./parse.ts";

function optionsOf(command: Command, ...argv: string[]) {
  const parsed = parseFlags(argv, command);
  if (parsed.kind !== "flags") throw new Error(parsed.kind);
  return translateOptions(parsed.flags, command, undefined);
}

test.each([
  ["serve", [], true],
  ["serve", ["--watch-ingress-without-class=false"], false],
  ["run", [], false],
  ["run", ["--watch-ingress-without-class"], true],
] as const)("%s %j serves Ingresses without a class: %s", (command, argv, expected) => {
  expect(optionsOf(command, ...argv).watchIngressWithoutClass).toBe(expected);
});

test("TCP and UDP services cannot have the port of the webhook", () => {
  const certificate = ["--validating-webhook-certificate=c.pem", "--validating-webhook-key=k.pem"];
  expect(optionsOf("run", "--validating-webhook=:8443", ...certificate).reservedPorts.get(8443)).toBe("the webhook");
});
