/** Sequences of HTTP/3 frames that no library sends, each for one connection. */
import {
  asking,
  block,
  control,
  data,
  frame,
  type Headers,
  headers,
  integer,
  prefixed,
  type QuicCase,
} from "./quic.ts";

const body = "hello hello";
const all = (...parts: readonly Buffer[]) => Buffer.concat(parts);
const times = (count: number, one: Buffer) => Buffer.concat(Array.from({ length: count }, () => one));
const most = 2n ** 62n - 1n;

/** Sequences of requests to a host. The first ones are odd but allowed, the others are not. */
export function requestFrames(host: string) {
  const post = (more: Headers = []) => asking(host, "/x", more, "POST");
  const begin = headers(post());
  const send = (more: Headers) => all(headers(post(more)), data(body));
  const fields = block(post()).subarray(2);
  const raw = (start: string | Buffer) => frame(1, all(Buffer.from(start as string, "latin1"), fields));
  const allowed: Readonly<Record<string, Buffer>> = {
    "a byte in each frame": all(begin, times(3_000, data("x"))),
    "5,000 empty frames": all(begin, times(5_000, data("")), data(body)),
    "frames of unknown types": all(frame(0x21, "x".repeat(999)), begin, times(50, frame(0x40, "y")), data(body)),
    "a type that is cut": all(begin, Buffer.from([0xc0])),
    // nginx frames the body for the backend itself.
    "transfer-encoding": send([["transfer-encoding", "chunked"]]),
    trailers: all(begin, data(body), headers([["x-end", "1"]])),
    "2,000 cookies": send(Array.from({ length: 400 }, (_, at) => ["cookie", `c${at}=1`] as const)),
  };
  const refused: Readonly<Record<string, Buffer>> = {
    "no frame": Buffer.alloc(0),
    "a body first": all(data(body), begin),
    "a length that is too small": send([["content-length", "3"]]),
    "a length that is too large": send([["content-length", "3000"]]),
    "two lengths": send([
      ["content-length", "11"],
      ["content-length", "12"],
    ]),
    "a length of 30 digits": send([["content-length", "9".repeat(30)]]),
    "a negative length": send([["content-length", "-1"]]),
    "a frame of 2^62 bytes": all(begin, frame(0, body, most)),
    "headers of 2^62 bytes": frame(1, block(post()), most),
    "headers that are cut": all(frame(1, block(post()), 5), data(body)),
    ...Object.fromEntries(
      [2, 3, 4, 5, 6, 7, 8, 9].map((kind) => [`a frame ${kind} in a request`, all(begin, frame(kind, "\0".repeat(8)))]),
    ),
    "empty headers": frame(1),
    "headers without fields": frame(1, "\0\0"),
    "an insert count of 2^40": raw("\xff\xff\xff\xff\xff\x7f\0"),
    "a reference to a dynamic table": raw("\x02\0\x80"),
    "a reference behind the base": raw("\0\0\x10"),
    "a reference behind the static table": raw(all(Buffer.alloc(2), prefixed(500, 6, 0xc0))),
    "a text in Huffman's code that is none": raw("\0\0\x28\x81\xff\x85\xff\xff\xff\xff\xff"),
    "a name of 2^50 bytes": frame(1, all(Buffer.alloc(2), prefixed(2 ** 50, 3, 0x20), Buffer.from("abc"))),
    "a value of 2^50 bytes": frame(1, all(Buffer.from("\0\0\x21a"), prefixed(2 ** 50, 7, 0), Buffer.from("abc"))),
    "an integer of 30 bytes": frame(1, `\0\0\x27${"\xff".repeat(30)}\0`),
    "line breaks in a value": send([["x-a", "b\r\nevil: yes\r\n\r\nGET /y HTTP/1.1"]]),
    "a NUL in a value": send([["x-a", "b\0c"]]),
    "another host beside": send([["host", "other.example"]]),
    "two paths": all(headers([[":path", "/y"], ...post()]), data(body)),
    "a path behind headers": all(headers([["a", "b"], ...post()]), data(body)),
    "an unknown name with a colon": all(headers([[":x", "y"], ...post()]), data(body)),
    "no path": headers(post().filter(([name]) => name !== ":path")),
    "no host": headers(post().filter(([name]) => name !== ":authority")),
    "an empty host": headers(asking("", "/x")),
    "an empty path": headers(asking(host, "")),
    "an odd method": headers(asking(host, "/x", [], "G\r\nET")),
    "an empty method": headers(asking(host, "/x", [], "")),
    "a header of 200,000 bytes": send([["x-a", "b".repeat(200_000)]]),
    "3,000 headers": send(Array.from({ length: 3_000 }, (_, at) => [`x-${at}`, "y"] as const)),
  };
  return { allowed, refused };
}

/** Streams in one direction that end a connection. */
const text = (value: string) => Buffer.from(value, "latin1");
const begun = (...parts: readonly Buffer[]) => [all(control, ...parts)];
const beside = (...streams: readonly Buffer[]) => [control, ...streams];
export const uniStreams: Readonly<Record<string, NonNullable<QuicCase["uni"]>>> = {
  "two control streams": beside(control),
  "settings twice": begun(frame(4)),
  "settings of HTTP/2": [all(integer(0), frame(4, "\x02\0\x03\x01\x04\x05"))],
  "settings that are cut": [all(integer(0), frame(4, "\x01"))],
  "settings of 2^50 bytes": [all(integer(0), frame(4, "\x01\0", 2n ** 50n))],
  "3,000 large settings": [all(integer(0), frame(4, times(3_000, all(text("\x21"), integer(most)))))],
  "no settings": [all(integer(0), frame(7, "\0"))],
  "a body on the control stream": begun(data(body)),
  "a stream of pushes": beside(text("\x01\0abc")),
  "a stream of an unknown type": beside(all(integer(0x21), text("x".repeat(5_000)))),
  "a table of 2^40 bytes": beside(all(text("\x02"), prefixed(2 ** 40, 5, 0x20))),
  "5,000 entries": beside(all(text("\x02"), prefixed(4_096, 5, 0x20), times(5_000, text("\x41a\x01b")))),
  "an entry of 2^50 bytes": beside(
    all(text("\x02"), prefixed(4_096, 5, 0x20), prefixed(2 ** 50, 5, 0x40), text("a".repeat(9_000))),
  ),
  "a copy of an entry that is none": beside(all(text("\x02"), prefixed(2 ** 30, 5, 0))),
  "an acknowledgement that is none": beside(all(text("\x03"), prefixed(2 ** 50, 7, 0x80))),
  "an increment of 0": beside(text("\x03\0")),
  "a type of 2^62": beside(text("\xff".repeat(8))),
};
