/**
 * Names annotations of other programs on converted Ingresses. No route gets them, and what these
 * programs do for an Ingress ends with it.
 */
import type { Snapshot } from "../../../core/model/snapshot.ts";
import { firstOf } from "../../../tools/words.ts";
import type { Note } from "../written.ts";

interface Program {
  readonly isOf: (annotation: string) => boolean;
  /** The subject of the sentence. */
  readonly about: string;
  readonly why: string;
}

const startsWith =
  (...prefixes: readonly string[]) =>
  (annotation: string): boolean =>
    prefixes.some((prefix) => annotation.startsWith(prefix));

/** Programs whose work for a host would end with its Ingress. */
const programs: readonly Program[] = [
  {
    isOf: startsWith("cert-manager.io/", "acme.cert-manager.io/", "certmanager.k8s.io/", "kubernetes.io/tls-acme"),
    about: "annotations of cert-manager",
    why: "cert-manager renews a Secret only while its Ingress exists, so write a Certificate for it before you delete the Ingress",
  },
  {
    isOf: startsWith("external-dns.alpha.kubernetes.io/", "external-dns.kubernetes.io/"),
    about: "annotations of external-dns",
    why: "external-dns reads them on routes with its source gateway-httproute, and target on the Gateway, so write them there",
  },
];

/** Annotations of tools that write Ingresses, which say nothing about how they are served. */
const isOfTools = startsWith(
  ...["kubectl.kubernetes.io/", "meta.helm.sh/", "argocd.argoproj.io/", "kustomize.toolkit.fluxcd.io/"],
  ...["kubernetes.io/ingress.class", "field.cattle.io/", "sluice.dev/"],
);

/**
 * Returns one note for each such annotation. `keys` are the Ingresses that are converted, and
 * `prefix` is that of our own annotations.
 */
export function otherNotes(keys: readonly string[], ingresses: Snapshot["ingresses"], prefix: string): readonly Note[] {
  const found = new Map<string, { readonly why: string; readonly of: string[] }>();
  for (const key of [...keys].sort()) {
    const names = Object.keys(ingresses.get(key)?.metadata.annotations ?? {});
    for (const name of names.sort()) {
      if (name.startsWith(`${prefix}/`) || isOfTools(name)) continue;
      const program = programs.find(({ isOf }) => isOf(name));
      const about = program?.about ?? `annotation ${name}`;
      const entry = found.get(about) ?? {
        why: program?.why ?? "it is not an annotation of Sluice, and no route gets it",
        of: [],
      };
      found.set(about, entry);
      if (entry.of.at(-1) !== key) entry.of.push(key);
    }
  }
  return [...found].map(([about, { why, of }]) => ({
    about,
    text: `${about.startsWith("annotations") ? "they are" : "it is"} on ${whose(of)}; ${why}`,
  }));
}

const few = 3;
const whose = (keys: readonly string[]): string =>
  `${keys.length === 1 ? "Ingress" : "Ingresses"} ${firstOf(keys, few)}`;

/** Variables that hold other texts on routes. Snippets may name them in any place. */
const ofObjects = /\$\{?(ingress_name|location_path|service_port)\b/;

/**
 * Returns one note for each annotation that names a variable with another text on routes. `keys`
 * are the Ingresses that are converted.
 */
export function variableNotes(
  keys: readonly string[],
  ingresses: Snapshot["ingresses"],
  prefix: string,
): readonly Note[] {
  return [...keys].sort().flatMap((key) => {
    const annotations = Object.entries(ingresses.get(key)?.metadata.annotations ?? {});
    return annotations.flatMap(([name, value]): Note[] => {
      const variable = ofObjects.exec(value)?.[1];
      if (variable === undefined || !name.startsWith(`${prefix}/`)) return [];
      const why = "which names the route, its path or the number of the port there, and not those of the Ingress";
      return [
        { about: `Ingress ${key}`, text: `annotation ${name.slice(prefix.length + 1)} uses $${variable}, ${why}` },
      ];
    });
  });
}
