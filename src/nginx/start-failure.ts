/**
 * Why nginx would not start or reload, read from its emergency log (`RunFolder.emergencies`). Its own words are precise
 * but speak of bind() and error numbers; the usual causes get words a user can act on. Not every line there is the end:
 * nginx tries a bind five times within 2.5 s before it gives up.
 */

export interface StartFailure {
  /** Without a full stop, to be part of a longer one. */
  readonly sentence: string;
  /** False when the machine is at fault and the same text may do later. */
  readonly textAtFault: boolean;
  /** Which process gave up: the master at once, or a worker after the master had already let the old ones go. */
  readonly by: number;
}

interface Cause {
  readonly pattern: RegExp;
  readonly sentence: (...groups: readonly string[]) => string;
}

const machineCauses: readonly Cause[] = [
  {
    pattern: /bind\(\) to (\S+) failed \(98:/,
    sentence: (address) => `nginx cannot listen on ${address}: another program is using this address`,
  },
  {
    pattern: /bind\(\) to (\S+) failed \(13:/,
    sentence: (address) =>
      `nginx may not listen on ${address}: ports this low need root, or the sysctl net.ipv4.ip_unprivileged_port_start=0`,
  },
  {
    pattern: /bind\(\) to (\S+) failed \(99:/,
    sentence: (address) => `nginx cannot listen on ${address}: this machine does not have that address`,
  },
  {
    pattern: /fork\(\) failed|\(12: Cannot allocate memory\)/,
    sentence: () => "nginx has too little memory, or may start no more processes",
  },
];

/** A line that nginx writes when it gives up: the level, the process, and the words. */
const final =
  /\[(?:emerg\] (?<emerg>\d+)#\d+: (?!bind\(\))|alert\] (?<alert>\d+)#\d+: (?=.*cannot be respawned|fork\(\) failed))(?<words>.*)/;

/** What `log` says about why nginx gave up; undefined while it has not. */
export function startFailure(log: string): StartFailure | undefined {
  const gaveUp = final.exec(log)?.groups;
  if (gaveUp === undefined) return undefined;
  const machine = machineCauses.flatMap(({ pattern, sentence }) => {
    const found = pattern.exec(log);
    return found === null ? [] : [sentence(...found.slice(1))];
  })[0];
  return {
    sentence: machine ?? `nginx says: ${gaveUp.words}`,
    textAtFault: machine === undefined,
    by: Number(gaveUp.emerg ?? 0),
  };
}
