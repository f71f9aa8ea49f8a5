/**
 * Annotations that turn text of a client into a header or into the target of another request, each
 * with the beginning of the target, which the client's text follows. AUTH stands for the origin of
 * the auth service.
 */
export const places: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ["the redirect to https", { "force-ssl-redirect": "true" }, "/"],
  ["the redirect to https with a path that ends in /", { "force-ssl-redirect": "true" }, "/x/"],
  ["permanent-redirect with the path in it", { "permanent-redirect": "https://b.example$uri" }, "/"],
  ["temporal-redirect with an argument in it", { "temporal-redirect": "https://b.example/$arg_to" }, "/?to="],
  ["a rewrite with a group", { "rewrite-target": "/to/$1" }, "/x/"],
  ["a rewrite to another host", { "rewrite-target": "https://b.example/$1" }, "/x/"],
  ["app-root with an argument", { "app-root": "/$arg_to" }, "/?to="],
  ["the sign-in page", { "auth-url": "AUTH", "auth-signin": "https://b.example/?to=$arg_to" }, "/?to="],
  ["the sign-in page with the path in it", { "auth-url": "AUTH", "auth-signin": "https://b.example$uri" }, "/"],
  ["auth-url with the path in it", { "auth-url": "AUTH$uri" }, "/"],
  ["a rewrite to another host with the path in it", { "rewrite-target": "https://b.example/$uri" }, "/x/"],
  ["app-root with the path in it", { "app-root": "/$uri" }, "/"],
  ["upstream-vhost with the path in it", { "upstream-vhost": "a$uri" }, "/"],
  ["upstream-vhost with an argument", { "upstream-vhost": "$arg_to" }, "/?to="],
  ["x-forwarded-prefix", { "rewrite-target": "/$1", "x-forwarded-prefix": "/$1" }, "/x/"],
];
