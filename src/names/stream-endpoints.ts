/**
 * The DNS server that nginx asks for the endpoints of streams, on a UDP port of this machine. nginx
 * asks once a second for the servers of each pool, and then for the addresses of each server: those
 * that have a port and a weight in common. While it gets no answer it keeps the endpoints that it
 * has.
 */
import { isIPv6 } from "node:net";
import type { StreamEndpoint } from "../model/records.ts";
import { type Answer, answerOf, type Question, readQuestion, type ServiceServer } from "./dns-message.ts";
import { TakenPools } from "./taken-pools.ts";
import { answerOnUdp } from "./udp-port.ts";

export interface StreamEndpointsOptions {
  /** UDP port on 127.0.0.1. */
  readonly port: number;
  /** The name under which nginx asks for the servers of a pool. */
  readonly service: string;
  /** The record of a pool, in JSON; undefined where there is none. */
  readonly recordOf: (pool: string) => Promise<string | undefined>;
  readonly report: (event: StreamPortEvent) => void;
}

export interface StreamPortEvent {
  readonly kind: "busy";
  readonly port: number;
  readonly why: string;
}

/** The most IPv6 addresses, or servers, in the 4,096 bytes of an answer that nginx reads. */
const [mostAddresses, mostServers] = [128, 64];

/** Endpoints of a pool that nginx can be given; further ones are left out. */
export const mostEndpoints = mostAddresses * mostServers;

interface Pool {
  readonly record: string;
  readonly servers: readonly ServiceServer[];
  /** The addresses of each server, by its target. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
}

export interface StreamEndpoints {
  /**
   * Resolves when nginx has these records, by pool, or newer ones; after a while in any case, for
   * nginx may be unable to ask.
   */
  taken(records: ReadonlyMap<string, string>): Promise<void>;
  /** Ends the answers. */
  end(): Promise<void>;
}

/** nginx asks once a second. */
const mostWaitedMs = 10_000;

/** Starts to answer. */
export function answerStreamEndpoints({ port, service, recordOf, report }: StreamEndpointsOptions): StreamEndpoints {
  /** The servers that nginx got last for each name. It asks for their addresses right after. */
  const given = new Map<string, Pool>();
  const pools = new TakenPools();
  const end = answerOnUdp({
    port,
    answer: async (message) => {
      const question = readQuestion(message);
      return question && answerOf(question, await answerTo(question).catch(() => failed));
    },
    onBusy: (why) => report({ kind: "busy", port, why }),
  });
  return { end, taken: (records) => pools.taken(records, mostWaitedMs) };

  async function answerTo({ name, type }: Question): Promise<Answer> {
    const pool = name.split(".").at(-1) ?? "";
    if (type !== "SRV") {
      const addresses = given.get(pool)?.addresses.get(name);
      pools.addressed(pool, name);
      return addresses === undefined
        ? failed
        : { kind: "addresses", addresses: addresses.filter(isOf[type]), ttlSeconds };
    }
    const record = name === `_${service}._tcp.${pool}` ? await recordOf(pool) : undefined;
    if (record === undefined) {
      given.delete(pool);
      return failed;
    }
    const before = given.get(pool);
    const now = before?.record === record ? before : poolOf(pool, record);
    given.set(pool, now);
    pools.served(pool, record, now.addresses.keys());
    return { kind: "servers", servers: now.servers, ttlSeconds };
  }
}

/** nginx keeps its endpoints then; a name that does not exist would take them away. */
const failed: Answer = { kind: "failed" };
/** nginx asks again a second after an answer has run out. */
const ttlSeconds = 0;

const isOf = { A: (address: string) => !isIPv6(address), AAAA: isIPv6 } as const;

/**
 * A server has the same target as long as there are endpoints with its port and weight, so nginx
 * knows them again.
 */
function poolOf(pool: string, record: string): Pool {
  const servers: ServiceServer[] = [];
  const addresses = new Map<string, readonly string[]>();
  const all = JSON.parse(record) as readonly StreamEndpoint[];
  for (const [key, some] of Map.groupBy(all, ([, port, weight]) => `p${port}w${weight}`)) {
    const [, port, weight] = some[0]!;
    for (let at = 0; at < some.length && servers.length < mostServers; at += mostAddresses) {
      const target = `${key}n${at / mostAddresses}.${pool}`;
      servers.push({ target, port, weight });
      addresses.set(
        target,
        some.slice(at, at + mostAddresses).map(([address]) => address),
      );
    }
  }
  return { record, servers, addresses };
}
