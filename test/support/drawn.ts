/**
 * Sets the samples of expensive property tests, which use a real nginx or long histories. The seed
 * is fixed, so that a suite never fails by chance on a change that is not at fault. To search for
 * more, choose other samples: `DRAWN_SEED=7 DRAWN_RUNS=200 npm test nginx --
 * test/nginx/modes.test.ts`.
 */

/**
 * Returns parameters for `fc.assert`, and prints the seed. `runs` is the default number of samples.
 */
export function drawn(runs: number): { readonly seed: number; readonly numRuns: number } {
  const { DRAWN_SEED: seed = "1", DRAWN_RUNS: wanted = String(runs) } = process.env;
  console.log(`seed ${seed}, ${wanted} samples`);
  return { seed: Number(seed), numRuns: Number(wanted) };
}
