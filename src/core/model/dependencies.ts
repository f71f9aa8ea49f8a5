/** An index of dependencies between names, in both directions. */
export class Dependencies {
  /**
   * Most names have one user and use one name. A Set or a list for each of these would take most of
   * the memory.
   */
  readonly #users = new Map<string, string | Set<string>>();
  readonly #used = new Map<string, string | readonly string[]>();

  /** Replaces everything on which `user` depended by `used`. */
  set(user: string, used: readonly string[]): void {
    const before = this.usedBy(user);
    if (before.length === 0 && used.length === 0) return;
    for (const name of before) this.#leave(name, user);
    if (used.length === 0) this.#used.delete(user);
    else this.#used.set(user, used.length === 1 ? used[0]! : used);
    for (const name of used) this.#join(name, user);
  }

  /** Returns the users of `name`. */
  usersOf(name: string): Iterable<string> {
    const users = this.#users.get(name) ?? none;
    return typeof users === "string" ? [users] : users;
  }

  usedBy(user: string): readonly string[] {
    const used = this.#used.get(user) ?? none;
    return typeof used === "string" ? [used] : used;
  }

  isUsed(name: string): boolean {
    return this.#users.has(name);
  }

  #join(name: string, user: string): void {
    const users = this.#users.get(name);
    if (users === undefined) this.#users.set(name, user);
    else if (typeof users !== "string") users.add(user);
    else if (users !== user) this.#users.set(name, new Set([users, user]));
  }

  #leave(name: string, user: string): void {
    const users = this.#users.get(name);
    if (users === user) this.#users.delete(name);
    else if (typeof users === "object" && users.delete(user) && users.size === 0) this.#users.delete(name);
  }
}

const none: readonly string[] = [];
