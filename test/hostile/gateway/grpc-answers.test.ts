/**
 * A hostile auth service over gRPC, and one that is broken: thousands of answers that are made from
 * good ones by a generator with a seed. A request passes only if an independent reader of the
 * answer finds an OK, no answer changes the framing of a message, and no worker dies.
 */
import { expect, test } from "vitest";
import type { AuthService } from "../../../src/core/model/filters.ts";
import { type CheckAnswer, field, header, message, startExtAuthz, status } from "../../nginx/support/ext-authz.ts";
import { host, port, prefix, type Rule, startGateways } from "../../nginx/support/gateways.ts";
import { type Answer, request } from "../../nginx/support/request.ts";

const to = "127.0.0.66:18990";
const service = "127.101.0.40";
const auth: AuthService = {
  ...{ upstream: "auth", path: "", requestHeaders: [], responseHeaders: [], mostBody: 0 },
  isGrpc: true,
};
const rules: readonly Rule[] = [{ to: [{ upstream: "b1" }], routes: prefix("/"), filters: { auth } }];

/** Returns numbers from 0 to 1, which depend on the seed alone. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const names = [
  "x-a",
  "content-length",
  "transfer-encoding",
  "connection",
  ":path",
  "host",
  "x-sluice-hops",
  "a b",
  "",
  "x\r\ny",
  "set-cookie",
];
const values = ["1", "0", "chunked", "a\r\nx-evil: 1", "\0", "é", "x".repeat(3_000), "$host", ""];

/** Messages that say yes or no, with all that they may hold. */
function goodMessage(random: () => number): Buffer {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)]!;
  const nameOf = () => (random() < 0.7 ? "x-a" : pick(names));
  const headers = (number: number) =>
    header(number, nameOf(), random() < 0.7 ? "1" : pick(values), Math.floor(random() * 4));
  const parts: (() => Buffer)[] = [
    () => status(pick([0, 0, 7, 16, 2 ** 31, 2 ** 40])),
    () =>
      message(
        3,
        headers(2),
        headers(6),
        field(5, nameOf()),
        message(7, field(1, "q"), field(2, pick(values))),
        field(8, "q"),
      ),
    () =>
      message(
        2,
        message(1, field(1, pick([0, 200, 204, 304, 403, 101, 600, 999]))),
        headers(2),
        field(3, pick(values)),
      ),
    () => field(4, pick(values)),
    () => message(1, field(1, pick(["0", "OK"]))),
  ];
  return Buffer.concat(Array.from({ length: 1 + Math.floor(random() * 2.2) }, () => pick(parts)()));
}

/** Cuts, doubles, flips and lengthens a text at random places. */
function mutated(text: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * (text.length + 1));
  const kind = random();
  if (kind < 0.45) return text;
  if (kind < 0.6) return text.subarray(0, at);
  if (kind < 0.67) return Buffer.concat([text, text.subarray(at)]);
  if (kind < 0.73) return Buffer.concat([text.subarray(0, at), Buffer.alloc(11, 255), text.subarray(at)]);
  const copy = Buffer.from(text);
  if (at < copy.length) copy[at] = Math.floor(random() * 256);
  return copy;
}

function framed(text: Buffer, random: () => number): CheckAnswer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(text.length, 1);
  const kind = random();
  if (kind < 0.7) return { message: text };
  if (kind < 0.75) return { message: text, grpcStatus: ["14", "", "x", "00", "0 "][Math.floor(random() * 5)]! };
  if (kind < 0.8) return { message: text, httpStatus: [201, 204, 302, 404, 503][Math.floor(random() * 5)]! };
  head[0] = kind < 0.85 ? 1 : 0;
  if (kind < 0.9) head.writeUInt32BE(Math.floor(random() * 2 ** 32), 1);
  const frame = Buffer.concat([head, text]);
  return {
    bytes: kind < 0.95 ? Buffer.concat([frame, frame]) : frame.subarray(0, Math.floor(random() * frame.length)),
  };
}

/** Reads a message as its specification says, by itself; undefined if it is none. */
function fieldsOf(text: Buffer): Map<number, (bigint | Buffer)[]> | undefined {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let place = 0n; place < 10n; place++) {
      const digit = text[at++];
      if (digit === undefined) return undefined;
      value |= BigInt(digit & 127) << (7n * place);
      if (digit < 128) return BigInt.asUintN(64, value);
    }
    return undefined;
  };
  while (at < text.length) {
    const key = varint();
    if (key === undefined) return undefined;
    const kind = Number(key & 7n);
    const length = kind === 0 ? 0n : kind === 1 ? 8n : kind === 5 ? 4n : kind === 2 ? varint() : undefined;
    if (length === undefined || length > BigInt(text.length - at)) return undefined;
    const value = kind === 0 ? varint() : text.subarray(at, at + Number(length));
    if (value === undefined) return undefined;
    if (kind !== 0) at += Number(length);
    const number = Number(key >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

/** Whether the answer says OK, as far as a reader could find one in it. */
function mayBeOk({ message: text = Buffer.alloc(0), bytes, grpcStatus = "0", httpStatus = 200 }: CheckAnswer): boolean {
  if (grpcStatus !== "0" || httpStatus !== 200) return false;
  if (bytes !== undefined && (bytes[0] !== 0 || bytes.length < 5 || bytes.readUInt32BE(1) !== bytes.length - 5))
    return false;
  const fields = fieldsOf(bytes?.subarray(5) ?? text);
  if (fields === undefined || (!fields.has(1) && !fields.has(3)) || fields.has(2)) return false;
  const parts = (fields.get(1) ?? []).filter((one) => typeof one !== "bigint");
  const codes = fieldsOf(Buffer.concat(parts))?.get(1) ?? [0n];
  return codes.at(-1) === 0n;
}

test("of thousands of answers only those that say OK let a request pass, and no worker dies", async () => {
  const it = await startGateways(18_985);
  it.nginx.expectError(/./);
  let answer: CheckAnswer = {};
  await startExtAuthz(9140, service, () => answer);
  await it.put({
    ports: [port("a", "127.0.0.66", 18_990, { web: "" }, { port: 80 })],
    hosts: [host("shop/a/web", "_", rules)],
    upstreams: { auth: [`${service}:9140`] },
  });
  const seed = Number(process.env.GRPC_ANSWERS_SEED ?? 48);
  const random = numbers(seed);
  const counts = { passed: 0, refused: 0 };
  for (let nth = 0; nth < Number(process.env.GRPC_ANSWERS ?? 800); nth++) {
    answer = framed(mutated(goodMessage(random), random), random);
    const about = `answer ${nth} of seed ${seed}: ${JSON.stringify({ ...answer, message: answer.message?.toString("hex"), bytes: answer.bytes?.toString("hex") })}`;
    it.seen();
    const got: Answer = await request({ to, host: "a.example", path: "/x?q=1" });
    const seen = it.seen();
    if (seen.length > 0) {
      expect(mayBeOk(answer), about).toBe(true);
      expect(seen, about).toHaveLength(1);
      counts.passed += 1;
    } else {
      expect([got.status >= 300, got.status <= 599], about).toEqual([true, true]);
      counts.refused += 1;
    }
    expect(got.headers, about).not.toHaveProperty("x-evil");
    expect(String(got.headers["transfer-encoding"] ?? "chunked"), about).toBe("chunked");
  }
  expect(Math.min(counts.passed, counts.refused)).toBeGreaterThan(30);
});
