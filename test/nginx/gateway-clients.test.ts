/** Ports of Gateways that request client certificates. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectHttp2 } from "node:http2";
import { request as requestTls } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { certificateFrom } from "../../src/core/certificates/certificate.ts";
import { type KeyPair, sharedPki } from "../support/pki.ts";
import { host, port, prefix, type Seen, startGateways } from "./support/gateways.ts";

interface Client {
  readonly to: string;
  readonly host?: string;
  readonly sni?: string;
  readonly pair?: KeyPair | undefined;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the request as the backend got it, the status of another answer, or `closed`. */
async function ask({
  to,
  host: name = "one.example",
  sni = name,
  pair,
  method = "GET",
  body = "",
  headers = {},
}: Client) {
  const [address, number] = to.split(":");
  const asked = requestTls({
    host: address,
    port: Number(number),
    servername: sni,
    rejectUnauthorized: false,
    agent: false,
    method,
    headers: { host: name, ...headers },
    ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
  });
  asked.end(body);
  try {
    const [answer] = await once(asked, "response");
    const content = await text(answer);
    return answer.statusCode === 200 ? (JSON.parse(content) as Seen) : (answer.statusCode as number);
  } catch {
    return "closed";
  }
}

/** Sends several requests over HTTP/2 on one connection. */
async function askHttp2(to: string, pair: KeyPair | undefined, hosts: readonly string[]) {
  const session = connectHttp2(`https://${to}`, {
    servername: hosts[0]!,
    rejectUnauthorized: false,
    ...(pair === undefined ? {} : { cert: pair.certificate, key: pair.key }),
  });
  session.on("error", () => {});
  const answers: (number | string)[] = [];
  for (const name of hosts) {
    const stream = session.request({ ":authority": name, ":path": "/" });
    stream.resume();
    const ended = once(stream, "close").then(() => "closed");
    const answered = once(stream, "response").then(([headers]) => headers[":status"] as number);
    answers.push(await Promise.race([answered, ended]).catch(() => "closed"));
    await ended.catch(() => {});
  }
  session.destroy();
  return answers;
}

/** Returns a certificate that was valid until yesterday. */
function expired(ca: KeyPair): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), "sluice-expired-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "ca.crt"), ca.certificate);
  writeFileSync(join(folder, "ca.key"), ca.key);
  const run = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "old.key"];
  run("req", "-new", ...key, "-subj", "/CN=old", "-out", "old.csr");
  const days = ["-days", "-1"];
  run(
    "x509",
    "-req",
    "-in",
    "old.csr",
    "-CA",
    "ca.crt",
    "-CAkey",
    "ca.key",
    "-CAcreateserial",
    ...days,
    "-out",
    "old.crt",
  );
  return {
    certificate: readFileSync(join(folder, "old.crt"), "utf8"),
    key: readFileSync(join(folder, "old.key"), "utf8"),
  };
}

test("each port has its own authorities, and a client without a valid certificate is refused or reported to the backend", async () => {
  const { ca, otherca, client, stranger, tls } = await sharedPki();
  const it = await startGateways(18_780);
  const certificates = [certificateFrom("shop/one", tls.certificate, tls.key)];
  const clients = (authorities: string, lenient = false) => ({
    id: `${lenient}${authorities.length}`,
    authorities,
    lenient,
  });
  const secure = (name: string, listenPort: number, more: object = {}) =>
    port("a", "127.0.0.62", listenPort, { [name]: "" }, { tls: true, pairs: ["shop/one"], ...more });
  const ports = [
    secure("open", 18_790),
    secure("strict", 18_791, { clients: { ...clients(ca.certificate), id: "one" } }),
    secure("other", 18_792, { clients: { ...clients(otherca.certificate), id: "two" } }),
    secure("lenient", 18_793, { clients: { ...clients(ca.certificate, true), id: "three" } }),
  ];
  const names = ["open", "strict", "other", "lenient"];
  const hosts = names.flatMap((name) =>
    ["one.example", "two.example"].map((one) =>
      host(`shop/a/${name}`, one, [{ to: [{ upstream: "b1" }], routes: prefix("/") }]),
    ),
  );
  expect(await it.put({ ports, hosts, certificates })).toBe(true);
  const at = (number: number, more: Partial<Client> = {}) => ask({ to: `127.0.0.62:${number}`, ...more });
  const headers = async (number: number, more: Partial<Client>) => {
    const seen = await at(number, more);
    return typeof seen === "object" ? seen.headers : seen;
  };

  expect(await headers(18_790, { pair: client }), "nothing is asked for").not.toHaveProperty("ssl-client-verify");
  const let_in = await headers(18_791, { pair: client });
  expect(let_in).toMatchObject({ "ssl-client-verify": "SUCCESS", "ssl-client-subject-dn": "CN=client one" });
  expect(let_in).not.toHaveProperty("ssl-client-cert");
  expect(await at(18_791), "no certificate").toBe("closed");
  expect(await at(18_791, { pair: stranger }), "a certificate of strangers").toBe("closed");
  expect(await at(18_791, { pair: expired(ca) }), "one that is over").toBe("closed");
  expect(await at(18_791, { pair: stranger, method: "POST", body: "x".repeat(100_000) })).toBe("closed");
  expect(await at(18_792, { pair: stranger }), "another port has other authorities").toMatchObject({ backend: 1 });
  expect(await at(18_792, { pair: client })).toBe("closed");

  for (const pair of [undefined, client, stranger, expired(ca)]) {
    expect(await at(18_793, { pair }), "whatever is shown is let in").toMatchObject({ backend: 1 });
  }
  const known = await headers(18_793, { pair: client });
  expect(known).toMatchObject({ "ssl-client-verify": "SUCCESS" });
  const strange = (await headers(18_793, { pair: stranger })) as Seen["headers"];
  expect(strange["ssl-client-verify"]).toMatch(/^FAILED:/);
  expect(decodeURIComponent(strange["ssl-client-cert"] ?? "")).toBe(stranger.certificate);
  const old = (await headers(18_793, { pair: expired(ca) })) as Seen["headers"];
  expect(old["ssl-client-verify"], "and not a header of the client's own").toBe("FAILED:certificate has expired");
  const posted = await at(18_793, { pair: expired(ca), method: "POST", body: "hello" });
  expect(posted, "nor is the request changed").toMatchObject({ method: "POST", body: "hello" });
  expect(await headers(18_793, {})).toMatchObject({ "ssl-client-verify": "NONE" });

  const forged = {
    "ssl-client-verify": "SUCCESS",
    "ssl-client-subject-dn": "CN=root",
    "ssl-client-issuer-dn": "CN=root",
  };
  for (const claim of [forged, { ...forged, SSL_CLIENT_VERIFY: "SUCCESS" }, { ...forged, "ssl-client-cert": "x" }]) {
    const claims = { headers: claim };
    expect(await at(18_791, claims), "a claim is no certificate").toBe("closed");
    expect(await at(18_791, { ...claims, pair: stranger })).toBe("closed");
    const own = { "ssl-client-verify": "SUCCESS", "ssl-client-subject-dn": "CN=client one" };
    expect(await headers(18_791, { ...claims, pair: client }), "nor another one").toMatchObject(own);
    expect(await headers(18_793, claims)).toMatchObject({ "ssl-client-verify": "NONE" });
    expect(JSON.stringify(await headers(18_793, claims))).not.toContain("CN=root");
    expect(JSON.stringify(await headers(18_790, claims)), "nothing is asked for").not.toMatch(/SUCCESS|CN=root/);
  }

  const two = ["one.example", "two.example"];
  expect(await askHttp2("127.0.0.62:18791", client, two), "one connection for two hosts of a port").toEqual([200, 200]);
  expect(await askHttp2("127.0.0.62:18791", undefined, two)).toEqual(["closed", "closed"]);
  expect(await askHttp2("127.0.0.62:18793", expired(ca), two)).toEqual([200, 200]);
  it.seen();

  const opened = ports.map(({ clients: _, ...one }) => one);
  expect(await it.put({ ports: opened, hosts, certificates })).toBe(true);
  expect(await at(18_791), "the guard is text, and goes with it").toMatchObject({ backend: 1 });
  expect(await it.put({ ports, hosts, certificates })).toBe(true);
  expect(await at(18_791), "and comes back").toBe("closed");
  expect(await at(18_791, { pair: client })).toMatchObject({ backend: 1 });
});
