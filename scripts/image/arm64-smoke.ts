/**
 * Starts what the arm64 image holds under qemu's user-mode emulation: nginx serves a request, Lua
 * in it answers another, the modules load together, and Node runs the controller's `--version`. The
 * build emulates nothing. Every program and library must be of this processor.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa, type Options } from "execa";
import { builtImage, extract, readLayout } from "./unpacked.ts";

const emulator = "/usr/bin/qemu-aarch64-static";
/** The processor, as headers of ELF files name it. */
const aarch64 = 183;
const socket = "/tmp/smoke.sock";

const folder = mkdtempSync(join(tmpdir(), "sluice-arm64-"));
try {
  const layout = join(folder, "layout");
  await execa("buildah", ["push", "--quiet", await builtImage("testing", [], "arm64"), `oci:${layout}`]);
  const root = join(folder, "root");
  mkdirSync(root);
  extract(readLayout(layout).layers, layout, root);
  const { stdout: files } = await execa("find", [root, "-xdev", "-type", "f", "-size", "+19c"]);
  const foreign = files.split("\n").filter((file) => (machineOf(file) ?? aarch64) !== aarch64);
  if (foreign.length > 0) throw new Error(`These are not for arm64: ${foreign.join(", ")}`);
  copyFileSync(emulator, join(root, "emulator"));
  chmodSync(join(root, "emulator"), 0o755);
  writeFileSync(join(root, "dev/null"), "");
  writeFileSync(join(root, "tmp/nginx.conf"), configuration(readdirSync(join(root, "usr/lib/nginx/modules"))));
  const inside = (...words: string[]) => ["unshare", `--root=${root}`, "--wd=/", "/emulator", ...words] as const;
  const start = (words: readonly string[], options: Options = {}) => execa(words[0]!, words.slice(1), options);
  const running = start(inside("/usr/sbin/nginx", "-c", "/tmp/nginx.conf"), { stdio: "inherit", reject: false });
  try {
    console.log(await answers(join(root, socket), "/"), await answers(join(root, socket), "/lua"));
  } finally {
    running.kill("SIGTERM");
    await running;
  }
  console.log((await start(inside("/usr/local/bin/node", "/opt/sluice/dist/main.js", "--version"))).stdout);
  await start(inside("/sluice-init", "/emulator", "/usr/sbin/nginx", "-v"), { stdio: "inherit" });
} finally {
  rmSync(folder, { recursive: true });
}

/** Returns the processor in an ELF file's header; undefined for other files. */
function machineOf(path: string): number | undefined {
  const file = openSync(path, "r");
  const header = Buffer.alloc(20);
  readSync(file, header);
  closeSync(file);
  return header.toString("latin1", 0, 4) === "\x7fELF" ? header.readUInt16LE(18) : undefined;
}

/**
 * All modules; master and worker are one process, because emulated processes share no memory
 * reliably.
 */
function configuration(modules: readonly string[]): string {
  const first = ["ndk_http_module.so", "ngx_stream_module.so"];
  const lines = [...first, ...modules.filter((name) => !first.includes(name))].map(
    (name) => `load_module /usr/lib/nginx/modules/${name};`,
  );
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path /tmp/${name};`);
  return `${lines.join("\n")}
user root root; daemon off; master_process off; pid /tmp/nginx.pid; error_log stderr;
events {}
http {
  ${temp.join(" ")} access_log off;
  server {
    listen unix:${socket};
    location = / { return 200 "nginx $nginx_version"; }
    location = /lua { content_by_lua_block { ngx.print("Lua ", jit and jit.arch, " ", require("cjson").encode({ 1 })) } }
  }
}
`;
}

async function answers(socketPath: string, path: string): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await new Promise((resolve, reject) => {
        get({ socketPath, path, agent: false }, async (answer) => {
          const text = Buffer.concat(await answer.toArray()).toString();
          if (answer.statusCode === 200) resolve(text);
          else reject(new Error(`nginx answered ${answer.statusCode}`));
        }).on("error", reject);
      });
    } catch (cause) {
      if (tries === 300) throw cause;
      await sleep(200);
    }
  }
}
