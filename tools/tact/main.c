/* The command-line tool: finds the command and runs it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tact/version.h>

#include "ccd.h"
#include "check.h"
#include "help.h"
#include "query.h"
#include "run.h"
#include "show.h"

static int version_print(void)
{
    (void)printf("tact %d.%d.%d\n", TACT_VERSION_MAJOR, TACT_VERSION_MINOR, TACT_VERSION_PATCH);
    return 0;
}

static int command_run(int argc, char **argv)
{
    if (argc < 2)
        return tact_help_usage(NULL, "which command? There are check, ccd, run, query, show and help");
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return version_print();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return tact_help_command(NULL);
    if (strcmp(word, "help") == 0)
        return tact_help_command(argc > 2 ? argv[2] : NULL);
    if (strcmp(word, "check") == 0)
        return tact_check_command(argc - 1, argv + 1);
    if (strcmp(word, "ccd") == 0)
        return tact_ccd_command(argc - 1, argv + 1);
    if (strcmp(word, "run") == 0)
        return tact_run_command(argc - 1, argv + 1);
    if (strcmp(word, "query") == 0)
        return tact_query_command(argc - 1, argv + 1);
    if (strcmp(word, "show") == 0)
        return tact_show_command(argc - 1, argv + 1);
    if (word[0] == '-')
        return tact_help_usage(NULL, "there is no option %s", word);
    return tact_help_usage(NULL, "there is no command %s; there are check, ccd, run, query, show and help", word);
}

int main(int argc, char **argv)
{
    errno = 0;
    int status = command_run(argc, argv);
    /* What was printed may still sit in a buffer, and the disk may be full. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fprintf(stderr, "tact: standard output cannot be written: %s\n", errno ? strerror(errno) : "it failed");
        return 1;
    }
    return status;
}
