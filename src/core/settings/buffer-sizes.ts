/**
 * Adjusts the four directives about buffers of answers to each other. nginx refuses a whole
 * configuration in which they do not fit, so a value that does not is moved to the nearest one that
 * does.
 */

import { bytesOf } from "../kinds/measures.ts";
import { Token } from "../tokens/token.ts";

export interface ProxyBuffers {
  readonly number: number;
  /** Sizes in the form of nginx. */
  readonly size: string;
  /** Undefined for nginx's own default, two buffers. */
  readonly busy: string | undefined;
  readonly maxTempFile: string;
}

export interface ProxyBufferTokens {
  readonly proxy_buffer_size: Token;
  readonly proxy_buffers: Token;
  readonly proxy_busy_buffers_size: Token | undefined;
  readonly proxy_max_temp_file_size: Token;
}

/**
 * Returns sizes that fulfil nginx's rules. There are at least two buffers; busy buffers are at
 * least one and leave one free; a temporary file has no size or at least that of one buffer.
 */
export function proxyBufferTokens({ number, size, busy, maxTempFile }: ProxyBuffers): ProxyBufferTokens {
  const count = Math.max(2, number);
  const one = bytesOf(size);
  const wanted = busy === undefined ? 2 * one : bytesOf(busy);
  const fitting = Math.min(Math.max(wanted, one), (count - 1) * one);
  const file = bytesOf(maxTempFile);
  return {
    proxy_buffer_size: Token.size(size),
    proxy_buffers: Token.words([Token.count(count), Token.size(size)]),
    proxy_busy_buffers_size:
      busy === undefined && fitting === wanted
        ? undefined
        : fitting === wanted
          ? Token.size(busy!)
          : Token.count(fitting),
    proxy_max_temp_file_size: file !== 0 && file < one ? Token.size(size) : Token.size(maxTempFile),
  };
}
