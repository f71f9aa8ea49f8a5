/**
 * Names of the objects that are written: made of those of Ingresses and hosts, and no longer than
 * Kubernetes takes them.
 */
import { shortHash } from "../directives/short-hash.ts";

/** Characters that the name of an object, or of a listener, may have. */
const most = 253;

/**
 * Gives each wish a name of its own within a scope, such as a kind and a namespace. Equal wishes
 * for one thing get the same name.
 */
export class Names {
  readonly #taken = new Map<string, string>();
  readonly #shortened: string[] = [];

  /** Names that are too long and got a hash in place of their end. */
  get shortened(): readonly string[] {
    return this.#shortened;
  }

  /** `of` says what the name is for: two things that wish for one name get different ones. */
  nameFor(scope: string, wished: string, of: string): string {
    const clean = cleaned(wished);
    let name = clean;
    if (clean.length > most) {
      name = `${clean.slice(0, most - 9).replace(/[^a-z0-9]+$/, "")}-${shortHash(of).slice(0, 8)}`;
      if (!this.#taken.has(`${scope} ${name}`)) this.#shortened.push(`${scope}/${name}`);
    } else if ((this.#taken.get(`${scope} ${clean}`) ?? of) !== of) name = `${clean}-${shortHash(of).slice(0, 8)}`;
    this.#taken.set(`${scope} ${name}`, of);
    return name;
  }
}

/**
 * `*.shop.example` becomes `wildcard-shop-example`; labels of a name hold only letters, digits and
 * dashes.
 */
export function hostSlug(host: string): string {
  return host === "_" ? "all-hosts" : cleaned(host.replace(/^\*/, "wildcard").replaceAll(".", "-"));
}

function cleaned(text: string): string {
  const clean = text
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, "-")
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return clean === "" ? "route" : clean;
}
