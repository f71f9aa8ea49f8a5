/** Asks a registry of this machine, which demands a token as the one of Docker does. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { digestOf, pinned } from "./digests.ts";

const digest = `sha256:${"0a".repeat(32)}`;
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => void close()));

async function registry(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closing.push(() => server.close().closeAllConnections());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A registry with one image. */
const holding = (name: string, tokens = 200) =>
  registry(({ url = "", method, headers }, response) => {
    const { host } = headers;
    if (decodeURIComponent(url) === `/token?service=registry&scope=repository:${name}:pull`)
      return response.writeHead(tokens).end('{"token":"secret"}');
    if (headers.authorization !== "Bearer secret") {
      const challenge = `Bearer realm="http://${host}/token",service="registry",scope="repository:${name}:pull"`;
      return response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    const isThere = method === "HEAD" && url === `/v2/${name}/manifests/1` && headers.accept?.includes("image.index");
    return response.writeHead(isThere ? 200 : 404, isThere ? { "docker-content-digest": digest } : {}).end();
  });

test("the digest of an image is that of its registry, which wants a token", async () => {
  const host = await holding("base/debian");
  expect(await digestOf(`${host}/base/debian:1`)).toBe(digest);
});

test("a failure names the image, the registry and its answer", async () => {
  const host = await holding("debian");
  const begin = (of: string, image: string) => `The registry ${of} gives no digest of ${of}/${image}: `;
  await expect(digestOf(`${host}/debian:2`)).rejects.toThrow(`${begin(host, "debian:2")}it answers 404.`);
  const closed = await holding("debian", 403);
  const noToken = `${begin(closed, "debian:1")}${closed} answers 403 to the request for a token.`;
  await expect(digestOf(`${closed}/debian:1`)).rejects.toThrow(noToken);
  const basic = await registry((_, response) => response.writeHead(401, { "www-authenticate": "Basic" }).end());
  await expect(digestOf(`${basic}/a:1`)).rejects.toThrow(`${begin(basic, "a:1")}it demands "Basic".`);
  const silent = await registry((_, response) => response.end());
  await expect(digestOf(`${silent}/a:1`)).rejects.toThrow(`${begin(silent, "a:1")}its answer names none.`);
  closing.splice(0).forEach((close) => void close());
  await expect(digestOf(`${silent}/a:1`)).rejects.toThrow(`${begin(silent, "a:1")}connect ECONNREFUSED ${silent}.`);
});

test("digests are used for the suite and the images for which they were written", () => {
  const images = new Map([["NODE_IMAGE", "node:24.21.0-slim"]]);
  const written = `SUITE=testing\nNODE_IMAGE=node:24.21.0-slim@${digest}\n`;
  expect(pinned(written, images, "testing")).toEqual(["SUITE=testing", `NODE_IMAGE=node:24.21.0-slim@${digest}`]);
  expect(pinned(written, images, "trixie")).toEqual(["SUITE=trixie"]);
  expect(pinned("", images, "testing")).toEqual(["SUITE=testing"]);
  const newer = new Map([["NODE_IMAGE", "node:26.0.0-slim"]]);
  expect(() => pinned(written, newer, "testing")).toThrow(
    "image/digests has no digest of node:26.0.0-slim, which the Dockerfile names; write it again",
  );
});
