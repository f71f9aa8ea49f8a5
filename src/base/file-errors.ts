/**
 * Says in plain words why a file or folder could not be used. Node's own message has the name of a
 * system call and repeats the path.
 */
const words: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a file is where a folder is needed",
  EISDIR: "it is a folder",
  EEXIST: "a file is where a folder is needed",
  EACCES: "this account has no right to it",
  EPERM: "this account has no right to it",
  EROFS: "its file system is read-only",
  ENOSPC: "the disk is full",
  EMFILE: "too many files are open",
  ELOOP: "it is a symbolic link, or its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  ECONNREFUSED: "nothing listens there",
};

/** Completes a sentence like "FOLDER cannot be read: …". Other errors keep their own message. */
export function fileError(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return words[code] ?? message;
}
