/**
 * Headers that no value may set. The lines in which Sluice itself sets them are known, and any
 * other line of a tree is a finding.
 */
import type { Directive } from "../../support/nginx-tree.ts";

const reserved =
  /^(?:content-length|transfer-encoding|connection|host|upgrade|te|trailer|expect|keep-alive|http2-settings|proxy|proxy-.*)$/;

/**
 * Sluice's own lines: directive, name in lower case, and value. Host may have any value, because
 * upstream-vhost and the URLs of auth services and mirrors set it.
 */
const ours = [
  /^(?:proxy|grpc)_set_header host .*$/,
  /^(?:proxy|grpc)_set_header upgrade \$http_upgrade$/,
  /^(?:proxy|grpc)_set_header connection (?:\$connection_upgrade|close|keep-alive|)$/,
  /^(?:proxy|grpc)_set_header (?:content-length|proxy) $/,
  /^fastcgi_param content_length \$content_length$/,
  /^fastcgi_param http_proxy $/,
  /^add_header content-length \$cors_preflight_length$/,
  /^more_set_input_headers host : \$asked_host$/,
  /^more_set_headers content-length : \$answer_frame$/,
];

/** Returns the lines of the tree that set such headers and are not Sluice's own. */
export function reservedHeadersSet(tree: readonly Directive[]): readonly string[] {
  return tree.flatMap(({ name, args, block = [] }) => [...linesOf(name, args), ...reservedHeadersSet(block)]);
}

function linesOf(directive: string, args: readonly string[]): readonly string[] {
  const some = pairsOf(directive, args).filter(([name]) => {
    const header = directive === "fastcgi_param" ? name.replace(/^http_/i, "") : name;
    return reserved.test(header.toLowerCase().replaceAll(/[_.]/g, "-"));
  });
  const lines = some.map(([name, value]) => `${directive} ${name.toLowerCase()} ${value}`);
  return lines.filter((line) => !ours.some((known) => known.test(line)));
}

function pairsOf(directive: string, args: readonly string[]): readonly (readonly [name: string, value: string])[] {
  if (/^(?:(?:proxy|grpc)_set_header|add_header|add_trailer|fastcgi_param)$/.test(directive)) {
    return [[args[0] ?? "", args[1] ?? ""]];
  }
  if (!/^more_set_(?:input_)?headers$/.test(directive)) return [];
  return args.map((arg) => [`${arg.split(":")[0]!.trim()}`, `: ${arg.slice(arg.indexOf(":") + 1).trim()}`] as const);
}
