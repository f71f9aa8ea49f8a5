/**
 * Controllers to compare: Sluice, and others that this project neither contains nor installs.
 * BENCH_INGRESS_NGINX and BENCH_TRAEFIK each name a program that becomes such a controller. It
 * finds its cluster by KUBECONFIG, serves the class `nginx` on ports 80 and 443, and writes an
 * access log to a file.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster } from "../../e2e/support/cluster.ts";
import { Daemon } from "../../e2e/support/daemon.ts";
import { Sluice } from "../../e2e/support/sluice.ts";
import { until } from "../../nginx/support/until.ts";
import { familyOf } from "./cpu.ts";

export interface Running {
  /** The controller and all processes that it has started. */
  pids(): readonly number[];
  end(): Promise<void>;
}

/** Where a controller starts. */
export interface Place {
  readonly cluster: Cluster;
  /** Resolves to true when the controller serves. */
  readonly serves: () => Promise<boolean>;
  /** A proxy before the API server. */
  readonly server?: string;
}

export interface Peer {
  readonly name: string;
  /** Resolves when it serves. */
  start(place: Place): Promise<Running>;
}

export function sluicePeer(program: readonly string[]): Peer {
  return {
    name: "Sluice",
    start: async ({ cluster, serves }) => {
      const sluice = new Sluice({ cluster, program });
      const served = () => until("Sluice to serve", serves, startMs);
      // The controller serves a moment before it is ready, and a start that fails must end the
      // wait.
      await Promise.race([served(), sluice.process.start().then(served)]);
      return { pids: () => familyOf(sluice.process.pid!), end: () => sluice.end() };
    },
  };
}

/** The time that a start may take with ten thousand hosts. */
const startMs = 200_000;

/** Returns the controllers that the environment names. */
export function otherPeers(): readonly Peer[] {
  const named = [
    ["ingress-nginx", process.env.BENCH_INGRESS_NGINX],
    ["Traefik", process.env.BENCH_TRAEFIK],
  ] as const;
  return named.flatMap(([name, program]) => (program === undefined ? [] : [programPeer(name, program)]));
}

function programPeer(name: string, program: string): Peer {
  return {
    name,
    start: async ({ cluster, serves, server }) => {
      const folder = mkdtempSync(join(tmpdir(), "sluice-peer-"));
      const env = { KUBECONFIG: cluster.kubeconfig("admin", server), POD_NAME: "controller-0" };
      const daemon = new Daemon({
        name: "peer",
        command: [program],
        folder,
        isReady: serves,
        env: { ...env, POD_NAMESPACE: "ingress-nginx", PEER_FOLDER: folder },
      });
      await daemon.start();
      const pids = () => familyOf(daemon.pid!);
      return {
        pids,
        end: async () => {
          const all = pids();
          await daemon.stop("SIGKILL");
          await until(`${name} is gone`, () => all.filter((pid) => killed(pid)).length === 0);
          rmSync(folder, { recursive: true });
        },
      };
    },
  };
}

/** Returns false when there is no such process. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}
