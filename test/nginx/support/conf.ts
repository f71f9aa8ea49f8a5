/**
 * Builds a whole nginx.conf around the few lines that a test is about, with everything that nginx
 * needs in a run folder: modules, temporary folders and the control server, which logs the
 * announcement of nginx's end. Tests read errors from standard error (`error_log stderr notice`).
 */
import { createHash } from "node:crypto";
import type { Capabilities, RenderedConfiguration, RunFolder } from "../../../src/nginx/index.ts";

export interface ConfParts {
  /** Lines of the main context. */
  readonly main?: string;
  /** Lines of the http context: servers, maps, shared dictionaries. */
  readonly http?: string;
  /** The `stream` block, which is left out without these lines. */
  readonly stream?: string;
  readonly workers?: number;
  readonly workerShutdownTimeout?: string;
  readonly files?: RenderedConfiguration["files"];
  /** The name of the generation; a hash of the whole text when absent. */
  readonly generation?: string;
  /** Omits the password of the control server, like the text of an older Sluice. */
  readonly open?: true;
}

const buffers = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

export function rendered(folder: RunFolder, capabilities: Capabilities, parts: ConfParts): RenderedConfiguration {
  const { main = "", http = "", stream = "", workers = 2, workerShutdownTimeout = "30s", files = [] } = parts;
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  const generation = parts.generation ?? hash.slice(0, 16);
  const conf = `
${capabilities.modules.map((module) => `load_module ${module};`).join("\n")}
user root;
worker_processes ${workers};
worker_shutdown_timeout ${workerShutdownTimeout};
error_log stderr notice;
${main}
events { worker_connections 512; }
http {
  access_log off;
${buffers.map((name) => `  ${name}_temp_path ${folder.temp}/${name};`).join("\n")}
  server {
    listen unix:${folder.controlSocket};
    ${parts.open ? "" : `auth_basic sluice; auth_basic_user_file ${folder.nginxPass};`}
    location = /generation { try_files /no-such-file @generation; }
    location @generation { return 200 ${generation}; }
    location = /closing { try_files /no-such-file @closing; }
    location @closing { access_log ${folder.logs}/closing.log; return 200 closing; }
  }
${http}
}
${stream === "" ? "" : `stream {\n${stream}\n}`}
`;
  return { conf, generation, files };
}
