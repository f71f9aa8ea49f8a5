/** Tests `sluice serve` as a process, with real files, a real nginx and signals. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ServedRoute } from "../../src/ask/routes/routes.ts";
import { askController } from "../../src/ask/routes/socket.ts";
import { builtInTemplates } from "../../src/nginx/template/files.ts";
import { runFolderOf } from "../../src/tools/run-folder.ts";
import { ports, program, type ServeOptions, serving, startServe, webAt } from "./support/serve.ts";
import { until } from "./support/until.ts";

const backendPort = 21_900;
const ingress = (host: string, more = "", pathType = "Prefix"): string => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  namespace: shop${more}
spec:
  rules:
    - host: ${host}
      http:
        paths:
          - path: /
            pathType: ${pathType}
            backend: { service: { name: web, port: { number: 80 } } }
`;
const backends = webAt(backendPort);
const files = { "web.yaml": ingress("one.example"), "backends.yaml": backends };

let backend: Server;
beforeAll(async () => {
  backend = createServer((request, response) => response.end(`${request.headers.host} ${request.url}`));
  await new Promise<void>((resolve) => backend.listen(backendPort, "127.0.0.1", resolve));
});
afterAll(() => {
  backend.close();
  backend.closeAllConnections();
});

async function served(options: Partial<ServeOptions> = {}) {
  const one = await serving({ files, ...options });
  onTestFinished(one.remove);
  return one;
}

const becomes = (ask: () => Promise<{ readonly status: number }>, status: number) =>
  until(`status ${status}`, async () => (await ask()).status === status);

test("an edit is live, without a reload if no setting is new, and logged in one line", async () => {
  const { write, ask, logged, lines } = await served();
  expect((await ask("one.example", "/a")).body).toBe("one.example /a");
  write("web.yaml", ingress("two.example"));
  await becomes(() => ask("two.example"), 200);
  const line = await logged(/"applied without a reload"/);
  expect((await ask("one.example")).status).toBe(404);
  expect(line.changed).toBe("Ingress shop/web changed (spec.rules)");
  expect([line.took, line.translate, line.render, line.publish].every((took) => /ms$/.test(String(took)))).toBe(true);
  expect(lines().filter(({ msg }) => msg.startsWith("applied"))).toHaveLength(2);
});

test("a new setting causes a reload, and the line has the reason", async () => {
  const { write, ask, logged } = await served();
  write("web.yaml", ingress("one.example", '\n  annotations: { nginx.ingress.kubernetes.io/proxy-read-timeout: "7" }'));
  const line = await logged(/"why":"a new location setting/);
  const changed = "Ingress shop/web changed (annotation proxy-read-timeout)";
  expect(line).toMatchObject({ msg: "applied with a reload", changed, by: "proxy_pass of Ingress shop/web" });
  expect((await ask("one.example")).status).toBe(200);
});

test("broken YAML and refused objects keep the old answers, and one sentence each has the reason", async () => {
  const { write, ask, logged, lines, runFolder } = await served();
  const notInForce = async () => {
    const asked = await askController<readonly ServedRoute[]>(runFolderOf(runFolder), "/routes", {
      host: "one.example",
    });
    return asked.ok && asked.answer[0]?.lastGood?.join();
  };
  write("web.yaml", ingress("two.example").replace("rules:", "rules: ["));
  const syntax = await logged(/"object":"File web.yaml"/);
  expect(syntax).toMatchObject({ msg: "problem", level: "warn" });
  expect(syntax.problem).toMatch(/^line \d+, column \d+: .*; what it held before stays in force$/);
  expect((await ask("one.example")).status).toBe(200);

  write("web.yaml", ingress("two.example", "", "prefix"));
  const refused = await logged(/"object":"Ingress shop\/web"/);
  expect(await notInForce()).toBe(`Ingress shop/web: ${refused.problem}`);
  expect(refused.problem).toBe(
    'web.yaml line 12, column 13: spec.rules[0].http.paths[0].pathType: "prefix" is not one of Exact, Prefix, ' +
      "ImplementationSpecific; its last good version stays in force",
  );
  expect((await ask("one.example")).status).toBe(200);

  write("web.yaml", ingress("two.example"));
  await becomes(() => ask("two.example"), 200);
  expect(lines().filter(({ msg }) => msg === "problem")).toHaveLength(2);
  await until("both to be gone", () => lines().filter(({ msg }) => msg === "problem gone").length === 2);
});

test("an Ingress that moves to an unknown class is removed with one warning, and one of an old apiVersion stays", async () => {
  const { write, ask, logged, lines } = await served();
  write("web.yaml", ingress("one.example").replace("spec:", "spec:\n  ingressClassName: ngnix"));
  await becomes(() => ask("one.example"), 404);
  expect(await logged(/"object":"Ingress shop\/web"/)).toMatchObject({
    level: "warn",
    msg: "problem",
    at: "web.yaml:7",
    problem: 'spec.ingressClassName: there is no IngressClass "ngnix" (did you mean nginx?); no controller serves it',
  });
  write("web.yaml", ingress("one.example").replace("spec:", "spec:\n  ingressClassName: nginx"));
  await becomes(() => ask("one.example"), 200);
  await logged(/"problem gone"/);

  write("web.yaml", ingress("two.example").replace("networking.k8s.io/v1", "extensions/v1beta1"));
  expect((await logged(/no Ingress of extensions/)).problem).toMatch(/; its last good version stays in force$/);
  expect((await ask("one.example")).status).toBe(200);
  expect(lines().filter(({ msg }) => msg === "problem")).toHaveLength(2);
});

test("a change of endpoints that no path uses is counted, and not logged", async () => {
  const other = (port: number) => webAt(port).replaceAll("web", "other");
  const { write, logged, lines, health } = await served({
    files: { ...files, "other.yaml": other(1) },
    flags: ["--enable-metrics"],
  });
  const idle = async () =>
    Number(/^sluice_syncs_total\{.*change="none".*\} (\d+)$/m.exec((await health("/metrics")).body)?.[1] ?? 0);
  const before = await idle();
  write("other.yaml", other(2));
  await until("it to be counted", async () => (await idle()) > before);
  write("web.yaml", ingress("two.example"));
  await logged(/"changed":"[^"]*Ingress shop\/web changed/);
  const sinceStart = lines().slice(lines().findIndex(({ msg }) => msg === "serving") + 1);
  const changes = sinceStart.flatMap(({ changed }) => (changed === undefined ? [] : [String(changed)]));
  expect(changes.filter((words) => !words.includes("Ingress shop/web"))).toEqual([]);
});

test("the health check lists its checks with verbose, and metrics count the reloads", async () => {
  const { health } = await served({ flags: ["--enable-metrics"] });
  expect(await health()).toMatchObject({ status: 200, body: "ok" });
  expect((await health("/healthz?verbose")).body).toContain("[+]nginx-ingress-controller ok");
  const { body } = await health("/metrics");
  expect(body).toMatch(/^nginx_ingress_controller_success\{.*controller_class="k8s.io\/ingress-nginx".*\} 1$/m);
  expect(body).toMatch(/^nginx_ingress_controller_config_last_reload_successful\{.*\} 1$/m);
  expect(body).toMatch(/^sluice_nginx_workers [1-9]/m);
});

describe("a user's own template", () => {
  function ownTemplate(): { folder: string; write: (text: string) => void; original: string } {
    const folder = mkdtempSync(join(tmpdir(), "sluice-template-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const original = readFileSync(join(builtInTemplates, "location.tmpl"), "utf8");
    // Writes the file in one step, because half a template is also a template.
    const write = (text: string): void => {
      writeFileSync(join(folder, "new"), text);
      renameSync(join(folder, "new"), join(folder, "location.tmpl"));
    };
    return { folder, write, original };
  }

  test("is used, and so is each good new version", async () => {
    const { folder, write, original } = ownTemplate();
    write(`${original}\nadd_header X-Template one always;\n`);
    const { ask, health } = await served({ flags: [`--template-dir=${folder}`] });
    await until("the header", async () => (await ask("one.example")).headers["x-template"] === "one");
    // The header is live shortly before the trial of the first template ends.
    await until("readiness", async () => (await health()).status === 200);
    write(`${original}\nadd_header X-Template two always;\n`);
    await until("the new header", async () => (await ask("one.example")).headers["x-template"] === "two");
  });

  const bad: readonly (readonly [what: string, text: string, sentence: RegExp])[] = [
    ["a syntax error", "{{#if a}}", /location\.tmpl: Parse error on line 1/],
    ["a name that does not exist", "{{nothing.there}}", /location\.tmpl: "there" not defined/],
    [
      "what nginx refuses",
      "no_such_directive on;",
      /unknown directive \\?"no_such_directive\\?".*location\.tmpl line \d+/s,
    ],
  ];

  test.each(bad)(
    "stays the old one when the new one has %s, and the place is logged",
    async (_what, text, sentence) => {
      const { folder, write, original } = ownTemplate();
      write(`${original}\nadd_header X-Template one always;\n`);
      const { ask, logged, write: writeManifest } = await served({ flags: [`--template-dir=${folder}`] });
      await until("the header", async () => (await ask("one.example")).headers["x-template"] === "one");
      write(text.startsWith("no_such") ? `${original}\n${text}\n` : text);
      const line = await logged(/"object":"Template nginx.conf"/);
      expect(line.problem).toMatch(sentence);
      expect(line.problem).toMatch(/the one before it stays in use$/);
      writeManifest("web.yaml", ingress("two.example"));
      await until("later changes", async () => (await ask("two.example")).headers["x-template"] === "one");
      write(`${original}\nadd_header X-Template three always;\n`);
      await until("the next good one", async () => (await ask("two.example")).headers["x-template"] === "three");
      await logged(/"problem gone"/);
    },
  );

  test("is replaced by the built-in one when it fails on a later Ingress", async () => {
    const { folder, write, original } = ownTemplate();
    write(`${original}\nadd_header X-Template one always;\n`);
    writeFileSync(join(folder, "access-lists.tmpl"), "{{#if accessLists}}{{nothing}}{{/if}}");
    const { ask, logged, write: writeManifest } = await served({ flags: [`--template-dir=${folder}`] });
    await until("the header", async () => (await ask("one.example")).headers["x-template"] === "one");
    const denied = "\n  annotations: { nginx.ingress.kubernetes.io/denylist-source-range: 127.0.0.0/8 }";
    writeManifest("web.yaml", ingress("two.example", denied));
    await becomes(() => ask("two.example"), 403);
    expect((await logged(/"object":"Template nginx.conf"/)).problem).toMatch(
      /"nothing" not defined.*; the built-in one is used until the template changes$/,
    );
  });

  test("is refused when it is that of ingress-nginx, and the built-in one is used", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-template-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "nginx.tmpl"), "{{ $all := . }}\n{{ range $server := .Servers }}{{ end }}\n");
    const { ask, logged } = await served({ flags: [`--template-dir=${folder}`] });
    expect((await logged(/"object":"Template nginx.conf"/)).problem).toMatch(
      /Go template .*, written for ingress-nginx/,
    );
    expect((await ask("one.example")).status).toBe(200);
  });
});

describe("a start that fails prints one sentence and has an exit code", () => {
  async function fails(options: Partial<ServeOptions>): Promise<readonly [number | string, string]> {
    const one = startServe({ files, ...options });
    const code = await one.ended;
    await one.remove();
    return [
      code,
      one
        .printed()
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("{"))
        .at(-1) ?? "",
    ];
  }

  test("for a busy port", async () => {
    const server = createTcpServer().listen(ports.http, "0.0.0.0");
    onTestFinished(() => void server.close());
    const [code, sentence] = await fails({});
    expect(sentence).toMatch(
      new RegExp(`nginx cannot listen on \\S+:${ports.http} \\(--http-port\\): another program is using this address`),
    );
    expect(code).toBe(1);
  });

  test("is not caused by a busy port of a TCP service, which is left out", async () => {
    const port = ports.default + 1;
    const taken = createTcpServer().listen(port, "0.0.0.0");
    onTestFinished(() => void taken.close());
    const tcp = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "tcp", namespace: "shop" } };
    const files = { "web.yaml": webAt(1), "tcp.yaml": JSON.stringify({ ...tcp, data: { [port]: "shop/web:80" } }) };
    const served = await serving({ files, flags: ["--tcp-services-configmap=shop/tcp"] });
    onTestFinished(() => served.remove());
    expect(await served.logged(/"problem":.*another program is using this address/)).toMatchObject({
      object: "ConfigMap shop/tcp",
    });
    expect((await served.ask("a.example")).status).toBe(404);
  });

  test("for a missing nginx", async () => {
    const [code, sentence] = await fails({ env: { NGINX_BINARY: "/nonexistent/nginx" } });
    expect(sentence).toMatch(/^sluice serve: \/nonexistent\/nginx was not found; install nginx/);
    expect(code).toBe(1);
  });

  test.each([
    [["--http-prot=1"], /--http-prot is not a flag \(did you mean --http-port\?\)/, 2],
    [["--http-port=x"], /--http-port: /, 2],
    [["/another/folder"], /one folder at a time/, 2],
  ] as const)("for the arguments %j", async (flags, sentence, code) => {
    expect(await fails({ flags })).toEqual([code, expect.stringMatching(sentence)]);
  });

  test("for a folder that does not exist, and an unknown command", async () => {
    const missing = await execa(process.execPath, [program, "serve", "/nonexistent"], { reject: false });
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      "sluice serve: The folder /nonexistent cannot be read: it does not exist.",
    ]);
    const unknown = await execa(process.execPath, [program, "sreve"], { reject: false });
    expect([unknown.exitCode, unknown.stderr]).toEqual([2, 'sluice: "sreve" is not a command (did you mean serve?)']);
  });

  test("for a run folder that another controller has", async () => {
    const { runFolder } = await served();
    const args = [
      program,
      "serve",
      join(runFolder, "../manifests"),
      `--run-folder=${runFolder}`,
      "--healthz-port=21255",
    ];
    const second = await execa(process.execPath, args, { reject: false });
    expect([second.exitCode, second.stderr]).toEqual([
      1,
      expect.stringMatching(/another controller, process \d+, is using/),
    ]);
  });
});

describe("nginx ends with its controller", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("after %s, with one line in the log", async (signal) => {
    const one = await served();
    expect(one.nginxes()).toBeGreaterThan(0);
    one.signal(signal);
    expect(await one.ended).toBe(0);
    expect(one.nginxes()).toBe(0);
    expect(one.lines().at(-1)?.msg).toBe("ended; no nginx is left");
  });

  test("after SIGKILL", async () => {
    const one = await served();
    one.signal("SIGKILL");
    expect(await one.ended).toBe("SIGKILL");
    await until("nginx to end", () => one.nginxes() === 0);
  });

  test("when Ctrl-C is pressed twice while a request hangs", async () => {
    const hanging = createServer(() => {}).listen(21_901, "127.0.0.1");
    onTestFinished(() => {
      hanging.close();
      hanging.closeAllConnections();
    });
    const one = await served({ files: { ...files, "backends.yaml": backends.replace(`${backendPort}`, "21901") } });
    const request = one.ask("one.example").catch(() => "broken");
    await until(
      "the request to arrive",
      () => new Promise<boolean>((resolve) => hanging.getConnections((_, count) => resolve(count > 0))),
    );
    one.signal("SIGINT");
    expect(await one.logged(/"ending; requests in flight are finished"/)).toMatchObject({ within: "5s" });
    one.signal("SIGINT");
    expect(await one.ended).toBe(130);
    await until("nginx to end", () => one.nginxes() === 0);
    expect(await request).toBe("broken");
  });

  test("when the terminal is closed", async () => {
    const terminal = (command: readonly string[]) => ["script", "-qfec", command.join(" "), "/dev/null"];
    const one = startServe({ files, through: terminal });
    onTestFinished(one.remove);
    await until("it to serve", () => one.printed().includes("serving: http="), 100_000);
    expect(one.printed()).toMatch(/INFO\S* *: .*applied with a reload: changed=/);
    one.signal("SIGKILL");
    await one.ended;
    await until("nginx to end", () => one.nginxes() === 0);
  });
});

test("nothing outside the run folder is written, and no key is in any log", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const example = join(import.meta.dirname, "../../examples/shop/docs.yaml");
  mkdirSync(join(folder, "cwd"));
  cpSync(example, join(folder, "docs.yaml"));
  const docs = readFileSync(example, "utf8");
  const one = await served({ files: { ...files, "docs.yaml": docs }, flags: ["-v=5"] });
  one.write("docs.yaml", docs.replace("tls.key:", "tls.kee:"));
  await one.logged(/needs the key tls.key/);
  one.write("docs.yaml", docs.replace("  tls.key: |", "  tls.key: |\n  x"));
  await one.logged(/"object":"File docs.yaml"/);
  const key = docs.match(/BEGIN PRIVATE KEY-+\s+(\S+)/)![1]!;
  expect(one.printed()).not.toContain(key);
  expect(one.printed()).not.toContain(Buffer.from(key).toString("base64").slice(4, 40));
});
