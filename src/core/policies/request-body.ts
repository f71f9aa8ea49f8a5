/**
 * The body of a request: its largest size and its buffering. The router knows the limit as well
 * (`Location` records have it), because nginx does not compare Content-Length again after the jump
 * into a named location. The text's own limit is for bodies without Content-Length.
 */
import { bytesOf, sizeBetween, sizesBeside } from "../kinds/measures.ts";
import { oneOf } from "../kinds/words.ts";
import { type Context, ofSetting, type Resolved, resolvedFeature } from "./declare.ts";
import { limited } from "./problems.ts";

/** ingress-nginx accepts blanks, and the letter b as the unit for bytes. */
const plain = sizeBetween("1", "1g");
const memory = {
  ...plain,
  read: (text: string) => plain.read(text.replaceAll(" ", "").replace(/(?<=\d)b$/i, "")),
};

interface RequestBody {
  readonly most: string;
  readonly buffer: string;
  readonly buffering: string;
}

/**
 * Limits the memory for one body, because a slow client holds it in a worker. The operator's own
 * value holds, and an annotation may use as much memory as it does.
 */
function withCeiling(read: RequestBody, context: Context): Resolved<RequestBody> {
  const { settings, given } = context;
  const { clientBodyBufferSize: own, clientBodyBufferCeiling: ceiling } = settings;
  const most = bytesOf(own) > bytesOf(ceiling) ? own : ceiling;
  if (!given("buffer") || bytesOf(read.buffer) <= bytesOf(most)) return { value: read };
  const why = `${read.buffer} for one body are more than the operator permits (client-body-buffer-ceiling, ${ceiling}); ${most} are used`;
  return { value: { ...read, buffer: most }, problems: [limited(context, "client-body-buffer-size", why)] };
}

export const requestBody = resolvedFeature({
  name: "request-body",
  scope: "location",
  fields: {
    most: ofSetting("proxyBodySize", {
      example: "16m",
      kind: sizeBetween("0"),
      risk: "Medium",
      doc: "Largest request body; a larger one gets 413. 0 is no limit.",
    }),
    buffer: ofSetting("clientBodyBufferSize", {
      example: "64k",
      kind: memory,
      onBad: "reject",
    }),
    buffering: ofSetting("proxyRequestBuffering", {
      example: "off",
      kind: oneOf(["on", "off"]),
      doc: "Whether a request body is read whole before the request is sent to the backend; a request that is passed on while it comes in is not retried.",
    }),
  },
  resolve: withCeiling,
  neighbours: ({ most, ...others }, { proxyBodySize }) =>
    most === proxyBodySize
      ? []
      : sizesBeside(most, { min: "1k", max: "1024g" }).map((one) => ({ ...others, most: one })),
  record: ({ most }) => ({ limit: bytesOf(most) }),
});
