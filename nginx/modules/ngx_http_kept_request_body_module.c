/*
 * keep_request_body SIZE: keeps a copy of a request's body while nginx sends it to the backend. In
 * the log phase the variable $kept_request_body has the copy. nginx itself does not keep a body
 * that it does not buffer, such as that of grpc_pass. Its own mirrors read the whole body before
 * the backend gets anything, so a client that waits for an answer before its next message would
 * wait for ever. The variable has no value if the body is larger than SIZE, or if its end has not
 * arrived.
 */
#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

typedef struct {
    size_t      most;
} ngx_http_kept_request_body_loc_conf_t;

typedef struct {
    u_char     *data;
    size_t      length;
    size_t      room;
    unsigned    is_whole:1;
    unsigned    is_too_large:1;
} ngx_http_kept_request_body_ctx_t;

static ngx_int_t ngx_http_kept_request_body_preconfiguration(ngx_conf_t *cf);
static ngx_int_t ngx_http_kept_request_body_postconfiguration(ngx_conf_t *cf);
static void *ngx_http_kept_request_body_create_loc_conf(ngx_conf_t *cf);
static char *ngx_http_kept_request_body_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child);

static ngx_http_request_body_filter_pt  ngx_http_kept_request_body_next_filter;

static ngx_command_t  ngx_http_kept_request_body_commands[] = {

    { ngx_string("keep_request_body"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_size_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_kept_request_body_loc_conf_t, most),
      NULL },

      ngx_null_command
};

static ngx_http_module_t  ngx_http_kept_request_body_module_ctx = {
    ngx_http_kept_request_body_preconfiguration,
    ngx_http_kept_request_body_postconfiguration,
    NULL,
    NULL,
    NULL,
    NULL,
    ngx_http_kept_request_body_create_loc_conf,
    ngx_http_kept_request_body_merge_loc_conf
};

ngx_module_t  ngx_http_kept_request_body_module = {
    NGX_MODULE_V1,
    &ngx_http_kept_request_body_module_ctx,
    ngx_http_kept_request_body_commands,
    NGX_HTTP_MODULE,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NGX_MODULE_V1_PADDING
};


/* Makes room for `length` more bytes. The size doubles each time. */
static ngx_int_t
ngx_http_kept_request_body_grow(ngx_http_request_t *r, ngx_http_kept_request_body_ctx_t *ctx, size_t length)
{
    u_char  *data;
    size_t   room = ngx_max(2 * ctx->room, ngx_max(ctx->length + length, ngx_pagesize));

    data = ngx_palloc(r->pool, room);
    if (data == NULL) {
        return NGX_ERROR;
    }

    if (ctx->data != NULL) {
        ngx_memcpy(data, ctx->data, ctx->length);
        ngx_pfree(r->pool, ctx->data);
    }

    ctx->data = data;
    ctx->room = room;
    return NGX_OK;
}


static ngx_int_t
ngx_http_kept_request_body_keep(ngx_http_request_t *r, ngx_http_kept_request_body_ctx_t *ctx, ngx_buf_t *b,
    size_t most)
{
    size_t  length = ngx_buf_in_memory(b) ? (size_t) (b->last - b->pos) : 0;

    if (b->last_buf) {
        ctx->is_whole = 1;
    }

    if (length > most - ctx->length) {
        ctx->is_too_large = 1;
        return NGX_OK;
    }

    if (length > ctx->room - ctx->length && ngx_http_kept_request_body_grow(r, ctx, length) != NGX_OK) {
        return NGX_ERROR;
    }

    if (length > 0) {
        ngx_memcpy(ctx->data + ctx->length, b->pos, length);
        ctx->length += length;
    }

    return NGX_OK;
}


/* nginx calls this once for each part of the body, when the part arrives. */
static ngx_int_t
ngx_http_kept_request_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_chain_t                            *cl;
    ngx_http_kept_request_body_ctx_t       *ctx;
    ngx_http_kept_request_body_loc_conf_t  *lcf;

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_kept_request_body_module);

    if (lcf->most == 0 || r != r->main) {
        return ngx_http_kept_request_body_next_filter(r, in);
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_kept_request_body_module);

    if (ctx == NULL) {
        ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_kept_request_body_ctx_t));
        if (ctx == NULL) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ngx_http_set_ctx(r, ctx, ngx_http_kept_request_body_module);
    }

    for (cl = in; cl != NULL && !ctx->is_too_large; cl = cl->next) {
        if (ngx_http_kept_request_body_keep(r, ctx, cl->buf, lcf->most) != NGX_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    return ngx_http_kept_request_body_next_filter(r, in);
}


static ngx_int_t
ngx_http_kept_request_body_variable(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_kept_request_body_ctx_t  *ctx = ngx_http_get_module_ctx(r, ngx_http_kept_request_body_module);

    if (ctx == NULL || !ctx->is_whole || ctx->is_too_large) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->data = ctx->length > 0 ? ctx->data : (u_char *) "";
    v->len = ctx->length;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    return NGX_OK;
}


static ngx_int_t
ngx_http_kept_request_body_preconfiguration(ngx_conf_t *cf)
{
    ngx_str_t             name = ngx_string("kept_request_body");
    ngx_http_variable_t  *var = ngx_http_add_variable(cf, &name, NGX_HTTP_VAR_NOCACHEABLE);

    if (var == NULL) {
        return NGX_ERROR;
    }

    var->get_handler = ngx_http_kept_request_body_variable;
    return NGX_OK;
}


static ngx_int_t
ngx_http_kept_request_body_postconfiguration(ngx_conf_t *cf)
{
    ngx_http_kept_request_body_next_filter = ngx_http_top_request_body_filter;
    ngx_http_top_request_body_filter = ngx_http_kept_request_body_filter;
    return NGX_OK;
}


static void *
ngx_http_kept_request_body_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_kept_request_body_loc_conf_t  *lcf = ngx_palloc(cf->pool, sizeof(ngx_http_kept_request_body_loc_conf_t));

    if (lcf != NULL) {
        lcf->most = NGX_CONF_UNSET_SIZE;
    }

    return lcf;
}


static char *
ngx_http_kept_request_body_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_kept_request_body_loc_conf_t  *prev = parent, *lcf = child;

    ngx_conf_merge_size_value(lcf->most, prev->most, 0);
    return NGX_CONF_OK;
}
