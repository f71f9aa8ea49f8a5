/**
 * The DNS resolver that nginx uses for names which tenants chose, on a UDP port of this machine. It
 * answers only with addresses to which connections are allowed, so a name cannot pass the check and
 * then change its addresses (DNS rebinding). nginx caches each answer for its lifetime, so requests
 * survive a restart of this process.
 */
import { isIPv4, isIPv6 } from "node:net";
import { type AskedPolicy, forOperator, literalIn, whyNotAsked, whyNotHost } from "../../core/kinds/asked.ts";
import { type CheckedName, checkedName } from "../../core/kinds/checked-name.ts";
import { type Answer, answerOf, readQuestion } from "./dns-message.ts";
import type { FamilyLookup } from "./lookup.ts";
import { answerOnUdp } from "./udp-port.ts";

export interface CheckedNamesOptions {
  /** The UDP port on 127.0.0.1. */
  readonly port: number;
  readonly policy: AskedPolicy;
  readonly lookup: FamilyLookup;
  readonly report: (event: CheckedNameEvent) => void;
}

export type CheckedNameEvent =
  | { readonly kind: "refused"; readonly name: string; readonly why: string }
  | { readonly kind: "busy"; readonly port: number; readonly why: string };

/**
 * Limits the questions that wait for a nameserver. Further ones are dropped, and nginx repeats
 * them.
 */
const mostWaiting = 1_000;
/** The limit for one zone, so that one slow nameserver cannot use up the whole limit. */
const mostWaitingInZone = 100;
/** The longest lifetime of an answer. DNS allows up to 136 years. */
const longestSeconds = 3_600;
/** nginx reads 4,096 bytes of an answer. */
const mostAddresses = 64;
const families = { A: 4, AAAA: 6 } as const;
/** Limits the memory of reported names. When it is full, names may be reported once more. */
const mostReported = 1_000;

/**
 * Starts to answer. Returns a function that stops it. A busy port is tried again until it is free.
 */
export function answerCheckedNames(options: CheckedNamesOptions): () => Promise<void> {
  const reported = new Set<string>();
  const waiting = new Map<string, number>();
  let waitingInAll = 0;
  return answerOnUdp({
    port: options.port,
    answer,
    onBusy: (why) => options.report({ kind: "busy", port: options.port, why }),
  });

  async function answer(message: Buffer): Promise<Buffer | undefined> {
    const question = readQuestion(message);
    if (question === undefined || question.type === "SRV") return undefined;
    const target = checkedName(question.name);
    const zone = zoneOf(target?.host ?? "");
    const before = waiting.get(zone) ?? 0;
    if (waitingInAll >= mostWaiting || before >= mostWaitingInZone) return undefined;
    waiting.set(zone, before + 1);
    waitingInAll++;
    return answerTo(target, families[question.type])
      .then((found) => answerOf(question, found))
      .catch(() => answerOf(question, { kind: "failed" }))
      .finally(() => {
        waitingInAll--;
        const left = waiting.get(zone)! - 1;
        if (left === 0) waiting.delete(zone);
        else waiting.set(zone, left);
      });
  }

  async function answerTo(asked: CheckedName | undefined, family: 4 | 6): Promise<Answer> {
    if (asked === undefined) return { kind: "refused" };
    const policy = asked.by === "operator" ? forOperator(options.policy) : options.policy;
    const found = await addressesOf(asked, family, policy, options.lookup);
    if (found.kind === "refused") report(asked.host, found.why);
    return found;
  }

  function report(name: string, why: string): void {
    if (reported.size >= mostReported) reported.clear();
    if (reported.has(`${name} ${why}`)) return;
    reported.add(`${name} ${why}`);
    options.report({ kind: "refused", name, why });
  }
}

/** Returns the last two labels of a name. Below them one owner can create any number of names. */
const zoneOf = (host: string): string => host.split(".").slice(-2).join(".");

type Checked = Exclude<Answer, { kind: "refused" | "servers" }> | { readonly kind: "refused"; readonly why: string };

/** Returns the addresses of a name to which connections are allowed; all others are left out. */
export async function addressesOf(
  { host, port }: CheckedName,
  family: 4 | 6,
  policy: AskedPolicy,
  lookup: FamilyLookup,
): Promise<Checked> {
  const why = whyNotHost(host, port, policy);
  if (why !== undefined) return { kind: "refused", why };
  const literal = literalIn(host) ?? (host === "localhost" ? (family === 4 ? "127.0.0.1" : "::1") : undefined);
  if (literal !== undefined) return addresses([literal], family, 60);
  const found = await lookup(host, family);
  if (found.kind === "failed") return { kind: "failed" };
  const refusals = found.addresses.map((address) => whyNotAsked(address, port, policy));
  const usable = found.addresses.filter((_, at) => refusals[at] === undefined);
  const first = refusals.find((refusal) => refusal !== undefined);
  if (usable.length === 0 && first !== undefined) return { kind: "refused", why: first };
  return addresses(usable, family, Math.min(longestSeconds, Math.max(0, Math.ceil(found.ttlMs / 1000))));
}

function addresses(all: readonly string[], family: 4 | 6, ttlSeconds: number): Checked {
  const isMeant = family === 4 ? isIPv4 : isIPv6;
  return {
    kind: "addresses",
    addresses: all.filter((address) => isMeant(address)).slice(0, mostAddresses),
    ttlSeconds,
  };
}
