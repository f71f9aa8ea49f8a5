/**
 * The controller between Snapshot and nginx, without nginx: translate, render, and comparison with
 * the previous turn. Its CPU is user and system time, so that a busy machine changes little.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineFlags, translateOptions } from "../../../src/controller/flags/options.ts";
import { defaultFlags } from "../../../src/controller/flags.ts";
import { machineOf } from "../../../src/controller/machine.ts";
import { fakeCertificate } from "../../../src/core/certificates/fake.ts";
import type { Snapshot } from "../../../src/core/model/snapshot.ts";
import { compileTemplate } from "../../../src/core/render/compile-template.ts";
import { DynamicRenderer } from "../../../src/core/render/dynamic/renderer.ts";
import type { Rendered } from "../../../src/core/render/rendering.ts";
import { emptyLastGood } from "../../../src/core/table/last-good.ts";
import { emptyQuarantine } from "../../../src/core/table/quarantine.ts";
import { Translator } from "../../../src/core/table/translator.ts";
import { askCapabilities, openRunFolder, placeHere } from "../../../src/nginx/index.ts";
import { builtInTemplates, readTemplateFiles } from "../../../src/nginx/template/files.ts";

export interface Pipeline {
  turn(snapshot: Snapshot): Rendered;
}

type Flags = ReturnType<typeof defaultFlags>;

export async function openPipeline(more: Partial<Flags> = {}): Promise<Pipeline> {
  const opened = openRunFolder(mkdtempSync(join(tmpdir(), "bench-")));
  const asked = await askCapabilities("nginx", process.env.PATH ?? "");
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!opened.ok || !asked.ok || !compiled.ok) throw new Error("nginx, its folder or the template cannot be used");
  const flags = { ...defaultFlags("run"), ...more };
  const logs = { accessLog: "/dev/null", errorLog: "stderr" };
  const machine = machineOf(asked.capabilities, placeHere(), opened.folder, machineFlags(flags, logs));
  const renderer = new DynamicRenderer(machine, compiled.template);
  const translator = new Translator(translateOptions(flags, "run", undefined), await fakeCertificate(new Date()));
  let lastGood = emptyLastGood;
  return {
    turn: (snapshot) => {
      const translation = translator.turn({ snapshot, lastGood, quarantine: emptyQuarantine });
      lastGood = translation.lastGood;
      return renderer.render(translation.configuration as Parameters<typeof renderer.render>[0]);
    },
  };
}

/** Returns the CPU time of one call, in ms of user and system time. */
export function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
