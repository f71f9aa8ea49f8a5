/**
 * A controller whose Ingresses are converted first: it serves the Gateway and the routes of `sluice
 * convert`, and only those Ingresses that stay. After each change everything is converted again.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeCertificate } from "../../src/core/certificates/fake.ts";
import { type KubernetesObject, keyOf } from "../../src/core/model/objects.ts";
import {
  emptySnapshot,
  type ObjectChange,
  type Snapshot,
  tableOf,
  withObjects,
} from "../../src/core/model/snapshot.ts";
import { Table } from "../../src/core/model/table.ts";
import { type Converted, converted } from "../../src/move/convert/converted.ts";
import { flagsOf, MemorySource, present, type StartSubject, startOn } from "./subject.ts";

/** The certificate for hosts without one, because routes have no self-made one. */
const fallback = { namespace: "ingress-nginx", name: "stands-for-the-fake-one" };

export const gateway = { namespace: "ingress-nginx", name: "converted" };

/**
 * Returns a function that starts converting controllers; `onConverted` is called after each
 * conversion.
 */
export function startConverted(onConverted: (made: Converted) => void = () => {}): StartSubject {
  return async ({ mode, flags: given, objects }) => {
    const flags = flagsOf(mode, withCertificate(given));
    const source = new MemorySource();
    let [now, served]: Snapshot[] = [emptySnapshot, emptySnapshot] as [Snapshot, Snapshot];
    const change = (changes: readonly ObjectChange[]) => {
      now = withObjects(
        now!,
        changes.filter(({ kind }) => kind in tableOf),
      );
      const made = converted(now, { flags, as: "run" }, { gateway, gatewayClass: "converted" });
      onConverted(made);
      source.change(changesBetween(served!, made.after));
      served = made.after;
    };
    change([...objects, await certificateSecret()].map(present));
    const root = mkdtempSync(join(tmpdir(), "converted-"));
    const controller = await startOn(source, root, flags, () => {}, { sharesPorts: true });
    return {
      apply: async (some) => {
        change(some.map(present));
        return [];
      },
      remove: async (some) => change(some.map((object) => ({ ...present(object), object: undefined }))),
      settled: () => controller.sync.settled(),
      stop: async () => {
        await controller.stop(1000);
        rmSync(root, { recursive: true });
      },
    };
  };
}

function withCertificate(flags: readonly string[]): readonly string[] {
  const isGiven = flags.some((flag) => flag.startsWith("--default-ssl-certificate"));
  return isGiven ? flags : [...flags, `--default-ssl-certificate=${fallback.namespace}/${fallback.name}`];
}

async function certificateSecret(): Promise<KubernetesObject> {
  const { chain, key } = await fakeCertificate(new Date());
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data = { "tls.crt": base64(chain), "tls.key": base64(key.reveal()) };
  return { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata: fallback, data } as KubernetesObject;
}

/** Returns the changes from one Snapshot to another. */
export function changesBetween(before: Snapshot, after: Snapshot): readonly ObjectChange[] {
  return Object.values(tableOf).flatMap((name) => {
    const [old, fresh] = [before, after].map(
      (snapshot) => (snapshot[name] ?? Table.empty()) as Table<KubernetesObject>,
    ) as [Table<KubernetesObject>, Table<KubernetesObject>];
    return fresh.changesSince(old).map(({ before: gone, after: object }): ObjectChange => {
      const one = (object ?? gone)!;
      return { kind: one.kind as ObjectChange["kind"], key: keyOf(one), object };
    });
  });
}
