import { expect, test } from "vitest";
import {
  framesMessages,
  isReservedHeader,
  reservedWhy,
  settableHeaderName,
  withoutReserved,
} from "./reserved-headers.ts";

test.each(["Content-Length", "content_length", "TRANSFER.ENCODING", " transfer-encoding "])(
  "the header %s counts as part of a message's framing",
  (name) => {
    expect([framesMessages(name), isReservedHeader(name)]).toEqual([true, true]);
  },
);

test.each([
  "Connection",
  "HOST",
  "upgrade",
  "TE",
  "Trailer",
  "expect",
  "Keep_Alive",
  "Proxy",
  "proxy_anything",
  "HTTP2-Settings",
])("the header %s counts as belonging to one connection", (name) =>
  expect([framesMessages(name), isReservedHeader(name)]).toEqual([false, true]),
);

test.each(["X-Sluice-Hops", "x_sluice_check", "X.Sluice.Anything"])("the header %s is Sluice's own", (name) => {
  expect([framesMessages(name), isReservedHeader(name)]).toEqual([false, true]);
  expect(reservedWhy(name)).toContain("is a header of Sluice's own");
});

test.each(["X-User", "Content-Type", "Authorization", "X-Proxy-User", "Set-Cookie", "X-Host", "TEam"])(
  "the header %s may be set",
  (name) => {
    expect([isReservedHeader(name), settableHeaderName.read(name).ok]).toEqual([false, true]);
  },
);

test("headers that are left out are reported", () => {
  const headers = [{ name: "X-User" }, { name: "Host" }, { name: "content_length" }];
  expect(withoutReserved(headers)).toEqual({
    kept: [{ name: "X-User" }],
    left: [
      '"Host" belongs to one connection, which nginx alone decides about',
      '"content_length" says where a message ends, which nginx alone decides',
    ],
  });
});
