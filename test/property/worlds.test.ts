/**
 * Random worlds of both APIs on a real nginx: on ports of Ingresses, on ports of a Gateway, and on
 * ports that both share. nginx must answer each request as the matcher decides. A request that
 * differs is printed with the least world that shows it.
 *
 * `npm run worlds` sends 100,000 requests from a new seed on; SLUICE_REQUESTS and SLUICE_SEED
 * choose others. `SLUICE_ANSWERS=FILE` writes a line for each request, with its
 * answer. `SLUICE_BEFORE=FILE` compares the answers with such a file of another commit: worlds and
 * requests depend on the seed alone.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { KubernetesObject } from "../../src/core/model/objects.ts";
import { startWorlds, type Worlds } from "../nginx/support/worlds.ts";
import type { Question } from "../support/decided.ts";
import { pairOf } from "../support/named-pair.ts";
import { Draws } from "./draws.ts";
import { pairs, questionFrom, services, sketchFrom } from "./worlds/draw.ts";
import { shrunk } from "./worlds/shrunk.ts";
import { namespaces, objectsOf, type Sketch } from "./worlds/sketch.ts";

const { SLUICE_REQUESTS, SLUICE_SEED, SLUICE_ANSWERS, SLUICE_BEFORE } = process.env;
const requests = Number(SLUICE_REQUESTS ?? 4_000);
const seed = Number(SLUICE_SEED ?? 1);
const perWorld = 200;
/** Requests that are on their way at one time. */
const together = 32;

const all = { services: namespaces.flatMap((home) => services.map((name) => `${home}/${name}`)) };
const secrets = namespaces.flatMap((home) => Object.keys(pairs).map((name) => secretOf(home, name)));

function secretOf(namespace: string, name: string): KubernetesObject {
  const { certificate, key } = pairOf(`${namespace}/${name}`, pairs[name]!);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data = { "tls.crt": base64(certificate), "tls.key": base64(key) };
  return { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata: { name, namespace }, data } as never;
}

/** Fields of a world that can go, beside the elements of lists. */
const optional = [
  "tls",
  "defaultBackend",
  "weight",
  "sectionName",
  "method",
  "headers",
  "queryParams",
  "canary-by-header",
  "answersPreflights",
  "rewrite",
];

interface Difference {
  readonly question: Question;
  readonly words: string;
  readonly answer: string;
}

const serve = (it: Worlds, sketch: Sketch) => it.serve({ ...all, objects: [...secrets, ...objectsOf(sketch)] });

/** Compares one answer with the decision. A handshake that ends is compared with nothing. */
async function compared(
  it: Worlds,
  question: Question,
): Promise<Difference & { readonly isRight: boolean; line: string }> {
  const { words, answers } = it.decide(question);
  const { text: answer, certificate } = await it.ask(question);
  const isRight = answers.includes(answer) || answers.length === 0 || answer === "closed";
  // Where chance decides, the line has all possible answers, so that lines can be compared.
  const line = [
    JSON.stringify(question),
    certificate ?? "",
    isRight && answer !== "closed" && answers.length > 0 ? answers.toSorted().join(" or ") : answer,
  ].join("\t");
  return { question, words, answer, isRight, line };
}

test(`${requests} random requests get the answers that the matcher decides`, { timeout: 3_600_000 }, async () => {
  const it = await startWorlds(18_840);
  const before = SLUICE_BEFORE === undefined ? undefined : readFileSync(SLUICE_BEFORE, "utf8").split("\n");
  const lines: string[] = [];
  const counts = { closed: 0, unclear: 0, backends: 0 };
  const changed: string[] = [];
  for (let world = 0; world * perWorld < requests; world++) {
    const draw = new Draws(seed * 1_000_003 + world);
    const sketch = sketchFrom(draw);
    await serve(it, sketch);
    const asked = Array.from({ length: perWorld }, () => questionFrom(draw, sketch));
    for (let at = 0; at < perWorld; at += together) {
      const found = await Promise.all(asked.slice(at, at + together).map((question) => compared(it, question)));
      const wrong = found.find(({ isRight }) => !isRight);
      if (wrong !== undefined) expect.fail(await reportOf(it, world, sketch, wrong));
      for (const { answer, words, line } of found) {
        if (answer === "closed") counts.closed++;
        if (words.endsWith("only nginx knows")) counts.unclear++;
        if (answer.includes("/s")) counts.backends++;
        if (before !== undefined && before[lines.length] !== `${world}\t${line}`)
          changed.push(`before: ${before[lines.length]}\nnow:    ${world}\t${line}\nby ${words}`);
        lines.push(`${world}\t${line}`);
      }
    }
  }
  if (SLUICE_ANSWERS !== undefined) writeFileSync(SLUICE_ANSWERS, `${lines.join("\n")}\n`);
  console.log(`seed ${seed}, ${lines.length} requests: ${JSON.stringify(counts)}, ${changed.length} changed`);
  expect(changed.slice(0, 20).join("\n\n"), `${changed.length} answers differ from ${SLUICE_BEFORE}`).toBe("");
  // Otherwise the test would compare next to nothing.
  expect(counts.backends).toBeGreaterThan(requests / 4);
  expect(counts.closed + counts.unclear).toBeLessThan(requests / 10);
});

async function reportOf(it: Worlds, world: number, sketch: Sketch, { question }: Difference): Promise<string> {
  const fails = async (one: Sketch, asked: Question) => {
    await serve(it, one);
    return !(await compared(it, asked)).isRight;
  };
  const least = await shrunk(sketch, (one) => fails(one, question), { optional, tries: 400 });
  await serve(it, least);
  const { words, answer } = await compared(it, question);
  return [
    `SLUICE_SEED=${seed}, world ${world}: ${JSON.stringify(question)}`,
    `decided: ${words}`,
    `answered: ${answer}`,
    JSON.stringify(least, undefined, 1),
  ].join("\n");
}
