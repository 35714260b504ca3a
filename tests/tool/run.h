/*
 * Running the command-line tool as its users do: as a program, with files around it. A file that includes this one
 * defines _POSIX_C_SOURCE first.
 */
#ifndef TACT_TESTS_TOOL_RUN_H
#define TACT_TESTS_TOOL_RUN_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct bytes {
    char *data; /* ends with a zero that is not counted */
    size_t size;
    size_t capacity;
} bytes;

static inline void bytes_add(bytes *b, const void *data, size_t size)
{
    if (b->size + size + 1 > b->capacity) {
        b->capacity = 2 * (b->size + size + 1);
        b->data = realloc(b->data, b->capacity);
        assert_non_null(b->data);
    }
    if (size > 0)
        memcpy(b->data + b->size, data, size);
    b->size += size;
    b->data[b->size] = '\0';
}

static inline void bytes_say(bytes *b, const char *text) { bytes_add(b, text, strlen(text)); }

static inline void bytes_free(bytes *b)
{
    free(b->data);
    *b = (bytes){NULL, 0, 0};
}

static inline const char *tool_path(void)
{
    const char *path = getenv("TACT_TOOL");
#ifdef TACT_TOOL_PATH
    if (!path)
        path = TACT_TOOL_PATH;
#endif
    if (!path)
        skip(); /* built without the tool */
    return path;
}

/* What a run of the tool left behind. */
typedef struct outcome {
    int status; /* exit status, or -1 when a signal ended it */
    bytes out, err;
} outcome;

static inline void outcome_free(outcome *o)
{
    bytes_free(&o->out);
    bytes_free(&o->err);
}

static inline bytes file_read_all(int file)
{
    bytes all = {NULL, 0, 0};
    char piece[65536];
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    bytes_add(&all, "", 0);
    for (ssize_t got; (got = read(file, piece, sizeof piece)) > 0;)
        bytes_add(&all, piece, (size_t)got);
    return all;
}

/* An unnamed file that holds `data`. */
static inline int file_with(const void *data, size_t size)
{
    FILE *temporary = tmpfile();
    assert_non_null(temporary);
    int file = dup(fileno(temporary));
    assert_true(file >= 0);
    assert_int_equal(fclose(temporary), 0);
    const char *left = data;
    while (size > 0) {
        ssize_t written = write(file, left, size);
        assert_true(written > 0);
        left += written;
        size -= (size_t)written;
    }
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    return file;
}

/* Starts the tool on three open files. `words` ends with NULL. */
static inline pid_t tool_start(const char *const *words, int in, int out, int err)
{
    const char *path = tool_path();
    char *argv[24];
    int argc = 0;
    argv[argc++] = strdup(path);
    for (; *words != NULL; words++) {
        assert_true(argc + 1 < (int)(sizeof argv / sizeof argv[0]));
        argv[argc++] = strdup(*words);
    }
    argv[argc] = NULL;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
            (void)execv(path, argv);
        _exit(127);
    }
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return child;
}

/* Starts the tool with two pipes: to its standard input, and from its standard output. */
static inline pid_t tool_start_piped(const char *const *words, int *to, int *from, int err)
{
    int in[2], out[2];
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    assert_int_equal(fcntl(in[1], F_SETFD, FD_CLOEXEC), 0);
    assert_int_equal(fcntl(out[0], F_SETFD, FD_CLOEXEC), 0);
    pid_t child = tool_start(words, in[0], out[1], err);
    (void)close(in[0]);
    (void)close(out[1]);
    *to = in[1];
    *from = out[0];
    return child;
}

static inline int tool_wait(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs the tool to its end with `input` on its standard input. */
static inline outcome tool_run(const char *const *words, const void *input, size_t size)
{
    int in = file_with(input, size), out = file_with("", 0), err = file_with("", 0);
    outcome o;
    o.status = tool_wait(tool_start(words, in, out, err));
    o.out = file_read_all(out);
    o.err = file_read_all(err);
    (void)close(in);
    (void)close(out);
    (void)close(err);
    return o;
}

static inline outcome query_run(const char *input)
{
    static const char *const words[] = {"query", NULL};
    return tool_run(words, input, strlen(input));
}

static inline size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

#endif
