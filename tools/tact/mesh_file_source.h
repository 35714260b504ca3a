/* The bytes of a file while they are read as a mesh, and how a reader says what is wrong with them. */
#ifndef TACT_TOOL_MESH_FILE_SOURCE_H
#define TACT_TOOL_MESH_FILE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <tact/allocator.h>

typedef struct mesh_source {
    const char *path;
    const char *begin;
    const char *end; /* holds a 0, so that a scan for the end of a word or number ends there */
    bool binary;     /* positions are told as byte offsets, not as lines */
    const tact_allocator *allocator;
    char *error; /* where the complaint goes, `room` bytes */
    size_t room;
} mesh_source;

#if defined(__GNUC__)
#define MESH_SOURCE_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define MESH_SOURCE_FORMAT(text, first)
#endif

/* Reads the whole of a regular file into begin .. end; path, allocator, error and room are given. False with a
 * complaint and nothing to free. */
bool tact_mesh_source_load(mesh_source *source);

/* Frees the bytes; twice is allowed. */
void tact_mesh_source_release(mesh_source *source);

/* Writes the complaint: path, position (`at`, or none when NULL) and a sentence. Always returns false. Costs a walk to
 * `at` to count lines, so that reading need not count them. What is not printable ASCII in the sentence becomes a
 * question mark; the path stays as it is but for control characters. */
bool tact_mesh_source_fail(const mesh_source *source, const char *at, const char *format, ...) MESH_SOURCE_FORMAT(3, 4);

/* The complaint that memory has run out. */
bool tact_mesh_source_out_of_memory(const mesh_source *source);

/* Room for a quoted word of a file: 40 bytes of it, two quotes, three dots and a zero. */
#define MESH_QUOTE 46

/* What stands at `at`, for a complaint: a word in quotes, "the end of the line" or "the end of the file". */
const char *tact_mesh_source_quote(const mesh_source *source, const char *at, char quote[MESH_QUOTE]);

/* Where the text begins: behind the mark that some editors put before UTF-8. */
static inline const char *mesh_source_text(const mesh_source *source)
{
    const char *b = source->begin;
    return b[0] == '\xEF' && b[1] == '\xBB' && b[2] == '\xBF' ? b + 3 : b;
}

/* Space inside a line. */
static inline bool mesh_is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

/* The end of a line: \n, \r\n or \r. */
static inline bool mesh_is_line_end(char c) { return c == '\n' || c == '\r'; }

static inline bool mesh_is_space(char c) { return mesh_is_blank(c) || mesh_is_line_end(c); }

/* Past blanks and line ends. */
static inline const char *mesh_skip_space(const char *at)
{
    while (mesh_is_space(*at))
        at++;
    return at;
}

/* Past blanks. */
static inline const char *mesh_skip_blank(const char *at)
{
    while (mesh_is_blank(*at))
        at++;
    return at;
}

/* Past the word that begins at `at`. A 0 inside the file is a character like others. */
static inline const char *mesh_skip_word(const char *at, const char *end)
{
    while (at < end && !mesh_is_space(*at))
        at++;
    return at;
}

/* To the end of the line, not past it. */
static inline const char *mesh_skip_line(const char *at, const char *end)
{
    while (at < end && !mesh_is_line_end(*at))
        at++;
    return at;
}

/* Whether the `length` bytes at `at` are the word `word`. */
bool tact_mesh_word_is(const char *at, size_t length, const char *word);

/* The same, whether in small or capital letters; `word` is in small ones. */
bool tact_mesh_word_is_any_case(const char *at, size_t length, const char *word);

#endif
