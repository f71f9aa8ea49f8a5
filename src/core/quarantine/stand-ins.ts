/**
 * Chooses what stands in for versions that are set aside. The live version in a Snapshot may have
 * been refused as well. Then the stand-in of that version also replaces the next one.
 */
export class StandIns<Name extends string, T> {
  readonly #last = new Map<Name, { readonly version: string; readonly form: T | undefined }>();

  /**
   * Returns the form that is served in place of `version`, which is set aside. `live` is the
   * version before it.
   */
  take(name: Name, version: string, live: Versioned<T> | undefined): T | undefined {
    const known = this.#last.get(name);
    const form = known !== undefined && known.version === live?.version ? known.form : live?.form;
    const other = live?.version === version ? undefined : form;
    if (known?.version !== version) this.#last.set(name, { version, form: other });
    return this.#last.get(name)?.form;
  }

  /** Drops versions that nginx accepted. `isAside` returns whether a version is still set aside. */
  keep(isAside: (name: Name, version: string) => boolean): void {
    for (const [name, { version }] of this.#last) if (!isAside(name, version)) this.#last.delete(name);
  }
}

export interface Versioned<T> {
  readonly version: string;
  readonly form: T;
}
