/**
 * The words of `proxy_next_upstream` and `grpc_next_upstream`, for the http block and for locations
 * with their own value.
 */
import { Token } from "../tokens/token.ts";

export interface NextUpstreamTokens {
  readonly http: Token;
  /** Undefined if gRPC has none of the cases. */
  readonly grpc: Token | undefined;
}

export function nextUpstreamTokens(cases: readonly string[], retryNonIdempotent: boolean): NextUpstreamTokens {
  if (cases.includes("off")) return { http: Token.name("off"), grpc: Token.name("off") };
  const words = [...new Set([...cases, ...(retryNonIdempotent ? ["non_idempotent"] : [])])];
  const grpc = words.filter((word) => word !== "updating");
  return { http: wordsOf(words), grpc: grpc.length === 0 ? undefined : wordsOf(grpc) };
}

function wordsOf(words: readonly string[]): Token {
  return Token.words(words.map(Token.name));
}
