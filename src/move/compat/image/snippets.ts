/**
 * Finds things of ingress-nginx's image that a snippet needs and Sluice's image lacks: directives
 * of modules, and Lua libraries. The rest of a snippet is nginx's own language, and nginx tests it.
 */

interface Missing {
  readonly directive: RegExp;
  readonly advice: string;
}

/**
 * Modules of ingress-nginx v1.15's nginx (its images/nginx/rootfs/build.sh) that Debian's packages
 * do not have.
 */
const modules: readonly Missing[] = [
  { directive: /^subs_filter\w*$/, advice: "nginx's own sub_filter replaces text in answers" },
  {
    directive:
      /^set_(unescape_uri|quote_\w+|hmac_\w+|md5|sha1|random|base32\w*|base64\w*|decode_\w+|encode_\w+|escape_uri|hashed_upstream|secure_random_\w+|rotate|local_today|formatted_\w+|if_empty|hex)$/,
    advice: "write it with nginx's map, or in Lua with set_by_lua_block",
  },
  { directive: /^auth_digest\w*$/, advice: "use basic authentication or an auth service" },
  { directive: /^(otel|opentelemetry|opentracing)_?\w*$/, advice: "trace with a module of your own image" },
];

/** Libraries that come with the image's Lua module. */
const libraries = /^(cjson(\.safe)?|resty\.(core|lrucache)(\.\w+)*|ngx\.\w+|table\.\w+|string|bit|ffi|jit)$/;

/** Modules that ingress-nginx's Lua code (ngx_conf_init.lua) makes known to all other Lua code. */
const globals = /(?<![\w.:])(lua_ingress|balancer|configuration|certificate|monitor)\s*[.:]\s*\w+\s*\(/g;

/** Returns sentences that say what to do. */
export function snippetWork(text: string): readonly string[] {
  const plain = text.replace(/^\s*#.*$/gm, "");
  const directives = new Set([...plain.matchAll(/(?:^|[;{}])\s*([a-z_]\w*)/gm)].map(([, name]) => name!));
  const lacking = [...directives].flatMap((name) => {
    const missing = modules.find(({ directive }) => directive.test(name));
    return missing === undefined ? [] : [`the image has no module with the directive ${name}: ${missing.advice}`];
  });
  const required = [...plain.matchAll(/\brequire\s*[(,]?\s*["']([\w.-]+)["']/g)].map(([, name]) => name!);
  const strange = required.filter((name) => !libraries.test(name));
  const called = new Set(plain.includes("_by_lua_block") ? [...plain.matchAll(globals)].map(([, name]) => name!) : []);
  const foreign = [...called].filter((name) => !new RegExp(`\\b${name}\\s*=[^=]`).test(plain));
  return [
    ...lacking,
    ...[...new Set(strange)].map(
      (name) => `the image has no Lua library ${name}: mount it below /etc/nginx/lua, or do without`,
    ),
    ...foreign.map((name) => `the image has no Lua table ${name}, which is ingress-nginx's own: do without`),
  ];
}
