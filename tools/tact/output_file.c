/* POSIX, for mkstemp, realpath, stat and sigaction. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "output_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error_line.h"

/* Permissions of a new file before the umask, and all there are. */
#define FILE_MODE 0666
#define ALL_MODES 0777

/* ---- signals ---- */

/* Files that are open at once, at most: those of --out or --pairs, --states, --save and --view. */
#define MAX_UNFINISHED 8

static const int ending_signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU};

/* Names of files that are not complete; the handler removes them. */
static char *volatile unfinished[MAX_UNFINISHED];

static void signal_end(int number)
{
    for (int i = 0; i < MAX_UNFINISHED; i++)
        if (unfinished[i])
            (void)unlink(unfinished[i]);
    (void)raise(number); /* with the default action, after the return */
}

/* Holds back the signals above, and handles those that are not ignored. */
static void signals_hold(sigset_t *before)
{
    struct sigaction action = {.sa_handler = signal_end, .sa_flags = (int)SA_RESETHAND}, present;
    sigset_t held;
    (void)sigemptyset(&action.sa_mask);
    (void)sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++) {
        (void)sigaddset(&action.sa_mask, ending_signals[i]);
        (void)sigaddset(&held, ending_signals[i]);
    }
    (void)sigprocmask(SIG_BLOCK, &held, before);
    for (size_t i = 0; i < sizeof ending_signals / sizeof *ending_signals; i++)
        if (sigaction(ending_signals[i], NULL, &present) == 0 && present.sa_handler == SIG_DFL)
            (void)sigaction(ending_signals[i], &action, NULL);
}

/* Replaces a name in the table. */
static void unfinished_set(char *before, char *after)
{
    for (int i = 0; i < MAX_UNFINISHED; i++)
        if (unfinished[i] == before) {
            unfinished[i] = after;
            return;
        }
}

/* ---- opening ---- */

static bool open_fail(const char *path, int code)
{
    (void)tact_error_line("%s: cannot be opened: %s", path, strerror(code));
    return false;
}

/* A new file beside `final`. */
static FILE *temporary_open(const char *final, mode_t permissions, char **name)
{
    static const char ending[] = ".XXXXXX";
    const size_t length = strlen(final);
    *name = malloc(length + sizeof ending);
    if (!*name) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(*name, final, length);
    memcpy(*name + length, ending, sizeof ending);
    sigset_t before;
    signals_hold(&before);
    const int descriptor = mkstemp(*name);
    const int reason = errno;
    if (descriptor >= 0)
        unfinished_set(NULL, *name);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (descriptor < 0) {
        errno = reason;
        return NULL;
    }
    (void)fchmod(descriptor, permissions);
    FILE *file = fdopen(descriptor, "w+");
    if (!file) {
        const int code = errno;
        (void)close(descriptor);
        (void)unlink(*name);
        unfinished_set(*name, NULL);
        errno = code;
    }
    return file;
}

/* The permissions of a file that fopen creates. */
static mode_t new_file_mode(void)
{
    const mode_t mask = umask(0);
    (void)umask(mask);
    return FILE_MODE & ~mask;
}

/* Opens a file that is written directly. */
static FILE *direct_open(const char *path, bool is_stdout)
{
    if (!is_stdout)
        return fopen(path, "w");
    /* the position is that of standard output, so that neither overwrites the other */
    (void)fflush(stdout);
    const int descriptor = dup(STDOUT_FILENO);
    return descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
}

bool tact_output_file_open(output_file *output, const char *path)
{
    struct stat info, out;
    *output = (output_file){NULL, NULL, NULL};
    errno = 0;
    /* Not by the name that realpath finds: for a pipe at /dev/stdout or /dev/fd/63 there is none. */
    const bool exists = stat(path, &info) == 0;
    const bool is_stdout =
        exists && fstat(STDOUT_FILENO, &out) == 0 && info.st_dev == out.st_dev && info.st_ino == out.st_ino;
    const bool direct = is_stdout || (exists && !S_ISREG(info.st_mode)); /* a device or a pipe */
    if (exists && !direct && access(path, W_OK) != 0)
        return open_fail(path, errno);
    if (!direct)
        output->final = realpath(path, NULL);
    if (!output->final)
        output->final = strdup(path);
    if (!output->final)
        return open_fail(path, ENOMEM);
    if (direct)
        output->file = direct_open(output->final, is_stdout);
    else
        output->file =
            temporary_open(output->final, exists ? info.st_mode & ALL_MODES : new_file_mode(), &output->temporary);
    if (output->file)
        return true;
    const int code = errno;
    free(output->final);
    free(output->temporary);
    return open_fail(path, code);
}

const char *tact_output_file_flush(FILE *file)
{
    const bool failed_before = ferror(file) != 0;
    errno = 0;
    if (failed_before) {
        clearerr(file);
        (void)fputc('\n', file);
    }
    if (fflush(file) == 0 && !ferror(file) && !failed_before)
        return NULL;
    return strerror(errno ? errno : EIO);
}

bool tact_output_file_close(output_file *output, bool keep)
{
    const char *reason = tact_output_file_flush(output->file);
    errno = 0;
    if (fclose(output->file) != 0 && !reason)
        reason = strerror(errno);
    if (!reason && keep && output->temporary && rename(output->temporary, output->final) != 0)
        reason = strerror(errno);
    const bool good = reason == NULL;
    if (!good)
        (void)tact_error_line("%s: cannot be written: %s", output->final, reason);
    if (output->temporary && !(good && keep))
        (void)unlink(output->temporary);
    unfinished_set(output->temporary, NULL);
    free(output->final);
    free(output->temporary);
    *output = (output_file){NULL, NULL, NULL};
    return good;
}
