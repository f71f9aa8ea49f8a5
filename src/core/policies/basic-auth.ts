/**
 * Users and passwords from a Secret (RS-17). nginx reads the password file at each request, so its
 * path is a route variable and a new password is live without a reload. Digest authentication needs
 * a module that this nginx lacks: such a location answers 503, with a Problem.
 */

import { optional } from "../kinds/combine.ts";
import { textOf } from "../kinds/text.ts";
import { oneOf } from "../kinds/words.ts";
import { SecretText } from "../model/configuration.ts";
import { keyOf, type Secret } from "../model/objects.ts";
import { Token } from "../tokens/token.ts";
import { field, type Resolved, resolvedFeature, textField } from "./declare.ts";
import { refused, useless } from "./problems.ts";
import { named, referenceField } from "./reference.ts";

export type BasicAuth =
  | { readonly kind: "none" }
  | {
      readonly kind: "basic";
      readonly realm: string;
      /** Lines of an htpasswd file. */
      readonly users: SecretText;
    };

const none: BasicAuth = { kind: "none" };

export const basicAuth = resolvedFeature({
  name: "basic-auth",
  scope: "location",
  guard: true,
  gate: "type",
  fields: {
    type: field("auth-type", {
      example: "basic",
      kind: optional(oneOf(["basic", "digest"])),
      onBad: "reject",
      doc: "Asks clients for a user and a password, which auth-secret holds.",
    }),
    secret: referenceField("auth-secret", {
      example: "shop/passwords",
      onBad: "deny",
      doc: "The Secret with the users: its name, or namespace/name.",
    }),
    form: field("auth-secret-type", {
      example: "auth-file",
      kind: oneOf(["auth-file", "auth-map"]),
      fallback: () => "auth-file" as const,
      onBad: "reject",
      doc: "auth-file: the key auth of the Secret is an htpasswd file; auth-map: each key is a user and its value the hash.",
    }),
    realm: textField("auth-realm", {
      example: "Sign in to the shop",
      kind: textOf({ label: "letters, digits, blanks and - . _ ~ / :", characters: "A-Za-z0-9._~/: \\-" }),
      onBad: "reject",
      risk: "Medium",
      doc: "Realm that the client shows when it requests a password. The word off switches Basic authentication off.",
    }),
  },
  resolve: (fields, context): Resolved<BasicAuth> => {
    const { type, secret, form, realm } = fields;
    if (type === undefined) return { value: none };
    if (type === "digest") {
      const why = "nginx here has no module for digest authentication";
      return refused(context, "auth-type", { why });
    }
    if (secret === "") return refused(context, "auth-secret", { why: "auth-type needs it, and it is missing" });
    const found = named(secret.replace(/^\//, ""), "Secret", context.secret, context);
    if (!found.ok) return refused(context, "auth-secret", found.reason);
    const users = usersOf(found.object, form);
    if (users === undefined)
      return refused(context, "auth-secret", { why: `Secret ${keyOf(found.object)} has no key auth` });
    const value: BasicAuth = { kind: "basic", realm: realm.trim(), users: new SecretText(users) };
    if (value.realm !== "off") return { value };
    return { value, problems: [useless(context, "auth-type", "auth-realm is off, which switches authentication off")] };
  },
  both: (one, other) => {
    // The realm off switches this guard off, and not that of the other level.
    if (one.kind === "none" || one.realm === "off") return other.kind === "none" ? one : other;
    return other.kind === "none" || other.realm === "off" || one.users.reveal() === other.users.reveal()
      ? one
      : undefined;
  },
  variables: ["auth_realm", "auth_users"],
  identifies: ({ kind }) => kind !== "none",
  view: (value, place) => {
    if (value.kind === "none" || !place.authenticates) return false;
    return {
      realm: place.bind("auth_realm", value.realm),
      users: place.bind("auth_users", place.file("opened", value.users.reveal())),
    };
  },
  requestHeaders: (value, { authenticates }) =>
    value.kind === "none" || !authenticates ? [] : [{ name: Token.name("Authorization"), value: Token.text("") }],
});

/**
 * Returns lines of `name:hash`, one for each user. Returns undefined if the Secret does not have
 * the declared form.
 */
function usersOf({ data = {} }: Secret, form: "auth-file" | "auth-map"): string | undefined {
  const decoded = (text: string) => Buffer.from(text, "base64").toString("utf8");
  if (form === "auth-file") return data.auth === undefined ? undefined : decoded(data.auth);
  return Object.entries(data)
    .map(([user, hash]) => `${user}:${decoded(hash)}\n`)
    .sort()
    .join("");
}
