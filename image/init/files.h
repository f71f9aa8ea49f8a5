/*
 * Functions that several of the programs need: the run folder, small files, and names of processes.
 */
#ifndef SLUICE_FILES_H
#define SLUICE_FILES_H

#include <stddef.h>
#include <sys/types.h>

/* Returns the folder of nginx's pid file and the controller's data. */
const char *run_folder(void);

/*
 * Reads a small file into a string without its last line breaks. Returns its length, or -1 if it
 * cannot be read.
 */
int read_file(const char *path, char *text, size_t size);

/* Returns whether a process has this name. A zombie keeps its name until it is reaped. */
int is_named(pid_t pid, const char *name);

#endif
