/**
 * Compares versions as dpkg does (deb-version(7)): the epoch as a number, then upstream version and
 * revision, each split into alternating parts of letters and digits. A tilde sorts before
 * everything, even the end, and letters before the rest.
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [parts(a), parts(b)];
  return (
    one.epoch - other.epoch || compareText(one.upstream, other.upstream) || compareText(one.revision, other.revision)
  );
}

function parts(version: string) {
  const [, epoch = "0", rest = ""] = /^(?:(\d+):)?(.*)$/.exec(version) ?? [];
  const dash = rest.lastIndexOf("-");
  return dash < 0
    ? { epoch: Number(epoch), upstream: rest, revision: "" }
    : { epoch: Number(epoch), upstream: rest.slice(0, dash), revision: rest.slice(dash + 1) };
}

function compareText(a: string, b: string): number {
  const [one, other] = [turns(a), turns(b)];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const [letters = "", digits = "0"] = one[at] ?? [];
    const [otherLetters = "", otherDigits = "0"] = other[at] ?? [];
    const difference = compareLetters(letters, otherLetters) || Number(digits) - Number(otherDigits);
    if (difference !== 0) return difference;
  }
  return 0;
}

const turns = (text: string) =>
  [...text.matchAll(/(\D*)(\d*)/g)].map(([, letters = "", digits = ""]) => [letters, digits || "0"] as const);

function compareLetters(a: string, b: string): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = weight(a[at]) - weight(b[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function weight(letter: string | undefined): number {
  if (letter === undefined) return 0;
  if (letter === "~") return -1;
  return /[a-zA-Z]/.test(letter) ? letter.charCodeAt(0) : letter.charCodeAt(0) + 256;
}
