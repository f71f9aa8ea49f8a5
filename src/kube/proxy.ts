/**
 * Connects to an API server through a proxy. The libraries for that are loaded late, because few
 * kubeconfigs name a proxy.
 */
import type { Agent } from "node:http";
import type { AgentOptions } from "node:https";

/**
 * Returns a maker of agents that connect through a proxy. `proxy` is a URL of `http`, `https` or a
 * kind of `socks`.
 */
export async function throughProxy(proxy: string, server: URL): Promise<(options: AgentOptions) => Agent> {
  if (proxy.startsWith("socks")) {
    const { SocksProxyAgent } = await import("socks-proxy-agent");
    return (options) => new SocksProxyAgent(proxy, options as object);
  }
  const { HttpProxyAgent, HttpsProxyAgent } = await import("hpagent");
  return server.protocol === "https:"
    ? (options) => new HttpsProxyAgent({ ...options, proxy })
    : (options) => new HttpProxyAgent({ ...options, proxy });
}
