/**
 * How a property test that is dear, over a real nginx or over long histories, draws its samples.
 * The seed is fixed, so that a suite never fails by luck on a change that is not at fault; who
 * looks for more asks for other samples: `DRAWN_SEED=7 DRAWN_RUNS=200 npm test nginx --
 * test/nginx/modes.test.ts`.
 */

/** Parameters for `fc.assert`; says the seed, `runs` is what the suite can afford. */
export function drawn(runs: number): { readonly seed: number; readonly numRuns: number } {
  const { DRAWN_SEED: seed = "1", DRAWN_RUNS: wanted = String(runs) } = process.env;
  console.log(`seed ${seed}, ${wanted} samples`);
  return { seed: Number(seed), numRuns: Number(wanted) };
}
