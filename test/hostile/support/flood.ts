/** Answers that have no end, up to a number of megabytes. */
import type { Duplex } from "node:stream";

/** The megabytes that are sent if the other side takes them all. */
export const mostSent = 300;

const megabyte = Buffer.alloc(1024 * 1024, "a");

export interface Flood {
  /** The megabytes that were handed to the connection. */
  sent: number;
  ended: boolean;
}

export function pour(flood: Flood, stream: Duplex): void {
  const end = () => {
    flood.ended = true;
  };
  const more = () => {
    while (flood.sent < mostSent && !stream.destroyed) {
      flood.sent++;
      if (!stream.write(megabyte)) return void stream.once("drain", more);
    }
    stream.end();
  };
  stream.on("error", () => {}).on("close", end);
  more();
}
