/*
 * upstream_ssl_verify_san NAME ... | off: the certificate of a backend must carry one of these names, and the
 * name of proxy_ssl_name is then used for SNI alone. A name is `dns:shop.example` or `uri:spiffe://shop/web`.
 * A value may hold variables, and a variable may hold several names with spaces between them. With no name at
 * all nothing is trusted. It works with everything that connects through ngx_http_upstream: proxy_pass,
 * grpc_pass, uwsgi_pass. proxy_ssl_verify must be on: it loads the authorities.
 *
 * nginx has no hook after the handshake with a backend, so three places guard together:
 *  - the verify callback of the SSL_CTX, inside the handshake: a certificate without a fitting name ends it with
 *    an alert, before a byte of the request is sent;
 *  - the peer's set_session: no session is resumed, because a resumed one shows no certificate to the callback;
 *  - the peer's get: a kept-alive connection that another location has opened is used only if its certificate
 *    fits. Otherwise it is closed, and nginx goes on as if the backend had closed it.
 * nginx compares proxy_ssl_name with the certificate where ssl_verify is on. A request gets a copy of its
 * settings, in which the callback switches that comparison off once it has found a name itself.
 */
#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>
#include <openssl/x509v3.h>

typedef struct {
    ngx_array_t  *names;               /* of ngx_http_complex_value_t; NULL is off */
} ngx_http_upstream_ssl_san_loc_conf_t;

typedef struct {
    ngx_http_upstream_init_peer_pt  init;
} ngx_http_upstream_ssl_san_srv_conf_t;

typedef struct {
    ngx_array_t                      names;   /* of ngx_str_t */
    ngx_http_request_t              *request;
    ngx_http_upstream_conf_t         conf;
    void                            *data;
    ngx_event_get_peer_pt            get;
    ngx_event_free_peer_pt           free;
    ngx_event_notify_peer_pt         notify;
    ngx_event_save_peer_session_pt   save_session;
} ngx_http_upstream_ssl_san_ctx_t;

static void *ngx_http_upstream_ssl_san_create_srv_conf(ngx_conf_t *cf);
static void *ngx_http_upstream_ssl_san_create_loc_conf(ngx_conf_t *cf);
static char *ngx_http_upstream_ssl_san_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child);
static char *ngx_http_upstream_ssl_san(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static ngx_int_t ngx_http_upstream_ssl_san_postconfiguration(ngx_conf_t *cf);

static ngx_command_t  ngx_http_upstream_ssl_san_commands[] = {

    { ngx_string("upstream_ssl_verify_san"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_upstream_ssl_san,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};

static ngx_http_module_t  ngx_http_upstream_ssl_san_module_ctx = {
    NULL,
    ngx_http_upstream_ssl_san_postconfiguration,
    NULL,
    NULL,
    ngx_http_upstream_ssl_san_create_srv_conf,
    NULL,
    ngx_http_upstream_ssl_san_create_loc_conf,
    ngx_http_upstream_ssl_san_merge_loc_conf
};

ngx_module_t  ngx_http_upstream_ssl_san_module = {
    NGX_MODULE_V1,
    &ngx_http_upstream_ssl_san_module_ctx,
    ngx_http_upstream_ssl_san_commands,
    NGX_HTTP_MODULE,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NGX_MODULE_V1_PADDING
};


/* A URI is compared byte by byte, with its length, so that a NUL inside the certificate's name fits nothing. */
static ngx_int_t
ngx_http_upstream_ssl_san_has_uri(X509 *cert, u_char *uri, size_t length)
{
    int             i;
    ngx_int_t       found = 0;
    GENERAL_NAME   *name;
    GENERAL_NAMES  *names;

    names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL, NULL);

    for (i = 0; !found && i < sk_GENERAL_NAME_num(names); i++) {
        name = sk_GENERAL_NAME_value(names, i);
        found = name->type == GEN_URI
                && (size_t) ASN1_STRING_length(name->d.uniformResourceIdentifier) == length
                && ngx_memcmp(ASN1_STRING_get0_data(name->d.uniformResourceIdentifier), uri, length) == 0;
    }

    GENERAL_NAMES_free(names);
    return found;
}


static ngx_int_t
ngx_http_upstream_ssl_san_fits(ngx_http_upstream_ssl_san_ctx_t *ctx, X509 *cert)
{
    unsigned     flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT|X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
    ngx_str_t   *name = ctx->names.elts;
    ngx_uint_t   i;

    for (i = 0; cert != NULL && i < ctx->names.nelts; i++) {
        if (name[i].len > 4 && ngx_strncmp(name[i].data, "dns:", 4) == 0
            && name[i].data[4] != '.'
            && X509_check_host(cert, (char *) name[i].data + 4, name[i].len - 4, flags, NULL) == 1)
        {
            return 1;
        }

        if (name[i].len > 4 && ngx_strncmp(name[i].data, "uri:", 4) == 0
            && ngx_http_upstream_ssl_san_has_uri(cert, name[i].data + 4, name[i].len - 4))
        {
            return 1;
        }
    }

    return 0;
}


/* OpenSSL calls this in place of X509_verify_cert(), for every location that shares the SSL_CTX. */
static int
ngx_http_upstream_ssl_san_verify(X509_STORE_CTX *store, void *unused)
{
    int                               ok;
    ngx_ssl_conn_t                   *ssl;
    ngx_connection_t                 *c;
    ngx_http_request_t               *r;
    ngx_http_upstream_ssl_san_ctx_t  *ctx;

    ok = X509_verify_cert(store);
    ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    c = ngx_ssl_get_connection(ssl);

    /* Until the handshake is done the connection belongs to a request; later to whatever keeps it alive. */
    if (c->ssl->handshaked) {
        return ok > 0;
    }

    r = c->data;
    ctx = ngx_http_get_module_ctx(r, ngx_http_upstream_ssl_san_module);

    if (ctx == NULL || r->upstream == NULL || r->upstream->peer.data != ctx) {
        return ok > 0;
    }

    /* nginx's own callback lets every chain pass and looks at the error afterwards. */
    if (ok > 0 && X509_STORE_CTX_get_error(store) == X509_V_OK) {
        if (ngx_http_upstream_ssl_san_fits(ctx, X509_STORE_CTX_get0_cert(store))) {
            ctx->conf.ssl_verify = 0;
            return 1;
        }

        X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
        ngx_log_error(NGX_LOG_ERR, c->log, 0,
                      "upstream SSL certificate has none of the names of \"upstream_ssl_verify_san\"");
    } else {
        ngx_log_error(NGX_LOG_ERR, c->log, 0, "upstream SSL certificate verify error: (%d:%s)",
                      X509_STORE_CTX_get_error(store),
                      X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)));
    }

    return 0;
}


static ngx_int_t
ngx_http_upstream_ssl_san_get(ngx_peer_connection_t *pc, void *data)
{
    X509                             *cert;
    ngx_int_t                         rc;
    ngx_connection_t                 *c;
    ngx_http_upstream_ssl_san_ctx_t  *ctx = data;

    rc = ctx->get(pc, ctx->data);

    /* A new connection is checked in its handshake, where each attempt starts with nginx's own check on. */
    ctx->conf.ssl_verify = 1;

    c = pc->connection;

    if (rc != NGX_DONE || c == NULL) {
        return rc;
    }

    if (c->ssl != NULL && SSL_get_verify_result(c->ssl->connection) == X509_V_OK) {
        cert = SSL_get1_peer_certificate(c->ssl->connection);
        rc = ngx_http_upstream_ssl_san_fits(ctx, cert) ? NGX_DONE : NGX_DECLINED;
        X509_free(cert);

        if (rc == NGX_DONE) {
            return rc;
        }
    }

    /* As a connection that the backend has closed: `cached` stays set, so this attempt does not count. */
    ngx_log_error(NGX_LOG_INFO, pc->log, 0, "a kept-alive connection has none of the names of \"upstream_ssl_verify_san\"");

    if (c->ssl != NULL) {
        c->ssl->no_wait_shutdown = 1;
        c->ssl->no_send_shutdown = 1;
        (void) ngx_ssl_shutdown(c);
    }

    if (c->pool) {
        ngx_destroy_pool(c->pool);
    }

    ngx_close_connection(c);
    pc->connection = NULL;
    return NGX_DECLINED;
}


static void
ngx_http_upstream_ssl_san_free(ngx_peer_connection_t *pc, void *data, ngx_uint_t state)
{
    ngx_http_upstream_ssl_san_ctx_t  *ctx = data;

    ctx->free(pc, ctx->data, state);
}


static void
ngx_http_upstream_ssl_san_notify(ngx_peer_connection_t *pc, void *data, ngx_uint_t kind)
{
    ngx_http_upstream_ssl_san_ctx_t  *ctx = data;

    ctx->notify(pc, ctx->data, kind);
}


static ngx_int_t
ngx_http_upstream_ssl_san_set_session(ngx_peer_connection_t *pc, void *data)
{
    return NGX_OK;
}


static void
ngx_http_upstream_ssl_san_save_session(ngx_peer_connection_t *pc, void *data)
{
}


/* Splits a value at its spaces; the parts stay where they are. */
static ngx_int_t
ngx_http_upstream_ssl_san_add(ngx_array_t *names, ngx_str_t value)
{
    u_char     *end = value.data + value.len, *from = value.data, *at;
    ngx_str_t  *name;

    for (at = from; at <= end; at++) {
        if (at < end && *at != ' ') {
            continue;
        }

        if (at > from) {
            name = ngx_array_push(names);
            if (name == NULL) {
                return NGX_ERROR;
            }

            name->data = from;
            name->len = at - from;
        }

        from = at + 1;
    }

    return NGX_OK;
}


static ngx_http_upstream_ssl_san_ctx_t *
ngx_http_upstream_ssl_san_create_ctx(ngx_http_request_t *r, ngx_array_t *values)
{
    ngx_str_t                         value;
    ngx_uint_t                        i;
    ngx_http_complex_value_t         *cv = values->elts;
    ngx_http_upstream_ssl_san_ctx_t  *ctx;

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_upstream_ssl_san_ctx_t));
    if (ctx == NULL || ngx_array_init(&ctx->names, r->pool, 4, sizeof(ngx_str_t)) != NGX_OK) {
        return NULL;
    }

    for (i = 0; i < values->nelts; i++) {
        if (ngx_http_complex_value(r, &cv[i], &value) != NGX_OK
            || ngx_http_upstream_ssl_san_add(&ctx->names, value) != NGX_OK)
        {
            return NULL;
        }
    }

    ctx->request = r;
    return ctx;
}


/* Stands in front of every upstream's own init, and behind it where the directive says something. */
static ngx_int_t
ngx_http_upstream_ssl_san_init(ngx_http_request_t *r, ngx_http_upstream_srv_conf_t *us)
{
    SSL_CTX                               *ssl;
    ngx_int_t                              rc;
    ngx_http_upstream_t                   *u = r->upstream;
    ngx_http_upstream_ssl_san_ctx_t       *ctx;
    ngx_http_upstream_ssl_san_loc_conf_t  *slcf;
    ngx_http_upstream_ssl_san_srv_conf_t  *sscf;

    sscf = ngx_http_conf_upstream_srv_conf(us, ngx_http_upstream_ssl_san_module);
    slcf = ngx_http_get_module_loc_conf(r, ngx_http_upstream_ssl_san_module);

    rc = sscf->init(r, us);
    if (rc != NGX_OK || slcf->names == NULL) {
        return rc;
    }

    if (!u->ssl || u->conf->ssl == NULL || !u->conf->ssl_verify) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"upstream_ssl_verify_san\" needs a backend with TLS and \"proxy_ssl_verify on\"");
        return NGX_ERROR;
    }

    ctx = ngx_http_upstream_ssl_san_create_ctx(r, slcf->names);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    ssl = u->conf->ssl->ctx;
    SSL_CTX_set_cert_verify_callback(ssl, ngx_http_upstream_ssl_san_verify, NULL);

    ctx->conf = *u->conf;
    u->conf = &ctx->conf;

    ctx->data = u->peer.data;
    ctx->get = u->peer.get;
    ctx->free = u->peer.free;
    ctx->notify = u->peer.notify;

    u->peer.data = ctx;
    u->peer.get = ngx_http_upstream_ssl_san_get;
    u->peer.free = ngx_http_upstream_ssl_san_free;
    u->peer.notify = ctx->notify ? ngx_http_upstream_ssl_san_notify : NULL;
    u->peer.set_session = ngx_http_upstream_ssl_san_set_session;
    u->peer.save_session = ngx_http_upstream_ssl_san_save_session;

    ngx_http_set_ctx(r, ctx, ngx_http_upstream_ssl_san_module);
    return NGX_OK;
}


/* All upstreams have chosen their init by now: load balancing, keepalive and Lua come before. */
static ngx_int_t
ngx_http_upstream_ssl_san_postconfiguration(ngx_conf_t *cf)
{
    ngx_uint_t                             i;
    ngx_http_upstream_srv_conf_t         **us;
    ngx_http_upstream_main_conf_t         *umcf;
    ngx_http_upstream_ssl_san_srv_conf_t  *sscf;

    umcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_upstream_module);
    us = umcf->upstreams.elts;

    for (i = 0; i < umcf->upstreams.nelts; i++) {
        if (us[i]->srv_conf == NULL) {
            us[i]->srv_conf = ngx_pcalloc(cf->pool, sizeof(void *) * ngx_http_max_module);
            if (us[i]->srv_conf == NULL) {
                return NGX_ERROR;
            }
        }

        sscf = ngx_http_conf_upstream_srv_conf(us[i], ngx_http_upstream_ssl_san_module);

        if (sscf == NULL) {
            sscf = ngx_http_upstream_ssl_san_create_srv_conf(cf);
            if (sscf == NULL) {
                return NGX_ERROR;
            }

            us[i]->srv_conf[ngx_http_upstream_ssl_san_module.ctx_index] = sscf;
        }

        sscf->init = us[i]->peer.init;
        us[i]->peer.init = ngx_http_upstream_ssl_san_init;
    }

    return NGX_OK;
}


static char *
ngx_http_upstream_ssl_san(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t                             *value = cf->args->elts;
    ngx_uint_t                             i;
    ngx_http_complex_value_t              *cv;
    ngx_http_compile_complex_value_t       ccv;
    ngx_http_upstream_ssl_san_loc_conf_t  *slcf = conf;

    if (slcf->names != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    slcf->names = NULL;

    if (cf->args->nelts == 2 && ngx_strcmp(value[1].data, "off") == 0) {
        return NGX_CONF_OK;
    }

    slcf->names = ngx_array_create(cf->pool, cf->args->nelts - 1, sizeof(ngx_http_complex_value_t));
    if (slcf->names == NULL) {
        return NGX_CONF_ERROR;
    }

    for (i = 1; i < cf->args->nelts; i++) {
        if (value[i].len == 0
            || (value[i].data[0] != '$' && ngx_strncmp(value[i].data, "dns:", 4) != 0
                && ngx_strncmp(value[i].data, "uri:", 4) != 0))
        {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "name \"%V\" begins with neither \"dns:\" nor \"uri:\"", &value[i]);
            return NGX_CONF_ERROR;
        }

        cv = ngx_array_push(slcf->names);
        if (cv == NULL) {
            return NGX_CONF_ERROR;
        }

        ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));
        ccv.cf = cf;
        ccv.value = &value[i];
        ccv.complex_value = cv;

        if (ngx_http_compile_complex_value(&ccv) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


static void *
ngx_http_upstream_ssl_san_create_srv_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_upstream_ssl_san_srv_conf_t));
}


static void *
ngx_http_upstream_ssl_san_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_upstream_ssl_san_loc_conf_t  *slcf;

    slcf = ngx_palloc(cf->pool, sizeof(ngx_http_upstream_ssl_san_loc_conf_t));
    if (slcf != NULL) {
        slcf->names = NGX_CONF_UNSET_PTR;
    }

    return slcf;
}


static char *
ngx_http_upstream_ssl_san_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_upstream_ssl_san_loc_conf_t  *prev = parent, *slcf = child;

    ngx_conf_merge_ptr_value(slcf->names, prev->names, NULL);
    return NGX_CONF_OK;
}
