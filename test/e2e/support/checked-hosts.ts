/**
 * Hosts whose every answer is checked. Each has a certificate and a backend of its own, and its
 * EndpointSlice changes all the time: version 17 is the address with the number 17. So an answer
 * tells which host and which version of its objects it belongs to. Wrong are: another host's
 * backend or certificate, a version that never was or is outdated, and every status that is no
 * failure.
 */
import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { selfSigned } from "../../../src/core/certificates/issue.ts";
import { Client, kubeConfigCredentials } from "../../../src/kube/index.ts";
import { type Answer, request } from "../../nginx/support/request.ts";
import { Chance } from "../../support/chance.ts";
import type { Cluster } from "./cluster.ts";
import { put } from "./put.ts";

const names = Array.from({ length: 8 }, (_, at) => `h${at}`);
const firstPort = 21_910;
/** The machine has these addresses. */
const addresses = Array.from({ length: 80 }, (_, at) => `192.0.2.${at + 20}`);
const failures = [502, 503, 504];
const askers = 3;
/** Between the requests of an asker, so that the other processes get the machine as well. */
const pauseMs = 10;

interface Host {
  readonly name: string;
  readonly port: number;
  /** The newest version that the API server may have. */
  written: number;
  /** The newest version that an answer has shown. */
  seen: number;
}

export interface Round {
  readonly what: string;
  /** Whether nginx is killed, so that requests may fail. */
  readonly interrupts: boolean;
  /** Whether nginx may restart from a journal that could not be written. */
  readonly forgets: boolean;
}

export class CheckedHosts {
  readonly #hosts: readonly Host[] = names.map((name, at) => ({ name, port: firstPort + at, written: 0, seen: 0 }));
  readonly #client: Client;
  readonly #chance: Chance;
  /** Requests draw their own numbers, so that their count does not change the faults of a seed. */
  readonly #asked = new Chance(1);
  readonly #backends: readonly Server[];
  readonly #asking: Promise<unknown>;
  #round: Round = { what: "the start", interrupts: true, forgets: true };
  #going = true;
  /** The answers by their status; failed connections by `no answer`. */
  readonly answers = new Map<string, number>();
  /** What was wrong, and how often. */
  readonly wrong = new Map<string, number>();

  static async open(cluster: Cluster, chance: Chance): Promise<CheckedHosts> {
    const client = new Client(await kubeConfigCredentials([cluster.kubeconfig()]));
    const hosts = new CheckedHosts(client, chance);
    for (const host of hosts.#hosts) for (const object of [...objectsOf(host), slice(host)]) await put(client, object);
    return hosts;
  }

  private constructor(client: Client, chance: Chance) {
    this.#client = client;
    this.#chance = chance;
    this.#backends = this.#hosts.map(({ name, port }) =>
      createServer(({ socket }, response) => response.end(`${name} ${socket.localAddress}`)).listen(port),
    );
    this.#asking = Promise.all(Array.from({ length: askers }, () => this.#ask()));
  }

  get count(): number {
    return [...this.answers.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Sets what may happen from now on. */
  expect(round: Round): void {
    this.#round = round;
    if (round.forgets) for (const host of this.#hosts) host.seen = 0;
  }

  /** Changes the endpoint of some hosts, the certificate of one, and the text of another one. */
  async change(): Promise<void> {
    for (const host of this.#hosts.slice(this.#chance.below(this.#hosts.length))) {
      host.written++;
      await put(this.#client, slice(host));
    }
    await put(this.#client, secret(this.#chance.oneOf(this.#hosts)));
    await put(this.#client, ingress(this.#chance.oneOf(this.#hosts), 60 + this.#chance.below(30)));
  }

  /** Writes the newest versions again. An API server that was killed may not have all of them. */
  async writeAgain(): Promise<void> {
    for (const host of this.#hosts) await put(this.#client, slice(host));
  }

  /** Whether each host gives the answer that its objects say now, over http and https. */
  async areRight(): Promise<boolean> {
    const answers = await Promise.all(
      this.#hosts.flatMap((host) =>
        [undefined, host.name].map(async (sni) => {
          const answer = await this.#answer(host, sni !== undefined);
          return answer?.body === `${host.name} ${addressOf(host.written)}`;
        }),
      ),
    );
    if (!answers.every(Boolean)) await delay(200);
    return answers.every(Boolean);
  }

  async close(): Promise<void> {
    this.#going = false;
    await this.#asking;
    this.#client.close();
    for (const backend of this.#backends) backend.close();
    for (const backend of this.#backends) backend.closeAllConnections();
  }

  async #ask(): Promise<void> {
    while (this.#going) {
      await this.#answer(this.#asked.oneOf(this.#hosts), this.#asked.share() < 0.3);
      await delay(pauseMs);
    }
  }

  /** Sends one request and checks the answer. */
  async #answer(host: Host, overTls: boolean): Promise<Answer | undefined> {
    const asked = { to: overTls ? "127.0.0.1:443" : "127.0.0.1:80", host: `${host.name}.example` };
    const [round, seen] = [this.#round, host.seen];
    const answer = await request({ ...asked, ...(overTls ? { sni: asked.host } : {}) }).catch(() => undefined);
    const kind = answer === undefined ? "no answer" : `${answer.status}`;
    count(this.answers, kind);
    const mayFail = round.interrupts || this.#round.interrupts;
    const why = wrongIn(answer, host, this.#round.forgets ? 0 : seen, mayFail);
    if (why !== undefined)
      count(this.wrong, `${why} (${asked.host}, ${overTls ? "https" : "http"}, ${this.#round.what})`);
    return answer;
  }
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** Returns what is wrong with an answer, and notes its version. */
function wrongIn(answer: Answer | undefined, host: Host, oldest: number, mayFail: boolean): string | undefined {
  if (answer === undefined || failures.includes(answer.status))
    return mayFail ? undefined : `${answer?.status ?? "no answer"} while nginx should serve`;
  const { status, body, certificate = host.name } = answer;
  if (status !== 200) return `status ${status}`;
  const [name, address = ""] = body.split(" ");
  const at = addresses.indexOf(address.replace("::ffff:", ""));
  if (name !== host.name || certificate !== host.name) return `backend of ${name}, certificate of ${certificate}`;
  const version = host.written - ((host.written - at + addresses.length) % addresses.length);
  if (at < 0 || version < oldest) return `version ${version}, but ${oldest} was served before`;
  host.seen = Math.max(host.seen, version);
  return undefined;
}

const addressOf = (version: number) => `::ffff:${addresses[version % addresses.length]}`;

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

function secret({ name }: Host): object {
  const subject = { organization: "Test", commonName: name };
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data = {
    "tls.crt": base64(selfSigned(subject, privateKey, [`${name}.example`], new Date())),
    "tls.key": base64(privateKey.export({ type: "pkcs8", format: "pem" }).toString()),
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: name, name: "tls" },
    type: "kubernetes.io/tls",
    data,
  };
}

/** A time that no other Ingress has is text, so nginx reloads. */
function ingress({ name }: Host, seconds = 60): object {
  const prefix = "nginx.ingress.kubernetes.io";
  const annotations = { [`${prefix}/ssl-redirect`]: "false", [`${prefix}/proxy-read-timeout`]: `${seconds}` };
  const paths = [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }];
  const host = `${name}.example`;
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { namespace: name, name: "web", annotations },
    spec: {
      ingressClassName: "nginx",
      tls: [{ hosts: [host], secretName: "tls" }],
      rules: [{ host, http: { paths } }],
    },
  };
}

function slice({ name, port, written }: Host): object {
  const labels = { "kubernetes.io/service-name": "web" };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: name, name: "web-1", labels },
    addressType: "IPv4",
    endpoints: [{ addresses: [addresses[written % addresses.length]], conditions: { ready: true } }],
    ports: [{ name: "http", port, protocol: "TCP" }],
  };
}

function objectsOf(host: Host): readonly object[] {
  const { name } = host;
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace: name, name: "web" },
      spec: { ports: [{ name: "http", port: 80 }] },
    },
    secret(host),
    ingress(host),
  ];
}
