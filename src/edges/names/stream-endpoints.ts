/**
 * The DNS server from which nginx gets the endpoints of streams, on a UDP port of this machine.
 * Once a second nginx queries the servers of each pool, and then the addresses of each server. A
 * server stands for all endpoints with the same port and weight. Without an answer nginx keeps the
 * endpoints that it has.
 */
import { isIPv6 } from "node:net";
import type { StreamEndpoint } from "../../core/model/records.ts";
import { type Answer, answerOf, type Question, readQuestion, type ServiceServer } from "./dns-message.ts";
import { TakenPools } from "./taken-pools.ts";
import { answerOnUdp } from "./udp-port.ts";

export interface StreamEndpointsOptions {
  /** The UDP port on 127.0.0.1. */
  readonly port: number;
  /** The name in the query for the servers of a pool. */
  readonly service: string;
  /** Resolves with the record of a pool, in JSON; undefined if there is none. */
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

/** The most endpoints of a pool that an answer can have; further ones are left out. */
export const mostEndpoints = mostAddresses * mostServers;

interface Pool {
  readonly record: string;
  readonly servers: readonly ServiceServer[];
  /** The addresses of each server, by its target. */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
}

export interface StreamEndpoints {
  /**
   * Resolves when nginx has these records, by pool, or newer ones. It resolves after `mostWaitedMs`
   * in any case, because nginx may be unable to send queries.
   */
  taken(records: ReadonlyMap<string, string>): Promise<void>;
  /** Ends the answers. */
  end(): Promise<void>;
}

/** This is many times as long as nginx needs, which sends its queries once a second. */
const mostWaitedMs = 10_000;

/** Starts to answer. */
export function answerStreamEndpoints({ port, service, recordOf, report }: StreamEndpointsOptions): StreamEndpoints {
  /** The servers that nginx got last for each name. It queries their addresses next. */
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
    // Any program on this machine may query other names, and changes nothing by that.
    if (name !== `_${service}._tcp.${pool}`) return failed;
    const record = await recordOf(pool);
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

/**
 * With this answer nginx keeps its endpoints. An answer that the name does not exist would remove
 * them.
 */
const failed: Answer = { kind: "failed" };
/** nginx repeats a query one second after its answer has expired. */
const ttlSeconds = 0;

const isOf = { A: (address: string) => !isIPv6(address), AAAA: isIPv6 } as const;

/**
 * Returns the servers of a pool. A server's target depends only on its port and weight, so nginx
 * recognises the server in the next answer.
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
