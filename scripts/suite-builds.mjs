/**
 * Lists the built programs that each suite needs. `scripts/suite-builds.test.ts` compares the list
 * with what the tests import, because a suite may run alone and on a machine that has built
 * nothing.
 */
export const builds = {
  "scripts/kubernetes-tools.ts": ["chart", "e2e", "image", "conformance", "soak"],
  "scripts/promtool.ts": ["e2e"],
  "scripts/gateway-suite.ts": ["chart", "e2e", "image", "conformance"],
};
