/**
 * Hostile certificates of backends against `upstream_ssl_verify_san`: names that only look like the
 * required ones, and alternative names that are no valid ASN.1. docs/security.md says how it was
 * run with a module that is built with AddressSanitizer.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { request } from "../nginx/support/request.ts";
import { until } from "../nginx/support/until.ts";
import { Draws } from "../property/draws.ts";
import { pkiIn } from "../support/pki.ts";
import { type Container, openImage, startContainer } from "./support/container.ts";

const backendPort = 21_988;
const [name, uri] = ["shop.example", "spiffe://cluster/shop"];

/** A value of ASN.1. */
function value(tag: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string, "latin1");
  const length =
    bytes.length < 128 ? [bytes.length] : [0x83, bytes.length >> 16, (bytes.length >> 8) & 255, bytes.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
}
const [email, dns, ofUri, ip, oid] = [0x81, 0x82, 0x86, 0x87, 0x88] as const;
const names = (...all: readonly Buffer[]) => value(0x30, Buffer.concat(all));
const other = (text: string) =>
  value(0xa0, Buffer.concat([value(6, "\x2b\x06\x01\x04\x01\x82\x37\x14\x02\x03"), value(0xa0, value(0x0c, text))]));
const many = Array.from({ length: 1_500 }, (_, at) => value(dns, `n${at}.example`));

const good: Readonly<Record<string, Buffer>> = {
  "the name": names(value(dns, name)),
  "the name in upper case": names(value(dns, name.toUpperCase())),
  "the URI": names(value(ofUri, uri)),
  "the name behind 1,500 others": names(...many, value(dns, name)),
  "the URI behind names of each other kind": names(
    value(email, "a@b"),
    other("x"),
    value(ip, "\x7f\0\0\x01"),
    value(ofUri, uri),
  ),
};

const bad: Readonly<Record<string, Buffer | undefined>> = {
  "no alternative names": undefined,
  "an empty list": names(),
  "a NUL behind the name": names(value(dns, `${name}\0.evil.example`)),
  "a NUL before the name": names(value(dns, `evil.example\0${name}`)),
  "a NUL at the end": names(value(dns, `${name}\0`)),
  "a NUL behind the URI": names(value(ofUri, `${uri}\0/x`)),
  "a NUL at the end of the URI": names(value(ofUri, `${uri}\0`)),
  "the URI and more": names(value(ofUri, `${uri}ping`)),
  "the URI in upper case": names(value(ofUri, uri.toUpperCase())),
  "the name as a URI, and the URI as a name": names(value(ofUri, name), value(dns, uri)),
  "the name as each other kind": names(value(email, name), value(ip, name), value(oid, name), other(name)),
  "the URI as each other kind": names(value(email, uri), value(oid, uri), other(uri)),
  "wildcards for everything": names(
    ...["*", "*.*", "*.example", "*.", ".", "**.example"].map((one) => value(dns, one)),
  ),
  "wildcards inside a label": names(...["sh*.example", "*hop.example", "s*p.example"].map((one) => value(dns, one))),
  blanks: names(...[` ${name}`, `${name} `, `${name},evil`, `a ${name}`].map((one) => value(dns, one))),
  dots: names(...[`.${name}`, `${name}.`, "shop..example"].map((one) => value(dns, one))),
  "letters that look alike": names(value(dns, Buffer.from("ѕhop.example")), value(dns, "xn--hop-mdd.example")),
  "an empty name and URI": names(value(dns, ""), value(ofUri, "")),
  "a name of 30,000 letters": names(value(dns, "a".repeat(30_000)), value(ofUri, "b".repeat(20_000))),
  "a length beyond the end": Buffer.from("3003820c73", "hex"),
  "a length of 2^31": Buffer.from("30848000000082", "hex"),
  "no end of the list": Buffer.from("3080820161", "hex"),
  "another type of value": value(0x04, value(dns, name)),
  "the name beside the list": value(dns, name),
  "no value": Buffer.from("00", "hex"),
};

const folder = mkdtempSync(join(tmpdir(), "sluice-san-hostile-"));
const pairs = new Map<string, { readonly cert: Buffer; readonly key: Buffer }>();
let backend: Server;
let running: Container;
let key: Buffer;

beforeAll(async () => {
  await pkiIn(folder);
  key = readFileSync(join(folder, "backend.key"));
  backend = createServer(
    {
      SNICallback: (sni, done) => {
        const pair = pairs.get(sni);
        if (pair === undefined) done(new Error(`no certificate for ${sni}`));
        else done(null, createSecureContext(pair));
      },
    },
    (_, answer) => answer.end("backend"),
  );
  backend.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", () => resolve()));
  writeFileSync(join(folder, "nginx.conf"), configuration());
  chmodSync(folder, 0o755);
  running = startContainer(openImage(), { args: ["nginx", "-c", "/conf/nginx.conf"], mounts: { "/conf": folder } });
  await until("nginx answers", () =>
    ask("up").then(
      (status) => status === 204,
      () => false,
    ),
  );
});
afterAll(async () => {
  running?.kill("SIGTERM");
  const ended = await running?.ended;
  backend?.close();
  rmSync(folder, { recursive: true });
  expect(ended?.text).not.toMatch(/\[(alert|emerg)\]|exited on signal|AddressSanitizer/);
});

const ask = async (path: string) => (await request({ to: "127.0.0.1:8081", path: `/${path}` })).status;

function configuration(): string {
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((one) => `${one}_temp_path /tmp/${one};`);
  const check = `upstream_ssl_verify_san dns:${name} uri:${uri};`;
  return `
load_module /usr/lib/nginx/modules/ngx_http_upstream_ssl_san_module.so;
daemon off; worker_processes 1; pid /tmp/nginx.pid; error_log stderr info;
events {}
http {
  ${temp.join(" ")} access_log off;
  proxy_ssl_verify on; proxy_ssl_trusted_certificate /conf/ca.crt; proxy_ssl_server_name on; proxy_ssl_session_reuse off;
  server {
    listen 127.0.0.1:8081;
    location = /up { return 204; }
    location ~ ^/(?<case>c\\d+)$ { proxy_ssl_name $case; ${check} proxy_pass https://127.0.0.1:${backendPort}; }
  }
}`;
}

/** Makes a certificate with these alternative names, and returns what a request to it gets. */
async function answered(alternatives: Buffer | undefined, commonName = name): Promise<number> {
  const id = `c${pairs.size}`;
  const extension = alternatives && ["-addext", `subjectAltName=DER:${alternatives.toString("hex")}`];
  const signing = ["-CA", "ca.crt", "-CAkey", "ca.key", "-key", "backend.key", "-days", "10"];
  const config = ["-config", "empty.cnf", "-addext", "basicConstraints=CA:FALSE"];
  writeFileSync(join(folder, "empty.cnf"), "[req]\ndistinguished_name=dn\n[dn]\n");
  const words = ["req", "-x509", ...config, "-subj", `/CN=${commonName}`, ...signing, ...(extension ?? [])];
  const { stdout } = await execa("openssl", words, { cwd: folder });
  pairs.set(id, { cert: Buffer.from(stdout), key });
  return ask(id);
}

test.each(Object.keys(good))("a certificate passes with %s", async (what) => {
  expect(await answered(good[what], "other.example")).toBe(200);
});

test.each(Object.keys(bad))("a certificate does not pass with %s", async (what) => {
  expect(await answered(bad[what])).toBe(502);
});

test("a subject with line breaks and quotes does not pass", async () => {
  expect(await answered(names(value(dns, "x")), 'a\\"; }\n[alert] x\r\n\x1b[31m')).toBe(502);
});

test("changed bytes pass only if they still have one of the names", async () => {
  const draw = new Draws(17);
  const right = [value(dns, name), value(ofUri, uri)];
  for (let round = 0; round < 150; round++) {
    const bytes = [...names(value(email, "a@b"), other("x"), draw.of(right), value(ip, "\x7f\0\0\x01"))];
    for (let change = draw.below(3) + 1; change > 0; change--) {
      const at = draw.below(bytes.length);
      if (draw.below(3) === 0) bytes.splice(at, draw.below(5));
      else bytes[at] = draw.below(256);
      if (bytes.length === 0) bytes.push(0);
    }
    const changed = Buffer.from(bytes);
    const status = await answered(changed, "x");
    const has = [name, name.toUpperCase(), uri].some((one) =>
      changed.toString("latin1").toLowerCase().includes(one.toLowerCase()),
    );
    expect([round, has ? [200, 502] : [502]]).toEqual([round, expect.arrayContaining([status])]);
  }
});
