/*
 * guarded-nginx BINARY [ARGUMENT ...]: becomes nginx, and leaves a process behind, the guard. The
 * guard ends nginx when the controller has ended for any reason. A SIGKILL cannot be caught, but
 * the kernel closes the pipes of a dead process, so the guard waits for the end of descriptor 3.
 * src/nginx/process/watchdog.ts does the same with a shell script, on machines that have a shell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { leash = 3, tries = 50 };

static void watch(pid_t nginx)
{
    char byte;
    ssize_t length;
    int nothing = open("/dev/null", O_RDWR);
    signal(SIGTERM, SIG_IGN);
    for (int file = 0; file < leash; file++) dup2(nothing, file);
    do length = read(leash, &byte, 1);
    while (length > 0 || (length < 0 && errno == EINTR));
    kill(-nginx, SIGTERM);
    for (int try = 0; try < tries && kill(nginx, 0) == 0; try++) usleep(100 * 1000);
    kill(-nginx, SIGKILL);
}

int main(int count, char **arguments)
{
    char **command = arguments + (count > 0);
    pid_t nginx = getpid();
    pid_t watcher = command[0] ? fork() : -1;
    if (watcher == 0) {
        watch(nginx);
        _exit(0);
    }
    if (watcher > 0) {
        close(leash);
        execvp(command[0], command);
    }
    fprintf(stderr, "guarded-nginx: %s cannot be started: %s\n", command[0] ? command[0] : "nothing", strerror(errno));
    return 127;
}
