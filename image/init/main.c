/* Chooses the program by the name under which it was started. */
#include "programs.h"

#include <stdio.h>
#include <string.h>

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
