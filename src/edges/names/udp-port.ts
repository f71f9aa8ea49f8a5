/** A UDP port of this machine on which the controller answers DNS questions of nginx. */
import { createSocket, type RemoteInfo } from "node:dgram";
import { callback, later } from "../../base/callbacks.ts";

export interface UdpPortOptions {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** Resolves with the answer, or with undefined if none is sent. */
  readonly answer: (message: Buffer) => Promise<Buffer | undefined>;
  /** Called once when another process uses the port. */
  readonly onBusy: (why: string) => void;
}

/** The pause before a port that another process holds is tried again. */
const againMs = 1_000;

/**
 * Starts to answer. Returns a function that stops it. A busy port is tried again until it is free.
 */
export function answerOnUdp({ port, answer, onBusy }: UdpPortOptions): () => Promise<void> {
  let ended = false;
  let isBusy = false;
  let again: NodeJS.Timeout | undefined;
  let socket = open();
  return async () => {
    ended = true;
    clearTimeout(again);
    await new Promise<void>((resolve) => {
      try {
        socket.close(resolve);
      } catch {
        resolve();
      }
    });
  };

  function open() {
    const opened = createSocket("udp4");
    opened.on(
      "message",
      callback("an answer to a question for names", (message: Buffer, from: RemoteInfo) => {
        // A program that can send to the port must not end the controller by an odd question, nor
        // by a sender that no answer can reach, such as port 0.
        answer(message)
          .then((answered) => {
            if (answered !== undefined && !ended) opened.send(answered, from.port, from.address, () => {});
          })
          .catch(() => {});
      }),
    );
    opened.on(
      "error",
      callback("the port for names", (error: Error) => {
        opened.close();
        if (ended) return;
        if (!isBusy) onBusy(error.message);
        isBusy = true;
        again = later("the port for names", againMs, () => {
          socket = open();
        }).unref();
      }),
    );
    opened.bind(port, "127.0.0.1", () => {
      isBusy = false;
    });
    return opened;
  }
}
