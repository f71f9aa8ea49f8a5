/** Counts the resources that a process holds, to find leaks. */

export interface Handles {
  readonly sockets: number;
  readonly timers: number;
}

export function handles(): Handles {
  const all = process.getActiveResourcesInfo();
  const count = (kind: string) => all.filter((name) => name === kind).length;
  return { sockets: count("TCPSocketWrap"), timers: count("Timeout") };
}
