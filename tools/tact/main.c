/* The command-line tool: dispatches to the commands. */
#define _XOPEN_SOURCE 700 /* for SIGXFSZ */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/version.h>

#include "ccd.h"
#include "check.h"
#include "command_line.h"
#include "doctor.h"
#include "error_line.h"
#include "export.h"
#include "help.h"
#include "output_file.h"
#include "play.h"
#include "query.h"
#include "replay.h"
#include "run.h"
#include "serve.h"
#include "show.h"
#include "view.h"

static int version_print(void)
{
    (void)printf("tact %d.%d.%d\n", TACT_VERSION_MAJOR, TACT_VERSION_MINOR, TACT_VERSION_PATCH);
    return 0;
}

static int command_run(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"check", tact_check_command},   {"ccd", tact_ccd_command},       {"play", tact_play_command},
                    {"replay", tact_replay_command}, {"run", tact_run_command},       {"query", tact_query_command},
                    {"view", tact_view_command},     {"export", tact_export_command}, {"serve", tact_serve_command},
                    {"show", tact_show_command},     {"doctor", tact_doctor_command}};
    if (argc < 2)
        return tact_help_no_command(NULL);
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        return version_print();
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return tact_help_command(NULL);
    if (strcmp(word, "help") == 0)
        return tact_help_words(argc - 1, argv + 1);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(word, commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    if (word[0] == '-')
        return tact_help_usage(NULL, "there is no option %s", word);
    return tact_help_no_command(word);
}

int main(int argc, char **argv)
{
#ifdef SIGXFSZ
    (void)signal(SIGXFSZ, SIG_IGN); /* a file that becomes too large is an error of writing */
#endif
    char **words = tact_option_split(&argc, argv);
    if (!words) {
        (void)tact_error_line("tact: out of memory");
        return 1;
    }
    const int status = command_run(argc, words);
    free(words);
    /* the output may still be buffered, and the disk may be full */
    const char *reason = tact_output_file_flush(stdout);
    if (reason) {
        (void)tact_error_line("tact: standard output cannot be written: %s", reason);
        return 1;
    }
    return status;
}
