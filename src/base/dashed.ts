/** Returns `watchNamespace` as `watch-namespace`: the name for users of a name in the code. */
export const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
