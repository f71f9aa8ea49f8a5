/**
 * Waits for a write to the disk and returns the error if it failed, because a full or read-only
 * disk must not end the controller. Any other error is a bug and is thrown.
 */
export async function written(write: Promise<void>): Promise<Error | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return error;
    throw error;
  }
}
