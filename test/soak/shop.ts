/**
 * A cluster that changes all the time: two hundred places that may have a host each, and objects
 * with mistakes. Changes are random, but the number of objects is limited, so unlimited growth is
 * the controller's fault.
 */
import { makeCertificate } from "../../src/edges/admission/own-certificate.ts";
import { hostOf, ingress, service, slice } from "../bench/support/hosts.ts";
import type { Chance } from "../support/chance.ts";

const places = 200;
/** Hosts that never change and have to answer all the time. */
export const steadyPlaces = 10;
const certificates = 20;
export const settingsName = { namespace: "ingress-nginx", name: "settings" };
const prefix = "nginx.ingress.kubernetes.io";
export const backendPort = 8_080;

export interface Step {
  readonly what: string;
  readonly put: readonly object[];
  readonly gone: readonly object[];
}

interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Annotations that change how a host is served, but not its answer. */
const harmless: readonly ((chance: Chance) => Record<string, string>)[] = [
  () => ({}),
  // This value almost never equals an earlier one, so that cache entries of it have to be dropped.
  (chance) => ({ "client-body-buffer-size": `${1_000 + chance.below(100_000)}` }),
  (chance) => ({ "proxy-body-size": `${1 + chance.below(9)}m` }),
  (chance) => ({ "limit-rps": `${1_000 + chance.below(5)}` }),
  () => ({ "enable-cors": "true" }),
  () => ({ affinity: "cookie", "session-cookie-name": "route" }),
  () => ({ "load-balance": "ewma" }),
  (chance) => ({ "server-alias": `alias-${chance.below(20)}.example` }),
  () => ({ "rewrite-target": "/" }),
  () => ({ "configuration-snippet": "more_set_headers 'X-Soak: yes';" }),
];

/** Mistakes of users; only nginx finds the last one. */
const mistakes: readonly Record<string, string>[] = [
  { "proxy-read-timeout": "soon" },
  { "proxy-red-timeout": "5" },
  { "auth-type": "basic", "auth-secret": "shop/missing" },
  { "whitelist-source-range": "everybody" },
  { "configuration-snippet": "no_such_directive on;" },
];

const settings: readonly Record<string, string>[] = [
  {},
  { "proxy-connect-timeout": "7" },
  { "use-gzip": "true" },
  { "log-format-upstream": "$remote_addr $request $status" },
  { "proxy-connect-timeout": "soon" },
  { "worker-shutdown-timeout": "5s", "keep-alive": "20" },
];

export class Shop {
  readonly #chance: Chance;
  readonly #pairs: readonly Pair[];
  /** The endpoints of each place's host; undefined if there is no host. */
  readonly #endpoints: (readonly string[] | undefined)[] = [];
  readonly #canaries = new Set<number>();
  readonly #kinds: readonly (readonly [weight: number, step: () => Step])[] = [
    [4, () => this.#endpointsStep()],
    [3, () => this.#hostStep()],
    [2, () => this.#certificateStep()],
    [2, () => this.#canaryStep()],
    [2, () => this.#annotationsStep()],
    [1, () => this.#mistakeStep()],
    [0.3, () => this.#settingsStep()],
  ];

  private constructor(chance: Chance, pairs: readonly Pair[]) {
    this.#chance = chance;
    this.#pairs = pairs;
  }

  static async open(chance: Chance): Promise<Shop> {
    const names = Array.from({ length: 30 }, () => makeCertificate(["*.example"], new Date()));
    return new Shop(chance, await Promise.all(names));
  }

  /** The objects at the start. */
  first(): object[] {
    const hosts = Array.from({ length: places }, (_, at) => {
      this.#endpoints[at] = ["192.0.2.11"];
      return [service(at), this.#slice(at), this.#ingress(at)];
    });
    const secrets = Array.from({ length: certificates }, (_, at) => this.#secret(at));
    return [this.#settings({}), ...secrets, ...hosts.flat()];
  }

  step(): Step {
    const all = this.#kinds.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#chance.share() * all;
    const [, make] = this.#kinds.find(([weight]) => {
      left -= weight;
      return left < 0;
    })!;
    return make();
  }

  /**
   * Returns the expected answers of hosts when everything is live, without hosts with a canary,
   * whose answers are random.
   */
  answers(): readonly (readonly [host: string, status: number])[] {
    const expected = this.#endpoints.map((endpoints, at) => {
      const status = endpoints === undefined ? 404 : endpoints.length === 0 ? 503 : 200;
      return [hostOf(at), status] as const;
    });
    return expected.filter((_, at) => !this.#canaries.has(at));
  }

  #place(): number {
    return steadyPlaces + this.#chance.below(places - steadyPlaces);
  }

  #hostStep(): Step {
    const at = this.#place();
    if (this.#endpoints[at] !== undefined) {
      this.#endpoints[at] = undefined;
      this.#canaries.delete(at);
      const gone = [canary(at, 0), ingress(at), slice(at, []), service(at)];
      return { what: "a host goes", put: [], gone };
    }
    this.#endpoints[at] = this.#addresses();
    return { what: "a host comes", put: [service(at), this.#slice(at), this.#ingress(at)], gone: [] };
  }

  #endpointsStep(): Step {
    const at = this.#place();
    if (this.#endpoints[at] === undefined) return this.#hostStep();
    this.#endpoints[at] = this.#addresses();
    return { what: "endpoints", put: [this.#slice(at)], gone: [] };
  }

  #certificateStep(): Step {
    return { what: "a certificate", put: [this.#secret(this.#chance.below(certificates))], gone: [] };
  }

  #canaryStep(): Step {
    const at = this.#place();
    const weight = this.#chance.below(101);
    if (this.#endpoints[at] === undefined || weight < 40) {
      this.#canaries.delete(at);
      return { what: "a canary goes", put: [], gone: [canary(at, 0)] };
    }
    this.#canaries.add(at);
    return { what: "a canary", put: [canary(at, weight)], gone: [] };
  }

  #annotationsStep(): Step {
    const at = this.#place();
    if (this.#endpoints[at] === undefined) return this.#hostStep();
    return { what: "annotations", put: [this.#ingress(at, this.#chance.oneOf(harmless)(this.#chance))], gone: [] };
  }

  #mistakeStep(): Step {
    const at = 10_000 + this.#chance.below(10);
    if (this.#chance.share() < 0.3) return { what: "a mistake goes", put: [], gone: [ingress(at)] };
    const wrong = this.#chance.oneOf(mistakes);
    return { what: "a mistake", put: [named(ingress(at), wrong)], gone: [] };
  }

  #settingsStep(): Step {
    return { what: "a setting", put: [this.#settings(this.#chance.oneOf(settings))], gone: [] };
  }

  #addresses(): string[] {
    const count = this.#chance.below(5);
    return Array.from({ length: count }, () => `192.0.2.${11 + this.#chance.below(90)}`);
  }

  #slice(at: number): object {
    return slice(at, this.#endpoints[at] ?? [], backendPort);
  }

  #ingress(at: number, annotations: Readonly<Record<string, string>> = {}): object {
    return named(ingress(at, { secret: `tls-${at % certificates}` }), annotations);
  }

  #secret(at: number): object {
    const { cert, key } = this.#chance.oneOf(this.#pairs);
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    // Sometimes the certificate is broken, and the last good one stays in use.
    const data = { "tls.crt": base64(cert), "tls.key": this.#chance.share() < 0.1 ? "bm90aGluZw==" : base64(key) };
    const metadata = { namespace: "shop", name: `tls-${at}` };
    return { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/tls", data };
  }

  #settings(own: Readonly<Record<string, string>>): object {
    const open = { "allow-snippet-annotations": "true", "annotations-risk-level": "Critical", "ssl-redirect": "false" };
    return { apiVersion: "v1", kind: "ConfigMap", metadata: settingsName, data: { ...open, ...own } };
  }
}

function named(one: ReturnType<typeof ingress>, annotations: Readonly<Record<string, string>>): object {
  const prefixed = Object.entries(annotations).map(([key, text]) => [`${prefix}/${key}`, text]);
  return { ...one, metadata: { ...one.metadata, annotations: Object.fromEntries(prefixed) } };
}

/**
 * Makes a canary that sends some of a host's requests to the Service of a host that never changes.
 */
function canary(at: number, weight: number): object {
  const { metadata, spec, ...one } = ingress(at);
  const rules = ingress(at % steadyPlaces).spec.rules.map((rule) => ({ ...rule, host: hostOf(at) }));
  const ours = { ...one, metadata: { ...metadata, name: `canary-${at}` }, spec: { ...spec, rules } };
  return named(ours, { canary: "true", "canary-weight": `${weight}` });
}
