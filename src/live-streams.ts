/**
 * The endpoints of streams, where nginx asks the controller for them: the answers, and when nginx
 * has taken those of a turn. Until then a new pool has none, so what a turn says of Gateways is not
 * live before.
 */
import type { Machine } from "./directives/machine.ts";
import type { StreamServer } from "./model/configuration.ts";
import { streamKey } from "./model/records.ts";
import { answerStreamEndpoints, type StreamPortEvent } from "./names/stream-endpoints.ts";
import { hasEndpointsAsData, poolRecords, streamService } from "./render/streams/pools.ts";

export interface LiveStreams {
  /**
   * Calls `say` as soon as nginx has the endpoints of these streams. Of several calls for the same
   * streams the last one counts, and none counts after a later one.
   */
  whenTaken(streams: readonly StreamServer[], say: () => void): void;
  /** Resolves when nginx has the endpoints of these streams. */
  taken(streams: readonly StreamServer[]): Promise<void>;
  end(): Promise<void>;
}

/**
 * Starts to answer. Questions that come before there are records, of an nginx that was started
 * first, wait for them.
 */
export function openLiveStreams(
  machine: Machine,
  records: Promise<ReadonlyMap<string, string>>,
  report: (event: StreamPortEvent) => void,
): LiveStreams {
  if (!hasEndpointsAsData(machine)) return textOnly;
  const answers = answerStreamEndpoints({
    port: machine.ports.stream,
    service: streamService(machine),
    recordOf: async (pool) => (await records).get(streamKey(pool)),
    report,
  });
  let last: Waiting | undefined;
  const taken = async (streams: readonly StreamServer[]) => {
    if (streams.length > 0) await answers.taken(poolRecords(streams));
  };
  const whenTaken = (streams: readonly StreamServer[], say: () => void) => {
    if (last?.streams === streams) {
      if (last.isOver) say();
      else last.say = say;
      return;
    }
    const waiting: Waiting = { streams, say, isOver: streams.length === 0 };
    last = waiting;
    if (waiting.isOver) return say();
    void taken(streams).then(() => {
      waiting.isOver = true;
      if (waiting === last) waiting.say();
    });
  };
  return { whenTaken, taken, end: () => answers.end() };
}

interface Waiting {
  readonly streams: readonly StreamServer[];
  say: () => void;
  isOver: boolean;
}

/** A reload has brought the endpoints. */
const textOnly: LiveStreams = {
  whenTaken: (_, say) => say(),
  taken: async () => {},
  end: async () => {},
};
