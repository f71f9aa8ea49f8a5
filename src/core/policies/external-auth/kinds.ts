/**
 * Kinds for the annotations of external authentication. Their alphabets are those of ingress-nginx.
 */

import { isHost } from "../../kinds/addresses.ts";
import { type Kind, no, ok, shown } from "../../kinds/kind.ts";
import { isRequestVariable } from "../../kinds/request-variables.ts";
import { textOf, trimmed } from "../../kinds/text.ts";
import { decodedMistake, isKnownVariable, strangerWhy, undecoded, variablesIn } from "../../kinds/variables.ts";
import { Token } from "../../tokens/token.ts";

/**
 * Returns a kind that accepts only texts whose variables are all allowed. nginx would refuse other
 * variables, or they would reveal secrets.
 */
function withVariables(kind: Kind<string>, allowed: (name: string) => boolean): Kind<string> {
  return {
    ...kind,
    read: (text) => {
      const read = kind.read(text);
      if (!read.ok) return read;
      if (!allowed("uri") && decodedMistake(text) !== undefined) return undecoded(kind).read(text);
      const stranger = variablesIn(read.value).find((name) => !allowed(name));
      return stranger === undefined ? read : no(strangerWhy(text, stranger));
    },
    view: (value) => Token.variables(value, allowed),
  };
}

const urlLetters = {
  label: "letters, digits and - . _ ~ / : , ? & = $",
  characters: "A-Za-z0-9._~/:,?&=$\\-",
};

const shareable = (name: string): boolean => isRequestVariable(name) || name === "escaped_request_uri";

/**
 * Whether the URL of the auth service may hold the variable. The service gets the client's headers
 * and certificate anyway.
 */
export const isQuestionVariable = (name: string): boolean =>
  shareable(name) ||
  /^(http|cookie)_\w+$/.test(name) ||
  /^ssl_client_(verify|s_dn|i_dn|serial|fingerprint)$/.test(name);

/**
 * Whether the URL of the sign-in page may hold the variable. Credentials are left out, because they
 * do not belong in an address.
 */
export const isSigninVariable = (name: string): boolean =>
  shareable(name) || /^http_(x_forwarded_(host|proto|port|prefix)|referer)$/.test(name);

type Names = (name: string) => boolean;

/**
 * Allows the variables of permitted snippets as well, but not in the host, which decides which
 * machine gets the auth request.
 */
export const questionUrlNaming = (declared: Names): Kind<string> => {
  const kind = withVariables(questionText, (name) => isQuestionVariable(name) || declared(name));
  const ofHost = withVariables(trimmed(textOf(urlLetters)), isQuestionVariable);
  const read: Kind<string>["read"] = (text) => {
    const origin = /^\s*https?:\/\/[^/?]*/i.exec(text)?.[0];
    const host = origin === undefined ? undefined : ofHost.read(origin);
    return host?.ok === false ? host : kind.read(text);
  };
  return { ...kind, read };
};

export const signinUrlNaming = (declared: Names): Kind<string> =>
  withVariables(trimmed(textOf(urlLetters)), (name) => isSigninVariable(name) || declared(name));

/** A blank is allowed here, because a URL with one closes its paths and drops no Ingress. */
const questionText = trimmed(textOf({ label: urlLetters.label, characters: `${urlLetters.characters} ` }));

export const questionUrl: Kind<string> = {
  ...withVariables(questionText, isQuestionVariable),
};

export const signinUrl: Kind<string> = {
  ...withVariables(trimmed(textOf(urlLetters)), isSigninVariable),
};

export const plainText = trimmed(
  textOf({ label: "letters, digits and - . _ ~ / : , ? & =", characters: "A-Za-z0-9._~/:,?&=\\-" }),
);

export const cacheKeyNaming = (declared: Names): Kind<string> =>
  withVariables(
    trimmed(textOf({ label: "letters, digits and - _ $ { }", characters: "A-Za-z0-9_${}\\-" })),
    (name) => isKnownVariable(name, "http") || declared(name),
  );

export const cacheKey: Kind<string> = {
  ...cacheKeyNaming(() => false),
};

/**
 * Parameters of `proxy_cache_valid`: a time after the status codes. nginx allows no milliseconds
 * there.
 */
const duration = /^(?:[1-5]\d\d +)*\d{1,6}[smhdwMy]$/;

export const cacheDurations: Kind<readonly string[]> = {
  label: "a comma-separated list, each status codes and a time like 200 202 10m",
  read: (text) => {
    const items = text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
    const wrong = items.find((item) => !duration.test(item));
    if (wrong !== undefined) return no(`${shown(wrong)} is not status codes and a time like 200 202 10m`);
    return ok(items.length === 0 ? usualDurations : items.map((item) => item.replace(/ +/g, " ")));
  },
  write: (items) => items.join(", "),
  view: (items) => items.map((item) => Token.words(item.split(" ").map(Token.name))),
};

export const usualDurations: readonly string[] = ["200 202 401 5m"];

/**
 * Returns the host of an absolute http or https URL without its port; undefined for any other text.
 * The host may hold variables.
 */
export function hostOfUrl(url: string): string | undefined {
  const host = /^https?:\/\/(\[[\da-f:.]+\]|[^/:?&=,]+)(?::(?:\d{1,5}|\$\w+))?(?:[/?]\S*)?$/i.exec(url)?.[1];
  if (host === undefined) return undefined;
  return isHost(host) || /^[\w.-]*\$[\w$.-]+$/.test(host) ? host : undefined;
}
