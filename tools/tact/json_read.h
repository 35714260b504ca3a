/* Reading JSON values as numbers and vectors, and saying in one sentence what is wrong with them. */
#ifndef TACT_TOOL_JSON_READ_H
#define TACT_TOOL_JSON_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <tact/vec.h>

/* Where in a request a value stands, such as a.of[0].radius: a chain of steps towards the whole request. */
typedef struct tact_json_path {
    const struct tact_json_path *parent; /* NULL for the request itself */
    const char *key; /* the step into an object, or NULL for a step into an array; of a request that has many lines: its
                        text, so that complaints tell the line */
    size_t index;    /* the step into an array */
} tact_json_path;

/* Room for a complaint, the final zero included; longer ones are cut. */
#define TACT_COMPLAINT_TEXT 512

/* What is wrong with a request: one line of valid UTF-8 without control characters. */
typedef struct tact_complaint {
    char text[TACT_COMPLAINT_TEXT];
    size_t line; /* of the request, counting from 1; 0: not known */
} tact_complaint;

#if defined(__GNUC__)
#define TACT_COMPLAINT_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define TACT_COMPLAINT_FORMAT(text, first)
#endif

/* Writes a sentence. A `where` that is not NULL comes first: "a.radius" and a space. Always returns false, so that a
 * reader can end with `return tact_complaint_make(...)`. */
bool tact_complaint_make(tact_complaint *complaint, const tact_json_path *where, const char *format, ...)
    TACT_COMPLAINT_FORMAT(3, 4);

/* All of these return false, with a complaint made, when the value is not what it should be. */

/* Renames keys of an object: names[i][0], the name in earlier versions, becomes names[i][1]. If both are there, the old
 * one stays, and tact_json_object reports it as unknown. Anything but an object is left alone. */
void tact_json_rename_keys(const json_t *object, const char *const (*names)[2], size_t count);

/* An object whose keys are all in `keys` (`count` of them); `what` says what it is, for people: "a sphere". */
bool tact_json_object(const json_t *value, const tact_json_path *where, const char *what, const char *const *keys,
                      size_t count, tact_complaint *complaint);

/* The member `key` of an object, which must be there. */
bool tact_json_member(const json_t *object, const tact_json_path *where, const char *key, const json_t **member,
                      tact_complaint *complaint);

/* An array; `what` says of what, for people: "bodies". */
bool tact_json_array(const json_t *value, const tact_json_path *where, const char *what, tact_complaint *complaint);

/* A string; the text belongs to the value. */
bool tact_json_text(const json_t *value, const tact_json_path *where, const char **text, tact_complaint *complaint);

/* true or false. */
bool tact_json_flag(const json_t *value, const tact_json_path *where, bool *flag, tact_complaint *complaint);

/* A finite number: a JSON number, or a string as C's %a prints it. */
bool tact_json_number(const json_t *value, const tact_json_path *where, double *number, tact_complaint *complaint);

/* The same, and not negative. */
bool tact_json_length(const json_t *value, const tact_json_path *where, double *number, tact_complaint *complaint);

/* An array of exactly `count` numbers. */
bool tact_json_numbers(const json_t *value, const tact_json_path *where, double *numbers, size_t count,
                       tact_complaint *complaint);

/* An array of three numbers. */
bool tact_json_vec(const json_t *value, const tact_json_path *where, tact_vec3 *vec, tact_complaint *complaint);

/* An array of points, each an array of three numbers; there may be none. On success the caller frees *points. */
bool tact_json_points(const json_t *value, const tact_json_path *where, tact_vec3 **points, size_t *count,
                      tact_complaint *complaint);

#endif
