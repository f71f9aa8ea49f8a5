/**
 * Checks handshakes with more certificates than a worker keeps in OpenSSL's form. The worker drops
 * the pairs that were not used lately and parses them again, and each host still shows its own.
 */
import { once } from "node:events";
import { connect } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { filesOf, hostOf, secretsOf, settingsFlag } from "../bench/support/hosts.ts";
import { ports, serving } from "./support/serve.ts";

/** Returns the names in the certificate that a client gets for this one. */
async function namesFor(servername: string): Promise<string | undefined> {
  const socket = connect({ host: "127.0.0.1", port: ports.https, servername, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { subjectaltname } = socket.getPeerCertificate();
  socket.destroy();
  return subjectaltname;
}

/** store.lua has room for twice some 800 pairs. */
const hosts = 2_000;

test("more certificates than a worker keeps are each shown to their own host", async () => {
  const endpoint = { address: "127.0.0.1", port: 9 };
  const files = filesOf({ hosts, endpoint, secrets: await secretsOf(hosts), settings: { "worker-processes": "1" } });
  const served = await serving({ files, flags: [settingsFlag], limitMs: 100_000 });
  onTestFinished(served.remove);
  const wrong = new Set<string>();
  for (let round = 0; round < 2; round++)
    for (let at = 0; at < hosts; at++) {
      const host = hostOf(at);
      const names = await namesFor(host);
      if (names !== `DNS:${host}`) wrong.add(`${host}: ${names}`);
    }
  expect([...wrong]).toEqual([]);
});
