/**
 * Settings for the buffers that hold answers of backends on their way to the client. The sizes are
 * adjusted to each other, because nginx refuses some combinations.
 */

import { Token } from "../directives/token.ts";
import { sizeBetween, sizesBeside } from "../kinds/measures.ts";
import { integer } from "../kinds/numbers.ts";
import { oneOf } from "../kinds/words.ts";
import { proxyBufferTokens } from "../settings/buffer-sizes.ts";
import { feature, field, type Other } from "./declare.ts";
import { externalAuth } from "./external-auth/index.ts";

/** An auth request is buffered in any case. */
function forBuffers({ buffering }: { readonly buffering: string }, other: Other): string | undefined {
  if (buffering === "on" || other(externalAuth).kind !== "none") return undefined;
  return "proxy-buffering is off, so only proxy-buffer-size counts";
}

export const proxyBuffers = feature({
  name: "proxy-buffers",
  scope: "location",
  fields: {
    buffering: field({
      key: "proxy-buffering",
      example: "on",
      kind: oneOf(["on", "off"]),
      fallback: (settings) => settings.proxyBuffering,
      risk: "Low",
      directive: { name: "proxy_buffering" },
      doc: "Whether answers of backends are buffered.",
    }),
    number: field({
      key: "proxy-buffers-number",
      example: "8",
      kind: integer({ min: 1, max: 65_536 }),
      fallback: (settings) => settings.proxyBuffersNumber,
      risk: "Low",
      doc: "Number of buffers for one answer, each of proxy-buffer-size; nginx needs two.",
    }),
    size: field({
      key: "proxy-buffer-size",
      example: "16k",
      kind: sizeBetween("512", "64m"),
      fallback: (settings) => settings.proxyBufferSize,
      risk: "Low",
      doc: "Buffer for the first part of an answer: if its header does not fit in, the client gets 502.",
    }),
    busy: field({
      key: "proxy-busy-buffers-size",
      example: "32k",
      kind: sizeBetween("512", "64m"),
      fallback: (settings) => settings.proxyBusyBuffersSize ?? "",
      risk: "Low",
      doc: "Part of the buffers that may be on its way to the client; kept between one buffer and all but one.",
    }),
    maxTempFile: field({
      key: "proxy-max-temp-file-size",
      example: "0",
      kind: sizeBetween("0"),
      fallback: (settings) => settings.proxyMaxTempFileSize,
      risk: "Low",
      doc: "Largest file for the part of an answer that does not fit into the buffers; 0 is none.",
    }),
  },
  onlyWith: { number: forBuffers, busy: forBuffers, maxTempFile: forBuffers },
  neighbours: ({ size, ...others }, { proxyBufferSize }) =>
    size === proxyBufferSize
      ? []
      : sizesBeside(size, { min: "4k", max: "64m" }).map((one) => ({ ...others, size: one })),
  directives: ({ number, size, busy, maxTempFile }, _settings, protocol) => {
    if (protocol !== "http") return [];
    const tokens = proxyBufferTokens({ number, size, busy: busy === "" ? undefined : busy, maxTempFile });
    return Object.entries(tokens).flatMap(([name, value]) =>
      value === undefined ? [] : [{ name: Token.name(name), value }],
    );
  },
});
