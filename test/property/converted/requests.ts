/** Draws random requests near the hosts and paths of some Ingresses. */
import type { Draws } from "../draws.ts";
import { hostsOf, type IngressSketch } from "./worlds.ts";

export interface DrawnRequest {
  readonly secure: boolean;
  readonly host: string;
  readonly method: string;
  readonly path: string;
  /** Parts of the query, without `&`. */
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const methods = ["GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;
const cookies = ["canary=always", "a=b; canary=never", "beta.1=always", "session=1", "Canary=always"];

/** Headers that a client may send; a request has a few of them. */
const headers: readonly (readonly [string, readonly string[]])[] = [
  ["x-canary", ["always", "never", "eu-west", "eu-1", "a b", "x"]],
  ["a-b.c", ["always", "never", "a b"]],
  ["cookie", cookies],
  ["authorization", [basic("ann:pass"), basic("ann:wrong")]],
  ["origin", ["https://shop.example.com", "https://a.example.org", "https://evil.example"]],
  ["access-control-request-method", ["PUT"]],
  ["x-forwarded-for", ["198.51.100.7"]],
  ["x-forwarded-proto", ["https", "http"]],
  ["accept-encoding", ["gzip"]],
  ["user-agent", ["Mozilla/5.0 (iPhone; CPU iPhone OS 12_0 like Mac OS X)"]],
  ["x-original-url", ["/hidden"]],
];

/** Parts of queries determine the answers of the echo backends. */
const queries = [
  "x=1",
  "x=%20&y",
  "teapot=1",
  "echo-status=404",
  "echo-status=503",
  "echo-header=Location:http://inner.example.com/moved",
  "echo-header=Set-Cookie:a=b;Domain=inner.example.com;Path=/app/",
  "echo-header=X-Frame-Options:DENY",
];

export function requestFrom(draw: Draws, sketches: readonly IngressSketch[]): DrawnRequest {
  const { rules } = draw.of(sketches);
  const rule = draw.of(rules);
  const { path } = draw.of(rule.paths);
  const method = draw.of(methods);
  return {
    secure: draw.below(2) === 0,
    host: hostFrom(draw, rule.host, sketches),
    method,
    path: draw.below(8) === 0 ? draw.of(["/", "/nowhere", "/a/b"]) : near(draw, sampleOf(path, draw)),
    query: draw.below(3) === 0 ? [draw.of(queries)] : [],
    headers: Object.fromEntries(
      headers.flatMap(([name, values]) => (draw.below(8) === 0 ? [[name, draw.of(values)]] : [])),
    ),
    body: method === "POST" || method === "PUT" ? "x".repeat(draw.of([0, 5, 3_000])) : "",
  };
}

function hostFrom(draw: Draws, host: string | undefined, sketches: readonly IngressSketch[]): string {
  const { family, annotations } = draw.of(sketches);
  const aliases = (annotations["server-alias"] ?? "").split(",").flatMap((name) => {
    if (name === "" || name.startsWith("~")) return [`n7.${family}`];
    return [name.trim().replace("*", "one")];
  });
  const others = [...hostsOf(family), ...aliases, `deep.one.${family}`, `www.sub.${family}`, "unknown.test"];
  const name = host === undefined || draw.below(4) === 0 ? draw.of(others) : host;
  return name.replace("*", draw.of(["one", "one", "two.one"]));
}

/** Returns a path that a pattern may match. */
function sampleOf(path: string, draw: Draws): string {
  const [part = "/"] = [draw.of(path.split(/(?<!\(.*)\|/))];
  const text = part
    .replace("(/.*)?", draw.of(["", "/y", "/y/z"]))
    .replace("(/|$)(.*)", draw.of(["", "/", "/rest", "/rest/x"]))
    .replace("(.*)", draw.of(["", "any", "any/where"]))
    .replace("[ab]+", "ab")
    .replace("[0-9]+", "12");
  return text.startsWith("/") ? text : `/${text}`;
}

function near(draw: Draws, path: string): string {
  const stem = path.replace(/\/$/, "");
  const text = draw.of([
    ...[path, path, path, `${stem}/`, `${stem}/x`, `${stem}x`, stem.replace(/[^%]$/, "") || "/", path.toUpperCase()],
    ...[`/${path}`, `${stem}/../a`, `${stem}/%61`, `${stem}//b`, `${stem}/d%20e`, `${stem}/x+y`],
  ]);
  const one = text.startsWith("/") ? text : `/${text}`;
  // nginx answers 400 to an incomplete escape before it looks for a host.
  return encodeURI(one.replace(/%4$/, "")).replaceAll("%25", "%");
}
