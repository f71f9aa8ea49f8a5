/*
 * /sluice-init COMMAND [ARGUMENT ...]: process 1 of the container. It starts the controller. If the
 * controller dies while nginx still serves, it starts the controller again, which adopts the
 * running nginx. If no nginx serves, it ends with the controller's exit code. Kubernetes then knows
 * about the failure, and waits longer before each restart. It reaps processes whose parent has
 * died.
 *
 * Signals are blocked from the start and taken one at a time, so none is lost between two steps.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { longest_delay = 30, long_enough = 60 };

static sigset_t taken, before;
static pid_t child;
static int child_status;
static int stopping;

/* Reads the first line of a file. Returns whether there is one. */
static int read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    int is_read = file != NULL && fgets(line, size, file) != NULL;
    if (file) fclose(file);
    if (is_read) line[strcspn(line, "\n")] = '\0';
    return is_read;
}

/*
 * Returns nginx's master while it serves, or 0 if there is none. A pid file outlives its process,
 * so the name of the process is compared. A zombie keeps its name until it is reaped.
 */
static pid_t nginx_pid(void)
{
    const char *given = getenv("SLUICE_RUN_FOLDER");
    char path[4096], line[64];
    snprintf(path, sizeof path, "%s/nginx.pid", given && *given ? given : "/run/sluice");
    pid_t pid = read_line(path, line, sizeof line) ? (pid_t) atol(line) : 0;
    if (pid <= 0) return 0;
    snprintf(path, sizeof path, "/proc/%d/comm", (int) pid);
    return read_line(path, line, sizeof line) && strcmp(line, "nginx") == 0 ? pid : 0;
}

static void start(char **command)
{
    child = fork();
    if (child < 0) {
        perror("sluice-init: fork");
        exit(1);
    }
    if (child > 0) return;
    sigprocmask(SIG_SETMASK, &before, NULL);
    execvp(command[0], command);
    fprintf(stderr, "sluice-init: %s cannot be started: %s\n", command[0], strerror(errno));
    _exit(127);
}

/*
 * Reaps ended processes. A child that a signal ended has the status 128 and its number, as in a
 * shell.
 */
static void reap(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != child) continue;
        child = 0;
        child_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
}

/* Waits for one signal, at most for this time. */
static void take_signal(time_t seconds, long nanoseconds)
{
    const struct timespec limit = { seconds, nanoseconds };
    int number = sigtimedwait(&taken, NULL, &limit);
    if (number == SIGTERM || number == SIGINT || number == SIGQUIT) {
        stopping = 1;
        if (child > 0) kill(child, SIGTERM);
    }
    reap();
}

static time_t now_in_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void pause_for(int delay)
{
    time_t end = now_in_seconds() + delay;
    for (time_t now; !stopping && (now = now_in_seconds()) < end;) take_signal(end - now, 0);
}

/*
 * A controller that stops in order also stops nginx. If it died, this waits for the requests in
 * flight.
 */
static void finish_nginx(void)
{
    pid_t pid = nginx_pid();
    if (pid == 0) return;
    fputs("sluice-init: nginx is asked to finish its requests\n", stderr);
    kill(pid, SIGQUIT);
    while (nginx_pid() != 0) take_signal(0, 100 * 1000 * 1000);
}

int main(int count, char **arguments)
{
    char **command = arguments + 1;
    int delay = 1;
    if (count < 2) {
        fputs("sluice-init: name the command to run\n", stderr);
        return 2;
    }
    sigemptyset(&taken);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGQUIT);
    sigaddset(&taken, SIGCHLD);
    sigprocmask(SIG_BLOCK, &taken, &before);

    for (;;) {
        time_t started = now_in_seconds();
        start(command);
        while (child > 0) take_signal(60, 0);
        if (stopping || child_status == 0 || nginx_pid() == 0) break;

        if (now_in_seconds() - started >= long_enough) delay = 1;
        fprintf(stderr,
                "sluice-init: the controller ended with status %d; nginx goes on serving, and the controller is "
                "started again in %d s\n",
                child_status, delay);
        pause_for(delay);
        if (stopping) break;
        delay = delay * 2 > longest_delay ? longest_delay : delay * 2;
    }
    if (stopping) finish_nginx();
    return child_status;
}
