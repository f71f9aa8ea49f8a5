/**
 * Header names that no list may set. They determine where a message ends, belong to one connection,
 * or are Sluice's own. A second value would change the framing of a request on a connection that
 * tenants share, or hide from Sluice that a request has come back.
 */
import { type Kind, no, shown } from "./kind.ts";
import { headerName } from "./names.ts";
import { listOf } from "./text.ts";

const framing = new Set(["content-length", "transfer-encoding"]);

const ofConnections = new Set([
  "connection",
  "host",
  "upgrade",
  "te",
  "trailer",
  "expect",
  "keep-alive",
  "http2-settings",
]);

/**
 * Returns one spelling for all that mean the same: servers behind CGI and its successors read `_`,
 * `.` and `-` as one character, whatever the case.
 */
function normalised(name: string): string {
  return name.trim().toLowerCase().replace(/[_.]/g, "-");
}

/**
 * Whether the header determines where a message ends. Not even the operator may set one of these.
 */
export function framesMessages(name: string): boolean {
  return framing.has(normalised(name));
}

/** Whether the header is one that Sluice sends to itself. */
function isOwn(name: string): boolean {
  return normalised(name).startsWith("x-sluice-");
}

/**
 * Whether the header is about framing or one connection, so that only nginx may set it, or is one
 * of Sluice's own.
 */
export function isReservedHeader(name: string): boolean {
  const plain = normalised(name);
  return (
    isOwn(name) || framing.has(plain) || ofConnections.has(plain) || plain === "proxy" || plain.startsWith("proxy-")
  );
}

/** Returns why a list may not set `name`, as the end of a sentence. */
export function reservedWhy(name: string): string {
  if (isOwn(name)) return `${shown(name)} is a header of Sluice's own`;
  return framesMessages(name)
    ? `${shown(name)} says where a message ends, which nginx alone decides`
    : `${shown(name)} belongs to one connection, which nginx alone decides about`;
}

/** Splits a list of headers into those that it may set, and a reason for each that is left out. */
export function withoutReserved<T extends { readonly name: string }>(
  headers: readonly T[],
): { readonly kept: readonly T[]; readonly left: readonly string[] } {
  const { kept = [], left = [] } = Object.groupBy(headers, ({ name }) => (isReservedHeader(name) ? "left" : "kept"));
  return { kept, left: left.map(({ name }) => reservedWhy(name)) };
}

/** The name of a header that a list of headers may set. */
export const settableHeaderName: Kind<string> = {
  ...headerName,
  label: `${headerName.label}, and none that is about the connection`,
  read: (text) => {
    const read = headerName.read(text);
    return read.ok && isReservedHeader(text) ? no(reservedWhy(text)) : read;
  },
};

const headerNames = listOf(headerName);

/**
 * Names of headers, without those that are about the connection: these are left out, and the rest
 * holds.
 */
export const settableHeaderNames: Kind<readonly string[]> = {
  ...listOf(settableHeaderName),
  read: (text) => {
    const all = headerNames.read(text);
    const reserved = all.ok ? all.value.filter(isReservedHeader) : [];
    if (!all.ok || reserved.length === 0) return all;
    const value = all.value.filter((name) => !isReservedHeader(name));
    return { ok: true, value, besides: reserved.slice(0, 3).map(reservedWhy).join("; ") };
  },
};
