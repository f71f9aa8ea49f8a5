/** Commands are repeated if the API server failed, and not if it decided. */
import { expect, test } from "vitest";
import { isRefusal, mayPass, untilDecided } from "./api-failures.ts";

test.each([
  'Error from server (InternalError): error when creating "STDIN": Internal error occurred: failed to allocate a serviceIP',
  "Error from server: etcdserver: request timed out",
  "Error from server (Timeout): Timeout: request did not complete within requested timeout",
  "Unable to connect to the server: net/http: TLS handshake timeout",
  "The connection to the server 192.0.2.1:6443 was refused - did you specify the right host or port?",
  "error: unexpected EOF",
])("the failure %s may pass", (message) => expect(mayPass(message)).toBe(true));

test.each([
  'Error from server (Forbidden): secrets is forbidden: User "nobody" cannot list resource "secrets"',
  'Error from server (NotFound): configmaps "a" not found',
  'The Service "web" is invalid: spec.ports[0].port: Invalid value: 0',
  'Error from server (InternalError): Internal error occurred: failed calling webhook "a.b": connect: connection refused',
])("the failure %s is a decision", (message) => expect(mayPass(message)).toBe(false));

test("statuses of requests are classified in the same way", () => {
  expect([0, 409, 429, 500, 503].map((code) => isRefusal({ code }))).toEqual([false, false, false, false, false]);
  expect([400, 403, 404, 422].map((code) => isRefusal({ code }))).toEqual([true, true, true, true]);
});

/** Returns the result of the command, and how often it ran. */
async function run(verb: string, ...stderrs: readonly string[]): Promise<string> {
  let runs = 0;
  const once = async () => {
    const stderr = stderrs[runs];
    runs += 1;
    if (stderr !== undefined) throw Object.assign(new Error("exit code 1"), { stderr });
    return "done";
  };
  const text = await untilDecided([verb], once).catch(({ stderr }) => stderr);
  return `${runs} ${text}`;
}

const lost = "error: unexpected EOF";
const exists = 'Error from server (AlreadyExists): configmaps "a" already exists';

test("a command is repeated until it is decided", async () => {
  expect(await run("apply", lost, lost)).toBe("3 done");
  expect(await run("get", lost, "Error from server (Forbidden): no")).toBe("2 Error from server (Forbidden): no");
});

test("an object that an earlier try has created or deleted does not count as a failure", async () => {
  expect(await run("create", lost, exists)).toBe("2 ");
  expect(await run("create", exists)).toBe(`1 ${exists}`);
  expect(await run("delete", lost, 'Error from server (NotFound): configmaps "a" not found')).toBe("2 ");
});

test("a server that does not return ends the command with its last failure", async () => {
  const times = [0, 59_000, 61_000];
  const failing = async () => {
    throw Object.assign(new Error("exit code 1"), { stderr: lost });
  };
  await expect(untilDecided(["apply"], failing, () => times.shift()!)).rejects.toThrow("exit code 1");
  expect(times).toEqual([]);
});
