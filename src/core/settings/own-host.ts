import type { Settings } from "./registry.ts";

/**
 * Returns the variable with the host and port that the request itself names. Without trusted
 * proxies it is $best_http_host, because one more map would cost time at every reload.
 */
export function ownHost({ useForwardedHeaders }: Settings): string {
  return useForwardedHeaders ? "own_host" : "best_http_host";
}
