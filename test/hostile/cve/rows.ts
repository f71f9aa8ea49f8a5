/**
 * Published holes as inputs: the objects of the attack, the Problem that its author gets, and the
 * answers. `rows.test.ts` tries each in both modes, and docs/security.md has each sentence of
 * `says`.
 */
import type { KubernetesObject } from "../../../src/core/model/objects.ts";
import { configMap, type IngressWords, ingress, type PathWords, secret } from "../support/objects.ts";

export interface Attack {
  /** Its CVE, or the place where it was published. */
  readonly id: string;
  readonly title: string;
  /** The operator's settings; attacks under the same settings run at the same time. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The objects of the attack; the Ingress is called `name`, and so is its host. */
  readonly objects: (name: string) => readonly KubernetesObject[];
  /** The Problem of the Ingress, which is called NAME here. */
  readonly says: readonly string[];
  /** Requests with the status of the answer; 200 is from the backend. */
  readonly answers: Readonly<Record<string, number>>;
}

type Annotations = Readonly<Record<string, string>>;
const served = { "/": 200 };
const absent = { "/": 404 };
const denied = { "/": 503 };
const newBlock = "} location /pwned { return 200 pwned; } #";
const noService = "http://192.0.2.1:9/";

const annotated = (annotations: Annotations) => (name: string) => [ingress({ name, annotations })];
const at =
  (path: string, type: PathWords[1] = "ImplementationSpecific", annotations: Annotations = {}) =>
  (name: string) => [ingress({ name, paths: [[path, type]], annotations })];

const redirectLetters = "allowed are letters, digits and - . _ ~ / : , ? & =";
const methods = "GET, HEAD, POST, PUT, PATCH, DELETE, CONNECT, OPTIONS, TRACE";
const notCritical =
  "annotation configuration-snippet: its risk is Critical, and annotations-risk-level permits High at most; the Ingress is not applied";
const noSnippets =
  "annotation configuration-snippet has no effect: the operator does not allow snippets (allow-snippet-annotations)";
const looksLikeAlias =
  "spec.rules[0].http.paths[0].path: it looks like an alias directive, and --deep-inspect is on; the Ingress is not applied";
const taken = "looks like a regular expression, and use-regex is not true; it is taken letter by letter";
const noCertificates =
  "annotation auth-tls-secret: Secret ns/NAME has a ca.crt that does not hold certificates in PEM; every request to its hosts gets 403";

const snippets: readonly Attack[] = [
  {
    id: "CVE-2021-25742",
    title: "a snippet that opens the folder of the controller's token, while snippets are off",
    objects: annotated({ "configuration-snippet": "location /pwned { alias /var/run/secrets/; }" }),
    says: [notCritical],
    answers: absent,
  },
  {
    id: "CVE-2021-25742",
    title: "the same where the risk level permits it and the switch for snippets is off",
    settings: { "annotations-risk-level": "Critical" },
    objects: annotated({ "configuration-snippet": "location /pwned { alias /var/run/secrets/; }" }),
    says: [noSnippets],
    answers: served,
  },
  {
    id: "CVE-2023-5043",
    title: "a snippet with Lua, where snippets are allowed and the risk level is High",
    settings: { "allow-snippet-annotations": "true", "annotations-risk-level": "High" },
    objects: annotated({ "configuration-snippet": 'content_by_lua_block { ngx.say("pwned") }' }),
    says: [notCritical],
    answers: absent,
  },
  {
    id: "aliases",
    title: "the older name of an annotation above the risk level",
    settings: { "annotations-risk-level": "Low" },
    objects: annotated({ "whitelist-source-range": "192.0.2.9" }),
    says: [
      "annotation whitelist-source-range: its risk is Medium, and annotations-risk-level permits Low at most; the Ingress is not applied",
    ],
    answers: absent,
  },
];

const paths: readonly Attack[] = [
  {
    id: "CVE-2021-25745",
    title: "a path that closes its location and opens the folder of the controller's token",
    objects: at("/x { } location /pwned { alias /var/run/secrets/; } #"),
    says: [looksLikeAlias],
    answers: absent,
  },
  {
    id: "CVE-2021-25748",
    title: "a path with a line break between a directive and its argument",
    objects: at("/x;\nalias\n/etc/;\n#"),
    says: [looksLikeAlias],
    answers: absent,
  },
  {
    id: "CVE-2022-4886",
    title: "Exact and Prefix paths with quotes, blanks, dollars, braces and a backslash",
    objects: (name) => {
      const some: PathWords[] = [
        ['/a"; pwned; "', "Exact"],
        ["/b {} $host ${uri}", "Prefix"],
        ["/c\\", "Exact"],
      ];
      return [ingress({ name, paths: some })];
    },
    says: [`spec.rules[0].http.paths[1].path: /b {} $host \${uri} ${taken}`],
    answers: { "/a%22;%20pwned;%20%22": 200, "/b%20%7B%7D%20$host%20$%7Buri%7D/x": 200, "/c%5C": 200, "/c": 404 },
  },
  ...(
    [
      ["/a b{", "/a%20b%7B"],
      ['/a"', "/a%22"],
      ["/a\\", "/a%5C"],
      [`/a ${newBlock}`, `/a%20${encodeURIComponent(newBlock)}`],
    ] as const
  ).map(([path, request]) => ({
    id: "CVE-2026-24512",
    title: `the ImplementationSpecific path ${JSON.stringify(path)}`,
    objects: at(path),
    says: /[\\{}]/.test(path) ? [`spec.rules[0].http.paths[0].path: ${path} ${taken}`] : [],
    answers: { [request]: 200, "/a": 404 },
  })),
  {
    id: "CVE-2026-3288",
    title: "a path with a quote beside a rewrite",
    objects: at('/a" last; pwned; #', "ImplementationSpecific", { "rewrite-target": "/to" }),
    says: [
      'annotation rewrite-target: everything below the path /a" last; pwned; # reaches the backend as /to; the path /a" last; pwned; #(/|$)(.*) with rewrite-target /to/$2 keeps what follows',
    ],
    answers: { "/a%22%20last;%20pwned;%20%23": 200, "/a": 404 },
  },
];

const values: readonly Attack[] = [
  ...["permanent-redirect", "temporal-redirect"].map((key) => ({
    id: "CVE-2023-5044",
    title: `${key} with a directive after the URL`,
    objects: annotated({ [key]: `https://a/;${newBlock}` }),
    says: [`annotation ${key}: "https://a/;${newBlock}" holds ";"; ${redirectLetters}; the Ingress is not applied`],
    answers: absent,
  })),
  {
    id: "CVE-2023-5044",
    title: "app-root with a directive after the path",
    objects: annotated({ "app-root": `/app;${newBlock}` }),
    says: [
      `annotation app-root: "/app;${newBlock}" holds ";"; allowed are letters, digits and - . _ ~ / : $; the default is used`,
    ],
    answers: served,
  },
  ...["#", "\n", "}", newBlock, '"; pwned;'].map((text) => ({
    id: "CVE-2025-24514",
    title: `an auth-url that ends in ${JSON.stringify(text)}`,
    objects: annotated({ "auth-url": `http://a/${text}` }),
    says: [
      `annotation auth-url: ${JSON.stringify(`http://a/${text}`)} holds ${JSON.stringify(text[0])}; allowed are letters, digits and - . _ ~ / : , ? & = $; the Ingress is not applied`,
    ],
    answers: absent,
  })),
  {
    id: "CVE-2025-1098",
    title: "a mirror-target with a quote and a semicolon",
    objects: annotated({ "mirror-target": 'http://a/"; pwned;' }),
    says: [
      'annotation mirror-target: "http://a/\\"; pwned;" holds "\\""; allowed are letters, digits and - . _ ~ / : ^ $ [ ] ( ) { } * + ? | & = \\; the default is used',
    ],
    answers: served,
  },
  {
    id: "CVE-2025-1098",
    title: "a mirror-host with a brace, of an Ingress whose UID has one too",
    objects: (name) => {
      const words: IngressWords = { name, uid: `${name}} pwned {` };
      return [ingress({ ...words, annotations: { "mirror-target": noService, "mirror-host": "a; } pwned {" } })];
    },
    says: [
      'annotation mirror-host: "a; } pwned {" holds ";"; allowed are letters, digits and - . _ ~ / : ^ $ [ ] ( ) { } * + ? | & = \\; the default is used',
    ],
    answers: served,
  },
  ...["GET\npwned;", "xGETx", "GET;"].map((text) => ({
    id: "CVE-2026-1580",
    title: `the auth-method ${JSON.stringify(text)}`,
    objects: annotated({ "auth-url": noService, "auth-method": text }),
    says: [`annotation auth-method: ${JSON.stringify(text)} is not one of ${methods}; its paths answer 503`],
    answers: denied,
  })),
  ...["yes", "1", "on; pwned"].map((text) => ({
    id: "CVE-2025-66491",
    title: `proxy-ssl-verify ${JSON.stringify(text)}, which is neither on nor off`,
    objects: annotated({ "backend-protocol": "HTTPS", "proxy-ssl-verify": text }),
    says: [`annotation proxy-ssl-verify: ${JSON.stringify(text)} is not one of on, off; the default is used`],
    answers: { "/": 502 },
  })),
  {
    id: "F5 3ceb3c62, variables",
    title: "the client's credentials as a parameter of the sign-in page",
    objects: annotated({ "auth-url": noService, "auth-signin": "https://a/?p=$http_authorization" }),
    says: [
      'annotation auth-signin: "https://a/?p=$http_authorization" uses $http_authorization, which is not allowed here; the default is used',
    ],
    answers: { "/": 500 },
  },
];

const others: readonly Attack[] = [
  ...[
    { "permanent-redirect": "https://a.example/GENERATION" },
    { "auth-type": "basic", "auth-realm": "GENERATION" },
  ].map((annotations: Annotations) => ({
    id: "the mark of the generation",
    title: `${Object.keys(annotations)[0]} with the word that stood where the text's own hash goes`,
    objects: annotated(annotations),
    says:
      "auth-type" in annotations
        ? ["annotation auth-secret: auth-type needs it, and it is missing; its paths answer 503"]
        : [],
    answers: { "/": "auth-type" in annotations ? 503 : 301 },
  })),
  ...[
    ["CN=(a){1}\n", "is too long or has a control character"],
    ["CN=a)", 'is not a regular expression: a ")" has no "("'],
  ].map(([text = "", why = ""]) => ({
    id: "CVE-2025-1097",
    title: `the auth-tls-match-cn ${JSON.stringify(text)}`,
    objects: (name: string) => matching(name, text),
    says: [`annotation auth-tls-match-cn: ${JSON.stringify(text)} ${why}; the Ingress is not applied`, noCertificates],
    answers: absent,
  })),
  ...["CN=a#", "CN={", 'CN=a"; } pwned {'].map((text) => ({
    id: "CVE-2025-1097",
    title: `the auth-tls-match-cn ${JSON.stringify(text)}, a good pattern`,
    objects: (name: string) => matching(name, text),
    says: [noCertificates],
    answers: { "/": 403 },
  })),
  {
    id: "CVE-2025-15566",
    title: "a header for the auth service whose value closes a quote",
    objects: (name) => [
      configMap(name, { "X-Good": "a'; pwned; #" }),
      ingress({ name, annotations: { "auth-url": noService, "auth-proxy-set-headers": `ns/${name}` } }),
    ],
    says: [],
    answers: { "/": 500 },
  },
  {
    id: "CVE-2026-4342",
    title: "a path with a line break beside auth-url and auth-keepalive",
    objects: at(`/a\n${newBlock}`, "ImplementationSpecific", { "auth-url": noService, "auth-keepalive": "8" }),
    says: ["spec.rules[0].http.paths[0].path: has a control character or a line separator in it; the path is ignored"],
    answers: { "/a": 500 },
  },
  {
    id: "F5 3ceb3c62, backends",
    title: "a backend that is no Service",
    objects: (name) => {
      const backend = { resource: { apiGroup: "a.b", kind: "Bucket", name: "x; pwned" } } as never;
      const rules = [
        { host: `${name}.example`, http: { paths: [{ path: "/", pathType: "Prefix" as const, backend }] } },
      ];
      return [ingress({ name, spec: { ingressClassName: "nginx", rules } })];
    },
    says: ["spec.rules[0].http.paths[0].backend: names a Bucket, not a Service; the path is ignored"],
    answers: absent,
  },
  {
    id: "NGF CVE-2026-11311, CVE-2026-50107",
    title: "a log format with a single quote and what follows it",
    settings: { "log-format-upstream": "$remote_addr '; } pwned { '", "access-log-params": "buffer=1k; pwned" },
    objects: annotated({}),
    says: [],
    answers: served,
  },
];

function matching(name: string, text: string): KubernetesObject[] {
  const annotations = { "auth-tls-secret": `ns/${name}`, "auth-tls-match-cn": text };
  return [secret(name, { "ca.crt": "no certificate" }), ingress({ name, annotations })];
}

export const attacks: readonly Attack[] = [...snippets, ...paths, ...values, ...others];
