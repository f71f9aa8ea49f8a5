/*
 * Declarations that the files of upstream_ssl_verify_san share. ngx_http_upstream_ssl_san_module.c
 * describes the directive.
 */
#ifndef NGX_HTTP_UPSTREAM_SSL_SAN_H
#define NGX_HTTP_UPSTREAM_SSL_SAN_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

typedef struct {
    ngx_array_t  *names;               /* of ngx_http_complex_value_t; NULL is off */
} ngx_http_upstream_ssl_san_loc_conf_t;

typedef struct {
    ngx_http_upstream_init_peer_pt  init;   /* the upstream's own init */
} ngx_http_upstream_ssl_san_srv_conf_t;

extern ngx_module_t  ngx_http_upstream_ssl_san_module;

/*
 * Pure functions about text and certificates. `names` is an array of ngx_str_t, each with its
 * prefix.
 */
ngx_int_t ngx_http_upstream_ssl_san_split(ngx_array_t *names, ngx_str_t value);
ngx_uint_t ngx_http_upstream_ssl_san_fits(ngx_array_t *names, X509 *cert);

/*
 * An init function that guards the connection of one request. It calls the upstream's own one
 * first.
 */
ngx_int_t ngx_http_upstream_ssl_san_init(ngx_http_request_t *r, ngx_http_upstream_srv_conf_t *us);

#endif
