/**
 * The environment of an nginx: that of this process, with settings of its C library about memory.
 * For each `map` of a text nginx asks for some megabytes, clears half of them and gives them back
 * at once; by itself the library hands them to the kernel every time and gets them anew, a page
 * fault for each 4 kB. With these it keeps up to 4 MB that are free, which makes reading a text
 * twice as fast. Other C libraries than glibc, and nginx itself, take no notice.
 */
const allocator = {
  /**
   * In bytes: smaller pieces come from the heap. The library finds half as much by itself, but no
   * longer looks once the other is set.
   */
  MALLOC_MMAP_THRESHOLD_: String(1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(4 * 1024 * 1024),
} as const;

export const nginxEnvironment = (): NodeJS.ProcessEnv => ({ ...process.env, ...allocator });
