/**
 * Renders a Configuration as text alone, for an nginx without Lua: every host is a server, every
 * route a location, every Upstream a block, and every change is a reload. A host's text is cached
 * until its Server changes, or one of its Upstreams gets its first endpoint or loses its last,
 * because a location without endpoints answers 503 by itself.
 */

import type { Certificate, Configuration, Server, Upstream } from "../../model/configuration.ts";
import type { FeatureValues } from "../../policies/registry.ts";
import type { Settings } from "../../settings/registry.ts";
import type { Machine } from "../../tokens/machine.ts";
import { confOf, defaultFiles, distinct, hashOf } from "../conf/conf.ts";
import { type AboutServers, aboutServers, defaultPairFile } from "../conf/server-views.ts";
import { asksForCertificate } from "../conf/text-servers.ts";
import { staticUpstream } from "../conf/upstream-views.ts";
import { FailedServers } from "../failed-servers.ts";
import { LocationTexts } from "../location/text.ts";
import { certificateFiles, type RenderedFile } from "../rendered-files.ts";
import type { Rendered, RenderedText, Renderer } from "../rendering.ts";
import type { Template } from "../template.ts";
import { affinityKey } from "./affinity.ts";
import { configuredNames } from "./configured-names.ts";
import { type WildcardCertificates, wildcardCertificates, withInherited } from "./inherited-certificates.ts";
import type { StaticParts } from "./parts.ts";
import { type ServerText, staticServers } from "./server.ts";

type Whole = Configuration<Settings, FeatureValues>;

interface UsedBlock {
  readonly name: string;
  readonly upstream: Upstream;
}

interface Remembered extends ServerText {
  /** The values from outside of the Server with which the text was made. */
  readonly served: string;
}

export class StaticRenderer implements Renderer {
  /** Always empty, because everything is text. */
  readonly records: ReadonlyMap<string, string> = new Map();
  readonly #machine: Machine;
  #template: Template;
  #texts: LocationTexts | undefined;
  #about: AboutServers | undefined;
  #servers = new WeakMap<Server<FeatureValues>, Remembered>();
  readonly #failed = new FailedServers();
  readonly #builtIn: Template;
  #text: RenderedText | undefined;
  #last: Whole | undefined;

  constructor(machine: Machine, template: Template) {
    this.#machine = machine;
    this.#template = template;
    this.#builtIn = template;
  }

  use(template: Template): void {
    this.#template = template;
    this.#about = undefined;
  }

  get shapeCount(): number {
    return 0;
  }

  render(next: Whole): Rendered {
    if (this.#about?.settings !== next.settings || this.#texts === undefined) {
      this.#about = aboutServers(next.settings, this.#machine);
      this.#texts = new LocationTexts(this.#template, next.settings, this.#machine);
      this.#servers = new WeakMap();
      this.#last = undefined;
    }
    const text = this.#isSame(next) ? this.#text! : this.#render(next, this.#about, this.#texts);
    this.#text = text;
    this.#last = next;
    const opened = text.files.filter((file) => file.opened);
    return { text, records: new Map(), opened, bugs: this.#failed.bugs };
  }

  #isSame(next: Whole): boolean {
    const last = this.#last;
    return (
      last !== undefined &&
      last.servers === next.servers &&
      last.upstreams === next.upstreams &&
      last.certificates === next.certificates &&
      last.streams === next.streams &&
      last.streamSnippets.join() === next.streamSnippets.join() &&
      last.defaultCertificate === next.defaultCertificate &&
      last.staples === next.staples
    );
  }

  #render(next: Whole, about: AboutServers, texts: LocationTexts): RenderedText {
    const names = [...next.servers.keys()].sort();
    const configured = configuredNames(next.servers.values());
    const common = { about, texts, template: this.#template, configuredNames: configured };
    const wildcards = wildcardCertificates(next.servers.values(), next.certificates);
    this.#failed.forget();
    const rendered = names.map((name) => {
      const server = next.servers.get(name)!;
      const isOwnTemplate = this.#template !== this.#builtIn;
      const text = () => this.#serverText(server, wildcards, next, common);
      return this.#failed.render<ServerText>(server, isOwnTemplate, text, () => noText);
    });
    const pools = new Map(rendered.flatMap((one) => [...one.pools]));
    const upstreams = [...pools]
      .map(([name, id]) => ({ name, upstream: next.upstreams.get(id) }))
      .filter((one): one is UsedBlock => (one.upstream?.endpoints.length ?? 0) > 0)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const files = distinct([
      ...defaultFiles(next.defaultCertificate),
      ...about.files,
      ...[...next.certificates.values()].flatMap((certificate) => certificateFiles(fileOf(certificate), certificate)),
      ...stapleFiles(next),
      ...rendered.flatMap((one) => one.files),
    ]);
    const parts = {
      ...about,
      servers: rendered.flatMap((one) => one.texts),
      upstreams: upstreams.map(({ name, upstream }) => staticUpstream(name, upstream, next.settings, upstreams.length)),
      needs: new Set(rendered.flatMap((one) => [...one.needs])),
      http: [
        ...upstreams.flatMap(({ upstream: { balance } }) =>
          balance.algorithm === "cookie" ? [affinityKey(balance.cookie).http] : [],
        ),
        ...rendered.flatMap((one) => one.http),
        ...(configured === undefined ? [] : [configured]),
      ],
      names: names.flatMap((name) => [name, ...next.servers.get(name)!.aliases.map((alias) => alias.name)]),
      verifies: names.some((name) => asksForCertificate(next.servers.get(name)!)),
      streams: next.streams,
      certificates: next.certificates,
      streamSnippets: next.streamSnippets,
      lua: undefined,
    };
    const { map, ...conf } = confOf(this.#template, parts, files);
    const ownersAt = map.ownersAmong(next.servers);
    return { ...conf, files, shapes: new Set(), parts: hashes(next, rendered, upstreams), ownersAt };
  }

  #serverText(
    server: Server<FeatureValues>,
    wildcards: WildcardCertificates,
    next: Whole,
    common: Pick<StaticParts, "about" | "texts" | "template" | "configuredNames">,
  ): ServerText {
    const { upstreams, certificates } = next;
    const isServed = (id: string) => (upstreams.get(id)?.endpoints.length ?? 0) > 0;
    const certificateFile = (id: string | undefined) => {
      const certificate = id === undefined ? undefined : certificates.get(id);
      return certificate === undefined ? defaultPairFile : fileOf(certificate);
    };
    const stapleFile = (id: string | undefined) => {
      const certificate = (id === undefined ? undefined : certificates.get(id)) ?? next.defaultCertificate;
      const staple = next.staples.get(certificate.fingerprint);
      return staple === undefined ? undefined : stapleName(staple);
    };
    const inheriting = withInherited(server, wildcards);
    const { aliases, redirectFrom: twin } = inheriting;
    const own = [inheriting, ...aliases, ...(twin === undefined ? [] : [twin])].flatMap(({ certificate }) => [
      certificateFile(certificate),
      stapleFile(certificate),
    ]);
    const used = server.locations.flatMap(({ backends, standIn, canaries }) => [
      ...backends.map(({ upstream }) => upstream),
      ...(standIn === undefined ? [] : [standIn]),
      ...canaries.map((canary) => canary.upstream),
    ]);
    const cookieOf = (id: string) => {
      const balance = upstreams.get(id)?.balance;
      return balance?.algorithm === "cookie" ? balance.cookie : undefined;
    };
    const cookies = used.map((id) => JSON.stringify(cookieOf(id)) ?? "");
    const asks = common.configuredNames !== undefined;
    const served = [...used.map((id) => isServed(id)), ...cookies, asks, ...own].join(" ");
    const known = this.#servers.get(server);
    if (known?.served === served) return known;
    const labelOf = (id: string) => upstreams.get(id)?.label ?? "";
    const parts = { ...common, isServed, labelOf, cookieOf, certificateFile, stapleFile };
    const text = { ...staticServers(inheriting, parts), served };
    this.#servers.set(server, text);
    return text;
  }
}

/** The text of a host on which the renderer failed. */
const noText: ServerText = { texts: [], files: [], needs: new Set(), http: [], pools: new Map() };

function stapleFiles({ certificates, defaultCertificate, staples }: Whole): RenderedFile[] {
  return [...certificates.values(), defaultCertificate].flatMap(({ fingerprint }) => {
    const staple = staples.get(fingerprint);
    return staple === undefined
      ? []
      : [{ path: stapleName(staple), content: Buffer.from(staple, "base64"), opened: false }];
  });
}

function stapleName(staple: string): string {
  return `tls/${hashOf(staple).slice(0, 32)}.ocsp`;
}

/**
 * Returns the name of a Certificate's files. It changes with the content, because workers of the
 * old text may still read the old files.
 */
export function fileOf({ fingerprint }: Certificate): string {
  return fingerprint.slice(0, 32);
}

function hashes(next: Whole, servers: readonly ServerText[], upstreams: readonly UsedBlock[]): Record<string, string> {
  return {
    settings: hashOf(JSON.stringify(next.settings)),
    certificates: hashOf([...next.certificates.values()].map((one) => one.fingerprint).join()),
    "default certificate": next.defaultCertificate.fingerprint,
    "OCSP answers": hashOf([...next.staples.values()].join()),
    "TCP, UDP and passthrough": hashOf(JSON.stringify([next.streams, next.streamSnippets])),
    hosts: hashOf(servers.flatMap((one) => one.texts).join("\n")),
    endpoints: hashOf(JSON.stringify(upstreams)),
  };
}
