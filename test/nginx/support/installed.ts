import { askCapabilities, type Capabilities } from "../../../src/nginx/index.ts";

/** What the nginx under test can do: `NGINX_BINARY`, else the one installed. */
export async function installedNginx(): Promise<Capabilities> {
  const asked = await askCapabilities(process.env.NGINX_BINARY ?? "nginx", process.env.PATH ?? "");
  if (!asked.ok) throw new Error(asked.why);
  return asked.capabilities;
}
