/**
 * The protocol between the controller and the nginx of another container: JSON over HTTP on a unix
 * socket. The socket is 0600 in a folder that is 0700, so the kernel lets only the same account
 * connect. nginx has that account as well, so each request needs the controller's password. Only
 * the controller sends requests: an attacker who takes over nginx can give false answers about
 * nginx, and do nothing else.
 */

import type { ProcessFigures } from "../core/model/nginx-figures.ts";
import type { Place } from "../core/tokens/machine.ts";
import type { Capabilities } from "./capabilities.ts";
import type { TestOutcome, Unreachable } from "./configuration-test.ts";
import type { Generations } from "./generations.ts";
import type { ReloadOutcome, RenderedConfiguration } from "./reload.ts";

/** The answer to `GET /state`. */
export interface NginxState {
  readonly capabilities: Capabilities;
  readonly place: Place;
  /** Null while no master runs. */
  readonly pid: number | null;
  readonly restarts: number;
  readonly generations: Generations;
  readonly processes: ProcessFigures;
}

export type Outcome = ReloadOutcome | TestOutcome;

/** Writes the body of `POST /apply`. */
export function writeRendered({ files, ...others }: RenderedConfiguration): string {
  const written = files.map(({ path, content }) =>
    typeof content === "string" ? { path, text: content } : { path, base64: Buffer.from(content).toString("base64") },
  );
  return JSON.stringify({ ...others, files: written });
}

export function readRendered(body: string): RenderedConfiguration {
  const { files, ...others } = JSON.parse(body) as WrittenConfiguration;
  const read = files.map((file) => ({
    path: file.path,
    content: "text" in file ? file.text : Buffer.from(file.base64, "base64"),
  }));
  return { ...others, files: read };
}

interface WrittenConfiguration extends Omit<RenderedConfiguration, "files"> {
  readonly files: readonly ({ readonly path: string } & ({ readonly text: string } | { readonly base64: string }))[];
}

/** Writes the answer to `POST /apply` and `POST /test`. */
export function writeOutcome(outcome: Outcome): string {
  if (outcome.kind !== "unreachable") return JSON.stringify(outcome);
  const { cause, ...others } = outcome;
  return JSON.stringify({ ...others, why: cause.message });
}

export function readOutcome<O extends Outcome>(body: string): O | Unreachable {
  const outcome = JSON.parse(body) as O | (Omit<Unreachable, "cause"> & { readonly why: string });
  if (!("why" in outcome)) return outcome;
  const { why, ...others } = outcome;
  return { ...others, cause: new Error(why) };
}
