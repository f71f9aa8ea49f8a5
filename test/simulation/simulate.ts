/** Runs histories. */
import { fakeCertificate } from "../../src/core/certificates/fake.ts";
import { builtInTemplate } from "../../src/nginx/template/built-in.ts";
import type { History } from "./history.ts";
import { type Given, type Outcome, World } from "./world.ts";

/** Makes what all worlds share. */
export async function given(): Promise<Given> {
  const [fake, template] = await Promise.all([fakeCertificate(new Date()), builtInTemplate()]);
  return { fake, template };
}

export function simulate(history: History, made: Given): Promise<Outcome> {
  return new World(history, made).run();
}
