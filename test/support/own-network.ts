/**
 * A network namespace for each test file, with the addresses of the tests in it. Files run side by
 * side, and in one namespace what they listen on must never meet: two nginx that share a port by
 * `reuseport` answer for each other without a word, and who listens on every address is in the way
 * of all who have one. Here no port is anybody else's.
 */
import { join } from "node:path";
import { ForksPoolWorker, type PoolOptions, type PoolRunnerInitializer } from "vitest/node";

const setUp = join(import.meta.dirname, "../../scripts/namespace.sh");

class OwnNetwork extends ForksPoolWorker {
  override readonly name: string = "own-network";

  constructor(options: PoolOptions) {
    super(options);
    const rootless = process.getuid?.() === 0 ? [] : ["--map-root-user"];
    this.execArgv = [...rootless, "--net", "--", "sh", setUp, process.execPath, ...this.execArgv];
  }

  /** Forks Node through `unshare`, because vitest has no option for that. */
  override start(): Promise<void> {
    const node = process.execPath;
    process.execPath = "unshare";
    const started = super.start();
    process.execPath = node;
    return started;
  }
}

export const ownNetwork: PoolRunnerInitializer = {
  name: "own-network",
  createPoolWorker: (options) => new OwnNetwork(options),
};
