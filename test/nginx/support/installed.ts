import { askCapabilities, type Capabilities } from "../../../src/nginx/index.ts";

/**
 * Returns the capabilities of the nginx under test: that of `NGINX_BINARY`, or else the installed
 * one.
 */
export async function installedNginx(): Promise<Capabilities> {
  const asked = await askCapabilities(process.env.NGINX_BINARY ?? "nginx", process.env.PATH ?? "");
  if (!asked.ok) throw new Error(asked.why);
  return asked.capabilities;
}
