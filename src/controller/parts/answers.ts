/**
 * The answers of a running controller to `sluice status`, `sluice why` and the page. They are
 * computed on request.
 */

import { sharingTime } from "../../ask/matcher/pattern.ts";
import type { AskOutcome, AskQuestion } from "../../ask/page/api/ask.ts";
import type { StatusAnswer } from "../../ask/page/api/status.ts";
import { explain, explainStream } from "../../ask/page/ask/explain.ts";
import { inTime } from "../../ask/page/ask/in-time.ts";
import { askedIn } from "../../ask/page/ask/question.ts";
import type { AskedWorld } from "../../ask/page/ask/world.ts";
import { ServedCounts } from "../../ask/page/served-counts.ts";
import { statusOf } from "../../ask/page/status.ts";
import { build } from "../../base/version.ts";
import type { Unread } from "../../core/model/gist.ts";
import { severityOf } from "../../core/model/problem-kinds.ts";
import { isOurs } from "../../core/sources/ingress/accept.ts";
import type { Source } from "../../core/sync/ports.ts";
import type { TranslateOptions } from "../../core/table/options.ts";
import { decideOptions } from "../flags/options.ts";
import type { Instruments } from "./instruments.ts";
import type { Program } from "./program.ts";

/**
 * The limit for a decision. Apart from its patterns it takes a few milliseconds, even with many
 * hosts.
 */
const longestMs = 10_000;
/** The time that all patterns of a decision share. One pattern may take half of it. */
const patternsMs = 2_000;
const tooLong =
  "a pattern that may take this request needs too long for it, so there is no answer; ask with a shorter path";

export interface ControllerAnswers {
  /** Undefined before the controller has started. */
  readonly status: () => Promise<StatusAnswer | undefined>;
  /** Returns where a request would go. No request is sent. */
  readonly ask: (question: AskQuestion) => Promise<AskOutcome>;
  readonly hasCluster: boolean;
}

export interface AboutController {
  readonly source: Source;
  readonly translate: TranslateOptions;
  readonly pod?: { readonly namespace: string; readonly name: string };
  /** Undefined outside of a cluster. */
  readonly leader: () => StatusAnswer["leader"];
  /** Objects of files that have a mistake and cannot be read; absent in a cluster. */
  readonly unread?: () => readonly Unread[];
}

export function answersOf(program: Program, instruments: Instruments, about: AboutController): ControllerAnswers {
  const { running } = program;
  const startedAt = new Date().toISOString();
  const counts = new ServedCounts();
  return {
    hasCluster: about.pod !== undefined,
    async status() {
      const { controller } = running;
      if (controller === undefined) return undefined;
      const { installed } = running.nginx;
      const identity: StatusAnswer["controller"] = {
        release: build.release,
        startedAt,
        mode: controller.machine.mode,
        nginx: installed.capabilities.version,
        ...(about.pod === undefined ? {} : { pod: `${about.pod.namespace}/${about.pod.name}` }),
      };
      const { reports, changes, failures } = instruments;
      const [problems, leader] = [reports.current, about.leader()];
      return statusOf({ identity, controller, changes, counts, problems, leader, failures });
    },
    async ask(question) {
      const read = askedIn(question);
      if (typeof read === "string") return { ok: false, why: read };
      const { controller } = running;
      const served = controller?.sync.configuration;
      if (controller === undefined || served === undefined)
        return { ok: false, why: "the controller has not applied anything yet" };
      const world = worldOf(program, instruments, about, served);
      const ofStream = explainStream(read, world);
      if (ofStream !== undefined) return { ok: true, answer: ofStream };
      const request = read.request!;
      const explained = () => explain({ world, asked: request, now: new Date() });
      const answer = inTime(longestMs, () => sharingTime(patternsMs, explained));
      return answer === undefined ? { ok: false, why: tooLong } : { ok: true, answer };
    },
  };
}

function worldOf(
  { flags }: Program,
  { reports, failures }: Instruments,
  { source, translate: options, unread }: AboutController,
  served: AskedWorld["served"],
): AskedWorld {
  const snapshot = source.snapshot();
  const problems = reports.current;
  return {
    ...{ served, snapshot, options, problems, failures },
    decide: decideOptions(flags),
    flagsOf: "flags of this controller",
    isServed: (key) => {
      const ingress = snapshot.ingresses.get(key);
      return ingress !== undefined && isOurs(ingress, snapshot.ingressClasses, options);
    },
    findings: problems.map((problem) => ({
      severity: severityOf(problem),
      at: "at" in problem ? problem.at : undefined,
      problem,
    })),
    unread: unread?.() ?? [],
  };
}
