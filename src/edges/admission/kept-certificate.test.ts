import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import type { Clock } from "../../base/timing/clock.ts";
import { type KubernetesObject, keyOf } from "../../core/model/objects.ts";
import { type Answer, failed, failureFromStatus, succeeded } from "../../kube/answer.ts";
import type { Resource } from "../../kube/index.ts";
import { type CertificateEvent, KeptCertificate, type KeptCertificateOptions } from "./kept-certificate.ts";

const dayMs = 24 * 3600_000;
const configuration = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "hook" },
  webhooks: [{ name: "v.example", clientConfig: { service: { name: "door", namespace: "ns" } } }],
};

interface Changes {
  readonly body: readonly { readonly path: string; readonly value: string }[];
}

/** An API server with four verbs, in which a write over a newer version is a conflict. */
class Api {
  readonly objects = new Map<string, KubernetesObject>();
  readonly writes: string[] = [];

  put(object: KubernetesObject): void {
    const resourceVersion = String(this.writes.length);
    this.objects.set(`${object.kind} ${keyOf(object)}`, {
      ...object,
      metadata: { ...object.metadata, resourceVersion },
    });
  }
  get<T>({ kind }: Resource<never>, { namespace, name }: { namespace?: string | undefined; name: string }) {
    const found = this.objects.get(`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`);
    return Promise.resolve(found === undefined ? refused<T>(404) : succeeded(found as T));
  }
  create<T>(_of: Resource<never>, object: T) {
    return this.#write<T>("create", object as KubernetesObject, undefined);
  }
  update<T>(_of: Resource<never>, object: T) {
    const written = object as KubernetesObject;
    return this.#write<T>("update", written, this.objects.get(`${written.kind} ${keyOf(written)}`));
  }
  patch<T>({ kind }: Resource<never>, { name }: { name: string }, { body }: Changes) {
    this.writes.push(`patch ${kind} ${name}`);
    const object = structuredClone(this.objects.get(`${kind} ${name}`)) as unknown as typeof configuration;
    for (const { path, value } of body) {
      if (path === "/webhooks/0/clientConfig/caBundle")
        Object.assign(object.webhooks[0]!.clientConfig, { caBundle: value });
    }
    this.put(object);
    return Promise.resolve(succeeded(object as T));
  }
  #write<T>(verb: string, object: KubernetesObject, before: KubernetesObject | undefined): Promise<Answer<T>> {
    const stale = before?.metadata.resourceVersion !== object.metadata.resourceVersion;
    if (stale) return Promise.resolve(refused(409));
    this.writes.push(`${verb} ${object.kind} ${keyOf(object)}`);
    this.put(object);
    return Promise.resolve(succeeded(object as T));
  }
}
const refused = <T>(code: number): Answer<T> => failed(failureFromStatus(code, { message: `status ${code}`, code }));

/** One replica, which checks the Secret and the configuration when the test calls it. */
function replica(api: Api, time: { ms: number }) {
  const events: CertificateEvent[] = [];
  const looks: (() => void)[] = [];
  const clock: Clock = {
    now: () => time.ms,
    wall: () => time.ms,
    schedule(_delayMs, run) {
      looks.push(run);
      return () => looks.splice(0, looks.length, ...looks.filter((look) => look !== run));
    },
  };
  const client = api as unknown as KeptCertificateOptions["client"];
  const kept = new KeptCertificate({
    client,
    secret: "ns/door",
    configuration: "hook",
    clock,
    report: (e) => events.push(e),
  });
  const ending = new AbortController();
  const running = kept.run(ending.signal);
  const resting = () => expect.poll(() => looks.length).toBe(1);
  return {
    kept,
    events,
    resting,
    async look() {
      await resting();
      looks.shift()!();
      await resting();
    },
    async end() {
      ending.abort();
      looks.shift()?.();
      await running;
    },
  };
}

const decoded = (text: string | undefined) => Buffer.from(text ?? "", "base64").toString("utf8");
const bundleOf = (api: Api) => {
  const hook = api.objects.get("ValidatingWebhookConfiguration hook") as unknown as typeof configuration;
  const { caBundle } = hook.webhooks[0]!.clientConfig as { caBundle?: string };
  return (decoded(caBundle).match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g) ?? []).map(
    (pem) => new X509Certificate(pem),
  );
};

test("a certificate is made for the names of the Service, its authority is published, and a second replica serves the same", async () => {
  const api = new Api();
  const time = { ms: Date.UTC(2026, 10, 1) };
  const one = replica(api, time);
  await one.resting();
  expect(one.events).toEqual([{ kind: "waiting", why: "ValidatingWebhookConfiguration hook: status 404" }]);
  api.put(configuration);
  await one.look();
  const { cert } = (await one.kept.ready).current();
  const leaf = new X509Certificate(cert);
  for (const name of ["door", "door.ns", "door.ns.svc"]) expect(leaf.checkHost(name)).toBe(name);
  expect(bundleOf(api).map(({ publicKey }) => leaf.verify(publicKey))).toEqual([true]);

  const two = replica(api, time);
  await two.resting();
  expect((await two.kept.ready).current().cert).toBe(cert);
  expect(api.writes).toEqual(["create Secret ns/door", "patch ValidatingWebhookConfiguration hook"]);
  await Promise.all([one.end(), two.end()]);
});

test("a certificate is renewed a month before its end, and the previous authority stays published while others need it", async () => {
  const api = new Api();
  const time = { ms: Date.UTC(2026, 10, 1) };
  api.put(configuration);
  const one = replica(api, time);
  await one.resting();
  const pairs = await one.kept.ready;
  const first = new X509Certificate(pairs.current().cert);
  const served: string[] = [];
  pairs.onChange(({ cert }) => served.push(cert));
  time.ms += 300 * dayMs;
  await one.look();
  expect(served).toEqual([]);
  time.ms += 40 * dayMs;
  await one.look();
  expect(bundleOf(api)).toHaveLength(2);
  // The certificate is written, but it is not served before every API server knows its authority.
  expect(served).toEqual([]);
  await one.look();
  expect(served).toEqual([pairs.current().cert]);
  const second = new X509Certificate(pairs.current().cert);
  const verified = [first, second].map(
    (leaf) => bundleOf(api).filter(({ publicKey }) => leaf.verify(publicKey)).length,
  );
  expect(verified).toEqual([1, 1]);
  await one.end();
});

test("a Secret without a usable pair gets a new one, and keeps its other keys", async () => {
  const api = new Api();
  api.put(configuration);
  const data = { ca: "eA==", cert: "eA==", key: "eA==", note: "eQ==" };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "ns", name: "door" }, data };
  api.put(secret);
  const one = replica(api, { ms: Date.UTC(2026, 10, 1) });
  await one.resting();
  await one.kept.ready;
  expect(api.writes[0]).toBe("update Secret ns/door");
  expect((api.objects.get("Secret ns/door") as unknown as typeof secret).data.note).toBe("eQ==");
  await one.end();
});

test("a change of the Secret causes a check at once, even during another check", async () => {
  const api = new Api();
  api.put(configuration);
  const one = replica(api, { ms: Date.UTC(2026, 10, 1) });
  const served: string[] = [];
  const lose = () => {
    api.objects.delete("Secret ns/door");
    one.kept.lookSoon();
  };
  const pairs = await one.kept.ready;
  pairs.onChange(({ cert }) => {
    served.push(cert);
    if (served.length === 1) lose();
  });
  await one.resting();
  lose();
  await one.look();
  await one.look();
  expect(new Set(served).size).toBe(2);
  await one.end();
});

test("if the Secret is lost, the authority of the served certificate stays published until another one is served", async () => {
  const api = new Api();
  api.put(configuration);
  const one = replica(api, { ms: Date.UTC(2026, 10, 1) });
  const pairs = await one.kept.ready;
  const verified = () =>
    bundleOf(api).map(({ publicKey }) => new X509Certificate(pairs.current().cert).verify(publicKey));
  await one.resting();
  api.objects.delete("Secret ns/door");
  await one.look();
  expect(verified()).toEqual([false, true]);
  await one.look();
  expect(verified()).toEqual([true, false]);
  await one.look();
  expect(verified()).toEqual([true]);
  await one.end();
});
