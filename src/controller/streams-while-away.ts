/**
 * The endpoints of streams for an nginx in a container of its own, while its controller is away.
 * nginx keeps those that it has, but one that restarts has none, and would refuse all connections.
 * The journal has the last ones.
 *
 * The controller and this program answer on the same port, so only one of them can have it. This
 * one gives it up as soon as the controller gives an order.
 */
import { later } from "../base/callbacks.ts";
import { streamKey } from "../core/model/records.ts";
import { answerStreamEndpoints, type StreamEndpoints } from "../edges/names/stream-endpoints.ts";
import { Journal } from "../nginx/index.ts";

export interface StreamsWhileAwayOptions {
  /** UDP port on 127.0.0.1. */
  readonly port: number;
  /** The name under which nginx asks for the servers of a pool. */
  readonly service: string;
  /** Path of the journal. */
  readonly journal: string;
  /** Called when the journal has been read for nginx, after the controller has gone. */
  readonly report: () => void;
}

export interface StreamsWhileAway {
  /** Called when the controller has given an order, because it then answers by itself. */
  controllerIsHere(): Promise<void>;
  end(): Promise<void>;
}

/** The controller asks for nginx's state each second. */
const awayMs = 5_000;

/** Starts to answer at once, because the first start of nginx is the one that needs it. */
export function answerWhileAway({ port, service, journal, report }: StreamsWhileAwayOptions): StreamsWhileAway {
  let answers: StreamEndpoints | undefined;
  let opening: NodeJS.Timeout | undefined;
  const open = () => {
    let records: Promise<ReadonlyMap<string, string>> | undefined;
    const read = async () => {
      const opened = await Journal.open(journal);
      report();
      return opened.records;
    };
    const recordOf = async (pool: string) => {
      records ??= read().catch((error: unknown) => {
        // The next question opens the journal again.
        records = undefined;
        throw error;
      });
      return (await records).get(streamKey(pool));
    };
    // A port that is busy belongs to the controller, which is not away then.
    answers = answerStreamEndpoints({ port, service, recordOf, report: () => {} });
  };
  const close = async () => {
    clearTimeout(opening);
    const last = answers;
    answers = undefined;
    await last?.end();
  };
  open();
  return {
    controllerIsHere() {
      const closed = close();
      opening = later("the port of streams", awayMs, open).unref();
      return closed;
    },
    end: close,
  };
}
