/**
 * Makes the ports of streams. All listeners with the same protocol and number share one port,
 * whichever object has them.
 */
import type { RequestsBeside, StreamListener, StreamPort } from "../../model/streams.ts";
import type { ListenerReading } from "./reading.ts";

/**
 * Makes the ports of one Gateway, or those that all share. `of` is the Gateway, or `*` if all
 * share the ports of this machine. `all` are in the order of their precedence. `placeOf` returns
 * the port on which nginx listens, and `besideOn` the hostnames of requests on a port that takes
 * some. The ports have no address yet.
 */
export function streamPorts(
  of: string,
  all: readonly ListenerReading[],
  isServed: (one: ListenerReading) => boolean,
  placeOf: (one: ListenerReading) => number,
  besideOn: (place: number) => RequestsBeside | undefined,
): readonly StreamPort[] {
  const byPort = Map.groupBy(
    all.filter(({ stream }) => stream !== undefined),
    (one) => `${one.stream} ${placeOf(one)}`,
  );
  return [...byPort.values()].flatMap((some): StreamPort[] => {
    const served = some.filter(isServed);
    const [first] = served;
    if (first?.stream === undefined) return [];
    const listeners = new Map<string, StreamListener>();
    // A listener with a conflict, or one that is closed, stays in the list, so that its names do
    // not go to a listener with a less specific hostname.
    for (const one of some) {
      const { id, hostname, tls, certificates, refused, conflict, isBeaten } = one;
      const isConflicting = refused === undefined && conflict !== undefined && !isBeaten;
      const isHere = isServed(one) || isConflicting || (refused?.keepsHosts === true && !isBeaten);
      if (!isHere || listeners.has(hostname)) continue;
      listeners.set(hostname, { id, hostname, certificates: tls ? certificates : undefined });
    }
    const listenPort = placeOf(first);
    const beside = first.stream === "tls" ? besideOn(listenPort) : undefined;
    return [
      {
        id: `${of}:${first.listener.port}${first.stream === "udp" ? "/udp" : ""}`,
        protocol: first.stream,
        address: undefined,
        listenPort,
        owners: [...new Set(served.map(({ owner }) => owner))],
        listeners: [...listeners.values()],
        ...(beside === undefined ? {} : { beside }),
      },
    ];
  });
}
