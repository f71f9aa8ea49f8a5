/**
 * Renders clusters for golden files, with fixed values for everything that differs from machine to
 * machine.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { machineFlags, translateOptions } from "../../../src/controller/flags/options.ts";
import { defaultFlags } from "../../../src/controller/flags.ts";
import { luaFolder, machineOf } from "../../../src/controller/machine.ts";
import { fakeCertificate } from "../../../src/core/certificates/fake.ts";
import type { Certificate } from "../../../src/core/model/configuration.ts";
import { type KubernetesObject, keyOf } from "../../../src/core/model/objects.ts";
import { emptySnapshot, type WatchedKind, withObjects } from "../../../src/core/model/snapshot.ts";
import { compileTemplate } from "../../../src/core/render/compile-template.ts";
import { DynamicRenderer } from "../../../src/core/render/dynamic/renderer.ts";
import type { RenderedText } from "../../../src/core/render/rendering.ts";
import { StaticRenderer } from "../../../src/core/render/static/renderer.ts";
import type { Template } from "../../../src/core/render/template.ts";
import { type Translation, Translator, translate } from "../../../src/core/table/translator.ts";
import { emptyInputs } from "../../../src/core/table/turn.ts";
import type { Machine } from "../../../src/core/tokens/machine.ts";
import {
  askCapabilities,
  type Capabilities,
  openRunFolder,
  placeHere,
  type RunFolder,
} from "../../../src/nginx/index.ts";
import { builtInTemplates, readTemplateFiles } from "../../../src/nginx/template/files.ts";

/** The Gateway that shares the ports of Ingresses, in cases that have it. */
const shared = "infra/shared";

export class Studio {
  readonly #fake: Certificate;
  readonly #folder: RunFolder;
  readonly #capabilities: Capabilities;
  readonly #template: Template;

  private constructor(folder: RunFolder, capabilities: Capabilities, template: Template, fake: Certificate) {
    this.#folder = folder;
    this.#capabilities = capabilities;
    this.#template = template;
    this.#fake = fake;
  }

  /** `template` replaces the one that is compiled of the built-in files. */
  static async open(template?: Template): Promise<Studio> {
    const opened = openRunFolder(mkdtempSync(join(tmpdir(), "golden-")));
    const asked = await askCapabilities("nginx", process.env.PATH ?? "");
    const compiled = compileTemplate(readTemplateFiles(builtInTemplates));
    if (!opened.ok || !asked.ok || !compiled.ok) throw new Error("nginx, its folder or the template cannot be used");
    const used = template ?? compiled.template;
    return new Studio(opened.folder, asked.capabilities, used, await fakeCertificate(new Date()));
  }

  close(): void {
    rmSync(this.#folder.root, { recursive: true });
  }

  /** Returns the results of one controller for clusters that follow each other. */
  translatedInTurn(clusters: readonly (readonly KubernetesObject[])[]): readonly Translation[] {
    const flags = { ...defaultFlags("run"), configmap: "ingress-nginx/settings" };
    const translator = new Translator(translateOptions(flags, "run", undefined), this.#fake);
    return clusters.map((objects) => {
      const changes = objects.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object }));
      return translator.turn({ ...emptyInputs, snapshot: withObjects(emptySnapshot, changes) });
    });
  }

  translated(objects: readonly KubernetesObject[], more: Partial<ReturnType<typeof defaultFlags>> = {}): Translation {
    const changes = objects.map((object) => ({ kind: object.kind as WatchedKind, key: keyOf(object), object }));
    const flags = {
      ...defaultFlags("run"),
      configmap: "ingress-nginx/settings",
      tcpServicesConfigmap: "ingress-nginx/tcp",
      gatewayAddresses: ["127.0.0.77"],
      ...(objects.some((one) => one.kind === "Gateway" && keyOf(one) === shared) ? { sharedGateway: shared } : {}),
      ...more,
    };
    const snapshot = withObjects(emptySnapshot, changes);
    return translate({ ...emptyInputs, snapshot }, translateOptions(flags, "run", undefined), this.#fake);
  }

  /** Returns a renderer for several Configurations, one after the other. */
  renderer(luaVersion?: string): DynamicRenderer {
    return new DynamicRenderer(this.#machine("dynamic", luaVersion), this.#template);
  }

  dynamic(translation: Translation, luaVersion?: string): { readonly text: RenderedText; readonly records: string } {
    const renderer = this.renderer(luaVersion);
    const { text } = renderer.render(translation.configuration);
    const root = this.#folder.root;
    const records = [...renderer.records].filter(([key]) => !key.startsWith("pair ")).sort();
    const listed = records.map(([key, value]) => `${key}\n${JSON.stringify(parsed(value), null, 1)}\n`).join("");
    return { text, records: listed.replaceAll(root, "/run/sluice") };
  }

  static(translation: Translation, luaVersion?: string): RenderedText {
    return new StaticRenderer(this.#machine("static", luaVersion), this.#template).render(translation.configuration)
      .text;
  }

  #machine(mode: Machine["mode"], luaVersion?: string): Machine {
    const logs = { accessLog: "/dev/null", errorLog: "stderr" };
    const flags = machineFlags({ ...defaultFlags("run"), mode }, logs);
    const here = machineOf(this.#capabilities, placeHere(), this.#folder, flags);
    const place = { cpus: 2, openFiles: 4096, ipv6: false, nameservers: ["192.0.2.53"], backlog: 511 };
    const version = luaVersion === undefined ? {} : { luaVersion };
    return { ...here, ...version, ...place, user: "root", nameKey: "" };
  }

  /** Returns the text without parts that differ between machines or runs. */
  neutral({ conf }: RenderedText): string {
    return (
      conf
        .replaceAll(this.#folder.root, "/run/sluice")
        .replaceAll(luaFolder, "/usr/share/sluice/lua")
        .replace(/load_module "\S*\/(\w+\.so)"/g, 'load_module "$1"')
        // A machine may have more modules than these cases need.
        .replace(/^ *load_module "(?!ndk_http|ngx_http_lua|ngx_stream_mod|ngx_http_headers)\w+\.so";\n/gm, "")
        .replace(/return 200 [0-9a-f]{32};/, "return 200 GENERATION;")
    );
  }

  /** Returns nginx's message about the text; empty if it accepts the text. */
  async refusal({ conf, files }: RenderedText): Promise<string> {
    const folder = this.#folder;
    for (const { path, content } of files) {
      mkdirSync(dirname(join(folder.root, path)), { recursive: true });
      writeFileSync(join(folder.root, path), content);
    }
    writeFileSync(folder.conf, conf);
    const args = ["-t", "-q", "-c", folder.conf, "-e", "stderr", "-g", `pid ${folder.pid};`];
    const run = await execa(this.#capabilities.binary, args, { reject: false });
    return run.exitCode === 0 ? "" : run.stderr;
  }
}

/** Parses a record. All are JSON except the one that names a certificate. */
function parsed(value: string): unknown {
  return value.startsWith("{") ? JSON.parse(value) : value;
}
