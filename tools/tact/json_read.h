/* Reads JSON values as numbers, vectors and points, and describes errors in one sentence. */
#ifndef TACT_TOOL_JSON_READ_H
#define TACT_TOOL_JSON_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <tact/vec.h>

/* The path of a value in a document, such as a.of[0].radius: a linked list from the value to the root. */
typedef struct tact_json_path {
    const struct tact_json_path *parent; /* NULL for the root */
    const char *key; /* the key in an object, or NULL for an index in an array. At the root: the text of the document,
                        or NULL; with it errors get a line number */
    size_t index;    /* the index in an array */
} tact_json_path;

/* Bytes of an error text, including the terminating zero; longer texts are truncated. */
#define TACT_INPUT_ERROR_LENGTH 512

/* The reason why input is invalid: one line of valid UTF-8 without control characters. */
typedef struct tact_input_error {
    char text[TACT_INPUT_ERROR_LENGTH];
    size_t line; /* of the document, from 1; 0 if unknown */
} tact_input_error;

#if defined(__GNUC__)
#define TACT_PRINTF_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define TACT_PRINTF_FORMAT(text, first)
#endif

/* Sets the error text. If `where` is not NULL, the text starts with it: "a.radius" and a space. Always returns false,
 * so that a reader can end with `return tact_input_error_set(...)`. */
bool tact_input_error_set(tact_input_error *error, const tact_json_path *where, const char *format, ...)
    TACT_PRINTF_FORMAT(3, 4);

/* Renames keys of an object: names[i][0], the name in earlier versions, becomes names[i][1]. If both are present, the
 * old one stays, and tact_json_object reports it as unknown. A value that is not an object is ignored. */
void tact_json_rename_keys(const json_t *object, const char *const (*names)[2], size_t count);

/* The functions below return false and set the error if the value is not as described. */

/* An object whose keys are all in `keys`; `what` names it in the error: "a sphere". */
bool tact_json_object(const json_t *value, const tact_json_path *where, const char *what, const char *const *keys,
                      size_t count, tact_input_error *error);

/* An array; `what` names its elements in the error: "bodies". */
bool tact_json_array(const json_t *value, const tact_json_path *where, const char *what, tact_input_error *error);

/* A string; the text belongs to the value. */
bool tact_json_text(const json_t *value, const tact_json_path *where, const char **text, tact_input_error *error);

/* true or false. */
bool tact_json_flag(const json_t *value, const tact_json_path *where, bool *flag, tact_input_error *error);

/* A finite number: a JSON number, or a string as C's %a prints it. */
bool tact_json_number(const json_t *value, const tact_json_path *where, double *number, tact_input_error *error);

/* A finite number that is not negative. */
bool tact_json_length(const json_t *value, const tact_json_path *where, double *number, tact_input_error *error);

/* An array of exactly `count` numbers. */
bool tact_json_numbers(const json_t *value, const tact_json_path *where, double *numbers, size_t count,
                       tact_input_error *error);

/* An array of three numbers. */
bool tact_json_vec(const json_t *value, const tact_json_path *where, tact_vec3 *vec, tact_input_error *error);

/* An array of points, each an array of three numbers; it may be empty. On success the caller frees *points. */
bool tact_json_points(const json_t *value, const tact_json_path *where, tact_vec3 **points, size_t *count,
                      tact_input_error *error);

/* The member `key` of the object at `where`, which is required. */
bool tact_json_member(const json_t *object, const tact_json_path *where, const char *key, const json_t **member,
                      tact_input_error *error);
bool tact_json_member_length(const json_t *object, const tact_json_path *where, const char *key, double *length,
                             tact_input_error *error);
bool tact_json_member_vec(const json_t *object, const tact_json_path *where, const char *key, tact_vec3 *vec,
                          tact_input_error *error);

/* An optional member: without it the value is unchanged. */
bool tact_json_optional_length(const json_t *object, const tact_json_path *where, const char *key, double *length,
                               tact_input_error *error);
bool tact_json_optional_vec(const json_t *object, const tact_json_path *where, const char *key, tact_vec3 *vec,
                            tact_input_error *error);

#endif
