/**
 * Sends raw bytes to nginx, and collects everything that comes back until the connection ends or
 * falls silent.
 */
import { connect } from "node:net";
import { ports } from "./world.ts";

/** A connection that the server ends is read to its end; the silence is for one that it keeps. */
export function exchange(bytes: string | readonly string[], { silenceMs = 60_000 } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: "192.0.2.1", port: ports.http });
    let text = "";
    const end = (): void => {
      socket.destroy();
      resolve(text);
    };
    socket.setEncoding("latin1").setTimeout(silenceMs, end);
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", end).on("close", end);
    for (const part of [bytes].flat()) socket.write(part, "latin1");
  });
}

/** Resolves with the text so far when it matches, although the answer may continue. */
export function firstBytes(bytes: string, wanted: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "192.0.2.1", port: ports.http });
    let text = "";
    socket.setEncoding("latin1").on("data", (data) => {
      text += data;
      if (!wanted.test(text)) return;
      resolve(text);
      socket.destroy();
    });
    socket.on("error", reject).on("close", () => resolve(text));
    socket.write(bytes, "latin1");
  });
}

/** Returns the status lines in an answer. */
export const statuses = (text: string): readonly number[] =>
  [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status));
