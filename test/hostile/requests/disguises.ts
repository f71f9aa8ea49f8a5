/** Spellings of `/admin`, its guards, and the open paths beside it. */
import { ingress } from "../support/objects.ts";

export const disguises: readonly string[] = [
  ...[
    "/admin",
    "/admin/",
    "/admin/x",
    "//admin",
    "///admin//x",
    "/./admin",
    "/x/../admin",
    "/x/..//admin",
    "/admin/.",
    "/admin/x/..",
  ],
  ...[
    "/%61dmin",
    "/%61%64%6d%69%6e",
    "/%2561dmin",
    "/x/..%2fadmin",
    "/x/..%2Fadmin",
    "/x/%2e%2e/admin",
    "/x/%2e%2e%2fadmin",
    "/x/.%2e/admin",
  ],
  ...[
    "/%2fadmin",
    "/%2e/admin",
    "/admin%2f",
    "/admin%2f..%2fadmin",
    "/admin%2fx",
    "/x%2f..%2fadmin",
    "/%2e%2e/admin",
    "/../admin",
    "/x/../../admin",
  ],
  ...[
    "/admin%00",
    "/%00/admin",
    "/x%00/../admin",
    "/admin\\",
    "/x\\..\\admin",
    "/x/..\\admin",
    "/\\admin",
    "/%5cadmin",
    "/x%5c..%5cadmin",
  ],
  ...[
    "/admin?x",
    "/admin#x",
    "/admin;x=1",
    "/x/..;/admin",
    "/;/admin",
    "/admin%3fx",
    "/admin%23",
    "/admin%20",
    "/admin%09",
    "/admin%0a",
    "/admin%0d%0aX:%20y",
  ],
  ...[
    "/x/%252e%252e/admin",
    "/x/%c0%ae%c0%ae/admin",
    "/%ef%bc%8fadmin",
    "/x/..%c0%afadmin",
    "/admin/..%2f",
    "/x/.%00./admin",
    "http://a.example/admin",
    "http://a.example//admin",
  ],
];

const admin = (annotations: Record<string, string>) =>
  ingress({ name: "admin", host: "a.example", paths: [["/admin"]], annotations });

/**
 * Ingresses that let no client in; `auth` is the origin of an auth service that refuses every
 * request.
 */
export const guards = {
  "a deny list": () => admin({ "denylist-source-range": "0.0.0.0/0" }),
  "an allow list": () => admin({ "allowlist-source-range": "192.0.2.250" }),
  "an auth service": (auth: string) => admin({ "auth-url": `${auth}/` }),
  "a password": () => admin({ "auth-type": "basic", "auth-secret": "nobody" }),
};

/** Ingresses that let every client in. */
export const neighbours = {
  "an open root": ingress({ name: "open", host: "a.example" }),
  "a rewrite of the root": ingress({
    ...{ name: "open", host: "a.example", paths: [["/(.*)", "ImplementationSpecific"]] as const },
    annotations: { "rewrite-target": "/$1" },
  }),
};
