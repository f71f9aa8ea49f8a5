/**
 * Reports that files in a folder may have changed; the listener has to read them. Beside chokidar's
 * events it reports every few seconds, because network file systems send no events, and a folder
 * that is itself a link may change its target.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import chokidar from "chokidar";
import { callback, later, repeat } from "./callbacks.ts";

const quietMs = 15;
const longestMs = 45;
const lookEveryMs = 3_000;

/**
 * Calls `look` once for each burst of changes, at most 45 ms after the first one. Resolves with a
 * function that ends this, as soon as changes are noticed.
 */
export async function watchFolder(folder: string, look: () => void): Promise<() => Promise<void>> {
  const ignored = [/(^|\/)(\.git|node_modules)$/, secondWays()];
  const watcher = chokidar.watch(folder, { ignoreInitial: true, ignored });
  let timer: NodeJS.Timeout | undefined;
  let since: number | undefined;
  const soon = (): void => {
    const now = performance.now();
    since ??= now;
    clearTimeout(timer);
    timer = later("the look at a folder", Math.min(quietMs, Math.max(0, since + longestMs - now)), () => {
      since = undefined;
      look();
    });
  };
  for (const event of ["all", "error"] as const) watcher.on(event, callback("the look at a folder", soon));
  await new Promise<void>((resolve) => {
    watcher.once("ready", resolve);
  });
  const looking = repeat("the look at a folder", lookEveryMs, look);
  return async () => {
    clearTimeout(timer);
    clearInterval(looking);
    await watcher.close();
  };
}

/**
 * Returns a function that says whether a path is a second way to a folder. Links can make circles,
 * and a few links that branch make too many paths. It is enough to watch the first path, because
 * the listener reads everything.
 */
function secondWays(): (path: string) => boolean {
  const firsts = new Map<string, string>();
  return (path) => {
    try {
      if (!statSync(path).isDirectory()) return false;
      const real = realpathSync(path);
      const first = firsts.get(real);
      if (first === undefined || !existsSync(first)) firsts.set(real, path);
      return firsts.get(real) !== path;
    } catch {
      return false;
    }
  };
}
