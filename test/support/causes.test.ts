/**
 * Checks that the table of causes in docs/operate.md has every status that a template answers by
 * itself.
 */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/operate.md"), "utf8");

/**
 * The rows of the table, by template and answering line. Clients do not reach `internal.tmpl`, nor
 * the statuses 501 and 599, which only jump.
 */
const causes: Readonly<Record<string, string>> = {
  "external-auth.tmpl return 503;": "| 503 | the global auth service",
  "host-check.tmpl if ($contrary_host) { return 400; }": "| 400 | the request names two hosts",
  "host-check.tmpl if ($strange_host) { return 400; }": "| 400 | `Host` holds",
  "location.tmpl if ($route_loops) { return 508; }": "| 508 |",
  "location.tmpl if ($route_too_large) { return 413; }": "| 413 |",
  "location.tmpl return 503;": "| 503 | the path is closed",
  'location.tmpl if ($route_secured = "") { return 403; }': "| 403 | a client certificate is required",
  'location.tmpl if ($uri ~ "[\\x00-\\x1f]") { return 400; }': "| 400 | a control character",
  "location.tmpl {{#if dynamic}}if ($route_unserved) { return 503; }{{/if}}": "| 503 | the Service is missing",
  "own-health.tmpl {{#if dynamic}}if ($s_closing) { return 503; }{{/if}}": "| 503 | the health path on a traffic port",
  "route-refused.tmpl return 401;": "| 401 | Basic authentication or the auth service refuses",
  "server-features.tmpl return 403;": "| 403 | the Secret of `auth-tls-secret`",
  'server-features.tmpl if ($ssl_client_s_dn !~ {{clientCertificate.subject}}) { return 403 "client certificate unauthorized"; }':
    "| 403 | the certificate's subject",
  "server.tmpl location {{fixed.misdirected}} { return 421; }": "| 421 | a client of a Gateway's TLS port",
  'server-head.tmpl if ($ssl_server_name !~ "^[\\w-]+(?:\\.[\\w-]+)*\\.?\\z") { return 421; }':
    "| 421 | a handshake without a name",
  "server.tmpl return 444;": "| 444, and no answer |",
  "server.tmpl location {{fixed.unrouted}} { return 404; }": "| 404 |",
  "server.tmpl location {{fixed.undecided}} { return 500; }": "| 500 | patterns took too long",
  "server.tmpl location {{fixed.contrary_host}} { return 400; }": "| 400 | the request names two hosts",
  "server.tmpl location {{fixed.circle}} { return 508; }": "| 508 | a mirror, an auth service or a backend",
  "server.tmpl location {{fixed.unknown_shape}} { return 503; }": "| 503 | a worker has no text",
  "static-server.tmpl if ($http_x_sluice_hops ~ {{comeBack}}) { return 508; }": "| 508 |",
  "blocked-server.tmpl if ($block_user_agent) { return 403; }": "| 403 | the client's agent",
  "blocked-server.tmpl if ($block_referer) { return 403; }": "| 403 | the client's agent",
};

const answers = globSync("templates/**/*.tmpl", { cwd: root })
  .filter((path) => basename(path) !== "internal.tmpl")
  .flatMap((path) =>
    readFileSync(join(root, path), "utf8")
      .split("\n")
      .filter((line) => /\breturn [45](?!99|01)\d\d\b/.test(line))
      .map((line) => `${basename(path)} ${line.trim()}`),
  );

test("docs/operate.md has a row for each status that a template answers", () => {
  expect(answers.length).toBeGreaterThan(12);
  expect([...new Set(answers)].filter((answer) => !page.includes(causes[answer] ?? "no row"))).toEqual([]);
});
