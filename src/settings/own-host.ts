import type { Settings } from "./registry.ts";

/**
 * The variable with the host and port that the request itself names. Without trusted proxies it is
 * $best_http_host, because another map would cost every reload.
 */
export function ownHost({ useForwardedHeaders }: Settings): string {
  return useForwardedHeaders ? "own_host" : "best_http_host";
}
