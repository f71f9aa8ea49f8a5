/**
 * A controller in miniature, as a process of its own that a test can kill: `controller.ts FOLDER
 * END CONF`. It opens nginx in FOLDER, applies the configuration in CONF (JSON) unless that is `-`,
 * and prints what it found and did. END is `true` or `false`, see `endWithController`. It ends on
 * SIGTERM, by stopping nginx.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { openNginx, openRunFolder } from "../../../src/nginx/index.ts";
import { installedNginx } from "./installed.ts";

const [path = "", end, conf = "-"] = process.argv.slice(2);
const opened = openRunFolder(path);
if (!opened.ok) throw new Error(opened.why);
const { binary } = await installedNginx();
const { folder } = opened;
const say = (what: object): boolean => process.stdout.write(`${JSON.stringify(what)}\n`);
const options = { binary, folder, endWithController: end === "true", maxDraining: 4 };
const started = await openNginx({ ...options, report: (event) => void (event.kind !== "line" && say({ event })) });
if (!started.ok) {
  say({ refused: started.why });
  process.exit(1);
}
const { nginx, found } = started;
say({ found });
if (conf !== "-") {
  say({ outcome: await nginx.apply(JSON.parse(readFileSync(conf, "utf8")), new AbortController().signal) });
}
say({ ready: nginx.pid });
const stayAlive = setInterval(() => {}, 60_000);
await once(process, "SIGTERM");
clearInterval(stayAlive);
await nginx.stop(5_000);
say({ stopped: true });
