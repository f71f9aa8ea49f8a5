/**
 * Runs each test file in a network namespace of its own, which has the addresses of the tests.
 * Files run in parallel, and in one shared namespace their ports would have to differ: two nginx
 * that share a port by `reuseport` silently answer for each other, and a server that listens on all
 * addresses blocks the port on each of them. In its own namespace a file may use any port.
 */
import { join } from "node:path";
import { ForksPoolWorker, type PoolOptions, type PoolRunnerInitializer } from "vitest/node";

const setUp = join(import.meta.dirname, "../../scripts/namespace.sh");

class OwnNetwork extends ForksPoolWorker {
  override readonly name: string = "own-network";

  constructor(options: PoolOptions) {
    super(options);
    const rootless = process.getuid?.() === 0 ? [] : ["--map-root-user", "--mount"];
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
