/*
 * Reads a regular file. On POSIX systems the file is opened without blocking and checked before it is read, so that a
 * pipe or a device neither hangs nor fills the memory. Other systems use the C library.
 */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define ON_POSIX 1
#else
#define ON_POSIX 0
#endif

#include "mesh_file_source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"

#if ON_POSIX
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* Bytes of a word of the file that an error message quotes. */
#define QUOTE_BYTES 40

/* The line of `at`, from 1. The end of the file belongs to the last line. */
static size_t line_of(const mesh_source *source, const char *at)
{
    size_t line = 1;
    if (at == source->end && at > source->begin && mesh_is_line_end(at[-1]))
        at--;
    for (const char *c = source->begin; c < at; c++)
        /* of \r\n only the \n counts */
        line += *c == '\n' || (*c == '\r' && c[1] != '\n');
    return line;
}

/* Copies the path. If it exceeds half the buffer, only its end after three dots. Control characters become question
 * marks. Returns the number of bytes. */
static size_t path_write(const char *path, char *text, size_t size)
{
    size_t length = strlen(path), most = size / 2, used = 0;
    if (length > most) {
        used = most < 3 ? most : 3;
        memcpy(text, "...", used);
        path += length - (most - used);
        while (((unsigned char)*path & 0xC0) == 0x80) /* not inside a UTF-8 character */
            path++;
    }
    for (; *path; path++)
        text[used++] = (unsigned char)*path < 0x20 || *path == 0x7F ? '?' : *path;
    return used;
}

bool tact_mesh_source_fail(const mesh_source *source, const char *at, const char *format, ...)
{
    char *text = source->error;
    size_t size = source->error_size;
    if (!text || size == 0)
        return false;
    size_t used = path_write(source->path, text, size);
    int written = 0;
    if (!at)
        written = snprintf(text + used, size - used, ": ");
    else if (source->binary)
        written = snprintf(text + used, size - used, ": byte %zu: ", (size_t)(at - source->begin));
    else
        written = snprintf(text + used, size - used, ":%zu: ", line_of(source, at));
    used += written > 0 ? (size_t)written : 0;
    if (used >= size)
        return false;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
    /* strings from the file may contain any byte */
    for (char *c = text + used; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7F)
            *c = '?';
    return false;
}

bool tact_mesh_source_out_of_memory(const mesh_source *source)
{
    return tact_mesh_source_fail(source, NULL, "there is not enough memory to read it");
}

const char *tact_mesh_source_quote(const mesh_source *source, const char *at, char quote[MESH_QUOTE])
{
    if (at >= source->end)
        return "the end of the file";
    if (mesh_is_line_end(*at))
        return "the end of the line";
    size_t length = (size_t)(mesh_skip_word(at, source->end) - at), shown = length < QUOTE_BYTES ? length : QUOTE_BYTES;
    char *out = quote;
    *out++ = '"';
    for (size_t i = 0; i < shown; i++)
        *out++ = at[i] > 0x20 && at[i] < 0x7F ? at[i] : '?';
    if (shown < length) {
        memcpy(out, "...", 3);
        out += 3;
    }
    *out++ = '"';
    *out = '\0';
    return quote;
}

bool tact_mesh_word_is(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

bool tact_mesh_word_is_any_case(const char *at, size_t length, const char *word)
{
    if (strlen(word) != length)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((at[i] >= 'A' && at[i] <= 'Z' ? at[i] - 'A' + 'a' : at[i]) != word[i])
            return false;
    return true;
}

static bool fail_system(const mesh_source *source, const char *what, int reason)
{
    return tact_mesh_source_fail(source, NULL, "cannot be %s: %s", what, reason ? strerror(reason) : "unknown reason");
}

/* Allocates `size` bytes and a terminating zero; NULL with an error. */
static char *bytes_allocate(const mesh_source *source, uintmax_t size)
{
    if (size == 0) {
        (void)tact_mesh_source_fail(source, NULL, "is empty");
        return NULL;
    }
    char *bytes = size < SIZE_MAX ? tact_memory_allocate(source->allocator, (size_t)size + 1, 1) : NULL;
    if (!bytes)
        (void)tact_mesh_source_out_of_memory(source);
    return bytes;
}

/* Stores the bytes that were read. Always returns true. */
static bool bytes_set(mesh_source *source, char *bytes, size_t size)
{
    bytes[size] = '\0';
    source->begin = bytes;
    source->end = bytes + size;
    return true;
}

#if ON_POSIX

static bool file_read(mesh_source *source, int file)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return fail_system(source, "read", errno);
    if (S_ISDIR(status.st_mode))
        return tact_mesh_source_fail(source, NULL, "is a directory, not a file");
    if (!S_ISREG(status.st_mode))
        return tact_mesh_source_fail(source, NULL, "is not a regular file");
    size_t size = (size_t)status.st_size, got = 0;
    char *bytes = bytes_allocate(source, status.st_size > 0 ? (uintmax_t)status.st_size : 0);
    if (!bytes)
        return false;
    while (got < size) {
        ssize_t step = read(file, bytes + got, size - got);
        if (step < 0 && errno == EINTR)
            continue;
        if (step > 0) {
            got += (size_t)step;
            continue;
        }
        int reason = errno;
        tact_memory_free(source->allocator, bytes, size + 1, 1);
        return step < 0 ? fail_system(source, "read", reason)
                        : tact_mesh_source_fail(source, NULL, "became shorter while it was read");
    }
    return bytes_set(source, bytes, size);
}

bool tact_mesh_source_load(mesh_source *source)
{
    source->begin = source->end = NULL;
    int file = open(source->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return fail_system(source, "opened", errno);
    bool done = file_read(source, file);
    (void)close(file);
    return done;
}

#else

static bool file_read(mesh_source *source, FILE *file)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0)
        return tact_mesh_source_fail(source, NULL, "is not a regular file, or is too long");
    char *bytes = bytes_allocate(source, (uintmax_t)size);
    if (!bytes)
        return false;
    if (fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        tact_memory_free(source->allocator, bytes, (size_t)size + 1, 1);
        return fail_system(source, "read", errno);
    }
    return bytes_set(source, bytes, (size_t)size);
}

bool tact_mesh_source_load(mesh_source *source)
{
    source->begin = source->end = NULL;
    errno = 0;
    FILE *file = fopen(source->path, "rb");
    if (!file)
        return fail_system(source, "opened", errno);
    bool done = file_read(source, file);
    (void)fclose(file);
    return done;
}

#endif

void tact_mesh_source_release(mesh_source *source)
{
    tact_memory_free(source->allocator, (void *)(uintptr_t)source->begin, (size_t)(source->end - source->begin) + 1, 1);
    source->begin = source->end = NULL;
}
