/**
 * The page in the browser. Its modules are loaded with the first request for it, so that they cost
 * no memory before. It answers on the health port, or on a port of its own that only this machine
 * can reach.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Page } from "../../ask/page/page.ts";
import type { PageSource } from "../../ask/page/source.ts";
import { callback } from "../../base/callbacks.ts";
import { keepFew, patience } from "../../base/few-connections.ts";
import { oneAtATime } from "../../base/one-at-a-time.ts";
import { opened } from "../../base/own-servers.ts";
import { systemClock } from "../../base/timing/clock.ts";
import type { Source } from "../../core/sync/ports.ts";
import { emptyQuarantine } from "../../core/table/quarantine.ts";
import type { Flags } from "../flags.ts";
import { shadowsOf } from "../run/shadows.ts";
import type { Instruments } from "./instruments.ts";
import { CannotStart, type Part, stoppedBy } from "./part.ts";
import type { Program } from "./program.ts";

export type PageRequests = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

type PageAnswers = Pick<PageSource, "status" | "ask"> & { readonly hasCluster: boolean };

export interface PageParts {
  /** The requests that the health server passes on; undefined if the page is not on its port. */
  readonly requests: PageRequests | undefined;
  /**
   * The server on its own port, if there is one, and the end of the page. It stops before the
   * health server.
   */
  readonly part: Part;
}

/** Returns the address of the page, for people; undefined if it is turned off. */
export function pageAddress({ uiPort, healthzPort }: Pick<Flags, "uiPort" | "healthzPort">): string | undefined {
  return uiPort === 0 ? undefined : `http://127.0.0.1:${uiPort ?? healthzPort}/ui/`;
}

export function pageParts(program: Program, instruments: Instruments, source: Source, answers: PageAnswers): PageParts {
  const { flags } = program;
  let page: Promise<Page> | undefined;
  const requests: PageRequests = async (request, response) => {
    page ??= open(pageSource(program, instruments, source, answers));
    await (await page).answer(request, response);
  };
  const close = async () => (await page)?.close();
  return {
    requests: flags.uiPort === undefined ? requests : undefined,
    part: {
      name: "page",
      async start() {
        const closeServer = flags.uiPort ? await ownServer(flags.uiPort, requests) : async () => {};
        return stoppedBy(async () => {
          await close();
          await closeServer();
        });
      },
    },
  };
}

async function open(source: PageSource): Promise<Page> {
  const { openPage } = await import("../../ask/page/page.ts");
  return openPage(source, systemClock);
}

function pageSource(
  { flags, running }: Program,
  { metrics, failures, notes, shadows, history }: Instruments,
  source: Source,
  answers: PageAnswers,
): PageSource {
  const sync = () => running.controller?.sync;
  return {
    ...answers,
    notes,
    failures,
    history,
    configuration: () => sync()?.configuration,
    snapshot: () => source.snapshot(),
    refusals: () => sync()?.refusals ?? emptyQuarantine,
    peers: async (addresses) => running.controller?.channel.peers(addresses),
    shadows: async () => (await shadowsOf(running.controller, flags)) ?? [],
    ended: () => shadows.all,
    requests: running.nginx.machine.mode === "dynamic" ? metrics.requests : undefined,
    names: {
      annotationsPrefix: flags.annotationsPrefix,
      configMap: flags.configmap,
      showsSnippets: flags.uiShowSnippets,
      grafana: flags.uiGrafanaUrl ?? "",
      hasCluster: answers.hasCluster,
    },
  };
}

/** Returns a function that stops the server. Rejects with `CannotStart` if the port is taken. */
async function ownServer(port: number, requests: PageRequests): Promise<() => Promise<void>> {
  const server = createServer(
    patience,
    callback(
      "an answer of the page",
      oneAtATime((request, response) => {
        request.resume();
        requests(request, response).catch((error: Error) => response.destroy(error));
      }),
    ),
  );
  keepFew(server);
  return opened(server, { port, host: "127.0.0.1" }).catch(({ code, message }: NodeJS.ErrnoException) => {
    const why = code === "EADDRINUSE" ? "another program is using it" : message;
    throw new CannotStart(`The page cannot listen on 127.0.0.1, port ${port} (--ui-port): ${why}.`);
  });
}
