import { expect, test } from "vitest";
import { readRequest } from "./request.ts";
import { redirectTarget } from "./target.ts";

const redirect = { status: 301 } as Parameters<typeof redirectTarget>[0];

function target(proto: string | undefined, useForwardedHeaders: boolean, listenPort = 8080): string {
  const headers = new Map(proto === undefined ? [] : [["x-forwarded-proto", proto]]);
  const asked = { scheme: "http", host: "a.example", target: "/x?y", method: "GET", headers } as const;
  const port = { port: listenPort } as Parameters<typeof redirectTarget>[1]["port"];
  return redirectTarget(redirect, { asked, request: readRequest(asked)!, port, settings: { useForwardedHeaders } });
}

test("a redirect has the port of the listener, or the scheme that a trusted proxy reports", () => {
  expect(target(undefined, true)).toBe("http://a.example:8080/x?y");
  expect(target("https", true)).toBe("https://a.example/x?y");
  expect(target("https", false)).toBe("http://a.example:8080/x?y");
  expect(target("http", true, 80)).toBe("http://a.example/x?y");
});
