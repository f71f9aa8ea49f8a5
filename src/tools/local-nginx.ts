/**
 * Runs nginx on this machine for a Snapshot, to compare answers or to test snippets. Other machines
 * cannot reach it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startController } from "../controller/controller.ts";
import { machineFlags, translateOptions } from "../controller/flags/options.ts";
import type { Flags } from "../controller/flags.ts";
import { machineOf } from "../controller/machine.ts";
import { fakeCertificate } from "../core/certificates/fake.ts";
import type { ListenerSet } from "../core/model/gateway/listener-set.ts";
import type { Gateway } from "../core/model/gateway/objects.ts";
import type { Problem } from "../core/model/problem.ts";
import type { Snapshot } from "../core/model/snapshot.ts";
import { Table } from "../core/model/table.ts";
import { inMode, lackingOf } from "../core/tokens/capabilities.ts";
import { nginxHere, openRunFolder } from "../nginx/index.ts";
import { builtInTemplate } from "../nginx/template/built-in.ts";

export interface LocalNginx {
  readonly http: number;
  readonly https: number;
  /** `nginx 1.22.1`. */
  readonly version: string;
  /** The Problems after the search for what nginx refuses. */
  readonly problems: () => readonly Problem[];
  readonly stop: () => Promise<void>;
}

export type StartedNginx =
  | { readonly ok: true; readonly nginx: LocalNginx }
  | { readonly ok: false; readonly why: string };

/** How long nginx may take to serve the configuration. */
const patienceMs = 60_000;

/**
 * Serves the ports of Ingresses on free ones. Other ports of Gateways, and those of streams, are
 * left out, because another program on this machine may have them.
 */
export async function serveLocally(snapshot: Snapshot, given: Flags, env: NodeJS.ProcessEnv): Promise<StartedNginx> {
  const found = await nginxHere(env.NGINX_BINARY ?? "nginx", env.PATH ?? "");
  if (!found.ok) return found;
  const root = mkdtempSync(join(tmpdir(), "sluice-convert-"));
  const drop = () => rmSync(root, { recursive: true, force: true });
  const opened = openRunFolder(root);
  if (!opened.ok) {
    drop();
    return opened;
  }
  const [httpPort = 0, httpsPort = 0, defaultServerPort = 0, statusPort = 0, nameCheckPort = 0] = await freePorts(5);
  const flags: Flags = {
    ...given,
    ...{ httpPort, httpsPort, defaultServerPort, statusPort, nameCheckPort },
    ...{ tcpServicesConfigmap: undefined, udpServicesConfigmap: undefined },
  };
  const served = onUsualPorts(snapshot);
  const options = translateOptions(flags, "serve", undefined);
  const { capabilities, place } = found.nginx;
  let problems: readonly Problem[] = [];
  const started = await startController({
    source: { snapshot: () => served, onChange: () => () => {} },
    translate: {
      ...options,
      gateway: { ...options.gateway, addresses: [], sharesPorts: true },
      lacks: lackingOf(inMode("dynamic", capabilities)),
    },
    machine: machineOf(
      capabilities,
      place,
      opened.folder,
      machineFlags(flags, { accessLog: "/dev/null", errorLog: `${root}/error.log` }),
    ),
    installed: found.nginx,
    folder: opened.folder,
    template: await builtInTemplate(),
    fake: fakeCertificate(new Date()),
    pace: { syncRateLimit: 1000, reloadBurst: 1000, maxDraining: 4 },
    endWithController: true,
    listener: {
      problems: (all) => {
        problems = [...all.values()].flat();
      },
      synced: () => {},
    },
    events: {
      nginx: () => {},
      staple: () => {},
      journal: () => {},
      nameCheck: () => {},
      streams: () => {},
      templateGaveUp: () => {},
      strangeRecords: () => {},
    },
  });
  if (!started.ok) {
    drop();
    return started;
  }
  const { controller } = started;
  const stop = async () => {
    await controller.stop(0);
    drop();
  };
  const isServing = controller.sync.settled().then(() => true);
  if (!(await Promise.race([isServing, delay(patienceMs, false, { ref: false })]))) {
    await stop();
    return { ok: false, why: `nginx did not serve the configuration within ${patienceMs / 1000} s` };
  }
  return {
    ok: true,
    nginx: { http: httpPort, https: httpsPort, version: capabilities.version, problems: () => problems, stop },
  };
}

function onUsualPorts(snapshot: Snapshot): Snapshot {
  const usual = <T extends Gateway | ListenerSet>(all: Table<T>): Table<T> =>
    Table.from(
      [...all].map(([key, one]) => {
        const listeners = one.spec?.listeners?.filter(({ port }) => port === 80 || port === 443);
        return [key, { ...one, spec: { ...one.spec, listeners } }] as const;
      }),
    );
  return { ...snapshot, gateways: usual(snapshot.gateways), listenerSets: usual(snapshot.listenerSets) };
}

/**
 * Returns ports that are free at this moment. All are kept open until the last one is known, so
 * that no port is returned twice.
 */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((resolve) => server.listen(0, () => resolve(server)));
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
