/*
 * upstream_ssl_verify_san NAME ... | off: the certificate of a backend must have one of these
 * names. The name of proxy_ssl_name is then used for SNI alone. A name is `dns:shop.example` or
 * `uri:spiffe://shop/web`. A value may hold variables, and a variable may hold several names with
 * spaces between them. If the list has no name, no certificate is trusted. The directive works with
 * everything that connects through ngx_http_upstream: proxy_pass, grpc_pass, uwsgi_pass. It needs
 * proxy_ssl_verify, which loads the authorities.
 *
 * This file reads the directive. It also puts the guard of ngx_http_upstream_ssl_san_peer.c in
 * front of every upstream.
 */
#include "ngx_http_upstream_ssl_san.h"

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


/*
 * Modules for load balancing, keepalive and Lua are initialised before, so all upstreams have their
 * init functions now.
 */
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
