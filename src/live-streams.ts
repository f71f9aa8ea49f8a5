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
   * streams the last one counts, and nothing is reported after a later change.
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
  const taken = async (streams: readonly StreamServer[]) => {
    if (streams.length > 0) await answers.taken(poolRecords(streams));
  };
  return { whenTaken: inTurn(taken), taken, end: () => answers.end() };
}

/**
 * `whenTaken` by a function that resolves when nginx has these streams. Where streams change all
 * the time, each turn is reported when nginx has its streams, and not only the last one.
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
    else void taken(streams).then(over);
  };
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
