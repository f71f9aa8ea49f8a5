/* Chooses the program by the name under which it was started. */
#define _GNU_SOURCE
#include "programs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    const char *slash = count > 0 ? strrchr(arguments[0], '/') : NULL;
    const char *name = slash ? slash + 1 : count > 0 ? arguments[0] : "";
    char **rest = arguments + (count > 0);

    if (strcmp(name, "nginx-ingress-controller") == 0) return start_controller(rest);
    if (strcmp(name, "sluice-nginx") == 0) return start_script("main.js", "nginx", 1, rest);
    if (strcmp(name, "default-backend") == 0) return start_script("default-backend.js", NULL, 0, rest);
    if (strcmp(name, "dbg") == 0) return start_script("main.js", "dbg", 0, rest);
    if (strcmp(name, "sluice") == 0) return start_script("main.js", NULL, 0, rest);
    if (strcmp(name, "wait-shutdown") == 0) return wait_shutdown();
    if (strcmp(name, "guarded-nginx") == 0) return guard(rest);
    if (rest[0] == NULL) {
        fputs("sluice-init: name the command to run\n", stderr);
        return 2;
    }
    return supervise(rest);
}

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
