/**
 * Reports that something in a folder may have changed; the listener has to look for itself. Beside
 * chokidar's events it reports every few seconds, because network file systems send no events, and
 * a folder that is itself a link may change its target.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import chokidar from "chokidar";

const quietMs = 15;
const longestMs = 45;
const lookEveryMs = 3_000;

/**
 * Calls `look` once per burst of changes, at most 45 ms after its first. Resolves with how to stop,
 * once changes are noticed.
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
    timer = setTimeout(
      () => {
        since = undefined;
        look();
      },
      Math.min(quietMs, Math.max(0, since + longestMs - now)),
    );
  };
  watcher.on("all", soon).on("error", soon);
  await new Promise<void>((resolve) => {
    watcher.once("ready", resolve);
  });
  const looking = setInterval(look, lookEveryMs);
  return async () => {
    clearTimeout(timer);
    clearInterval(looking);
    await watcher.close();
  };
}

/**
 * Whether a path is a second way to a folder. Links make circles, and a few that branch make more
 * paths than there is time for. Watching the first way is enough, because the listener reads
 * everything.
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
