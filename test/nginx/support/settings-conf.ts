/**
 * Builds a whole nginx.conf from Settings alone: every partial of `templates/settings/`, one server
 * and one location.
 */
import { readdirSync, readFileSync } from "node:fs";
import Handlebars from "handlebars";
import { inEveryLocation } from "../../../src/core/render/settings/everywhere.ts";
import { requestHeaders } from "../../../src/core/render/settings/forwarded.ts";
import { serverNamesHash } from "../../../src/core/render/settings/hashes.ts";
import { listenLines } from "../../../src/core/render/settings/listen.ts";
import { settingsView } from "../../../src/core/render/settings/view.ts";
import type { Settings } from "../../../src/core/settings/registry.ts";
import type { Capabilities } from "../../../src/core/tokens/capabilities.ts";
import { machineAt } from "../../support/machine.ts";

const folder = new URL("../../../templates/settings/", import.meta.url);
const handlebars = Handlebars.create();
handlebars.registerPartial("response-headers", "add_header Strict-Transport-Security x always;\n");
for (const file of readdirSync(folder)) {
  handlebars.registerPartial(`settings/${file.replace(/\.tmpl$/, "")}`, readFileSync(new URL(file, folder), "utf8"));
}

/** Variables that the routes bind, and those that the template derives beside the settings. */
const proxyTemplate = readFileSync(new URL("../proxy.tmpl", folder), "utf8");
const routed = [
  ..."proxy_upstream_name proxy_alternative_upstream_name namespace ingress_name service_name service_port location_path".split(
    " ",
  ),
  "subdomain",
  ...[...proxyTemplate.matchAll(/^map \S+ \$(?:\{\{ifRead\}\})?(\w+)/gm)].map(([, name]) => name),
];

const conf = handlebars.compile(
  `{{#each modules}}load_module {{{this}}};
{{/each}}
pid {{{run}}}/pid;
{{> settings/directives main.directives}}
{{#if main.snippet}}{{main.snippet}}{{/if}}
events {
{{> settings/directives events.directives}}
}
http {
client_body_temp_path {{{run}}}/body; proxy_temp_path {{{run}}}/proxy; fastcgi_temp_path {{{run}}}/f; uwsgi_temp_path {{{run}}}/u; scgi_temp_path {{{run}}}/s;
{{> settings/directives http.directives}}
{{> settings/directives names}}
{{> settings/forwarded http.forwarded}}
{{#each routed}}
map "" \${{this}} { default "-"; }
{{/each}}
{{> settings/real-ip http.realIp}}
{{> settings/logs http.logs}}
{{> settings/blocked http.blocked}}
{{> settings/geoip2 http.geoip2}}
{{> settings/http3 http.http3}}
{{> settings/modsecurity http.modsecurity}}
{{> settings/opentelemetry http.opentelemetry}}
{{#if http.snippet}}{{http.snippet}}{{/if}}
server {
{{#each listen}}
listen {{this}};
{{/each}}
server_name _;
{{> settings/blocked-server http.blocked}}
{{#if server.snippet}}{{server.snippet}}{{/if}}
location / {
{{> settings/location location}}
{{#each headers}}
proxy_set_header {{name}} {{value}};
{{/each}}
{{#if backend}}
proxy_pass {{{backend}}};
{{/if}}
}
}
}
{{#if hasStream}}
stream {
{{> settings/directives stream.directives}}
{{> settings/stream-logs stream.logs}}
{{> settings/stream-real-ip stream.realIp}}
{{#if stream.snippet}}{{stream.snippet}}{{/if}}
}
{{/if}}
`,
  { strict: true },
);

export interface Around {
  readonly run: string;
  readonly port: number;
  readonly modules: readonly string[];
  readonly backend?: string;
}

export function settingsConf(settings: Settings, can: Capabilities, { run, port, modules, backend }: Around): string {
  const machine = machineAt(run, port);
  return conf({
    ...settingsView(settings, can, machine),
    modules,
    run,
    backend: backend ?? false,
    routed,
    // nothing is left out
    ifRead: "",
    dynamic: true,
    hasStream: can.stream,
    location: inEveryLocation(settings, can, machine, false).view,
    names: serverNamesHash(settings, ["_"]),
    listen: listenLines(settings, can, machine, { port, tls: false, catchAll: true }),
    headers: requestHeaders(settings, { capabilities: can, mode: "dynamic" }, false),
  });
}
