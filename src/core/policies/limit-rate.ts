/** Limits how fast one answer is sent. nginx throttles only what it has buffered. */

import { type Kind, no, shown } from "../kinds/kind.ts";
import { integer } from "../kinds/numbers.ts";
import { mostKilobytes } from "../settings/proxy.ts";
import { Token } from "../tokens/token.ts";
import { feature, type Other, ofSetting } from "./declare.ts";
import { proxyBuffers } from "./proxy-buffers.ts";

/** Kilobytes, as ingress-nginx reads it, although its documentation says otherwise (RS-31.4). */
const count = integer({ min: 0, max: mostKilobytes });
const kilobytes: Kind<number> = {
  ...count,
  read: (text) => {
    const [, digits, unit = ""] = /^(\d{1,6})([kmg])b?$/i.exec(text.trim()) ?? [];
    if (digits === undefined) return count.read(text);
    const times = { k: 1, m: 1024, g: 1024 * 1024 }[unit.toLowerCase()]!;
    return no(`${shown(text)} has a unit; it is a number of kilobytes, like ${Number(digits) * times}`);
  },
  view: (value: number) => Token.size(`${value}k`),
};

const forBuffering = (_: unknown, other: Other) =>
  other(proxyBuffers).buffering === "off"
    ? "nginx slows down only what it buffers, and proxy-buffering is off"
    : undefined;

export const limitRate = feature({
  name: "limit-rate",
  scope: "location",
  fields: {
    rate: ofSetting("limitRate", {
      example: "512",
      kind: kilobytes,
      live: { variable: "limit_rate" },
      doc: "Kilobytes per second that one answer may be sent at, with proxy-buffering on; 0 is no limit.",
    }),
    after: ofSetting("limitRateAfter", {
      example: "1024",
      kind: kilobytes,
      live: { variable: "limit_rate_after" },
    }),
  },
  variables: ["limit_rate", "limit_rate_after"],
  onlyWith: {
    rate: forBuffering,
    after: (value, other) => forBuffering(value, other) ?? (value.rate === 0 ? "limit-rate is not set" : undefined),
  },
});
