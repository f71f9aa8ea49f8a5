import { expect, test } from "vitest";
import { missingFiles } from "./missing-files.ts";

const missing = (file: string) =>
  `the image has no file ${file}: mount it with controller.extraVolumes, or nginx refuses the snippet`;

test("a file of the user's own image is reported, and one in a volume or in Sluice's image is not", () => {
  const text = `
    # include /etc/nginx/old.conf;
    include /etc/nginx/custom/maps.conf;
    include /etc/nginx/mime.types;
    location /x { access_by_lua_file /opt/lua/guard.lua; proxy_ssl_trusted_certificate "/certs/ca.pem"; }
    include /etc/nginx/$host.conf;
    include fastcgi_params;`;
  expect(missingFiles(text, [])).toEqual(
    ["/etc/nginx/custom/maps.conf", "/opt/lua/guard.lua", "/certs/ca.pem"].map(missing),
  );
  expect(missingFiles(text, ["/etc/nginx/custom", "/opt/lua/", "/certs/ca.pem"])).toEqual([]);
  expect(missingFiles(text, undefined)).toEqual([]);
});

test("rules of ModSecurity that the image has are not reported", () => {
  const rules = "SecRuleEngine On\nInclude /etc/nginx/owasp-modsecurity-crs/rules/*.conf\nInclude /opt/own.conf";
  expect(missingFiles(rules, [])).toEqual([missing("/opt/own.conf")]);
});

test("a module has to be built again, wherever it is", () => {
  expect(missingFiles("load_module /modules_mount/ngx_http_datadog_module.so;", ["/modules_mount"])).toEqual([
    "load_module /modules_mount/ngx_http_datadog_module.so: build it for the image's nginx 1.30 (Debian's, with glibc), because one for ingress-nginx cannot be loaded",
  ]);
});
