/* POSIX, for mkstemp, realpath and stat. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Permissions of a new file before the umask. */
#define FILE_MODE 0666

static bool open_fail(const char *path, int code)
{
    (void)fprintf(stderr, "%s: cannot be opened: %s\n", path, strerror(code));
    return false;
}

/* A new file beside `final`, with the permissions of a file that fopen creates. */
static FILE *temporary_open(const char *final, char **name)
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
    const int descriptor = mkstemp(*name);
    if (descriptor < 0)
        return NULL;
    const mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(descriptor, FILE_MODE & ~mask);
    FILE *file = fdopen(descriptor, "w+");
    if (!file) {
        const int code = errno;
        (void)close(descriptor);
        (void)unlink(*name);
        errno = code;
    }
    return file;
}

bool tact_output_file_open(output_file *output, const char *path)
{
    struct stat info;
    *output = (output_file){NULL, NULL, NULL};
    errno = 0;
    /* Not by the name that realpath finds: for a pipe at /dev/stdout or /dev/fd/63 there is none. */
    const bool direct = stat(path, &info) == 0 && !S_ISREG(info.st_mode); /* a device or a pipe */
    if (!direct)
        output->final = realpath(path, NULL);
    if (!output->final)
        output->final = strdup(path);
    if (!output->final)
        return open_fail(path, ENOMEM);
    if (direct)
        output->file = fopen(output->final, "w");
    else
        output->file = temporary_open(output->final, &output->temporary);
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
        (void)fprintf(stderr, "%s: cannot be written: %s\n", output->final, reason);
    if (output->temporary && !(good && keep))
        (void)unlink(output->temporary);
    free(output->final);
    free(output->temporary);
    *output = (output_file){NULL, NULL, NULL};
    return good;
}
