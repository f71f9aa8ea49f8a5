/**
 * Annotations that ask for gigabytes of buffers, which slow clients would hold in a worker. They
 * get the operator's ceiling, nginx accepts it, and the paths are served.
 */
import { describe, expect, test } from "vitest";
import type { Directive } from "../../support/nginx-tree.ts";
import { ingress, settings } from "../support/objects.ts";
import { worldOf } from "../support/world.ts";

const megabyte = 2 ** 20;
const units: Readonly<Record<string, number>> = { k: 1024, m: megabyte, g: 1024 * megabyte };
const bytes = (size: string) => Number.parseInt(size, 10) * (units[size.slice(-1)] ?? 1);

/** Returns the arguments of all directives of this name. */
function all(tree: readonly Directive[], wanted: string): (readonly string[])[] {
  return tree.flatMap(({ name, args, block = [] }) => [...(name === wanted ? [args] : []), ...all(block, wanted)]);
}

/** Returns the most bytes that nginx may take for one answer, and for one body. */
function most(tree: readonly Directive[]) {
  const answers = all(tree, "proxy_buffers").map(([count = "", size = ""]) => (Number(count) + 1) * bytes(size));
  const bodies = all(tree, "client_body_buffer_size").map(([size = ""]) => bytes(size));
  return { answer: Math.max(...answers), body: Math.max(...bodies) };
}

const greedy = (more: Readonly<Record<string, string>> = {}) => ({
  ...{ "proxy-buffering": "on", "proxy-buffers-number": "65536", "proxy-buffer-size": "1m" },
  ...{ "client-body-buffer-size": "1g", ...more },
});

describe.each(["dynamic", "static"] as const)("%s mode", (mode) => {
  const world = worldOf({ mode });

  test.each([
    ["as many buffers as possible", {}],
    ["large ones, all of them busy", { "proxy-buffer-size": "64m", "proxy-busy-buffers-size": "64m" }],
    ["small busy ones and no file", { "proxy-busy-buffers-size": "512", "proxy-max-temp-file-size": "0" }],
  ])("%s: an answer gets 16 MB and a body 32 MB", async (_, more) => {
    await world.apply(ingress({ name: "greedy", annotations: greedy(more) }));
    expect(world.problemsOf("greedy")).toEqual([
      expect.stringMatching(/^annotation client-body-buffer-size: .*client-body-buffer-ceiling, 32m/),
      expect.stringMatching(/^annotation proxy-buffers-number: .*proxy-buffers-ceiling, 16m/),
    ]);
    const { answer, body } = most(world.tree());
    expect(answer).toBeLessThanOrEqual(16 * megabyte);
    expect(body).toBe(32 * megabyte);
    expect((await world.ask("greedy.example")).body).toBe("secret");
  });

  test("the operator's keys proxy-buffers-ceiling and client-body-buffer-ceiling permit other sizes", async () => {
    const keys = { "proxy-buffers-ceiling": "1m", "client-body-buffer-ceiling": "2m" };
    await world.apply(ingress({ name: "greedy", annotations: greedy() }), settings(keys));
    const { answer, body } = most(world.tree());
    expect(answer).toBeLessThanOrEqual(megabyte);
    expect(body).toBe(2 * megabyte);
    expect((await world.ask("greedy.example")).body).toBe("secret");
  });
});
