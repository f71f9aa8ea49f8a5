/**
 * Makes the names of written objects from the names of Ingresses and hosts, with at most the length
 * that Kubernetes allows.
 */
import { shortHash } from "../../core/tokens/short-hash.ts";

/** The most characters in the name of an object or a listener. */
const most = 253;

/**
 * Gives each thing its own name within a scope, such as a kind and a namespace. The same thing
 * always gets the same name.
 */
export class Names {
  readonly #taken = new Map<string, string>();
  readonly #shortened: string[] = [];

  /** Names that were too long, so that a hash replaces their end. */
  get shortened(): readonly string[] {
    return this.#shortened;
  }

  /**
   * Returns the name of a thing. `of` identifies the thing: two things that want the same name get
   * different names. The second one gets the name `otherwise`, or one with a hash if that is
   * absent or taken as well.
   */
  nameFor(scope: string, wished: string, of: string, otherwise = wished): string {
    const isFree = (this.#taken.get(`${scope} ${cleaned(wished)}`) ?? of) === of;
    const clean = cleaned(isFree ? wished : otherwise);
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
 * Returns a host as part of a name. `*.shop.example` becomes `wildcard-shop-example`; labels of a
 * name hold only letters, digits and dashes.
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
