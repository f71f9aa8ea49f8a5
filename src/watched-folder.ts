/**
 * Says that something in a folder may have changed; what, the listener finds out by looking.
 * Besides chokidar's events there is a look every few seconds: network file systems report no
 * changes, and a folder that is itself a link may come to lead elsewhere.
 */
import { existsSync, realpathSync, statSync } from "node:fs";
import chokidar from "chokidar";

const quietMs = 15;
const longestMs = 45;
const lookEveryMs = 3_000;

/**
 * Calls `look` once per burst of changes, at most 45 ms after its first. Resolves, once changes are
 * seen, with how to stop.
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
 * Whether a path is a second way to a folder: links make circles, and a few that fork make more
 * paths than there is time for. What is watched on the first way is enough, because the listener
 * looks at everything.
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
