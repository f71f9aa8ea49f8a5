/**
 * What records and texts mean: the nouns of the Configuration from which the controller has
 * rendered them. The model of nginx decides requests by the records that it has, with the one
 * matcher. The matcher reads nouns and no records, so each record is looked up here.
 */
import type { Served } from "../../../src/ask/matcher/host.ts";
import type { Server, Upstream } from "../../../src/core/model/configuration.ts";
import { hostKey, pairKey, upstreamKey } from "../../../src/core/model/records.ts";
import type { FeatureValues } from "../../../src/core/policies/registry.ts";
import type { Rendered, RenderedText } from "../../../src/core/render/rendering.ts";

export class Meanings {
  readonly #servers = new Map<string, Server<FeatureValues>>();
  readonly #upstreams = new Map<string, Upstream>();
  readonly #pairs = new Map<string, string>();
  readonly #ports = new Map<string, Served["listenerPorts"]>();
  readonly #texts = new Map<string, Served>();
  /** The number of turns so far. */
  turns = 0;

  /** Takes the result of a turn. `records` are all records after it. */
  learn(served: Served, { text }: Pick<Rendered, "text">, records: ReadonlyMap<string, string>): void {
    this.turns += 1;
    if (!this.#texts.has(text.generation)) this.#texts.set(text.generation, served);
    const hosts = textHostsIn(text);
    for (const [key, server] of served.servers) {
      note(this.#servers, hostKey(key), records, server, hosts);
      note(this.#servers, hostKey(key), records, server);
    }
    for (const [id, upstream] of served.upstreams) note(this.#upstreams, upstreamKey(id), records, upstream);
    const certificates = [...served.certificates, ["default", served.defaultCertificate] as const];
    for (const [id, { fingerprint }] of certificates)
      this.#pairs.set(`${pairKey(id)}\n${short(records.get(pairKey(id)) ?? "")}`, fingerprint);
    this.#ports.set(scopesIn(records), served.listenerPorts);
  }

  /**
   * Returns the host of a record. Its routes may lead to a host that is text, of which the record
   * says nothing, so equal records may differ with the text.
   */
  server(key: string, record: string, text: RenderedText): Server<FeatureValues> | undefined {
    return this.#servers.get(`${key}\n${record}${textHostsIn(text)}`) ?? this.#servers.get(`${key}\n${record}`);
  }

  upstream(key: string, record: string): Upstream | undefined {
    return this.#upstreams.get(`${key}\n${record}`);
  }

  /** Returns the fingerprint of the certificate. */
  pair(key: string, record: string): string | undefined {
    return this.#pairs.get(`${key}\n${short(record)}`);
  }

  ports(records: ReadonlyMap<string, string>): Served["listenerPorts"] | undefined {
    return this.#ports.get(scopesIn(records));
  }

  /** Returns the Configuration from which a text was made. */
  text(generation: string): Served | undefined {
    return this.#texts.get(generation);
  }
}

/** A part of a certificate's record in which certificates differ. */
const short = (record: string): string => record.slice(400, 480);

function note<T>(
  known: Map<string, T>,
  key: string,
  records: ReadonlyMap<string, string>,
  value: T,
  hosts?: string,
): void {
  const record = records.get(key);
  const name = `${key}\n${record}${hosts ?? ""}`;
  // Without the hosts the first meaning counts, which a worker of an older text has.
  if (record !== undefined && (hosts !== undefined || !known.has(name))) known.set(name, value);
}

/** Returns the hosts that are text. */
function textHostsIn({ shapes }: RenderedText): string {
  return [...new Set([...shapes].map((place) => place.slice(0, place.lastIndexOf("@"))))].sort().join();
}

const scopesIn = (records: ReadonlyMap<string, string>): string =>
  [...records]
    .filter(([key]) => key.startsWith("scope "))
    .map((entry) => entry.join(" "))
    .sort()
    .join("\n");
