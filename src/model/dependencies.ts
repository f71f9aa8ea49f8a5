/** A many-to-many index between names: what depends on what, in both directions. */
export class Dependencies {
  readonly #users = new Map<string, Set<string>>();
  readonly #used = new Map<string, readonly string[]>();

  /** `user` depends on `used`, and on nothing it depended on before. */
  set(user: string, used: readonly string[]): void {
    for (const name of this.#used.get(user) ?? []) {
      const users = this.#users.get(name);
      users?.delete(user);
      if (users?.size === 0) this.#users.delete(name);
    }
    if (used.length === 0) this.#used.delete(user);
    else this.#used.set(user, used);
    for (const name of used) {
      const users = this.#users.get(name);
      if (users === undefined) this.#users.set(name, new Set([user]));
      else users.add(user);
    }
  }

  /** Who depends on `name`. */
  usersOf(name: string): Iterable<string> {
    return this.#users.get(name) ?? [];
  }

  usedBy(user: string): readonly string[] {
    return this.#used.get(user) ?? [];
  }

  isUsed(name: string): boolean {
    return this.#users.has(name);
  }
}
