/**
 * What stands in for versions that are set aside. The version that is live, as a Snapshot has it, is not always one that nginx took: it may have been
 * refused too, and then what stood in for it stands in for the next one.
 */
export class StandIns<T> {
  readonly #last = new Map<string, { readonly version: string; readonly form: T | undefined }>();

  /** What goes on in place of `version`, which is set aside; `live` is the version before it. */
  take(name: string, version: string, live: Versioned<T> | undefined): T | undefined {
    const known = this.#last.get(name);
    const form = known !== undefined && known.version === live?.version ? known.form : live?.form;
    const other = live?.version === version ? undefined : form;
    if (known?.version !== version) this.#last.set(name, { version, form: other });
    return this.#last.get(name)?.form;
  }

  /** Forgets versions that nginx took: `isAside` says which are still set aside. */
  keep(isAside: (name: string, version: string) => boolean): void {
    for (const [name, { version }] of this.#last) if (!isAside(name, version)) this.#last.delete(name);
  }
}

export interface Versioned<T> {
  readonly version: string;
  readonly form: T;
}
