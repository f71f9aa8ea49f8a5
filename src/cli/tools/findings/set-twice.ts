/**
 * Finds directives of a snippet that their block has already, such as `client_max_body_size` beside
 * the annotation proxy-body-size, or `server_tokens` in the http-snippet. nginx refuses most
 * directives that stand twice in one block. Only the text as nginx gets it tells which ones are
 * there.
 */

import { visible } from "../../../base/visible.ts";
import type { Flags } from "../../../controller/flags.ts";
import { parse, type Statement } from "../../../core/kinds/grammar.ts";
import type { Configuration } from "../../../core/model/configuration.ts";
import { objectKey } from "../../../core/model/objects.ts";
import type { Problem } from "../../../core/model/problem.ts";
import type { FeatureValues } from "../../../core/policies/registry.ts";
import type { OwnersAt } from "../../../core/render/rendering.ts";
import type { Settings } from "../../../core/settings/registry.ts";
import { toolRenderer } from "../renderer.ts";
import type { Snippet } from "../snippet-findings.ts";

/** Directives that nginx takes once in a block, as `nginx -t` of 1.22 and 1.30 says. */
const once = new RegExp(
  `^(?:${[
    "client_(?:max_body_size|body_buffer_size|body_timeout)",
    "(?:proxy|grpc|fastcgi)_(?:connect_timeout|send_timeout|read_timeout|buffering|buffer_size|buffers)",
    "(?:proxy|grpc|fastcgi)_(?:busy_buffers_size|max_temp_file_size|request_buffering|intercept_errors|pass)",
    "(?:proxy|grpc|fastcgi)_next_upstream_(?:timeout|tries)",
    "(?:proxy|grpc)_ssl_(?:name|verify|verify_depth|server_name|ciphers|certificate|certificate_key)",
    "proxy_(?:http_version|method|set_body)",
    "auth_(?:basic|basic_user_file|request)|limit_(?:rate|rate_after|req_status|conn_status)",
    "satisfy|expires|rewrite_log|gzip|root|charset|default_type|mirror_request_body|modsecurity|server_tokens",
    "ssl_(?:ciphers|prefer_server_ciphers|verify_client|verify_depth|client_certificate|protocols|buffer_size)",
    "ssl_(?:early_data|ecdh_curve|session_timeout|session_tickets)|keepalive_(?:timeout|requests|time)",
    "client_header_(?:timeout|buffer_size)|large_client_header_buffers|underscores_in_headers|ignore_invalid_headers",
    "gzip_(?:buffers|comp_level|http_version|min_length|proxied|types|vary)|resolver|aio|sendfile|tcp_no(?:push|delay)",
    "(?:port_in|absolute|server_name_in)_redirect|reset_timedout_connection|log_subrequest|real_ip_(?:header|recursive)",
    "(?:server_names|variables|proxy_headers|map|types)_hash_(?:max|bucket)_size|http2_max_concurrent_streams",
  ].join("|")})$`,
);

/** The snippets that stand in a block with lines of Sluice. */
const fields = new Set([
  ...["annotation configuration-snippet", "annotation server-snippet"],
  ...["data.http-snippet", "data.server-snippet", "data.location-snippet"],
]);

interface Named {
  readonly snippet: Snippet;
  readonly statements: readonly Statement[];
}

/** The statements of one name that stand in one block, and the name of this block. */
interface Doubled {
  readonly inside: string;
  readonly all: readonly Statement[];
}

/** Returns one Problem for each such directive of an Ingress or of the ConfigMap. */
export function setTwice(
  snippets: readonly Snippet[],
  configuration: Configuration<Settings, FeatureValues>,
  flags: Flags,
): Problem[] {
  const doubtful = snippets.flatMap((snippet): Named[] => {
    const parsed = fields.has(snippet.field) ? parse(snippet.text) : undefined;
    const statements = parsed?.ok ? parsed.statements.filter(({ name }) => once.test(name)) : [];
    return statements.length === 0 ? [] : [{ snippet, statements }];
  });
  // Rendering a large cluster takes a second, and few Ingresses have such a snippet.
  const opened = doubtful.length === 0 ? undefined : toolRenderer(flags);
  if (!opened?.ok) return [];
  const { conf, ownersAt } = opened.renderer.render(configuration).text;
  const parsed = parse(conf);
  if (!parsed.ok) return [];
  const byOwner: ReadonlyMap<string, readonly Named[]> = Map.groupBy(doubtful, ({ snippet: { object } }) =>
    objectKey(object.kind, `${object.namespace ?? "default"}/${object.name}`),
  );
  const ofOperator = doubtful.filter(({ snippet }) => snippet.object.kind === "ConfigMap");
  const found = new Map<Statement, Problem>();
  for (const { inside, all } of doubledIn(parsed.statements)) {
    const near = [...ownersOf(all, ownersAt)].flatMap((owner) => byOwner.get(owner) ?? []);
    for (const { snippet, statements } of [
      ...near,
      ...ofOperator.filter(({ snippet }) => snippet.context === inside),
    ]) {
      const own = statements.find((one) => isAmong(one, all));
      if (own !== undefined) found.set(own, problemOf(snippet, own, all));
    }
  }
  return [...found.values()];
}

/** Returns the statements that have a second one of their name in their block. */
function doubledIn(statements: readonly Statement[], inside = "main"): Doubled[] {
  const here = Map.groupBy(
    statements.filter(({ name }) => once.test(name)),
    ({ name }) => name,
  );
  const doubled = [...here.values()].filter((all) => all.length > 1).map((all) => ({ inside, all }));
  return [...doubled, ...statements.flatMap(({ name, block = [] }) => doubledIn(block, name))];
}

const ownersOf = (doubled: readonly Statement[], ownersAt: OwnersAt): ReadonlySet<string> =>
  new Set(doubled.flatMap(({ line }) => [...ownersAt(line)]));

const isAmong = (own: Statement, doubled: readonly Statement[]): boolean =>
  doubled.some((one) => one.name === own.name && wordsOf(one) === wordsOf(own));

const wordsOf = ({ args }: Statement): string => args.join(" ");

function problemOf({ object, field }: Snippet, own: Statement, doubled: readonly Statement[]): Problem {
  const other = doubled.find((one) => wordsOf(one) !== wordsOf(own)) ?? own;
  const there = visible(other.text.replace(/;$/, ""));
  const why = `line ${own.line}: the block around it has "${there}" already, and nginx takes ${own.name} once`;
  return { object, kind: "snippet-refused", field, why };
}
