/*
 * The command: checks that each file is a complete run, by the sizes of its blocks (docs/run_format.md), and writes the
 * page. What is in the blocks is checked by the viewer.
 */
#include "view.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "error_line.h"
#include "help.h"
#include "run_format.h"
#include "view_page.h"

/* Runs on one page at most. */
#define MAX_RUNS 100

typedef struct view_options {
    const char *paths[MAX_RUNS];
    size_t path_count;
    const char *out;
} view_options;

static bool run_fail(const char *path, const char *reason)
{
    (void)tact_error_line("%s: %s", path, reason);
    return false;
}

static uint32_t number_read(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Skips bytes; false if there are fewer. */
static bool bytes_skip(FILE *file, uint64_t size)
{
    char bytes[16384];
    while (size > 0) {
        const size_t part = size < sizeof bytes ? (size_t)size : sizeof bytes;
        if (fread(bytes, 1, part, file) < part)
            return false;
        size -= part;
    }
    return true;
}

/* Checks the blocks of a run. On failure prints one line. */
static bool run_check(FILE *file, const char *path)
{
    unsigned char head[RUN_HEAD_SIZE];
    if (fread(head, 1, sizeof head, file) < sizeof head || memcmp(head, RUN_MAGIC, RUN_MAGIC_SIZE) != 0)
        return run_fail(path, "is not a run: tact run, play, ccd and check write one with --save");
    if (number_read(head + RUN_MAGIC_SIZE) != RUN_VERSION)
        return run_fail(path, "has another version of the format: write it again with this version of tact");
    if (!bytes_skip(file, number_read(head + RUN_MAGIC_SIZE + 4)))
        return run_fail(path, "is truncated");
    for (bool done = false; !done;) {
        unsigned char block[RUN_BLOCK_HEAD_SIZE];
        if (fread(block, 1, sizeof block, file) < sizeof block)
            return run_fail(path, "is truncated");
        done = memcmp(block, "DONE", 4) == 0;
        const uint64_t size = number_read(block + 8) | (uint64_t)number_read(block + 12) << 32;
        if (size % 8 != 0 || !bytes_skip(file, size))
            return run_fail(path, size % 8 != 0 ? "is damaged: a block has a wrong size" : "is truncated");
    }
    return fgetc(file) == EOF || run_fail(path, "is damaged: something follows its end");
}

static bool page_write(const view_options *options, const char *out)
{
    FILE *files[MAX_RUNS];
    size_t opened = 0;
    bool good = true;
    while (opened < options->path_count && good) {
        const char *path = options->paths[opened];
        errno = 0;
        files[opened] = fopen(path, "rb");
        if (!files[opened]) {
            (void)tact_error_line("%s: cannot be opened: %s", path, strerror(errno));
            good = false;
            break;
        }
        good = run_check(files[opened++], path);
    }
    good = good && tact_view_page_write(out, files, options->paths, options->path_count);
    while (opened > 0)
        (void)fclose(files[--opened]);
    return good;
}

/* The default name of the page: that of the run, with the ending .html. To be freed by the caller; NULL: no memory. */
static char *page_name(const char *run)
{
    const char *slash = strrchr(run, '/'), *dot = strrchr(run, '.');
    const size_t length = dot && (!slash || dot > slash + 1) && dot > run ? (size_t)(dot - run) : strlen(run);
    static const char ending[] = ".html";
    char *name = malloc(length + sizeof ending);
    if (name) {
        memcpy(name, run, length);
        memcpy(name + length, ending, sizeof ending);
    }
    return name;
}

static int view_files(const view_options *options)
{
    if (!tact_view_page_check())
        return 1;
    char *name = options->out ? NULL : page_name(options->paths[0]);
    const char *out = options->out ? options->out : name;
    const bool good = out ? page_write(options, out) : run_fail("tact view", "out of memory");
    if (good)
        (void)printf("%s\n", out);
    free(name);
    return good ? 0 : 1;
}

int tact_view_command(int argc, char **argv)
{
    view_options options = {.path_count = 0};
    bool options_ended = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            if (options.path_count == MAX_RUNS)
                return tact_help_usage("view", "there are more than %d runs", MAX_RUNS);
            options.paths[options.path_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return tact_help_command("view");
        } else if (strcmp(word, "-o") == 0 || strcmp(word, "--out") == 0) {
            if (tact_option_output("view", word, value, &options.out) != 0)
                return 2;
            i++;
        } else {
            return tact_help_usage("view", "there is no option %s", word);
        }
    }
    if (options.path_count == 0)
        return tact_help_usage("view", "a run is missing: tact view RUN");
    if (options.path_count > 1 && !options.out)
        return tact_help_usage("view", "several runs need the name of the page: -o FILE.html");
    for (size_t i = 0; i < options.path_count; i++)
        if (options.out && tact_is_same_file(options.out, options.paths[i]))
            return tact_help_usage("view", "-o %s would overwrite a run", options.out);
    return view_files(&options);
}
