/**
 * Text that ends something: a word, a directive, a block, a line, a comment, a string. Everything
 * in it that could become configuration is called `pwned`, so one look at the tree of nginx.conf
 * shows whether any of it did.
 */
import type { Directive } from "../../support/nginx-tree.ts";

export const characters: readonly string[] = [
  ...[";", "{", "}", '"', "'", "`", "\\", "#", "$", " ", "\t", "\n", "\r", "\r\n", "\0", "\u0085", "\u2028"],
  ...[
    "\ud800",
    "\ufffd",
    "\u202e",
    "é",
    "漢",
    "|",
    "&",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "*",
    "?",
    "+",
    "^",
    "~",
    "%",
    ",",
  ],
];

export const payloads: readonly string[] = [
  "; } server {",
  '"; } server { pwned; } #',
  "'; } server { pwned; } #",
  "; pwned; #",
  '"; pwned; "',
  "\npwned;\n",
  "\r\npwned;\r\n",
  "\rpwned;\r",
  " pwned;",
  "{ pwned; }",
  "} pwned {",
  "} location /pwned { return 200 pwned; } #",
  "#} pwned;",
  "a\\",
  '\\"; pwned; #',
  "\\\\",
  '$"; pwned;',
  "${",
  "${pwned",
  "$pwned",
  "$http_authorization",
  "${host}",
  "$1",
  "$$",
  "(?i)",
  "(?{pwned})",
  "(",
  "[",
  ")",
  "(a+)+$",
  "*/",
  "{{x}}",
  "{{{x}}}",
  "../",
  "../../../../etc/passwd",
  "%2f",
  "%00",
  "%0d%0aPwned:%201",
  "alias /var/run/secrets/kubernetes.io/serviceaccount/;",
  "; alias /etc/;",
  "ssl_engine pwned;",
  "include /etc/pwned;",
  "load_module pwned;",
  "}}} stream { pwned; } http {",
  'content_by_lua_block { ngx.say("pwned") }',
  '}content_by_lua_block { os.execute("pwned") }',
  "]] pwned [[",
  '"}) pwned({"',
  "default pwned",
  "~*pwned",
  "include",
  "hostnames",
  "volatile",
  "off",
  "unix:/tmp/pwned.sock",
  "http://unix:/tmp/pwned.sock:/",
  "/_sluice/pwned",
  "Content-Length",
  "transfer_encoding",
  "x_c,Proxy-Authorization",
  "@pwned",
  "__proto__",
  "constructor",
  "toString",
];

/** Texts that are longer than every limit, including nginx's 4 KB for a word. */
export const long: readonly string[] = ["a".repeat(64 * 1024), "(".repeat(5000), "a,".repeat(5000), " ".repeat(5000)];

/** Words that no template and no text of Sluice contains. */
const foreign = /pwned|^(alias|root|include|load_module|ssl_engine|perl|perl_set|js_import|content_by_lua_block)$/;

/**
 * Returns the places where hostile text has become a directive, such as `http > server > alias`.
 */
export function intruders(tree: readonly Directive[], within: readonly string[] = []): readonly string[] {
  return tree.flatMap(({ name, args, block = [], lua = "" }) => {
    const path = [...within, name];
    const here = (foreign.test(name) && !known(name, args, within)) || /pwned/.test(lua) ? [path.join(" > ")] : [];
    return [...here, ...intruders(block, path)];
  });
}

/**
 * Whether it is a known directive: the loading of modules, Sluice's own answers in Lua, the mark of
 * subrequests, and the words with which a map compares, except `include`, which is a directive
 * there.
 */
function known(name: string, args: readonly string[], within: readonly string[]): boolean {
  if (within.at(-1) === "map") return name !== "include";
  if (name === "load_module") return within.length === 0 && !args.join().includes("pwned");
  if (name === "root") return within.at(-1) === "location" && args.join() === "/sluice-subrequest";
  return name === "content_by_lua_block" && within.at(-1) === "location";
}
