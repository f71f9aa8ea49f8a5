/**
 * Explains why nginx would not start, reload or pass a test. Its messages are precise but about
 * bind() and error numbers, so the usual causes get sentences that a user can act on. nginx repeats
 * text of users, including line breaks, so a line in the middle may be forged. Only parts with
 * nginx's own words are read.
 */

export interface StartFailure {
  /** Without a full stop, because it becomes part of a longer sentence. */
  readonly sentence: string;
  /** False when the cause is the machine, so that the same text may work later. */
  readonly textAtFault: boolean;
  /**
   * The id of the process that gave up: the master, or 0 for a worker after the master had already
   * released the old workers.
   */
  readonly by: number;
  /** The address or file that the machine refused, if the failure is about one. */
  readonly names?: string;
}

export interface MachineFault {
  readonly sentence: string;
  readonly names?: string;
}

const machineFaults: readonly { readonly words: RegExp; readonly sentence: (address: string) => string }[] = [
  {
    words: /^bind\(\) to (\S+) failed \(98:/,
    sentence: (address) => `nginx cannot listen on ${address}: another program is using this address`,
  },
  {
    words: /^bind\(\) to (\S+) failed \(13:/,
    sentence: (address) =>
      `nginx may not listen on ${address}: ports this low need root, or the sysctl net.ipv4.ip_unprivileged_port_start=0`,
  },
  {
    words: /^bind\(\) to (\S+) failed \(99:/,
    sentence: (address) => `nginx cannot listen on ${address}: this machine does not have that address`,
  },
  {
    words: /^fork\(\) failed|^\S+\(.*\) failed \(12:/,
    sentence: () => "nginx has too little memory, or may start no more processes",
  },
];

/**
 * Returns the reason in `words` (one message of nginx, without time, level and process) if the
 * cause is the machine.
 */
export function machineFault(words: string): MachineFault | undefined {
  for (const fault of machineFaults) {
    const found = fault.words.exec(words);
    if (found === null) continue;
    const [, names] = found;
    return { sentence: fault.sentence(names ?? ""), ...(names === undefined ? {} : { names }) };
  }
  return undefined;
}

/**
 * Matches one message of nginx's log. A message about a busy address is not final, because nginx
 * tries to bind it five times within 2.5 s.
 */
const message = /^\S+ \S+ \[(?<level>\w+)\] (?<pid>\d+)#\d+: (?:\*\d+ )?(?<words>.*)$/;
const busy = /^bind\(\) to \S+ failed \(98:/;
const workersEnd = /^worker process \d+ exited with fatal code|^fork\(\) failed/;

/** Returns the reason in the emergency log; undefined while nginx has not given up. */
export function startFailure(log: string): StartFailure | undefined {
  let bindFailure: string | undefined;
  for (const line of log.split("\n")) {
    const { level, pid, words = "" } = message.exec(line)?.groups ?? {};
    if (level === "emerg" && busy.test(words)) bindFailure ??= words;
    else if (level === "emerg" || workersEnd.test(words)) {
      const fault = machineFault(bindFailure ?? words);
      const by = level === "emerg" ? Number(pid) : 0;
      return { sentence: `nginx says: ${words}`, ...fault, textAtFault: fault === undefined, by };
    }
  }
  return undefined;
}
