/** Renders nginx's text and records for some objects, without running nginx. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineFlags, translateOptions } from "../../../src/controller/flags/options.ts";
import { machineOf } from "../../../src/controller/machine.ts";
import { fakeCertificate } from "../../../src/core/certificates/fake.ts";
import { type KubernetesObject, keyOf } from "../../../src/core/model/objects.ts";
import { kindOf } from "../../../src/core/model/records.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../../src/core/model/snapshot.ts";
import { Table } from "../../../src/core/model/table.ts";
import { compileTemplate } from "../../../src/core/render/compile-template.ts";
import { openRenderer } from "../../../src/core/render/open-renderer.ts";
import type { OwnersAt } from "../../../src/core/render/rendering.ts";
import { translate } from "../../../src/core/table/translator.ts";
import { emptyInputs } from "../../../src/core/table/turn.ts";
import { nginxHere, openRunFolder } from "../../../src/nginx/index.ts";
import { builtInTemplates, readTemplateFiles } from "../../../src/nginx/template/files.ts";
import { flagsOf, type Mode } from "../../parity/subject.ts";

/** The parts of a host's or upstream's record that concern addresses. */
export interface RecordWords {
  readonly endpoints?: readonly string[];
  readonly locations?: readonly { readonly variables?: { readonly auth_url?: string; readonly mirror_url?: string } }[];
}

export interface Rendered {
  readonly conf: string;
  readonly ownersAt: OwnersAt;
  readonly records: readonly RecordWords[];
}

export interface Paper {
  /** `addresses` are the answers to names of Services, by name. */
  render(
    objects: readonly KubernetesObject[],
    mode: Mode,
    addresses?: Iterable<readonly [string, readonly string[]]>,
  ): Rendered;
  close(): void;
}

/** The assumed addresses of Sluice's machine. */
export const ownAddresses: ReadonlySet<string> = new Set(["192.0.2.1", "2001:db8::1"]);

export async function openPaper(flags: readonly string[] = []): Promise<Paper> {
  const root = mkdtempSync(join(tmpdir(), "paper-"));
  const [opened, found] = [openRunFolder(root), await nginxHere("nginx", process.env.PATH ?? "")];
  const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
  if (!opened.ok || !found.ok || !compiled.ok) throw new Error("no nginx, no folder or no template");
  const { capabilities, place } = found.nginx;
  const fake = await fakeCertificate(new Date());
  return {
    render: (objects, mode, addresses = []) => {
      const parsed = flagsOf(mode, flags);
      const logs = { accessLog: "/dev/null", errorLog: "stderr" };
      const machine = machineOf(capabilities, place, opened.folder, machineFlags(parsed, logs));
      const options = translateOptions(parsed, "run", undefined);
      const changes = objects.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object }));
      const snapshot = {
        ...withObjects(emptySnapshot, changes),
        addresses: Table.empty<readonly string[]>().with(addresses),
      };
      const asked = { ...options.asked, ownAddresses };
      const { configuration } = translate({ ...emptyInputs, snapshot }, { ...options, asked }, fake);
      const renderer = openRenderer(machine, compiled.template);
      const { text } = renderer.render(configuration);
      const { conf, ownersAt } = text;
      const records = [...renderer.records].filter(([key]) => kindOf(key) !== "pair");
      return { conf, ownersAt, records: records.map(([, text]) => JSON.parse(text) as RecordWords) };
    },
    close: () => rmSync(root, { recursive: true }),
  };
}
