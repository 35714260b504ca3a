/* The bytes of a mesh file, scanning of words and lines, and error messages with a position. */
#ifndef TACT_TOOL_MESH_FILE_SOURCE_H
#define TACT_TOOL_MESH_FILE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/allocator.h>

typedef struct mesh_source {
    const char *path;
    const char *begin;
    const char *end; /* points to a zero byte, which ends every scan of a word or number */
    bool binary;     /* errors give byte offsets instead of lines */
    const tact_allocator *allocator;
    char *error; /* receives the error message; `error_size` bytes */
    size_t error_size;
} mesh_source;

#if defined(__GNUC__)
#define MESH_SOURCE_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define MESH_SOURCE_FORMAT(text, first)
#endif

/* Reads a regular file into begin .. end; path, allocator, error and error_size are set by the caller. On failure
 * returns false with the error message, and there is nothing to free. */
bool tact_mesh_source_load(mesh_source *source);

/* Frees the bytes; a second call does nothing. */
void tact_mesh_source_release(mesh_source *source);

/* Writes the error message: path, position (`at`, none if NULL) and a sentence. Always returns false. Counts lines up
 * to `at`, so that the readers need not count them. Characters of the sentence that are not printable ASCII become
 * question marks; in the path only control characters do. */
bool tact_mesh_source_fail(const mesh_source *source, const char *at, const char *format, ...) MESH_SOURCE_FORMAT(3, 4);

/* Reports that memory ran out. Always returns false. */
bool tact_mesh_source_out_of_memory(const mesh_source *source);

/* Bytes of a quoted word: 40 of the word, two quotes, three dots, a terminating zero. */
#define MESH_QUOTE 46

/* The input at `at` for an error message: a word in quotes, "the end of the line" or "the end of the file". */
const char *tact_mesh_source_quote(const mesh_source *source, const char *at, char quote[MESH_QUOTE]);

/* The start of the text, after an optional UTF-8 byte order mark. */
static inline const char *mesh_source_text(const mesh_source *source)
{
    const char *b = source->begin;
    return b[0] == '\xEF' && b[1] == '\xBB' && b[2] == '\xBF' ? b + 3 : b;
}

/* White space inside a line. */
static inline bool mesh_is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

/* The end of a line: \n, \r\n or \r. */
static inline bool mesh_is_line_end(char c) { return c == '\n' || c == '\r'; }

static inline bool mesh_is_space(char c) { return mesh_is_blank(c) || mesh_is_line_end(c); }

/* Skips white space and line ends. */
static inline const char *mesh_skip_space(const char *at)
{
    while (mesh_is_space(*at))
        at++;
    return at;
}

/* Skips white space inside a line. */
static inline const char *mesh_skip_blank(const char *at)
{
    while (mesh_is_blank(*at))
        at++;
    return at;
}

/* Skips the word at `at`. A zero byte inside the file is an ordinary character. */
static inline const char *mesh_skip_word(const char *at, const char *end)
{
    while (at < end && !mesh_is_space(*at))
        at++;
    return at;
}

/* The end of the line, before its line end. */
static inline const char *mesh_skip_line(const char *at, const char *end)
{
    while (at < end && !mesh_is_line_end(*at))
        at++;
    return at;
}

/* True if the `length` bytes at `at` are `word`. */
bool tact_mesh_word_is(const char *at, size_t length, const char *word);

/* The same, ignoring case; `word` is lower case. */
bool tact_mesh_word_is_any_case(const char *at, size_t length, const char *word);

#endif
