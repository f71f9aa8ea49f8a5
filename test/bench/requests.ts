/** CPU per request of the workers, beside a hand-written nginx.conf that serves the same. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { makeCertificate } from "../../src/admission/own-certificate.ts";
import { nginxProcesses } from "../../src/nginx/processes.ts";
import { ports, serving } from "../nginx/support/serve.ts";
import { cpuMicroseconds } from "./support/cpu.ts";
import { backend, handWritten, startNginx } from "./support/hand-written.ts";
import { hostOf, ingress, ingressClass, service, slice } from "./support/hosts.ts";
import { type Protocol, run } from "./support/load.ts";

const backendPort = 21_950,
  plainHttp = 21_951,
  plainHttps = 21_952;
export async function requests(hosts: number, flags: string[], protocols: Protocol[], pairs: number, each: number) {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const { cert, key } = await makeCertificate(["example"], new Date());
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  const names = Array.from({ length: hosts }, (_, at) => hostOf(at));
  const back = await startNginx(backend(backendPort));
  const hand = await startNginx(
    handWritten({
      hosts: names,
      http: plainHttp,
      https: plainHttps,
      backend: backendPort,
      certificate: join(folder, "tls.crt"),
      key: join(folder, "tls.key"),
    }),
  );
  const config = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "ingress-nginx-controller", namespace: "ingress-nginx" },
    data: { "access-log-path": join(folder, "access.log"), "keep-alive-requests": "1000000", "ssl-redirect": "false" },
  };
  const all = [
    ingressClass,
    config,
    ...names.flatMap((_, at) => [ingress(at), service(at), slice(at, ["127.0.0.1"], backendPort)]),
  ];
  const served = await serving({
    files: { "all.yaml": all.map((one) => JSON.stringify(one)).join("\n---\n") },
    flags: ["--configmap=ingress-nginx/ingress-nginx-controller", ...flags],
  });
  const workers = () =>
    nginxProcesses({ root: served.runFolder, conf: join(served.runFolder, "nginx.conf") })
      .filter((p) => p.role === "worker")
      .map((p) => p.pid);
  for (const protocol of protocols) {
    const ratios: number[] = [],
      mine: number[] = [],
      theirs: number[] = [];
    const measure = async (pids: readonly number[], http: number, https: number) => {
      const port = protocol === "http" ? http : https;
      const before = cpuMicroseconds(pids);
      await run({ protocol, port, connections: 32, requests: each, hosts: names });
      return (cpuMicroseconds(pids) - before) / each;
    };
    await measure(workers(), ports.http, ports.https);
    await measure(hand.workers(), plainHttp, plainHttps);
    for (let pair = 0; pair < pairs; pair++) {
      const b = await measure(hand.workers(), plainHttp, plainHttps);
      const a = await measure(workers(), ports.http, ports.https);
      mine.push(a);
      theirs.push(b);
      ratios.push(a / b);
    }
    const med = (x: number[]) => x.toSorted((p, q) => p - q)[x.length >> 1]!;
    console.log(
      hosts,
      flags.join(" "),
      protocol,
      `sluice ${med(mine).toFixed(1)} us hand ${med(theirs).toFixed(1)} us ratio ${med(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)})`,
    );
  }
  await served.remove();
  await hand.stop();
  await back.stop();
}
if (import.meta.main) {
  const [hosts, mode, ...p] = process.argv.slice(2);
  await requests(Number(hosts), mode!.split(","), p as Protocol[], 10, 10000);
}
