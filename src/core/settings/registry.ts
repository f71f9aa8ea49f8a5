/**
 * All ConfigMap keys, group by group. Their order is the order of their directives in nginx.conf
 * and of the reference page.
 */
import { access } from "./access.ts";
import { clients } from "./clients.ts";
import { compression } from "./compression.ts";
import type { Setting, SettingValues } from "./declare.ts";
import { featureDefaults } from "./features.ts";
import { type Followed, nothingFollowed } from "./followed.ts";
import { forwarded } from "./forwarded.ts";
import { globalAuth } from "./global-auth.ts";
import { hashes } from "./hashes.ts";
import { headers } from "./headers.ts";
import { listeners } from "./listeners.ts";
import { logs } from "./logs.ts";
import { modules } from "./modules.ts";
import { proxy } from "./proxy.ts";
import { redirects } from "./redirects.ts";
import { removed } from "./removed.ts";
import { snippets } from "./snippets.ts";
import { streams } from "./streams.ts";
import { tenants } from "./tenants.ts";
import { timeouts } from "./timeouts.ts";
import { tls } from "./tls.ts";
import { tracing } from "./tracing.ts";
import { upstreams } from "./upstreams.ts";
import { workers } from "./workers.ts";

/** Settings by theme; the names are the headings of the reference page. */
export const groups = {
  "Worker processes": workers,
  Listeners: listeners,
  "Client connections": clients,
  TLS: tls,
  Redirects: redirects,
  "Client address and forwarded headers": forwarded,
  Headers: headers,
  "Access control": access,
  "Permissions of Ingress authors": tenants,
  "External authentication for all": globalAuth,
  "Requests to backends": proxy,
  Timeouts: timeouts,
  "Endpoints and retries": upstreams,
  "Errors and limits": featureDefaults,
  "TCP and UDP services": streams,
  Compression: compression,
  Logs: logs,
  Tracing: tracing,
  Modules: modules,
  "Hash tables": hashes,
  Snippets: snippets,
  "Without effect": removed,
} as const;

export const settings = {
  ...workers,
  ...listeners,
  ...clients,
  ...tls,
  ...redirects,
  ...forwarded,
  ...headers,
  ...access,
  ...tenants,
  ...globalAuth,
  ...proxy,
  ...timeouts,
  ...upstreams,
  ...featureDefaults,
  ...streams,
  ...compression,
  ...logs,
  ...tracing,
  ...modules,
  ...hashes,
  ...snippets,
  ...removed,
};

/**
 * The operator's settings with their types; every key has a value. `followed` has the contents of
 * the objects that some of them name.
 */
export type Settings = SettingValues<typeof settings> & { readonly followed: Followed };

/** All declarations with their names, for code that treats them alike. */
export const settingList = Object.entries(settings) as unknown as readonly (readonly [
  name: keyof Settings,
  declared: Setting<unknown>,
])[];

export const defaultSettings = {
  ...Object.fromEntries(settingList.map(([name, declared]) => [name, declared.default])),
  followed: nothingFollowed,
} as unknown as Settings;
