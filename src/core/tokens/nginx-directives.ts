/**
 * The directives of nginx by version, and the blocks in which each may stand. They come from the
 * image's nginx and its modules, as `nginx -t` accepted them block by block, and from older
 * versions.
 */

/** The version in the image. */
export const newestNginx = "1.30";
/** The oldest supported version, whose directives are known as well. */
const oldestNginx = "1.22";

/** The block in which a directive stands: nginx's manual calls it the context. */
export type Context = (typeof contexts)[number];

const contexts = [
  "main",
  "events",
  "http",
  "server",
  "location",
  "if in server",
  "if in location",
  "limit_except",
  "upstream",
  "stream",
  "stream server",
  "stream upstream",
] as const;

const newest: readonly (readonly [readonly Context[], string])[] = [
  [
    ["http", "server", "location"],
    "absolute_redirect add_after_body add_before_body addition_types aio aio_write ancient_browser ancient_browser_value auth_delay auth_request auth_request_set autoindex autoindex_exact_size autoindex_format autoindex_localtime brotli_buffers brotli_comp_level brotli_min_length brotli_static brotli_types brotli_window cache_purge_response_type charset_types chunked_transfer_encoding client_body_buffer_size client_body_in_file_only client_body_in_single_buffer client_body_temp_path client_body_timeout client_max_body_size create_full_put_path dav_access dav_methods default_type directio directio_alignment disable_symlinks early_hints etag fastcgi_bind fastcgi_buffer_size fastcgi_buffering fastcgi_buffers fastcgi_busy_buffers_size fastcgi_cache fastcgi_cache_background_update fastcgi_cache_bypass fastcgi_cache_key fastcgi_cache_lock fastcgi_cache_lock_age fastcgi_cache_lock_timeout fastcgi_cache_max_range_offset fastcgi_cache_methods fastcgi_cache_min_uses fastcgi_cache_purge fastcgi_cache_revalidate fastcgi_cache_use_stale fastcgi_cache_valid fastcgi_catch_stderr fastcgi_connect_timeout fastcgi_force_ranges fastcgi_hide_header fastcgi_ignore_client_abort fastcgi_ignore_headers fastcgi_index fastcgi_intercept_errors fastcgi_keep_conn fastcgi_limit_rate fastcgi_max_temp_file_size fastcgi_next_upstream fastcgi_next_upstream_timeout fastcgi_next_upstream_tries fastcgi_no_cache fastcgi_param fastcgi_pass_header fastcgi_pass_request_body fastcgi_pass_request_headers fastcgi_read_timeout fastcgi_request_buffering fastcgi_send_lowat fastcgi_send_timeout fastcgi_socket_keepalive fastcgi_split_path_info fastcgi_store fastcgi_store_access fastcgi_temp_file_write_size fastcgi_temp_path grpc_bind grpc_buffer_size grpc_connect_timeout grpc_hide_header grpc_ignore_headers grpc_intercept_errors grpc_next_upstream grpc_next_upstream_timeout grpc_next_upstream_tries grpc_pass_header grpc_read_timeout grpc_send_timeout grpc_set_header grpc_socket_keepalive grpc_ssl_certificate grpc_ssl_certificate_cache grpc_ssl_certificate_key grpc_ssl_ciphers grpc_ssl_conf_command grpc_ssl_crl grpc_ssl_name grpc_ssl_password_file grpc_ssl_protocols grpc_ssl_server_name grpc_ssl_session_reuse grpc_ssl_trusted_certificate grpc_ssl_verify grpc_ssl_verify_depth gunzip gunzip_buffers gzip_buffers gzip_comp_level gzip_disable gzip_hash gzip_http_version gzip_min_length gzip_no_buffer gzip_proxied gzip_static gzip_types gzip_vary gzip_window http2_chunk_size http2_push http2_push_preload if_modified_since index keepalive_disable keepalive_min_timeout keep_request_body limit_conn_status limit_req limit_req_dry_run limit_req_log_level limit_req_status lingering_close lingering_time lingering_timeout log_not_found log_subrequest lua_ssl_certificate lua_ssl_certificate_key lua_ssl_ciphers lua_ssl_conf_command lua_ssl_crl lua_ssl_key_log lua_ssl_protocols lua_ssl_trusted_certificate lua_ssl_verify_depth max_ranges memcached_bind memcached_buffer_size memcached_connect_timeout memcached_gzip_flag memcached_next_upstream memcached_next_upstream_timeout memcached_next_upstream_tries memcached_read_timeout memcached_send_timeout memcached_socket_keepalive min_delete_depth mirror mirror_request_body modern_browser modern_browser_value modsecurity modsecurity_rules modsecurity_rules_file modsecurity_rules_remote modsecurity_transaction_id mp4_buffer_size mp4_max_buffer_size mp4_start_key_frame msie_padding msie_refresh open_file_cache open_file_cache_errors open_file_cache_events open_file_cache_min_uses open_file_cache_valid output_buffers port_in_redirect postpone_gzipping postpone_output proxy_buffering proxy_buffers proxy_busy_buffers_size proxy_cache proxy_cache_background_update proxy_cache_bypass proxy_cache_convert_head proxy_cache_key proxy_cache_lock proxy_cache_lock_age proxy_cache_lock_timeout proxy_cache_max_range_offset proxy_cache_methods proxy_cache_min_uses proxy_cache_purge proxy_cache_revalidate proxy_cache_use_stale proxy_cache_valid proxy_cookie_domain proxy_cookie_flags proxy_cookie_path proxy_force_ranges proxy_headers_hash_bucket_size proxy_headers_hash_max_size proxy_hide_header proxy_http_version proxy_ignore_client_abort proxy_ignore_headers proxy_intercept_errors proxy_limit_rate proxy_max_temp_file_size proxy_method proxy_no_cache proxy_pass_header proxy_pass_request_body proxy_pass_request_headers proxy_pass_trailers proxy_read_timeout proxy_redirect proxy_request_buffering proxy_send_lowat proxy_send_timeout proxy_set_body proxy_set_header proxy_store proxy_store_access proxy_temp_file_write_size proxy_temp_path read_ahead real_ip_header real_ip_recursive recursive_error_pages reset_timedout_connection satisfy scgi_bind scgi_buffer_size scgi_buffering scgi_buffers scgi_busy_buffers_size scgi_cache scgi_cache_background_update scgi_cache_bypass scgi_cache_key scgi_cache_lock scgi_cache_lock_age scgi_cache_lock_timeout scgi_cache_max_range_offset scgi_cache_methods scgi_cache_min_uses scgi_cache_purge scgi_cache_revalidate scgi_cache_use_stale scgi_cache_valid scgi_connect_timeout scgi_force_ranges scgi_hide_header scgi_ignore_client_abort scgi_ignore_headers scgi_intercept_errors scgi_limit_rate scgi_max_temp_file_size scgi_next_upstream scgi_next_upstream_timeout scgi_next_upstream_tries scgi_no_cache scgi_param scgi_pass_header scgi_pass_request_body scgi_pass_request_headers scgi_read_timeout scgi_request_buffering scgi_send_timeout scgi_socket_keepalive scgi_store scgi_store_access scgi_temp_file_write_size scgi_temp_path secure_link secure_link_md5 secure_link_secret send_lowat send_timeout sendfile_max_chunk server_name_in_redirect server_tokens slice ssi_ignore_recycled_buffers ssi_last_modified ssi_min_file_chunk ssi_silent_errors ssi_types ssi_value_length sub_filter sub_filter_last_modified sub_filter_once sub_filter_types subrequest_output_buffer_size tcp_nopush types types_hash_bucket_size types_hash_max_size upstream_ssl_verify_san userid userid_domain userid_expires userid_flags userid_mark userid_name userid_p3p userid_path userid_service uwsgi_bind uwsgi_buffer_size uwsgi_buffering uwsgi_buffers uwsgi_busy_buffers_size uwsgi_cache uwsgi_cache_background_update uwsgi_cache_bypass uwsgi_cache_key uwsgi_cache_lock uwsgi_cache_lock_age uwsgi_cache_lock_timeout uwsgi_cache_max_range_offset uwsgi_cache_methods uwsgi_cache_min_uses uwsgi_cache_purge uwsgi_cache_revalidate uwsgi_cache_use_stale uwsgi_cache_valid uwsgi_connect_timeout uwsgi_force_ranges uwsgi_hide_header uwsgi_ignore_client_abort uwsgi_ignore_headers uwsgi_intercept_errors uwsgi_limit_rate uwsgi_max_temp_file_size uwsgi_modifier1 uwsgi_modifier2 uwsgi_next_upstream uwsgi_next_upstream_timeout uwsgi_next_upstream_tries uwsgi_no_cache uwsgi_param uwsgi_pass_header uwsgi_pass_request_body uwsgi_pass_request_headers uwsgi_read_timeout uwsgi_request_buffering uwsgi_send_timeout uwsgi_socket_keepalive uwsgi_ssl_certificate uwsgi_ssl_certificate_cache uwsgi_ssl_certificate_key uwsgi_ssl_ciphers uwsgi_ssl_conf_command uwsgi_ssl_crl uwsgi_ssl_name uwsgi_ssl_password_file uwsgi_ssl_protocols uwsgi_ssl_server_name uwsgi_ssl_session_reuse uwsgi_ssl_trusted_certificate uwsgi_ssl_verify uwsgi_ssl_verify_depth uwsgi_store uwsgi_store_access uwsgi_string uwsgi_temp_file_write_size uwsgi_temp_path",
  ],
  [
    ["http", "server", "location", "if in location"],
    "access_by_lua access_by_lua_block access_by_lua_file add_header add_header_inherit add_trailer add_trailer_inherit body_filter_by_lua body_filter_by_lua_block body_filter_by_lua_file brotli charset error_page expires gzip header_filter_by_lua header_filter_by_lua_block header_filter_by_lua_file limit_rate limit_rate_after log_by_lua log_by_lua_block log_by_lua_file lua_check_client_abort lua_code_cache lua_http10_buffering lua_need_request_body lua_socket_buffer_size lua_socket_connect_timeout lua_socket_keepalive_timeout lua_socket_log_errors lua_socket_pool_size lua_socket_read_timeout lua_socket_send_lowat lua_socket_send_timeout lua_transform_underscores_in_response_headers lua_use_default_type more_clear_headers more_clear_input_headers more_set_headers more_set_input_headers override_charset post_action rewrite_by_lua rewrite_by_lua_block rewrite_by_lua_file root sendfile source_charset ssi",
  ],
  [
    ["http"],
    "access_by_lua_no_postpone cache_purge_background_queue cache_purge_batch_size cache_purge_legacy_status cache_purge_queue_size cache_purge_throttle_ms cache_purge_vary_aware charset_map exit_worker_by_lua_block exit_worker_by_lua_file fastcgi_cache_path geoip2_proxy geoip2_proxy_recursive http2_recv_buffer_size init_by_lua init_by_lua_block init_by_lua_file init_worker_by_lua init_worker_by_lua_block init_worker_by_lua_file limit_req_zone lua_capture_error_log lua_load_resty_core lua_malloc_trim lua_max_pending_timers lua_max_running_timers lua_package_cpath lua_package_path lua_regex_cache_max_entries lua_regex_match_limit lua_sa_restart lua_shared_dict lua_thread_cache_max_entries lua_worker_thread_vm_pool_size proxy_cache_path rewrite_by_lua_no_postpone scgi_cache_path ssl_session_fetch_by_lua_block ssl_session_fetch_by_lua_file ssl_session_store_by_lua_block ssl_session_store_by_lua_file uwsgi_cache_path",
  ],
  [
    ["stream", "stream server"],
    "js_access js_context_reuse js_context_reuse_max_size js_engine js_fetch_buffer_size js_fetch_ciphers js_fetch_keepalive js_fetch_keepalive_requests js_fetch_keepalive_time js_fetch_keepalive_timeout js_fetch_max_response_buffer_size js_fetch_protocols js_fetch_proxy js_fetch_timeout js_fetch_trusted_certificate js_fetch_verify js_fetch_verify_depth js_filter js_import js_path js_preload_object js_preread js_set js_var preread_buffer_size preread_timeout proxy_download_rate proxy_downstream_buffer proxy_half_close proxy_protocol proxy_protocol_timeout proxy_requests proxy_responses proxy_ssl proxy_timeout proxy_upload_rate proxy_upstream_buffer ssl_alpn ssl_handshake_timeout ssl_preread",
  ],
  [
    ["http", "server"],
    "client_header_buffer_size client_header_timeout connection_pool_size http2 http2_body_preread_size http2_idle_timeout http2_max_concurrent_pushes http2_max_concurrent_streams http2_max_field_size http2_max_header_size http2_max_requests http2_pool_size http2_recv_timeout http2_streams_index_size http3 http3_hq http3_max_concurrent_streams http3_stream_buffer_size ignore_invalid_headers large_client_header_buffers max_headers merge_slashes quic_active_connection_id_limit quic_gso quic_host_key quic_retry request_pool_size server_rewrite_by_lua_block server_rewrite_by_lua_file ssl_buffer_size ssl_certificate_by_lua_block ssl_certificate_by_lua_file ssl_client_hello_by_lua_block ssl_client_hello_by_lua_file ssl_early_data underscores_in_headers upstream_list",
  ],
  [
    ["http", "server", "stream", "stream server"],
    "ssl_certificate ssl_certificate_cache ssl_certificate_compression ssl_certificate_key ssl_ciphers ssl_client_certificate ssl_conf_command ssl_crl ssl_dhparam ssl_ecdh_curve ssl_ech_file ssl_ocsp ssl_ocsp_cache ssl_ocsp_responder ssl_password_file ssl_prefer_server_ciphers ssl_protocols ssl_reject_handshake ssl_session_cache ssl_session_ticket_key ssl_session_tickets ssl_session_timeout ssl_stapling ssl_stapling_file ssl_stapling_responder ssl_stapling_verify ssl_trusted_certificate ssl_verify_client ssl_verify_depth",
  ],
  [
    ["http", "server", "location", "stream", "stream server"],
    "limit_conn limit_conn_dry_run limit_conn_log_level open_log_file_cache proxy_bind proxy_buffer_size proxy_connect_timeout proxy_next_upstream proxy_next_upstream_timeout proxy_next_upstream_tries proxy_socket_keepalive proxy_ssl_certificate proxy_ssl_certificate_cache proxy_ssl_certificate_key proxy_ssl_ciphers proxy_ssl_conf_command proxy_ssl_crl proxy_ssl_name proxy_ssl_password_file proxy_ssl_protocols proxy_ssl_server_name proxy_ssl_session_reuse proxy_ssl_trusted_certificate proxy_ssl_verify proxy_ssl_verify_depth set_real_ip_from tcp_nodelay",
  ],
  [
    ["main"],
    "daemon debug_points env events http js_load_stream_native_module load_module lock_file master_process pcre_jit pid quic_bpf ssl_engine ssl_object_cache_inheritable stream thread_pool timer_resolution user worker_cpu_affinity worker_priority worker_processes worker_rlimit_core worker_rlimit_nofile worker_shutdown_timeout working_directory",
  ],
  [
    ["http", "stream"],
    "geo geoip2 limit_conn_zone log_format map map_hash_bucket_size map_hash_max_size server_names_hash_bucket_size server_names_hash_max_size split_clients upstream variables_hash_bucket_size variables_hash_max_size",
  ],
  [
    ["events"],
    "accept_mutex accept_mutex_delay debug_connection epoll_events multi_accept use worker_aio_requests worker_connections",
  ],
  [
    ["location", "if in location"],
    "content_by_lua content_by_lua_block content_by_lua_file fastcgi_pass grpc_pass memcached_pass scgi_pass uwsgi_pass",
  ],
  [["location"], "alias empty_gif flv internal limit_except mp4 random_index"],
  [
    ["server", "location"],
    "if location referer_hash_bucket_size referer_hash_max_size stub_status try_files valid_referers",
  ],
  [["upstream"], "balancer_by_lua_block balancer_by_lua_file balancer_keepalive ip_hash keepalive sticky"],
  [
    ["server", "location", "if in server", "if in location"],
    "break rewrite set_by_lua set_by_lua_block set_by_lua_file",
  ],
  [["upstream", "stream upstream"], "hash least_conn random zone"],
  [["http", "server", "location", "upstream"], "keepalive_requests keepalive_time keepalive_timeout"],
  [["http", "server", "location", "if in server", "if in location"], "rewrite_log uninitialized_variable_warn"],
  [["http", "server", "location", "limit_except"], "auth_basic auth_basic_user_file"],
  [["http", "server", "location", "limit_except", "stream", "stream server"], "allow deny"],
  [
    ["http", "server", "location", "upstream", "stream", "stream server", "stream upstream"],
    "resolver resolver_timeout",
  ],
  [["server", "location", "if in server", "if in location", "stream server"], "return set"],
  [["server", "stream server"], "listen server_name"],
  [["stream server"], "js_periodic pass"],
  [["http", "server", "location", "if in location", "limit_except", "stream", "stream server"], "access_log"],
  [["http", "upstream", "stream", "stream upstream"], "server"],
  [["location", "if in location", "limit_except", "stream server"], "proxy_pass"],
  [contexts, "include"],
  [["main", "http", "server", "location", "stream", "stream server"], "error_log"],
  [["stream"], "js_shared_dict_zone"],
];

/** Removed since the oldest version. */
const gone = "ssl";

const allowedIn: ReadonlyMap<string, readonly Context[]> = new Map(
  newest.flatMap(([allowed, names]) => names.split(" ").map((name) => [name, allowed] as const)),
);

/** In alphabetical order. */
export const allDirectives: readonly string[] = [...allowedIn.keys()].sort();

const old = new Set(gone.split(" "));

/**
 * Returns why the image's nginx refuses a directive in this block; undefined if it accepts the
 * directive.
 */
export function directiveMistake(name: string, context: Context, args: readonly string[]): string | undefined {
  const allowed = allowedIn.get(name);
  if (allowed?.includes(context)) return ofOpenResty(name, args);
  if (allowed !== undefined) return `${name} belongs in ${oneOf(allowed.map(worded))}, not in ${worded(context)}`;
  if (old.has(name)) return `nginx ${newestNginx} has the directive ${name} no more; nginx ${oldestNginx} had it`;
  return `nginx ${newestNginx} has no directive ${name}`;
}

/** Finds what ingress-nginx's nginx takes because it has the patches of OpenResty. */
function ofOpenResty(name: string, args: readonly string[]): string | undefined {
  const local = name === "resolver" ? args.find((one) => one.startsWith("local=")) : undefined;
  if (local === undefined) return undefined;
  return `only OpenResty's nginx has resolver ${local}; without the line, the name servers of the Pod are asked`;
}

const worded = (context: Context): string => context.replace(/^if in /, "an if of a ");
/** The format is made for a mistake alone: making it takes 12 ms and 6 MB. */
const oneOf = (places: readonly string[]): string => new Intl.ListFormat("en", { type: "disjunction" }).format(places);

/** Returns the block that a directive with braces opens; undefined if it holds no directives. */
export function contextInside(name: string, outer: Context): Context | undefined {
  const isStream = outer.startsWith("stream");
  switch (name) {
    case "http":
    case "events":
    case "stream":
    case "location":
    case "limit_except":
      return name;
    case "server":
      return isStream ? "stream server" : "server";
    case "upstream":
      return isStream ? "stream upstream" : "upstream";
    case "if":
      return outer === "server" ? "if in server" : "if in location";
    default:
      return undefined;
  }
}
