/*
 * Checks whether a certificate has one of several names: `dns:` as in RFC 6125, `uri:` byte by
 * byte. The subject's common name never counts, and no certificate matches an empty list.
 */
#include "ngx_http_upstream_ssl_san.h"
#include <openssl/x509v3.h>


/*
 * A URI is compared byte by byte, with its length, so that a name with a NUL inside matches
 * nothing.
 */
static ngx_uint_t
ngx_http_upstream_ssl_san_has_uri(X509 *cert, u_char *uri, size_t length)
{
    int             i;
    ngx_uint_t      found = 0;
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


ngx_uint_t
ngx_http_upstream_ssl_san_fits(ngx_array_t *names, X509 *cert)
{
    unsigned     flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT|X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
    ngx_str_t   *name = names->elts;
    ngx_uint_t   i;

    for (i = 0; cert != NULL && i < names->nelts; i++) {
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


/* Splits a value at its spaces. The parts are not copied. */
ngx_int_t
ngx_http_upstream_ssl_san_split(ngx_array_t *names, ngx_str_t value)
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
