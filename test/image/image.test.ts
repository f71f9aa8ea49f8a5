/** The content of the image, and the rights of a process in it. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCapabilities } from "../../src/nginx/capabilities.ts";
import { imageCapabilities } from "../../src/tools/image-machine.ts";
import { type ContainerOptions, inContainer, openImage, startContainer, testedSuite } from "./support/container.ts";

const image = openImage();

const run = (options: ContainerOptions) => inContainer(image, options);
const portStart = "/proc/sys/net/ipv4/ip_unprivileged_port_start";

/** Ports below 1024 for the length of one test; the namespace is the suite's own. */
function unprivilegedPorts(from: number): void {
  const before = readFileSync(portStart, "utf8");
  writeFileSync(portStart, String(from));
  onTestFinished(() => writeFileSync(portStart, before));
}

/** Makes a folder that the container's user may read, and removes it after the test. */
function readableFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-image-"));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const opens80 = `require("net").createServer().listen(80).on("listening", () => { console.log("open"); process.exit(0); }).on("error", (e) => { console.log(e.code); process.exit(1); })`;

const bytesOf = (root: string) => Number(execFileSync("du", ["-sxb", root], { encoding: "utf8" }).split("\t")[0]);

test("the image is small enough to be pulled quickly", () => {
  const bytes = bytesOf(image.root);
  console.log(`The image holds ${Math.round(bytes / 1e6)} MB.`);
  expect(bytes).toBeLessThan(190e6);
});

test("docs/image.md has the present sizes of its parts", () => {
  const megabytes = (bytes: number) => Math.round(bytes / 1e6);
  const row = /^\| Sluice \| (\d+) MB \| (\d+) MB \|/m.exec(readFileSync("docs/image.md", "utf8"))!;
  // A new package may be a little larger, and the page is still right.
  expect(Math.abs(megabytes(image.compressed) - Number(row[1]))).toBeLessThanOrEqual(3);
  expect(Math.abs(megabytes(bytesOf(image.root)) - Number(row[2]))).toBeLessThanOrEqual(8);
});

test("nginx is Debian's, with HTTP/3, and is the one that the tools render for", async () => {
  const { text } = await run({ args: ["nginx", "-V"] });
  expect(text).toContain("--with-http_v3_module");
  const there = (path: string) => existsSync(join(image.root, path));
  const capabilities = readCapabilities("/usr/sbin/nginx", text, there)!;
  // Debian may have a newer version than the tools know; everything else must be equal.
  const { version } = capabilities;
  const trixie = { ...imageCapabilities, keepaliveMinTimeout: false, upstreamResolve: false };
  const known = { testing: imageCapabilities, trixie };
  expect({ ...capabilities, debug: false }).toEqual({ ...known[testedSuite], version });
});

/** Every module, in an order that nginx accepts. */
const modules = () => {
  const files = readdirSync(join(image.root, "usr/lib/nginx/modules"));
  return files.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
};
const rank = (file: string) => (["ndk_http_module.so", "ngx_stream_module.so"].includes(file) ? 0 : 1);

test("the image has these modules, and nginx loads them together", async () => {
  const folder = readableFolder();
  const names = [
    ...[
      "ndk_http",
      "ngx_http_lua",
      "ngx_stream",
      "ngx_stream_js",
      "ngx_http_headers_more_filter",
      "ngx_http_cache_purge",
    ],
    ...["ngx_http_brotli_filter", "ngx_http_brotli_static", "ngx_http_geoip2", "ngx_stream_geoip2"],
    ...["ngx_http_modsecurity", "ngx_http_upstream_ssl_san", "ngx_http_kept_request_body"],
  ];
  expect(modules().toSorted()).toEqual(names.map((name) => `${name}_module.so`).toSorted());
  const lines = modules().map((name) => `load_module /usr/lib/nginx/modules/${name};`);
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path /tmp/${name};`);
  const http = `${temp.join(" ")} access_log off; init_by_lua_block { require "resty.core" require "cjson" } server { listen 8080; modsecurity on; modsecurity_rules_file /etc/nginx/modsecurity/modsecurity.conf; modsecurity_rules_file /etc/nginx/owasp-modsecurity-crs/nginx-modsecurity.conf; brotli on; more_set_headers "X: y"; } server { listen 8081; modsecurity on; modsecurity_rules "Include /etc/nginx/owasp-modsecurity-crs/rules/*.conf"; }`;
  writeFileSync(join(folder, "nginx.conf"), `${lines.join("\n")}\npid /tmp/nginx.pid; events {} http { ${http} }`);
  const { text, exitCode } = await run({
    args: ["nginx", "-t", "-c", "/conf/nginx.conf"],
    mounts: { "/conf": folder },
  });
  expect(text).toContain("test is successful");
  expect(exitCode).toBe(0);
});

test("every library that a program or module needs is in the image", () => {
  const folders = ["usr/lib64", "usr/lib/x86_64-linux-gnu"].map((folder) => join(image.root, folder));
  const binaries = execFileSync("find", [join(image.root, "usr"), "-type", "f", "-size", "+3c"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((file) => startOf(file).equals(elf));
  const dynamic = execFileSync("objdump", ["-p", ...binaries], { encoding: "utf8", maxBuffer: 2 ** 28 });
  const needed = new Set([...dynamic.matchAll(/^ {2}NEEDED +(\S+)$/gm)].map(([, name]) => name!));
  expect(needed.size).toBeGreaterThan(10);
  const missing = [...needed].filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  expect(missing).toEqual([]);
});

test("Node is version 24 and finds the package that the controller loads late", async () => {
  const script = 'import("/opt/sluice/node_modules/yaml/dist/index.js").then(() => console.log(process.version))';
  expect((await run({ args: ["node", "-e", script] })).text).toMatch(/^v24\./);
});

test("the image has these programs, so no shell and no package manager", () => {
  const found = execFileSync("find", [image.root, "-type", "f", "-perm", "/111"], { encoding: "utf8" })
    .trim()
    .split("\n");
  const programs = found.map((file) => file.slice(image.root.length)).filter((file) => !/\.so(\.|$)/.test(file));
  expect(programs.toSorted()).toEqual([
    "/dbg",
    "/nginx-ingress-controller",
    "/opt/sluice/dist/default-backend.js",
    "/opt/sluice/dist/main.js",
    "/sluice-init",
    "/sluice-nginx",
    "/usr/bin/env",
    "/usr/bin/flock",
    "/usr/lib/sluice/guarded-nginx",
    "/usr/lib/sluice/with-net-bind-service",
    "/usr/local/bin/node",
    "/usr/sbin/nginx",
    "/wait-shutdown",
  ]);
});

test("the tag with -debug also has a shell and its tools, and starts the same program", async () => {
  const root = readableFolder();
  const layers = `lowerdir=${image.debugLayer}:${image.root}`;
  execFileSync("mount", ["-t", "overlay", "overlay", "-o", layers, root]);
  try {
    const script = "nginx -v 2>&1 | head -1; id -u; ls /usr/sbin/nginx; sluice --version";
    const { text, exitCode } = await inContainer({ ...image, root }, { args: ["/sluice-init", "sh", "-euc", script] });
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(text.split("\n")).toEqual([
      expect.stringMatching(/^nginx version/),
      "101",
      "/usr/sbin/nginx",
      expect.stringContaining(version),
    ]);
    expect(exitCode).toBe(0);
  } finally {
    execFileSync("umount", [root]);
  }
});

test("the controller in the image is the same for every processor", () => {
  const files = execFileSync("find", [join(image.root, "opt/sluice"), "-type", "f", "-size", "+3c"], {
    encoding: "utf8",
  });
  const machineCode = files
    .trim()
    .split("\n")
    .filter((file) => startOf(file).equals(elf));
  expect(machineCode).toEqual([]);
});

test("no file in the image gives rights, except the one that passes NET_BIND_SERVICE on", () => {
  const find = (...condition: string[]) =>
    execFileSync("find", [image.root, "-xdev", ...condition], { encoding: "utf8" });
  expect(find("-type", "f", "-perm", "/6000")).toBe("");
  const capable = execFileSync("getcap", ["-r", join(image.root, "usr")], { encoding: "utf8" });
  expect(capable.trim()).toBe(join(image.root, "usr/lib/sluice/with-net-bind-service cap_net_bind_service=p"));
});

test("labels, user and bill of materials describe the image", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(image.config.User).toBe("101:82");
  expect(image.config.Labels).toMatchObject({
    "org.opencontainers.image.title": "Sluice",
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.revision": expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  const bill = JSON.parse(readFileSync(join(image.root, "usr/share/sluice/sbom.spdx.json"), "utf8"));
  const kinds = bill.packages.map(
    ({ externalRefs }: { externalRefs: { referenceLocator: string }[] }) =>
      externalRefs[0]!.referenceLocator.split("/")[0],
  );
  const count = (kind: string) => kinds.filter((one: string) => one === kind).length;
  console.log(`It is made of ${count("pkg:deb")} Debian packages and ${count("pkg:npm")} npm packages.`);
  const names = bill.packages.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "@sluice-ingress/sluice",
      "node",
      "handlebars",
      "execa",
      "nginx",
      "libnginx-mod-http-lua",
      "libc6",
    ]),
  );
  expect(names).not.toContain("vitest");
});

test("a process is user 101, gains no privileges, and writes only to its volumes", async () => {
  const script = `
    const { readFileSync, writeFileSync } = require("node:fs");
    console.log(process.getuid(), /NoNewPrivs:.*/.exec(readFileSync("/proc/self/status", "utf8"))[0]);
    for (const folder of ["/run/sluice", "/tmp", "/etc/ingress-controller", "/etc/nginx"])
      try { writeFileSync(folder + "/a", ""); console.log(folder); } catch ({ code }) { console.log(folder, code); }`;
  const { text } = await run({ args: ["node", "-e", script] });
  expect(text.split("\n")).toEqual([
    "101 NoNewPrivs:\t1",
    ...["/run/sluice", "/tmp", "/etc/ingress-controller"],
    "/etc/nginx EROFS",
  ]);
});

test("ports 80 and 443 need the sysctl or the capability", async () => {
  const plain = { args: ["/sluice-init", "node", "-e", opens80] };
  unprivilegedPorts(1024);
  expect((await run(plain)).text).toBe("EACCES");
  expect(
    (await run({ args: [...image.config.Entrypoint, "node", "-e", opens80], capabilities: ["NET_BIND_SERVICE"] })).text,
  ).toBe("open");
  unprivilegedPorts(0);
  expect((await run(plain)).text).toBe("open");
});

test("Node gets the options of the controller, and half of the container's memory for its heap", async () => {
  const folder = readableFolder();
  const main = readableFolder();
  // The files of both versions of cgroups.
  mkdirSync(join(folder, "memory"));
  const files = ["memory.max", "memory.high", "memory/memory.limit_in_bytes", "memory/memory.soft_limit_in_bytes"];
  for (const file of files) writeFileSync(join(folder, file), "536870912\n");
  const asked =
    "[process.execArgv, process.argv.slice(2), process.env.MALLOC_ARENA_MAX, require('node:v8').getHeapStatistics().heap_size_limit]";
  writeFileSync(join(main, "package.json"), '{ "type": "commonjs" }');
  writeFileSync(join(main, "main.js"), `console.log(JSON.stringify(${asked}))`);
  const { text } = await run({
    args: ["/nginx-ingress-controller", "--v=2"],
    mounts: { "/sys/fs/cgroup": folder, "/opt/sluice/dist": main },
  });
  const [options, flags, arenas, heap] = JSON.parse(text);
  expect(options).toEqual(["--max-old-space-size-percentage=50", "--no-concurrent-recompilation"]);
  expect([flags, arenas]).toEqual([["run", "--run-folder=/run/sluice", "--v=2"], "1"]);
  // V8 adds the space for young objects, at most three times 64 MB.
  expect(heap / 1048576).toBeGreaterThanOrEqual(256);
  expect(heap / 1048576).toBeLessThanOrEqual(256 + 192);
});

test("the image answers the kubectl plugin of ingress-nginx", async () => {
  const { text, exitCode } = await run({ args: ["/dbg", "general"] });
  expect([exitCode, JSON.parse(text)]).toEqual([0, { hosts: 0, backends: 0, certificates: 0 }]);
});

test("the default backend of the image answers", async () => {
  const running = startContainer(image, { args: ["/default-backend", "--port=18080"], user: [65534, 65534] });
  await expect.poll(() => statusOf("http://127.0.0.1:18080/healthz"), { timeout: 60_000 }).toBe(200);
  expect(await statusOf("http://127.0.0.1:18080/")).toBe(404);
  running.kill("SIGTERM");
  expect((await running.ended).exitCode).toBe(0);
});

const elf = Buffer.from("\x7fELF", "latin1");

/** Returns the first four bytes. */
function startOf(path: string): Buffer {
  const file = openSync(path, "r");
  const start = Buffer.alloc(4);
  readSync(file, start);
  closeSync(file);
  return start;
}

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );
