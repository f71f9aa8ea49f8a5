/**
 * Settings for the buffers that hold answers of backends on their way to the client. The sizes are
 * adjusted to each other, because nginx refuses some combinations. A slow client holds all of them
 * in a worker, so the operator limits them.
 */

import { bytesOf, inKilobytes, sizeBetween, sizesBeside } from "../kinds/measures.ts";
import { integer } from "../kinds/numbers.ts";
import { oneOf } from "../kinds/words.ts";
import { proxyBufferTokens } from "../settings/buffer-sizes.ts";
import type { Settings } from "../settings/registry.ts";
import { Token } from "../tokens/token.ts";
import { type Context, field, type Other, ofSetting, type Resolved, resolvedFeature } from "./declare.ts";
import { externalAuth } from "./external-auth/declaration.ts";
import { limited } from "./problems.ts";

/** An auth request is buffered in any case. */
function forBuffers({ buffering }: { readonly buffering: string }, other: Other): string | undefined {
  if (buffering === "on" || other(externalAuth).kind !== "none") return undefined;
  return "proxy-buffering is off, so only proxy-buffer-size counts";
}

interface ProxyBuffersRead {
  readonly buffering: string;
  readonly number: number;
  readonly size: string;
  readonly busy: string;
  readonly maxTempFile: string;
}

/** Returns the bytes of all buffers of one answer: one for its header, and at least two others. */
const bytesOfAll = (number: number, size: number): number => (Math.max(2, number) + 1) * size;

/** Returns the most bytes that annotations may ask for. */
function mostFor({ proxyBuffersCeiling, proxyBuffersNumber, proxyBufferSize }: Settings): number {
  return Math.max(bytesOf(proxyBuffersCeiling), bytesOfAll(proxyBuffersNumber, bytesOf(proxyBufferSize)));
}

/**
 * Reduces the size and then the number of buffers to the ceiling. The operator's own values hold,
 * and an annotation may use as much memory as they do.
 */
function withCeiling(read: ProxyBuffersRead, context: Context): Resolved<ProxyBuffersRead> {
  const { settings, given } = context;
  const most = mostFor(settings);
  const wanted = bytesOf(read.size);
  if (!(given("number") || given("size")) || bytesOfAll(read.number, wanted) <= most) return { value: read };
  const size = wanted * 3 > most ? inKilobytes(most / 3) : read.size;
  const number = Math.min(Math.max(2, read.number), Math.floor(most / bytesOf(size)) - 1);
  const key = given("number") && number < read.number ? "proxy-buffers-number" : "proxy-buffer-size";
  const why = `${Math.max(2, read.number) + 1} buffers of ${read.size} for one answer are more than the operator permits (proxy-buffers-ceiling, ${settings.proxyBuffersCeiling}); ${number + 1} of ${size} are used`;
  return { value: { ...read, number, size }, problems: [limited(context, key, why)] };
}

export const proxyBuffers = resolvedFeature({
  name: "proxy-buffers",
  scope: "location",
  fields: {
    buffering: ofSetting("proxyBuffering", { example: "on", kind: oneOf(["on", "off"]) }),
    number: ofSetting("proxyBuffersNumber", {
      example: "8",
      kind: integer({ min: 1, max: 65_536 }),
      doc: "Number of buffers for one answer, each of proxy-buffer-size; nginx needs two.",
    }),
    size: ofSetting("proxyBufferSize", {
      example: "16k",
      kind: sizeBetween("512", "64m"),
      doc: "Buffer for the first part of an answer: if its header does not fit in, the client gets 502.",
    }),
    busy: field("proxy-busy-buffers-size", {
      example: "32k",
      kind: sizeBetween("512", "64m"),
      fallback: (settings) => settings.proxyBusyBuffersSize ?? "",
      doc: "Part of the buffers that may be on its way to the client; kept between one buffer and all but one.",
    }),
    maxTempFile: ofSetting("proxyMaxTempFileSize", { example: "0", kind: sizeBetween("0") }),
  },
  resolve: withCeiling,
  onlyWith: { number: forBuffers, busy: forBuffers, maxTempFile: forBuffers },
  neighbours: ({ size, ...others }, settings) =>
    size === settings.proxyBufferSize
      ? []
      : sizesBeside(size, { min: "4k", max: "64m" })
          .filter((one) => bytesOfAll(others.number, bytesOf(one)) <= mostFor(settings))
          .map((one) => ({ ...others, size: one })),
  directives: ({ number, size, busy, maxTempFile }, _settings, protocol) => {
    if (protocol !== "http") return [];
    const tokens = proxyBufferTokens({ number, size, busy: busy === "" ? undefined : busy, maxTempFile });
    return Object.entries(tokens).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name: Token.name(name), value }],
    );
  },
});
