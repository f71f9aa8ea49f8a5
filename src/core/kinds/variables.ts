/**
 * Kinds for text with nginx variables, and the variables that exist. An operator's text may use any
 * variable that nginx, Sluice or one of the operator's own snippets declares; `settings/read.ts`
 * checks that once all settings are known.
 */

import { Token } from "../tokens/token.ts";
import { unescaped } from "./grammar.ts";
import { type Kind, longestWord, no, ok, shown } from "./kind.ts";
import { geoip2Variables } from "./vocabulary/geoip2-variables.ts";

const name = /\$(?:\{([a-z_]\w*)\}|([a-z_]\w*))/gi;

/** Returns the names of the variables in `text`, without `$`. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(name)].map(([, braced, plain]) => braced ?? plain ?? "");
}

/** Whether `variable` is a name and not the number of a group. */
export const isVariableName = (variable: string): boolean => /^[a-z_]/i.test(variable);

/**
 * The variable of a group of the path. nginx overwrites groups at the next pattern that it tries,
 * so they are kept in variables as soon as the location is known.
 */
export const groupVariables: readonly string[] = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => `route_group_${number}`);

const groups = /\$([1-9])/g;

export const namesGroups = (text: string): boolean => /\$[1-9]/.test(text);

/** Returns `text` with `$1` replaced by the variable that holds the group, and so on. */
export const withGroupVariables = (text: string): string => text.replace(groups, "$${route_group_$1}");

/** Returns `text` for a place where no pattern has matched: groups are empty. */
export const withoutGroups = (text: string): string => text.replace(groups, "");

/** Variables with the decoded path in them: %0d%0a in a request is a line break there. */
const decoded = new Set(["uri", "document_uri", "request_filename", "fastcgi_script_name", "fastcgi_path_info"]);

/**
 * Returns why `text` may not be part of a header or an address, or undefined. A client could
 * otherwise add header lines of its own.
 */
export function decodedMistake(text: string): string | undefined {
  const variable = variablesIn(text).find((one) => decoded.has(one));
  return (
    variable &&
    `$${variable} is the decoded path, in which a client can send line breaks and so headers; use $request_uri or $escaped_request_uri`
  );
}

/** Returns `kind` for a value that becomes part of a header or an address. */
export function undecoded(kind: Kind<string>): Kind<string> {
  return {
    ...kind,
    read: (text) => {
      const mistake = decodedMistake(text);
      return mistake === undefined ? kind.read(text) : no(mistake);
    },
  };
}

/** One line of text with variables. A `$` that does not start a name is an ordinary character. */
export const variableText: Kind<string> = {
  label: "text on one line, with nginx variables",
  read: (text) => {
    if (text === "") return no("the value is empty");
    return Token.printable(text) ? ok(text) : no(`${shown(text)} has a line break or control character`);
  },
  view: (value) => Token.variables(value, isVariableName),
};

/**
 * A log format. nginx's escapes (`\t`, `\n`, `\"`) mean the same as in its files, and a line break
 * is allowed, because ingress-nginx's users write it. A single quote is an ordinary character; in
 * ingress-nginx it was not.
 */
export const logFormat: Kind<string> = {
  label: "a log format with nginx variables",
  longest: 4 * longestWord,
  read: (text) => {
    const unescapedText = unescaped(text.replace(/\r?\n$/, ""));
    if (unescapedText.trim() === "") return no("the format is empty");
    return Token.printableLines(unescapedText) ? ok(unescapedText) : no(`${shown(text)} has a control character`);
  },
  view: (value) => Token.lines(value, isVariableName),
};

/**
 * Variables of the http core and of the modules nginx is always built with here, and those Sluice
 * declares (process contract K 76).
 */
const http =
  "ancient_browser args binary_remote_addr body_bytes_sent bytes_received bytes_sent connection connection_requests connection_time connections_active connections_reading connections_waiting connections_writing content_length content_type date_gmt date_local document_root document_uri fastcgi_path_info fastcgi_script_name gzip_ratio host hostname http2 http3 https invalid_referer is_args is_request_port limit_conn_status limit_rate limit_req_status memcached_key modern_browser msec msie nginx_version pid pipe proxy_add_x_forwarded_for proxy_host proxy_port proxy_protocol_addr proxy_protocol_port proxy_protocol_server_addr proxy_protocol_server_port query_string realip_remote_addr realip_remote_port realpath_root remote_addr remote_port remote_user request request_body request_body_file request_completion request_filename request_id request_length request_method request_port request_time request_uri scheme secure_link secure_link_expires server_addr server_name server_port server_protocol slice_range ssl_alpn_protocol ssl_cipher ssl_ciphers ssl_client_cert ssl_client_escaped_cert ssl_client_fingerprint ssl_client_i_dn ssl_client_i_dn_legacy ssl_client_raw_cert ssl_client_s_dn ssl_client_s_dn_legacy ssl_client_serial ssl_client_v_end ssl_client_v_remain ssl_client_v_start ssl_client_verify ssl_curve ssl_curves ssl_early_data ssl_protocol ssl_server_name ssl_session_id ssl_session_reused status tcpinfo_rcv_space tcpinfo_rtt tcpinfo_rttvar tcpinfo_snd_cwnd time_iso8601 time_local uid_got uid_reset uid_set upstream_addr upstream_bytes_received upstream_bytes_sent upstream_cache_status upstream_connect_time upstream_first_byte_time upstream_header_time upstream_last_server_name upstream_queue_time upstream_response_length upstream_response_time upstream_session_time upstream_status uri";
const sluice =
  "proxy_upstream_name proxy_alternative_upstream_name req_id escaped_request_uri namespace ingress_name service_name service_port location_path gateway listener route rule closed_reason best_http_host pass_access_scheme pass_port pass_server_port balancer_ewma_score loggable connection_upgrade literal_dollar full_x_forwarded_for subdomain";
const stream =
  "binary_remote_addr bytes_received bytes_sent connection hostname literal_dollar msec nginx_version pid protocol proxy_protocol_addr proxy_protocol_port proxy_protocol_server_addr proxy_protocol_server_port proxy_upstream_name realip_remote_addr realip_remote_port remote_addr remote_port server_addr server_port session_time ssl_cipher ssl_protocol ssl_preread_alpn_protocols ssl_preread_protocol ssl_preread_server_name status time_iso8601 time_local upstream_addr upstream_bytes_received upstream_bytes_sent upstream_connect_time upstream_first_byte_time upstream_session_time";
/** Variables for snippets alone whose names are words of other text as well. */
export const commonNames: readonly string[] = ["cors"];
const families =
  /^(http|arg|cookie|sent_http|sent_trailer|upstream_http|upstream_trailer|upstream_cookie|proxy_protocol_tlv|jwt_claim|opentelemetry|otel)_\w+$/;

const known = {
  http: new Set([...`${http} ${sluice}`.split(" "), ...geoip2Variables]),
  stream: new Set(stream.split(" ")),
};

/** Whether a variable exists without a snippet that declares it. */
export function isKnownVariable(variable: string, where: "http" | "stream"): boolean {
  return known[where].has(variable) || (where === "http" && families.test(variable));
}

/** Returns the names of these variables, without families such as `$http_…`. */
export const knownVariables = (where: "http" | "stream"): readonly string[] => [...known[where]];

/** Whether the variable exists only where `use-geoip2` is on. */
export const needsGeoip2 = (variable: string): boolean => geoip2Variables.has(variable);

/** Says why such a variable is missing. */
export const withoutGeoip2 = (variable: string): string => `$${variable} exists only with use-geoip2, which is off`;

/** Returns why a value may not name the variable: it is closed there, or nothing declares it. */
export function strangerWhy(text: string, variable: string): string {
  const why = isKnownVariable(variable, "http")
    ? "is not allowed here"
    : "no permitted snippet of this Ingress or of the ConfigMap declares";
  return `${shown(text)} uses $${variable}, which ${why}`;
}
