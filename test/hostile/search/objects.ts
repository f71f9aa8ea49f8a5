/**
 * Hostile objects by number; the content of each depends on the seed alone. Its texts come from the
 * corpus, from good samples of Kinds with the corpus put into them, and from fast-check. Most of
 * them are refused, and the search is about the others.
 */

import fc from "fast-check";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import type { Field, Fields } from "../../../src/core/policies/declare.ts";
import { featureList } from "../../../src/core/policies/registry.ts";
import { settingList } from "../../../src/core/settings/registry.ts";
import { annotationSamples, settingSamples } from "../../support/samples.ts";
import { characters, long, payloads } from "../support/corpus.ts";
import { configMap, ingress, type PathWords, secret } from "../support/objects.ts";

export interface Hostile {
  /** The name of its Ingress; its host ends in `NAME.example`. */
  readonly name: string;
  readonly objects: readonly KubernetesObject[];
}

const fields = featureList.flatMap(([, feature]) => Object.values(feature.fields as Fields)) as Field<unknown>[];
const snippets = /snippet$/;

/** Any text, and texts that resemble one of `good`. */
function text(good: readonly string[]): fc.Arbitrary<string> {
  const payload = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...payloads) },
    { weight: 2, arbitrary: fc.constantFrom(...characters) },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...characters), { maxLength: 6 }).map((some) => some.join("")) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  );
  const known = good.length === 0 ? fc.constant("a") : fc.constantFrom(...good);
  const inside = fc.tuple(known, payload, fc.nat()).map(([base, hostile, at]) => {
    const cut = at % (base.length + 1);
    return base.slice(0, cut) + hostile + base.slice(cut);
  });
  return fc.oneof(
    { weight: 6, arbitrary: inside },
    { weight: 3, arbitrary: payload },
    { weight: 4, arbitrary: known },
    { weight: 2, arbitrary: fc.tuple(known, known).map(([a, b]) => `${a}${b}`) },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
  );
}

const rarelyLong = (usual: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 199, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...long) });

/**
 * Annotations that name another object get one of the Ingress's own, so that the content of that
 * object is tried.
 */
const references: Readonly<Record<string, "secret" | "configMap">> = {
  "auth-secret": "secret",
  "auth-tls-secret": "secret",
  "proxy-ssl-secret": "secret",
  "auth-proxy-set-headers": "configMap",
  "custom-headers": "configMap",
  "fastcgi-params-configmap": "configMap",
};

const annotation = fc.constantFrom(...fields.filter(({ key }) => !snippets.test(key))).chain((field) => {
  const key = fc.constantFrom(field.key, ...(field.aliases ?? []));
  const value = rarelyLong(text(annotationSamples(field).good));
  const usual = fc.tuple(key, value);
  if (references[field.key] === undefined) return usual;
  return fc.oneof(usual, fc.tuple(key, fc.constant(`ns/${own}`)));
});
const own = "OWN";

/** Other annotations that an annotation needs for an effect. */
const gates: readonly (readonly [string, string])[] = [
  ["auth-url", "http://192.0.2.99/check"],
  ["auth-type", "basic"],
  ["mirror-target", "http://192.0.2.99/"],
  ["enable-cors", "true"],
  ["use-regex", "true"],
  ["rewrite-target", "/$1"],
  ["affinity", "cookie"],
  ["canary", "true"],
  ["backend-protocol", "HTTPS"],
  ["backend-protocol", "FCGI"],
  ["backend-protocol", "GRPC"],
  ["auth-tls-secret", "ns/ca"],
  ["enable-modsecurity", "true"],
  ["custom-http-errors", "404,500"],
  ["ssl-passthrough", "true"],
];

const path = text(["/", "/a", "/a/b", "/a(/|$)(.*)", "/(.*)", "/[a-z]+/x", "/a.b"]).map((some) => `/${some}`);
const pathWords: fc.Arbitrary<PathWords> = fc.tuple(
  fc.oneof(fc.constantFrom("/", "/a"), rarelyLong(path)),
  fc.constantFrom("Prefix", "Exact", "ImplementationSpecific", "ImplementationSpecific"),
);
const data = fc.dictionary(
  fc.constantFrom(
    ...["X-A", "X-B", "x_c", "Content-Type", "a.b", "-", "auth", "tls.crt", "tls.key", "ca.crt", "user"],
    ...["Content-Length", "transfer_encoding", "Keep-Alive", "HTTP_TRANSFER_ENCODING", "CONTENT_LENGTH"],
  ),
  rarelyLong(text(["u:{PLAIN}p", "a", "$host", "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"])),
  { maxKeys: 4 },
);

const parts = fc.record({
  paths: fc.array(pathWords, { minLength: 1, maxLength: 3 }),
  annotations: fc.array(annotation, { minLength: 1, maxLength: 4 }),
  gates: fc.subarray([...gates], { maxLength: 2 }),
  data,
  host: fc.oneof(
    { weight: 20, arbitrary: fc.constant("") },
    { weight: 3, arbitrary: fc.constant("*.") },
    { weight: 1, arbitrary: text(["a."]) },
  ),
  tls: fc.boolean(),
});

/** Returns the objects `from` to `from + count - 1` of this seed. */
export function hostileObjects(seed: number, from: number, count: number): readonly Hostile[] {
  return fc.sample(parts, { seed: seed + from, numRuns: count }).map((one, at): Hostile => {
    const name = `h${from + at}`;
    const host = `${one.host}${name}.example`;
    const named = [...one.gates, ...one.annotations].map(([key, value]) => [key, value.replace(own, name)]);
    const words = { name, host, paths: one.paths, annotations: Object.fromEntries(named) };
    const plain = ingress(words);
    const tls = [{ hosts: [host], secretName: name }];
    return {
      name,
      objects: [
        secret(name, one.data),
        configMap(name, one.data),
        one.tls ? { ...plain, spec: { ...plain.spec, tls } } : plain,
      ],
    };
  });
}

/**
 * Returns ConfigMaps of the operator, each with a few hostile values. Snippets are left out,
 * because the operator is trusted with these.
 */
export function hostileSettings(
  seed: number,
  from: number,
  count: number,
): readonly Readonly<Record<string, string>>[] {
  const known = settingList.map(([, setting]) => setting).filter(({ key }) => !snippets.test(key));
  const one = fc
    .constantFrom(...known)
    .chain((setting) => fc.tuple(fc.constant(setting.key), rarelyLong(text(settingSamples(setting).good))));
  const several = fc.array(one, { minLength: 1, maxLength: 3 });
  return fc.sample(several, { seed: seed + from, numRuns: count }).map((some) => Object.fromEntries(some));
}
