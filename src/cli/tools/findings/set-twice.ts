/**
 * Finds directives of a snippet that their block has already, such as `client_max_body_size` beside
 * the annotation proxy-body-size. nginx refuses most directives that stand twice in one block. Only
 * the text as nginx gets it tells which ones are there.
 */
import type { FeatureValues } from "../../../annotations/registry.ts";
import { parse, type Statement } from "../../../kinds/grammar.ts";
import type { Configuration } from "../../../model/configuration.ts";
import { objectKey } from "../../../model/objects.ts";
import type { Problem } from "../../../problem.ts";
import type { OwnersAt } from "../../../render/rendering.ts";
import type { Settings } from "../../../settings/registry.ts";
import { visible } from "../../../visible.ts";
import type { Flags } from "../../flags.ts";
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
    "keepalive_timeout|ssl_(?:ciphers|prefer_server_ciphers|verify_client|verify_depth|client_certificate)",
  ].join("|")})$`,
);

const annotations = new Set(["annotation configuration-snippet", "annotation server-snippet"]);

interface Named {
  readonly snippet: Snippet;
  readonly statements: readonly Statement[];
}

/** Returns one Problem for each such directive of an Ingress. */
export function setTwice(
  snippets: readonly Snippet[],
  configuration: Configuration<Settings, FeatureValues>,
  flags: Flags,
): Problem[] {
  const doubtful = snippets.flatMap((snippet): Named[] => {
    const parsed = annotations.has(snippet.field) ? parse(snippet.text) : undefined;
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
  const found = new Map<Statement, Problem>();
  for (const doubled of doubledIn(parsed.statements)) {
    for (const owner of ownersOf(doubled, ownersAt)) {
      for (const { snippet, statements } of byOwner.get(owner) ?? []) {
        const own = statements.find((one) => isAmong(one, doubled));
        if (own !== undefined) found.set(own, problemOf(snippet, own, doubled));
      }
    }
  }
  return [...found.values()];
}

/** Returns the statements of one name that stand in one block, if there are several. */
function doubledIn(statements: readonly Statement[]): (readonly Statement[])[] {
  const here = Map.groupBy(
    statements.filter(({ name }) => once.test(name)),
    ({ name }) => name,
  );
  const doubled = [...here.values()].filter((all) => all.length > 1);
  return [...doubled, ...statements.flatMap(({ block = [] }) => doubledIn(block))];
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
  return { object, kind: "field-unusable", field, why, done: "nginx would refuse it" };
}
