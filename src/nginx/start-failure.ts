/**
 * Why nginx would not start or reload, in one sentence, from what it wrote to its emergency log. Its own words are
 * precise but speak of bind() and error numbers; the usual causes get words a user can act on.
 */

interface Cause {
  readonly pattern: RegExp;
  readonly sentence: (...groups: readonly string[]) => string;
}

const causes: readonly Cause[] = [
  {
    pattern: /bind\(\) to (\S+) failed \(98:/,
    sentence: (address) => `nginx cannot listen on ${address}: another program is using this address`,
  },
  {
    pattern: /bind\(\) to (\S+) failed \(13:/,
    sentence: (address) =>
      `nginx may not listen on ${address}: ports this low need root or the sysctl net.ipv4.ip_unprivileged_port_start=0`,
  },
  {
    pattern: /bind\(\) to (\S+) failed \(99:/,
    sentence: (address) => `nginx cannot listen on ${address}: this machine does not have that address`,
  },
  {
    pattern: /(12|11): (Cannot allocate memory|Resource temporarily unavailable)/,
    sentence: () => "nginx has too little memory, or may not start more processes",
  },
  { pattern: /\[(?:emerg|alert)\] \d+#\d+: (?:\*\d+ )?(.*)/, sentence: (words) => `nginx says: ${words}` },
];

/** The sentence for the emergency log `text`, or undefined when it names no cause. */
export function failureSentence(text: string): string | undefined {
  for (const { pattern, sentence } of causes) {
    const found = pattern.exec(text);
    if (found !== null) return sentence(...found.slice(1));
  }
  return undefined;
}

/** Whether nginx has given up, rather than being about to try a bind again (it tries five times within 2.5 s). */
export function hasGivenUp(text: string): boolean {
  return text.split("\n").some((line) => /\[emerg\]/.test(line) && !/ bind\(\) to /.test(line));
}
