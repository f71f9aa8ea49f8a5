import { defineConfig } from "vitest/config";
import { ownNetwork } from "./test/support/own-network.ts";

/**
 * The suites, by what they need. `scripts/test.mjs` picks them and gives them a network namespace.
 * Suites that run one file after the other stay in it.
 */
const suites = {
  unit: {
    include: ["src/**/*.test.ts", "scripts/**/*.test.ts", "test/support/**/*.test.ts", "test/bench/**/*.test.ts"],
    testTimeout: 120_000,
  },
  // Golden files hold no words of an nginx, whose version differs from machine to machine.
  golden: { include: ["test/golden/**/*.test.ts"], testTimeout: 120_000, env: { NGINX_BINARY: "/no/nginx" } },
  nginx: { include: ["test/nginx/**/*.test.ts", "test/property/**/*.test.ts"], testTimeout: 300_000, pool: ownNetwork },
  parity: { include: ["test/parity/**/*.test.ts"], testTimeout: 300_000, fileParallelism: false, pool: ownNetwork },
  // On a busy machine, where answers cost much, the page asks again after half a minute.
  page: {
    include: ["test/page/**/*.test.ts"],
    testTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    fileParallelism: false,
    pool: ownNetwork,
  },
  hostile: { include: ["test/hostile/**/*.test.ts"], testTimeout: 300_000, pool: ownNetwork },
  simulation: { include: ["test/simulation/**/*.test.ts"], testTimeout: 1_200_000 },
  chart: { include: ["test/chart/**/*.test.ts"], testTimeout: 300_000, fileParallelism: false },
  image: { include: ["test/image/**/*.test.ts"], testTimeout: 300_000, fileParallelism: false },
  release: { include: ["test/release/**/*.test.ts"], testTimeout: 300_000 },
  conformance: { include: ["test/conformance/**/*.test.ts"], testTimeout: 300_000, fileParallelism: false },
  soak: { include: ["test/soak/**/*.test.ts"], testTimeout: 300_000, fileParallelism: false },
  e2e: { include: ["test/e2e/**/*.test.ts"], testTimeout: 300_000, fileParallelism: false },
};

/**
 * Limits that a hook does not reach even if it starts a cluster on a busy machine. Vitest's own
 * are ten seconds for a hook and one for a poll.
 */
const patience = { hookTimeout: 300_000, expect: { poll: { timeout: 30_000 } } };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: Object.entries(suites).map(([name, suite]) => ({ test: { name, ...patience, ...suite } })),
  },
});
