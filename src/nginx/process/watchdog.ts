import { existsSync } from "node:fs";

/**
 * Guarantees that no nginx is left when the controller has ended in any way. A SIGKILL cannot be
 * caught, but the kernel closes the pipes of a dead process, and a shell waits for that on
 * descriptor 3. The shell that is started here becomes nginx itself, so nginx never runs without a
 * watchdog; a copy of the shell in the same process group is the watchdog. As long as the copy
 * lives, no other process group can get the same number.
 */
const watchdog = `
(
  trap '' TERM
  cat <&3 >/dev/null
  kill -s TERM -- "-$$"
  tries=0
  while kill -s 0 "$$" && [ "$tries" -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -s KILL -- "-$$"
) </dev/null >/dev/null 2>&1 &
exec "$@" 3<&-
`;

/**
 * The watchdog as a program, for the image, which has no shell; its source is in image/init.
 */
const program = "/usr/lib/sluice/guarded-nginx";

/** Returns the words that precede nginx and its arguments. */
export const guardCommand = (): readonly [string, ...string[]] =>
  existsSync(program) ? [program] : ["/bin/sh", "-c", watchdog, "sh"];
