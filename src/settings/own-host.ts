import type { Settings } from "./registry.ts";

/**
 * The variable with the host that the request itself names, and its port. Where no proxy is trusted
 * that is $best_http_host, and a map more would cost every reload.
 */
export function ownHost({ useForwardedHeaders }: Settings): string {
  return useForwardedHeaders ? "own_host" : "best_http_host";
}
