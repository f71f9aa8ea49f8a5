/* Finds the run folder, reads small files, and finds processes by their names. */
#define _GNU_SOURCE
#include "files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *run_folder(void)
{
    const char *given = getenv("SLUICE_RUN_FOLDER");
    return given && *given ? given : "/run/sluice";
}

int read_file(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t length = read(file, text, size - 1);
    close(file);
    if (length < 0) return -1;
    while (length > 0 && text[length - 1] == '\n') length--;
    text[length] = '\0';
    return (int) length;
}

int is_named(pid_t pid, const char *name)
{
    char path[64], comm[64];
    snprintf(path, sizeof path, "/proc/%d/comm", (int) pid);
    return read_file(path, comm, sizeof comm) > 0 && strcmp(comm, name) == 0;
}
