/** One Problem of each kind; a new kind does not compile until it is here. */
import type { Problem } from "../../src/problem.ts";

const object = { kind: "Ingress", namespace: "shop", name: "web" };
const by = { kind: "Ingress", namespace: "shop", name: "old" };
const at = { file: "web.yaml", line: 3, column: 5 };

export const problemSamples: { readonly [K in Problem["kind"]]: Problem & { readonly kind: K } } = {
  "annotation-unreadable": {
    object,
    kind: "annotation-unreadable",
    key: "proxy-read-timeout",
    why: '"x" is no number',
    done: "default",
  },
  "annotation-unknown": {
    object,
    kind: "annotation-unknown",
    key: "proxy-raed-timeout",
    nearest: "proxy-read-timeout",
  },
  "annotation-removed": {
    object,
    kind: "annotation-removed",
    key: "secure-verify-ca-secret",
    successor: "proxy-ssl-secret",
  },
  "host-refused": {
    object,
    kind: "host-refused",
    field: "spec.rules[0].host",
    host: "pay.example.com",
    owners: ["payments"],
  },
  "annotation-partly": { object, kind: "annotation-partly", key: "proxy-ssl-protocols", why: "SSLv2 is no protocol" },
  "annotation-useless": {
    object,
    kind: "annotation-useless",
    key: "enable-modsecurity",
    why: "nginx here has no ModSecurity module",
  },
  "annotation-doubtful": { object, kind: "annotation-doubtful", key: "rewrite-target", why: "the path has no groups" },
  bug: { object, kind: "bug", why: "RangeError: Maximum call stack size exceeded at parse (grammar.ts:51)" },
  "neighbours-changed": { object, kind: "neighbours-changed", key: "use-regex", host: "a.example", neighbours: [by] },
  "setting-unreadable": { object, kind: "setting-unreadable", key: "gzip-level", why: '"x" is no number', kept: "1" },
  "setting-unknown": { object, kind: "setting-unknown", key: "gzip-levle", nearest: "gzip-level" },
  "setting-useless": { object, kind: "setting-useless", key: "use-geoip", why: "nginx here has no GeoIP module" },
  "setting-doubtful": { object, kind: "setting-doubtful", key: "global-auth-signin", why: "the page gets half of it" },
  "field-unusable": {
    object,
    kind: "field-unusable",
    field: "spec.rules[0]",
    why: "it has no path",
    done: "it is ignored",
  },
  "field-doubtful": { object, kind: "field-doubtful", field: "spec.ingressClassName", why: "no file has it" },
  "manifest-unusable": {
    object,
    kind: "manifest-unusable",
    at,
    field: "spec",
    why: "it is a text",
    done: "it is ignored",
  },
  "service-missing": { object, kind: "service-missing", field: "spec.defaultBackend", service: "shop/web" },
  "service-port-missing": {
    object,
    kind: "service-port-missing",
    field: "spec.defaultBackend",
    service: "shop/web",
    port: "81",
    has: "80 (http)",
  },
  "nginx-refused": { object, kind: "nginx-refused", why: 'unknown directive "x"' },
  "memory-short": { object, kind: "memory-short", bytes: 16 * 1024 * 1024 },
  "memory-full": { object, kind: "memory-full", bytes: 16_777_216 },
  "path-taken": { object, kind: "path-taken", host: "a.example", path: "/", by },
  "path-contested": { object, kind: "path-contested", host: "a.example", path: "/", by },
  "secret-unusable": {
    object,
    kind: "secret-unusable",
    field: "spec.tls[0]",
    secret: "shop/tls",
    why: "has no tls.crt",
  },
  "certificate-doubtful": { object, kind: "certificate-doubtful", why: "the certificate expired on 2026-01-01" },
  "certificate-misfit": {
    object,
    kind: "certificate-misfit",
    secret: "shop/tls",
    host: "a.example",
    names: "b.example",
  },
  "secret-kept": {
    object,
    kind: "secret-kept",
    field: "spec.tls[0].secretName",
    secret: "shop/tls",
    why: "has no tls.crt",
  },
  "last-good": {
    object,
    kind: "last-good",
    what: "the new content has no tls.crt",
    instead: "the last good certificate is served",
    since: "2026-01-01 12:00 UTC",
    until: "and it expires on 2026-02-01",
  },
};
