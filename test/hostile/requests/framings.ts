/**
 * Requests about whose end nginx and a backend could disagree. Each has a complete request for
 * `/guarded` in a place where a body may be.
 */

const inner = "GET /guarded HTTP/1.1\r\nHost: a.example\r\n\r\n";
const head = (headers: string, line = "POST /in HTTP/1.1") => `${line}\r\nHost: a.example\r\n${headers}\r\n\r\n`;
const hex = inner.length.toString(16);
const chunked = `0\r\n\r\n${inner}`;

const lengths: readonly (readonly [string, string])[] = [
  [
    "both lengths, the chunks end first",
    `${head(`Content-Length: ${chunked.length}\r\nTransfer-Encoding: chunked`)}${chunked}`,
  ],
  [
    "both lengths in the other order",
    `${head(`Transfer-Encoding: chunked\r\nContent-Length: 4`)}${hex}\r\n${inner}\r\n0\r\n\r\n`,
  ],
  ["two lengths", `${head(`Content-Length: 0\r\nContent-Length: ${inner.length}`)}${inner}`],
  ["a list of lengths", `${head(`Content-Length: 0, ${inner.length}`)}${inner}`],
  ["a length with a plus", `${head(`Content-Length: +${inner.length}`)}${inner}`],
  ["a length with a blank in it", `${head("Content-Length: 1 0")}${inner}`],
  ["a length in hexadecimal", `${head("Content-Length: 0x2")}${inner}`],
  ["a length that is too large for any number", `${head(`Content-Length: 1${"0".repeat(40)}`)}${inner}`],
  ["a negative length", `${head("Content-Length: -1")}${inner}`],
  ["a length and a blank before the colon", `${head(`Content-Length : ${inner.length}`)}${inner}`],
];

const encodings = [
  ...[
    "xchunked",
    "chunked, identity",
    "identity, chunked",
    "chunked;q=1",
    '"chunked"',
    "\tchunked",
    "\x0bchunked",
    "chunke\u00e9",
    "cow",
  ],
  ...["chunked\r\nTransfer-Encoding: identity", "identity\r\nTransfer-Encoding: chunked", "x\r\n chunked"],
].map((value) => [
  `the coding ${JSON.stringify(value)}`,
  `${head(`Content-Length: 3\r\nTransfer-Encoding: ${value}`)}${chunked}`,
]);

const names = [
  "Transfer-Encoding ",
  " Transfer-Encoding",
  "Transfer_Encoding",
  "Transfer-Encoding\0",
  "X: y\nTransfer-Encoding",
  "X: y\rTransfer-Encoding",
].map((name) => [
  `the name ${JSON.stringify(name)}`,
  `${head(`Content-Length: ${chunked.length}\r\n${name}: chunked`)}${chunked}`,
]);

const chunks = [
  ["a chunk whose size is too large", "FFFFFFFFFFFFFFFFF\r\n"],
  ["a chunk whose size wraps round", "100000000000000000\r\n"],
  ["a chunk with an extension and a bare line feed", `0;a\nx\r\n\r\n${inner}`],
  ["a chunk with a sign", `+0\r\n\r\n${inner}`],
  ["a chunk in 0x", `0x0\r\n\r\n${inner}`],
  ["a chunk with no line end", `1\r\naX0\r\n\r\n${inner}`],
  ["a trailer that says a length", `0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`],
].map(([what, body]) => [what!, `${head("Transfer-Encoding: chunked")}${body}`] as const);

const lines: readonly (readonly [string, string])[] = [
  [
    "chunks in HTTP/1.0",
    `${head("Transfer-Encoding: chunked\r\nConnection: keep-alive", "POST /in HTTP/1.0")}${chunked}`,
  ],
  ["a GET with a body", `${head(`Content-Length: ${inner.length}`, "GET /in HTTP/1.1")}${inner}`],
  ["a version that is not", head("X: y", "GET /in HTTP/1.1x")],
  ["a line feed in the line", head("X: y", "GET /in\nGET /guarded HTTP/1.1")],
  ["a carriage return in the line", head("X: y", "GET /in\rX HTTP/1.1")],
  ["a blank in the target", head("X: y", "GET /in HTTP/1.1\tGET /guarded HTTP/1.1")],
  ["a target with a blank", head("X: y", "GET /in /guarded HTTP/1.1")],
  ["an absolute target for another host", head("X: y", "GET http://other.example/guarded HTTP/1.1")],
  ["two hosts", head("Host: other.example")],
  ["a host with a path", "GET /in HTTP/1.1\r\nHost: a.example/guarded\r\n\r\n"],
  ["a host with a NUL", "GET /in HTTP/1.1\r\nHost: a.example\0x\r\n\r\n"],
  ["folded headers", `${head("X: y\r\n Content-Length: 5")}${inner}`],
  ["the preface of HTTP/2", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${inner}`],
  [
    "Expect and a body that is sent at once",
    `${head(`Expect: 100-continue\r\nContent-Length: ${inner.length}`)}${inner}`,
  ],
  [
    "an upgrade to HTTP/2 in clear",
    head("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__"),
  ],
];

/** Each attempt, with the bytes that are sent. */
export const framings: readonly (readonly [string, string])[] = [
  ...[...lengths, ...names, ...encodings, ...chunks, ...lines].map(([what, bytes]) => [what!, bytes!] as const),
];
