/**
 * What nginx knows about a client: the ranges that its address is in, by the rules of allow and
 * deny, and its certificate, which it can present only over https.
 */
import { BlockList, isIP } from "node:net";
import type { FeatureValues } from "../../core/policies/registry.ts";
import type { Stop } from "./decision.ts";
import type { FoundHost } from "./host.ts";
import { httpsReason, type Redirected } from "./redirects.ts";

const family = (address: string): "ipv4" | "ipv6" => (isIP(address) === 4 ? "ipv4" : "ipv6");

/**
 * Whether one of the ranges has the address. `ranges` are addresses, `192.0.2.0/24`, or `all`. An
 * IPv4 address that is written as IPv6 counts as IPv4.
 */
export function isAmong(address: string, ranges: readonly string[]): boolean {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return ranges.some((range) => {
    if (range === "all") return true;
    const [network = "", bits] = range.split("/");
    if (family(network) !== family(plain)) return false;
    const list = new BlockList();
    if (bits === undefined) list.addAddress(network, family(network));
    else list.addSubnet(network, Number(bits), family(network));
    return list.check(plain, family(plain));
  });
}

/** What a guard about client certificates reads of a request. */
type Arrived = Redirected & { readonly host: FoundHost };

export function clientCertificate({ host, asked }: Arrived): Stop | undefined {
  const value = host.server.features.clientCertificate;
  const what = "client-certificate";
  if (value.kind === "none") return undefined;
  if (value.kind === "refuse")
    return {
      what,
      says: "the Secret of auth-tls-secret cannot be used, so no client gets in",
      outcome: "stops",
      status: 403,
    };
  if (asked.scheme === "http" && value.subject !== "")
    return {
      what,
      says: `only certificates whose subject matches ${value.subject} get in, and http has none`,
      outcome: "stops",
      status: 403,
    };
  if (value.verify === "off" && value.subject === "") return undefined;
  if (asked.scheme === "http" && value.verify === "on") return undefined;
  if (asked.scheme === "http") return { what, says: "requested over https only, and this is http", outcome: "passes" };
  const subject = value.subject === "" ? "" : `, whose subject matches ${value.subject} (403)`;
  const says = `a client certificate is requested (${value.verify})${subject}`;
  const page = value.errorPage;
  if (page === "") return { what, says, outcome: "depends", status: 400 };
  if (/^https?:/i.test(page))
    return { what, says: `${says}; clients without a valid one are sent to ${page}`, outcome: "depends", status: 302 };
  return { what, says: `${says}; clients without a valid one get the answer of ${page}`, outcome: "depends" };
}

/**
 * Stops plain http where every client must present a certificate. The redirect to https is given.
 */
export function demandedCertificate(
  at: Arrived,
  { sslRedirect }: FeatureValues,
  { path }: { path: string },
): Stop | undefined {
  const { host, asked, settings } = at;
  const value = host.server.features.clientCertificate;
  if (asked.scheme === "https" || value.kind !== "verify" || value.verify !== "on" || value.subject !== "")
    return undefined;
  if (settings.noAuthLocations.some((prefix) => path.startsWith(prefix))) return undefined;
  if (httpsReason(at, sslRedirect, { tls: host.tls, path }) !== undefined) return undefined;
  const says = "every client must present a certificate, and http has none";
  return { what: "client-certificate", says, outcome: "stops", status: 403 };
}
