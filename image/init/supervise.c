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
#include "programs.h"
#include "files.h"

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

/* Returns nginx's master while it serves, or 0 if there is none. */
static pid_t nginx_pid(void)
{
    char path[4096], text[32];
    snprintf(path, sizeof path, "%s/nginx.pid", run_folder());
    if (read_file(path, text, sizeof text) <= 0) return 0;
    pid_t pid = (pid_t) atol(text);
    return pid > 0 && is_named(pid, "nginx") ? pid : 0;
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

/* Waits for one signal, at most for the given time. */
static void take_signal(const struct timespec *limit)
{
    int number = sigtimedwait(&taken, NULL, limit);
    if (number == SIGTERM || number == SIGINT || number == SIGQUIT) {
        stopping = 1;
        if (child > 0) kill(child, SIGTERM);
    }
    reap();
}

static time_t seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static void wait_for_child(void)
{
    const struct timespec look = { 60, 0 };
    while (child > 0) take_signal(&look);
}

static void pause_for(int delay)
{
    time_t end = seconds() + delay;
    while (!stopping && seconds() < end) {
        const struct timespec left = { end - seconds(), 0 };
        take_signal(&left);
    }
}

/*
 * A controller that stops in order also stops nginx. If it died, this waits for the requests in
 * flight.
 */
static void finish_nginx(void)
{
    const struct timespec look = { 0, 100 * 1000 * 1000 };
    pid_t pid = nginx_pid();
    if (pid == 0) return;
    fputs("sluice-init: nginx is asked to finish its requests\n", stderr);
    kill(pid, SIGQUIT);
    while (nginx_pid() != 0) take_signal(&look);
}

int supervise(char **command)
{
    int delay = 1;
    sigemptyset(&taken);
    sigaddset(&taken, SIGTERM);
    sigaddset(&taken, SIGINT);
    sigaddset(&taken, SIGQUIT);
    sigaddset(&taken, SIGCHLD);
    sigprocmask(SIG_BLOCK, &taken, &before);

    for (;;) {
        time_t started = seconds();
        start(command);
        wait_for_child();
        if (stopping || child_status == 0 || nginx_pid() == 0) break;

        if (seconds() - started >= long_enough) delay = 1;
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
