/** Starts a controller within the test's process, with echo backends, on ports of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { type Mode, type Subject, startSubject } from "../../parity/subject.ts";
import { startEchoBackends } from "../../support/echo-backend.ts";
import { type Pki, pkiIn } from "../../support/pki.ts";
import { ingressClass } from "../../support/sketch.ts";

export interface ShopSubject extends Subject {
  /** Where nginx listens for HTTP. */
  readonly to: string;
  /** A folder for the test's own files. */
  readonly folder: string;
  readonly pki: Pki;
}

/**
 * `first` is the first of four ports; endpoints of `addresses` answer on 8080, and with TLS on
 * 8443.
 */
export async function startShop(
  first: number,
  addresses: readonly string[],
  objects: readonly KubernetesObject[],
  mode: Mode = "dynamic",
): Promise<ShopSubject> {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  const pki = await pkiIn(folder);
  const backends = await startEchoBackends({ addresses, ...pki.backend });
  const flags = ["http", "https", "default-server", "status"].map((name, at) => `--${name}-port=${first + at}`);
  const subject = await startSubject({ mode, flags, objects: [ingressClass, ...objects] });
  await subject.settled();
  return {
    ...subject,
    to: `192.0.2.1:${first}`,
    folder,
    pki,
    stop: async () => {
      await Promise.all([subject.stop(), backends.stop()]);
      rmSync(folder, { recursive: true });
    },
  };
}
