/**
 * Answers a Digest challenge. The challenge is fetched over plain http, also for a request that
 * goes over https.
 */
import { createHash } from "node:crypto";
import type { Pki } from "../support/pki.ts";
import { connect } from "./connection.ts";
import { type Header, headOf } from "./message.ts";
import { ReplyReader } from "./reply.ts";
import type { RequestSpec } from "./request-spec.ts";

type Who = NonNullable<RequestSpec["digest"]>;

/** Returns the Authorization header (RFC 7616, MD5). Throws `Unanswered`, as a request does. */
export async function digestOf(spec: RequestSpec, who: Who, pki: Pki): Promise<Header> {
  const { host, path = "/", method = "GET" } = spec;
  const bare: RequestSpec = { ...(host === undefined ? {} : { host }), path, method };
  const { socket } = await connect(bare, pki);
  socket.write(headOf(bare, []), "latin1");
  const { headers } = await new ReplyReader(socket, 10_000).read(method);
  socket.destroy();
  const challenge = headers.find(([name]) => name === "www-authenticate")?.[1] ?? "";
  const fields = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
  const [realm = "", nonce = ""] = [fields.get("realm"), fields.get("nonce")];
  const secret = md5(`${who.user}:${realm}:${who.password}`);
  const response = md5([secret, nonce, "00000001", "abcdef", "auth", md5(`${method}:${path}`)].join(":"));
  const given = `username="${who.user}", realm="${realm}", nonce="${nonce}", uri="${path}"`;
  return ["Authorization", `Digest ${given}, qop=auth, nc=00000001, cnonce="abcdef", response="${response}"`];
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
