/*
 * The small programs of the image, which has no shell. All are one executable that looks at the name it was
 * started by, as busybox does.
 */
#ifndef SLUICE_PROGRAMS_H
#define SLUICE_PROGRAMS_H

#include <stddef.h>
#include <sys/types.h>

int supervise(char **command);
int start_controller(char **arguments);
int start_script(const char *script, const char *subcommand, int with_run_folder, char **arguments);
int wait_shutdown(void);
int guard(char **command);

/* The folder of nginx's pid file and the controller's data. */
const char *run_folder(void);

/* Reads a small file into a string without its last newline; -1 if it is not there. */
int read_file(const char *path, char *text, size_t size);

/* Whether a process has this name; a zombie keeps its name until it is reaped. */
int is_named(pid_t pid, const char *name);

#endif
