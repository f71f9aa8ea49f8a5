/** Returns the numbers of hosts for a benchmark: `BENCH_HOSTS=100,1000` tries it with fewer. */
export function sizesOr(usual: readonly number[]): readonly number[] {
  const { BENCH_HOSTS } = process.env;
  return BENCH_HOSTS === undefined ? usual : BENCH_HOSTS.split(",").map(Number);
}
