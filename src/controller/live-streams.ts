/**
 * Answers the questions of nginx for the endpoints of streams, and reports when nginx has the
 * endpoints of a turn. A new pool has no endpoints until then, so the statuses of Gateways wait for
 * that report.
 */
import { inBackground } from "../base/callbacks.ts";
import type { StreamServer } from "../core/model/configuration.ts";
import { streamKey } from "../core/model/records.ts";
import { hasEndpointsAsData, poolRecords, streamService } from "../core/render/streams/pools.ts";
import type { Machine } from "../core/tokens/machine.ts";
import { answerStreamEndpoints, type StreamPortEvent } from "../edges/names/stream-endpoints.ts";

export interface LiveStreams {
  /**
   * Calls `say` as soon as nginx has the endpoints of these streams. If it was called several
   * times for the same streams, the last call counts. After a later change nothing is reported for
   * the earlier streams.
   */
  whenTaken(streams: readonly StreamServer[], say: () => void): void;
  /** Resolves when nginx has the endpoints of these streams. */
  taken(streams: readonly StreamServer[]): Promise<void>;
  end(): Promise<void>;
}

/** Starts to answer. nginx may be started first; its questions wait until there are records. */
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
  const taken = async (streams: readonly StreamServer[]) => {
    if (streams.length > 0) await answers.taken(poolRecords(streams));
  };
  return { whenTaken: inTurn(taken), taken, end: () => answers.end() };
}

/**
 * Makes `whenTaken` from a function that resolves when nginx has these streams. If streams
 * change all the time, each turn is reported when nginx has its streams, and not only the last
 * turn.
 */
export function inTurn(taken: (streams: readonly StreamServer[]) => Promise<void>): LiveStreams["whenTaken"] {
  /** The last turn that was reported, and those after it. */
  let all: readonly Waiting[] = [];
  return (streams, say) => {
    const last = all.at(-1);
    if (last?.streams === streams) {
      if (last.isOver) say();
      else last.say = say;
      return;
    }
    const waiting: Waiting = { streams, say, isOver: false };
    all = [...all, waiting];
    const over = () => {
      const at = all.indexOf(waiting);
      if (at === -1) return;
      all = all.slice(at);
      waiting.isOver = true;
      waiting.say();
    };
    if (streams.length === 0) over();
    else inBackground("the report of streams", taken(streams).then(over));
  };
}

interface Waiting {
  readonly streams: readonly StreamServer[];
  say: () => void;
  isOver: boolean;
}

/**
 * Serves an nginx that does not ask for endpoints: they are in its text, so a reload delivers them.
 */
const textOnly: LiveStreams = {
  whenTaken: (_, say) => say(),
  taken: async () => {},
  end: async () => {},
};
