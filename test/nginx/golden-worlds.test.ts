/**
 * The answers of a real nginx in golden worlds (test/support/golden-worlds.ts). Where chance
 * decides, all answers of the decision are written, and nginx must give one of them. `npm test
 * nginx -- test/nginx/golden-worlds.test.ts --update` rewrites the files.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeCertificate } from "../../src/core/certificates/fake.ts";
import {
  type GoldenStep,
  goldenNames,
  goldenWorld,
  questionOf,
  translationsOf,
  worldsFolder,
} from "../support/golden-worlds.ts";
import { startWorlds, type Worlds } from "./support/worlds.ts";

const base = 18_840;

/** Starting nginx takes longer than serving a world, so worlds follow each other on one. */
test.each([false, true])(
  "nginx answers as the golden files say, where it has a socket for TLS: %s",
  async (isSocket) => {
    const it = await startWorlds(base, isSocket);
    const fake = await fakeCertificate(new Date());
    for (const name of goldenNames) {
      const world = goldenWorld(name);
      if (world.passthrough !== isSocket) continue;
      const lines: string[] = [];
      for (const [at, translation] of translationsOf(world, base, fake).entries()) {
        const step = world.steps[at]!;
        await it.put(translation, step.services, step.oldText);
        if (step.then !== "") lines.push(`Then ${step.then}:`);
        for (const request of step.requests) lines.push(request, `  ${await answerTo(it, request, step)}`);
      }
      if (world.text !== undefined) lines.push(...textLines(it, new RegExp(world.text, "gm")));
      await expect
        .soft(`${lines.join("\n")}\n`, world.title)
        .toMatchFileSnapshot(join(worldsFolder, name, "answers.txt"));
    }
  },
);

async function answerTo(it: Worlds, request: string, { headers }: GoldenStep): Promise<string> {
  const question = questionOf(request);
  const { text, certificate, headers: sent } = await it.ask(question);
  const { answers } = it.decide(question);
  const shown = headers.flatMap((name) =>
    sent[name] === undefined ? [] : [`${name}: ${neutral(String(sent[name]))}`],
  );
  return [
    answers.length > 1 && answers.includes(text) ? answers.join(" or ") : text,
    ...(certificate === undefined ? [] : [`with the certificate ${certificate}`]),
    ...shown,
  ].join("; ");
}

/** A session's value differs from run to run. */
const neutral = (value: string): string => value.replace(/=[^;]*/, "=...");

function textLines({ gateways }: Worlds, lines: RegExp): readonly string[] {
  const text = readFileSync(gateways.nginx.folder.conf, "utf8").replaceAll(gateways.nginx.folder.root, "RUN");
  return ["nginx's text has:", ...(text.match(lines) ?? []).map((line) => `  ${line}`)];
}
