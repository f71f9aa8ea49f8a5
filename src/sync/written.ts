/** Why a write to the disk failed: a full disk or a read-only one is no reason to end. Anything else is a bug, and throws. */
export async function written(write: Promise<void>): Promise<Error | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return error;
    throw error;
  }
}
