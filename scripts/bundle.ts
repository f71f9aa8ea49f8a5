/**
 * `npm run build`: bundles the program as the image runs it. Parts that are loaded at different
 * times become files of their own. Without bundling, Node has to find and link six hundred modules
 * of Sluice and three hundred of packages. As CommonJS they also take less memory: an ECMAScript
 * module that imports `node:http` loads everything that `node:http` exports, such as WebSocket.
 * Names and lines are kept, so that a stack trace can be read.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { programOf } from "../src/core/render/compile-template.ts";
import type { TemplateFiles } from "../src/core/render/template.ts";
import { builtInTemplates, readTemplateFiles } from "../src/nginx/template/files.ts";

const repository = join(import.meta.dirname, "..");

/** These are loaded late and by few users, so they are not bundled. They need no other packages. */
const loaded = ["yaml"];

/**
 * Writes the bundle into `folder`, which must be in the root of a checkout or installation: see
 * `src/base/shipped.ts`. Its `packages.json` names the packages of npm whose code is in the bundle,
 * and those that it loads from `node_modules`.
 */
export async function bundle(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const bundler = await rolldown({
    cwd: repository,
    input: { main: "src/main.ts", "default-backend": "src/default-backend.ts" },
    platform: "node",
    external: (name) => name.startsWith("node:") || loaded.some((one) => name === one || name.startsWith(`${one}/`)),
    transform: { define: { "import.meta.main": "require.main === module" } },
    plugins: [
      {
        name: "the built-in template, compiled",
        load: (file) => (file === prepared ? preparedModule(readTemplateFiles(builtInTemplates)) : undefined),
      },
      { name: "one byte for each character", renderChunk: narrow },
      leanKubeConfig,
    ],
    onLog: (level, { message }) => {
      if (level !== "debug") throw new Error(message);
    },
  });
  const { output } = await bundler.write({ dir: folder, format: "cjs", chunkFileNames: "[name].js", comments: false });
  await bundler.close();
  const modules = output.flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []));
  const bundled = new Set(modules.flatMap((file) => packageFolder.exec(relative(repository, file))?.[0] ?? []));
  const packages = { bundled: [...bundled].sort(), loaded: loaded.map((name) => `node_modules/${name}`) };
  writeFileSync(join(folder, "packages.json"), `${JSON.stringify(packages, null, 2)}\n`);
  // This package.json replaces the one above, which declares ECMAScript modules.
  writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
}

/**
 * KubeConfig imports clients that it needs only for requests of its own, and Sluice has the
 * requests of `src/kube`. They would take 15 MB of memory. The client of OpenID Connect is
 * loaded when a token has to be refreshed, which few kubeconfigs need.
 */
const leanKubeConfig: Plugin = {
  name: "KubeConfig without its own requests",
  resolveId: (name, importer) =>
    importer?.endsWith("client-node/dist/config.js") && clients.has(name) ? ownRequests : undefined,
  load: (name) => (name === ownRequests ? ownRequestsModule : undefined),
  transform(code, file) {
    if (!file.endsWith("client-node/dist/oidc_auth.js")) return undefined;
    const late = code
      .replace("import * as oidc from 'openid-client';", "let oidc;")
      .replace("async getClient(user) {", "async getClient(user) {\noidc ??= await import('openid-client');");
    if (late.split("oidc ??=").length !== 2 || late.includes("import * as oidc"))
      throw new Error(`${file} has changed`);
    return late;
  },
};
const clients: ReadonlySet<string> = new Set([
  ...["undici", "socks", "socks-proxy-agent", "hpagent"],
  ...["./gen/index.js", "./middleware.js"],
]);
const ownRequests = "\0requests of client-node";
const ownRequestsModule = [
  ...["Agent", "ProxyAgent", "SocksClient", "SocksProxyAgent", "HttpProxyAgent", "HttpsProxyAgent"],
  ...["createConfiguration", "ServerConfiguration", "setHeaderMiddleware"],
]
  .map((name) => `export function ${name}() { throw new Error("client-node makes no requests in this program"); }`)
  .join("\n");

/** Packages may be inside packages, and the innermost counts. */
const packageFolder = /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/;

const prepared = join(repository, "src/core/render/prepared.ts");

/** Returns the text of `src/core/render/prepared.ts` with a form of each of these files. */
export function preparedModule(files: TemplateFiles): string {
  const forms = [...files].sort().map(([name, text]) => {
    return `[${JSON.stringify(name)}, { text: ${JSON.stringify(text)}, program: ${programOf(text)} }]`;
  });
  return `export const prepared = new Map([${forms.join(",\n")}]);\n`;
}

/** V8 keeps a source in two bytes per character as soon as one character needs two. */
const narrow = (code: string): string =>
  code.replaceAll(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

if (import.meta.main) await bundle(join(repository, "dist"));
