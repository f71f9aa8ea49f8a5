import { readFileSync } from "node:fs";

/** Options of Node in the image's script, but the one that depends on the machine. */
export function imageOptions(): readonly string[] {
  const script = readFileSync(new URL("../../../image/nginx-ingress-controller", import.meta.url), "utf8");
  return /^exec node ((?:--\S+ )+)/m.exec(script)![1]!.trim().split(" ");
}
