/** Answers each question over DNS with no records, on port 53. */
import { createSocket } from "node:dgram";

const isAnswer = 0x8000;
const socket = createSocket("udp4");
socket.on("message", (message, { port, address }) => {
  message.writeUInt16BE(message.readUInt16BE(2) | isAnswer, 2);
  socket.send(message, port, address);
});
socket.bind(53, () => console.log("listening on port 53"));
