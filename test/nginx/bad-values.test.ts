/**
 * All bad values of all annotations at once, each in an Ingress of its own, beside one that is
 * good.
 */
import { expect, test } from "vitest";
import { badAnnotations } from "../support/bad-annotations.ts";
import { ingress } from "../support/sketch.ts";
import { startStand } from "./support/stand.ts";

const statuses = { default: 200, deny: 503, reject: 404 };

test.each([
  ["dynamic", 8521, "192.0.2.95"],
  ["static", 8522, "192.0.2.96"],
] as const)(
  "in %s mode every bad value has its consequence, and the good Ingress is served",
  { timeout: 300_000 },
  async (mode, port, address) => {
    const settings = { "annotations-risk-level": "Critical", "allow-snippet-annotations": "true" };
    const stand = await startStand({ mode, port, address, settings });
    const all = badAnnotations.map((one, at) => ({ ...one, name: `bad-${at}`, host: `bad-${at}.example` }));
    await stand.apply(
      ...all.map(({ name, host, annotations }) => ingress({ name, host, annotations })),
      ingress({ name: "good", host: "good.example" }),
    );
    expect((await stand.ask("good.example")).status).toBe(200);
    expect(stand.problemsOf("good")).toEqual([]);
    const wrong = await Promise.all(
      all.map(async ({ host, key, text, done, gated }) => {
        const { status } = await stand.ask(host);
        // Another annotation may determine the answer, such as an auth service that does not exist.
        const right = status === statuses[done] || (gated && done === "default" && status !== 404);
        return right ? [] : [`${key}: ${text} answers ${status}, not ${statuses[done]}`];
      }),
    );
    expect(wrong.flat()).toEqual([]);
    await stand.stop();
  },
);
