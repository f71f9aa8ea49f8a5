import { expect, test } from "vitest";
import { askCapabilities, readCapabilities } from "./capabilities.ts";

const debian = `nginx version: nginx/1.22.1
built with OpenSSL 3.0.22 25 Aug 2026
TLS SNI support enabled
configure arguments: --prefix=/usr/share/nginx --modules-path=/usr/lib/nginx/modules --with-http_ssl_module --with-http_realip_module --with-http_auth_request_module --with-http_v2_module --with-stream_ssl_module --with-stream_ssl_preread_module --with-stream=dynamic`;
const openresty = `nginx version: openresty/1.27.4.2
configure arguments: --prefix=/opt/nginx --add-module=../ngx_devel_kit-0.3.3 --add-module=../lua-nginx-module-0.10.28 --with-stream --with-http_v3_module`;

const folder = (...names: string[]): ((path: string) => boolean) => {
  const files = new Set(names.map((name) => `/usr/lib/nginx/modules/${name}`));
  return (path) => files.has(path);
};

test("modules in files are loaded, each after those that it needs", () => {
  const files = folder("ngx_stream_module.so", "ngx_http_lua_module.so", "ndk_http_module.so");
  const found = readCapabilities("/usr/sbin/nginx", debian, files);
  expect(found).toMatchObject({
    version: "1.22.1",
    lua: true,
    stream: true,
    streamSslPreread: true,
    streamTls: true,
    headersMore: false,
  });
  expect(found?.modules.map((path) => path.slice("/usr/lib/nginx/modules/".length))).toEqual([
    "ndk_http_module.so",
    "ngx_http_lua_module.so",
    "ngx_stream_module.so",
  ]);
});

test("a module without the one that it needs does not count", () => {
  const files = folder("ngx_http_lua_module.so", "ngx_stream_geoip2_module.so");
  expect(readCapabilities("nginx", debian, files)).toMatchObject({ lua: false, streamGeoip2: false, modules: [] });
});

test("a module that was built but not installed does not count", () => {
  expect(readCapabilities("nginx", debian, () => false)).toMatchObject({ stream: false, streamSslPreread: false });
});

test("a module that is compiled in counts and is not loaded", () => {
  const found = readCapabilities("nginx", openresty, () => false);
  expect(found).toMatchObject({ lua: true, stream: true, http3: true, modules: [] });
});

test.each([
  ["1.19.3", { rejectHandshake: false, http2Directive: false, keepaliveMinTimeout: false }],
  ["1.19.4", { rejectHandshake: true, http2Directive: false, keepaliveMinTimeout: false }],
  ["1.25.0", { rejectHandshake: true, http2Directive: false, keepaliveMinTimeout: false }],
  ["1.25.1", { rejectHandshake: true, http2Directive: true, keepaliveMinTimeout: false }],
  ["1.27.4", { rejectHandshake: true, http2Directive: true, keepaliveMinTimeout: true }],
])("version %s decides which directives exist", (version, expected) => {
  expect(readCapabilities("nginx", debian.replace("1.22.1", version), () => false)).toMatchObject(expected);
});

test("output of another program is not read as that of nginx", () => {
  expect(readCapabilities("nginx", "Usage: cat [OPTION]...", () => true)).toBeUndefined();
});

test("a missing nginx gives one sentence that names the package to install", async () => {
  const asked = await askCapabilities("no-such-nginx", "/nowhere");
  expect(asked).toEqual({
    ok: false,
    why: expect.stringMatching(/^no-such-nginx was not found; install nginx .*NGINX_BINARY/),
  });
});

test("a program that is not nginx is reported by name", async () => {
  const asked = await askCapabilities("/bin/true", "");
  expect(asked).toEqual({ ok: false, why: "/bin/true is not an nginx that can be used: its -V was not understood." });
});
