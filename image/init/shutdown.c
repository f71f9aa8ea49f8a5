/*
 * /wait-shutdown: the preStop hook. It signals the controller to stop and returns when no nginx is
 * left, so that the Pod is drained before the kubelet sends its own signal. Signals go to
 * sluice-init, which is process 1 unless the Pod shares its processes.
 */
#define _GNU_SOURCE
#include "programs.h"
#include "files.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Counts the processes with this name, and sends each of them the signal if there is one. */
static int processes(const char *name, int number)
{
    int count = 0;
    struct dirent *entry;
    DIR *folder = opendir("/proc");
    if (folder == NULL) return 0;
    while ((entry = readdir(folder))) {
        pid_t pid = isdigit((unsigned char) entry->d_name[0]) ? (pid_t) atol(entry->d_name) : 0;
        if (pid == 0 || !is_named(pid, name)) continue;
        count++;
        if (number) kill(pid, number);
    }
    closedir(folder);
    return count;
}

int wait_shutdown(void)
{
    processes("sluice-init", SIGTERM);
    while (processes("nginx", 0) > 0) usleep(200 * 1000);
    return 0;
}
