/**
 * Streams of an nginx in a container of its own: when nginx restarts while the controller is away,
 * the program of its container gives it the last endpoints, and stops when the controller returns.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { streamKey } from "../../src/core/model/records.ts";
import { streamService } from "../../src/core/render/streams/pools.ts";
import { answerStreamEndpoints, type StreamEndpoints } from "../../src/edges/names/stream-endpoints.ts";
import { Journal } from "../../src/nginx/index.ts";
import { newPod, patienceMs } from "./support/beside.ts";
import { installedNginx } from "./support/installed.ts";
import { until } from "./support/until.ts";

const { upstreamResolve } = await installedNginx();
const to = { host: "127.0.0.45", port: 18_081 };
const [streamPort, backendPort] = [18_082, 18_083];
vi.setConfig({ testTimeout: 5 * patienceMs });

/** Answers each connection with its own address. */
async function backendOn(address: string): Promise<string> {
  const server = createServer((socket) => socket.on("error", () => {}).end(address));
  server.listen(backendPort, address);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return address;
}

/** Returns the address of the backend that accepts a connection, or nothing if it is refused. */
function ask(): Promise<string> {
  return new Promise((resolve) => {
    let printed = "";
    const socket = connect(to);
    socket.on("data", (data) => (printed += data)).on("close", () => resolve(printed));
    socket.on("error", () => {});
  });
}

const becomes = (address: string) =>
  until(`connections to reach ${address}`, async () => (await ask()) === address, 2 * patienceMs);

test("streams continue after nginx restarts while the controller is away", async (context) => {
  if (!upstreamResolve) context.skip("endpoints of streams are text before nginx 1.27.3");
  const [before, after] = [await backendOn("127.0.0.46"), await backendOn("127.0.0.47")];
  const pod = newPod();
  const log: string[] = [];
  const program = pod.startProgram(`--stream-port=${streamPort}`);
  program.stdout!.on("data", (data) => log.push(String(data)));
  const service = streamService(pod.folder);
  const recordOf = (address: string) => JSON.stringify([[address, backendPort, 1]]);
  /** The controller's part. */
  const answered = (address: string): StreamEndpoints => {
    const recordOfPool = async () => recordOf(address);
    const answers = answerStreamEndpoints({ port: streamPort, service, recordOf: recordOfPool, report: () => {} });
    onTestFinished(() => answers.end());
    return answers;
  };
  const first = await pod.startSide();
  const answers = answered(before);
  await (await Journal.open(pod.folder.journal)).write([[streamKey("pool"), recordOf(before)]]);
  const stream = `
    upstream pool {
      zone pool 64k; resolver 127.0.0.1:${streamPort} ipv6=off; resolver_timeout 1s;
      server pool service=${service} resolve;
    }
    server { listen ${to.host}:${to.port}; proxy_pass pool; }`;
  expect(await first.serve({ stream })).toMatchObject({ kind: "reloaded" });
  await becomes(before);
  const { pid } = first.nginx;

  await first.nginx.stop(0);
  await answers.end();
  process.kill(-pid!, "SIGKILL");
  await becomes(before);
  const expected = "the controller is away: nginx gets the last endpoints of streams from the journal";
  await until("the log to say so", () => log.join("").includes(expected));

  const second = await pod.startSide();
  expect(second.nginx.pid).not.toBe(pid);
  answered(after);
  await becomes(after);
});
