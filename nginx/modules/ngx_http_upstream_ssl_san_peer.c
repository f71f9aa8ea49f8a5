/*
 * Guards the connection of one request to a backend. nginx has no hook after the handshake with a
 * backend, so three functions guard it together:
 *  - the verify callback of the SSL_CTX, inside the handshake: a certificate without one of the
 *    names ends it with an alert, before a byte of the request is sent;
 *  - the peer's set_session: no session is resumed, because the callback gets no certificate in a
 *    resumed session;
 *  - the peer's get: a kept-alive connection that another location has opened is used only if that
 *    location has the same TLS settings, the authorities among them, and if the certificate has one
 *    of the names. Otherwise it is closed, and nginx continues as if the backend had closed it.
 *
 * With ssl_verify nginx also compares proxy_ssl_name with the certificate. Therefore each request
 * gets a copy of its settings, and the callback switches this comparison off in the copy once it
 * has found a name itself.
 */
#include "ngx_http_upstream_ssl_san.h"

typedef struct {
    ngx_array_t                      names;   /* of ngx_str_t */
    ngx_http_upstream_conf_t         conf;
    void                            *data;
    ngx_event_get_peer_pt            get;
    ngx_event_free_peer_pt           free;
    ngx_event_notify_peer_pt         notify;
} ngx_http_upstream_ssl_san_ctx_t;


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

    /*
     * The connection belongs to a request until its handshake is complete, and afterwards to the
     * keepalive module.
     */
    if (c->ssl->handshaked) {
        return ok > 0;
    }

    r = c->data;
    ctx = ngx_http_get_module_ctx(r, ngx_http_upstream_ssl_san_module);

    if (ctx == NULL || r->upstream == NULL || r->upstream->peer.data != ctx) {
        return ok > 0;
    }

    /* nginx's own callback accepts every chain, and nginx checks the error afterwards. */
    if (ok > 0 && X509_STORE_CTX_get_error(store) == X509_V_OK) {
        if (ngx_http_upstream_ssl_san_fits(&ctx->names, X509_STORE_CTX_get0_cert(store))) {
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

    /*
     * A new connection is checked in its handshake. Each attempt starts with nginx's own check
     * switched on.
     */
    ctx->conf.ssl_verify = 1;

    c = pc->connection;

    if (rc != NGX_DONE || c == NULL) {
        return rc;
    }

    /*
     * The result is that of the SSL_CTX that opened the connection, which may have other
     * authorities.
     */
    if (c->ssl != NULL
        && SSL_get_SSL_CTX(c->ssl->connection) == ctx->conf.ssl->ctx
        && SSL_get_verify_result(c->ssl->connection) == X509_V_OK)
    {
        cert = SSL_get1_peer_certificate(c->ssl->connection);
        rc = ngx_http_upstream_ssl_san_fits(&ctx->names, cert) ? NGX_DONE : NGX_DECLINED;
        X509_free(cert);

        if (rc == NGX_DONE) {
            return rc;
        }
    }

    /*
     * nginx treats it as closed by the backend: `cached` stays set, so this attempt does not count.
     */
    ngx_log_error(NGX_LOG_INFO, pc->log, 0, "a kept-alive connection is not one that \"upstream_ssl_verify_san\" allows");

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
            || ngx_http_upstream_ssl_san_split(&ctx->names, value) != NGX_OK)
        {
            return NULL;
        }
    }

    return ctx;
}


/*
 * Replaces the init function of every upstream: calls the original one, and adds the guard if the
 * directive is set.
 */
ngx_int_t
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
