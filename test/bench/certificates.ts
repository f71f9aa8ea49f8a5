/**
 * Measures 5,000 hosts with a certificate each: the time until the next handshake has a renewed
 * one, and the time until all hosts have theirs when all are renewed at once. The benchmark `hosts`
 * has the cost of a certificate for a worker.
 */
import { createServer } from "node:http";
import { connect } from "node:tls";
import { ports, serving } from "../nginx/support/serve.ts";
import { backendPort } from "./hosts.ts";
import type { Figure } from "./measured.ts";
import { fileOf, filesOf, hostOf, ingress, secret, secretsOf, service, slice } from "./support/hosts.ts";
import { sizesOr } from "./support/sizes.ts";

/** Hosts beside them whose certificates are renewed one by one: each has a file of its own. */
const apart = 20;
const endpoint = { address: "127.0.0.1", port: backendPort };

export async function certificates(): Promise<Figure[]> {
  const backend = createServer((_request, response) => response.end("ok")).listen(backendPort, endpoint.address);
  const figures: Figure[] = [];
  for (const hosts of sizesOr([5_000])) figures.push(...(await renewed(hosts)).map((one) => ({ ...one, hosts })));
  backend.close();
  backend.closeAllConnections();
  return figures;
}

async function renewed(hosts: number): Promise<Figure[]> {
  const files = async () => filesOf({ hosts, endpoint, secrets: await secretsOf(hosts) });
  const served = await serving({ files: await files(), limitMs: 300_000 });
  const reloads = () => served.lines().filter(({ msg }) => msg === "applied with a reload").length;
  const own = async (at: number) =>
    fileOf([
      ingress(at, { secret: `tls-${at}` }),
      service(at),
      slice(at, [endpoint.address], endpoint.port),
      await secret(at),
    ]);
  const changed = async (at: number, before: string) => {
    while ((await handshake(hostOf(at))) === before) {}
  };

  const fallback = await handshake("nobody.example");
  for (let at = hosts; at < hosts + apart; at++) {
    served.write(`own-${at}.yaml`, await own(at));
    await changed(at, fallback);
  }
  const before = reloads();
  const live: number[] = [];
  for (let at = hosts; at < hosts + apart; at++) {
    const [text, old] = [await own(at), await handshake(hostOf(at))];
    const since = performance.now();
    served.write(`own-${at}.yaml`, text);
    await changed(at, old);
    live.push(performance.now() - since);
  }
  const old: string[] = [];
  for (let at = 0; at < hosts; at++) old[at] = await handshake(hostOf(at));
  const renewals = await files();
  const since = performance.now();
  for (const [file, text] of Object.entries(renewals)) served.write(file, text);
  for (let at = 0; at < hosts; at++) await changed(at, old[at]!);
  const seconds = (performance.now() - since) / 1000;
  const found: Figure[] = [
    { what: "a renewed certificate, from its file to the next handshake", unit: "ms", values: live, bound: 1_000 },
    { what: "all certificates renewed at once, until each was served", unit: "s", values: [seconds] },
    { what: "reloads for these", unit: "", values: [reloads() - before], bound: 0 },
  ];
  await served.remove();
  return found;
}

/** The fingerprint of the certificate that a client gets. */
function handshake(servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: ports.https, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
