/*
 * The small programs of the image, which has no shell. All of them are one executable, which
 * chooses the program by the name under which it was started, as busybox does.
 */
#ifndef SLUICE_PROGRAMS_H
#define SLUICE_PROGRAMS_H

int supervise(char **command);
int start_controller(char **arguments);
int start_script(const char *script, const char *subcommand, int with_run_folder, char **arguments);
int wait_shutdown(void);
int guard(char **command);

#endif
