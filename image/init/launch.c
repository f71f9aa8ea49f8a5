/*
 * Programs that become Node. /nginx-ingress-controller [FLAG ...] is the controller, under the name
 * that Pods written for ingress-nginx start.
 *
 * The heap of Node may grow to half of the container's memory limit; the other half is for nginx.
 * The space for young objects has V8's smallest size, because objects from the API server are
 * either dropped at once or kept for long. One thread collects so small a space sooner than several
 * threads that wait for each other. The controller lets it grow to 32 MB while it starts with a
 * large cluster (src/cli/parts/young-space.ts).
 *
 * At a start with thousands of Ingresses each function is called thousands of times. So functions
 * are compiled at once, and not by another thread while they run slowly. Turbofan would take a
 * fifth of the CPU, so it compiles only functions that are called ten times as often as Node's
 * default demands.
 */
#define _GNU_SOURCE
#include "programs.h"
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *const node_options[] = {
    "--max-semi-space-size=32",
    "--no-parallel-scavenge",
    "--no-concurrent-recompilation",
    "--invocation-count-for-turbofan=30000",
    NULL,
};

static const char *const limits[] = {
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    NULL,
};

/*
 * A list of arguments that grows. Nothing is freed, because the process is soon replaced or ends.
 */
static char **words;
static size_t word_count;

static void add(char *word)
{
    words = realloc(words, (word_count + 2) * sizeof *words);
    if (words == NULL) abort();
    words[word_count++] = word;
    words[word_count] = NULL;
}

static void add_formatted(const char *format, const char *text)
{
    char *word;
    if (asprintf(&word, format, text) < 0) abort();
    add(word);
}

static int become_node(char **arguments)
{
    while (*arguments) add(*arguments++);
    execvp("node", words);
    fprintf(stderr, "sluice: node cannot be started: %s\n", strerror(errno));
    return 127;
}

/* Without a limit the file has the word max, or a number of 19 digits in version 1 of cgroups. */
static long long memory_limit(void)
{
    char text[64];
    for (size_t at = 0; limits[at]; at++) {
        int length = read_file(limits[at], text, sizeof text);
        if (length >= 0) return length == 0 || length >= 16 ? 0 : atoll(text);
    }
    return 0;
}

/*
 * Node's threads allocate little, and with an arena of malloc for each of them some 0.6 MB stay
 * unused. A value that the operator has set counts.
 */
int start_controller(char **arguments)
{
    long long limit = memory_limit();
    setenv("MALLOC_ARENA_MAX", "1", 0);
    add("node");
    for (size_t at = 0; node_options[at]; at++) add(node_options[at]);
    if (limit > 0) {
        char megabytes[32];
        snprintf(megabytes, sizeof megabytes, "%lld", limit / 2 / 1048576);
        add_formatted("--max-old-space-size=%s", megabytes);
    }
    return start_script("main.js", "run", 1, arguments);
}

/* Becomes Node with a script. Adds a subcommand and the run folder if the program has them. */
int start_script(const char *script, const char *subcommand, int with_run_folder, char **arguments)
{
    if (word_count == 0) add("node");
    add_formatted("/opt/sluice/dist/%s", script);
    if (subcommand) add_formatted("%s", subcommand);
    if (with_run_folder) add_formatted("--run-folder=%s", run_folder());
    return become_node(arguments);
}
