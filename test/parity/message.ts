/**
 * Builds the bytes of a request. Nothing is normalised, quoted or completed: the controller gets
 * exactly the bytes of the case.
 */
import type { RequestSpec } from "./request-spec.ts";

export type Header = readonly [name: string, value: string];

/**
 * Returns the request line and the headers in the order of the recordings: Host, Content-Length,
 * the headers of the case, then `more`.
 */
export function headOf(spec: RequestSpec, more: readonly Header[]): string {
  const { method = "GET", path = "/", host } = spec;
  const written = Object.entries(spec.headers ?? {}).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, grown(String(value))] as const),
  );
  const body = bodyOf(spec);
  const counted = body === undefined || written.some(([name]) => name.toLowerCase() === "content-length");
  const headers = [
    ...(host === undefined ? [] : [["Host", host] as const]),
    ...(counted ? [] : [["Content-Length", String(body.length)] as const]),
    ...written,
    ...more,
  ];
  const lines = [`${method} ${grown(path)} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Undefined if the request has none. */
export function bodyOf({ body }: RequestSpec): Buffer | undefined {
  if (body === undefined) return undefined;
  return typeof body === "string" ? Buffer.from(body) : Buffer.alloc(body.bytes, "x");
}

/** `{x*5000}` is 5,000 times the letter x. */
function grown(text: string): string {
  return text.replace(/\{x\*(\d+)\}/g, (_, count) => "x".repeat(Number(count)));
}
