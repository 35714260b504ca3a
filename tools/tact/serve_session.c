/* POSIX, for strdup. */
#define _POSIX_C_SOURCE 200809L

#include "serve_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/version.h>
#include <time.h>

#include "query.h"
#include "serve_world.h"
#include "shape_read.h"

/* Bytes of an id as JSON. An answer repeats it, so it must be short. Its error message repeats the limit. */
#define ID_LENGTH 64

typedef struct named_shape {
    char *name;
    tact_shape *shape;
} named_shape;

struct serve_session {
    const serve_limits *limits;
    query_session query; /* its cache is the one of all requests */
    serve_worlds worlds;
    json_t *shape_names; /* name -> index in `shapes` */
    named_shape *shapes; /* a NULL shape: forgotten */
    size_t shape_count, shape_capacity;
    clock_t start; /* CPU time at the start of the request */
};

static tact_shape *shape_find(void *context, const char *name)
{
    const serve_session *s = context;
    const json_t *index = json_object_get(s->shape_names, name);
    return index ? s->shapes[json_integer_value(index)].shape : NULL;
}

/* The progress callback of all worlds: ends a request that takes too long. */
static bool time_is_left(void *context, uint64_t work)
{
    const serve_session *s = context;
    (void)work;
    return (double)(clock() - s->start) < s->limits->seconds * (double)CLOCKS_PER_SEC;
}

serve_session *tact_serve_session_create(const serve_limits *limits)
{
    serve_session *s = calloc(1, sizeof *s);
    json_t *names = json_object();
    if (!s || !names) {
        json_decref(names);
        free(s);
        return NULL;
    }
    s->limits = limits;
    s->shape_names = names;
    s->query.cache.no_files = true;
    s->query.cache.shared = shape_find;
    s->query.cache.shared_context = s;
    s->worlds.limit = limits->worlds;
    s->worlds.progress = (tact_progress){time_is_left, s, limits->work};
    s->query.progress = (tact_progress){.callback = time_is_left, .context = s};
    s->worlds.cache = &s->query.cache;
    return s;
}

void tact_serve_session_release(serve_session *s)
{
    if (!s)
        return;
    tact_serve_worlds_release(&s->worlds);
    for (size_t i = 0; i < s->shape_count; i++) {
        free(s->shapes[i].name);
        tact_shape_release(s->shapes[i].shape);
    }
    free(s->shapes);
    json_decref(s->shape_names);
    tact_mesh_cache_release(&s->query.cache);
    free(s);
}

/* ---- requests ---- */

/* Runs a request and writes the members of the answer, without its braces. */
typedef bool request_function(serve_session *s, const json_t *root, const tact_json_path *where, json_writer *answer,
                              tact_input_error *error);

static bool hello_run(serve_session *s, const json_t *root, const tact_json_path *where, json_writer *answer,
                      tact_input_error *error)
{
    static const char *const keys[] = {"op", "token"}; /* the token has been checked by now, if there is one */
    char version[40];
    if (!tact_json_object(root, where, "hello", keys, 2, error))
        return false;
    (void)snprintf(version, sizeof version, "%d.%d.%d", TACT_VERSION_MAJOR, TACT_VERSION_MINOR, TACT_VERSION_PATCH);
    tact_json_writer_word(answer, "server", "tact");
    tact_json_writer_word(answer, "version", version);
    tact_json_writer_number(answer, "max_message", (double)s->limits->message);
    tact_json_writer_number(answer, "max_memory", (double)s->limits->memory);
    tact_json_writer_number(answer, "max_seconds", s->limits->seconds);
    tact_json_writer_number(answer, "max_worlds", (double)s->limits->worlds);
    return true;
}

/* Reads the required member "name". */
static bool name_read(const json_t *root, const tact_json_path *where, const char **name, tact_input_error *error)
{
    const json_t *value;
    const tact_json_path at = {where, "name", 0};
    return tact_json_member(root, where, "name", &value, error) && tact_json_text(value, &at, name, error);
}

static bool shape_run(serve_session *s, const json_t *root, const tact_json_path *where, json_writer *answer,
                      tact_input_error *error)
{
    static const char *const keys[] = {"op", "name", "shape"};
    const json_t *value;
    const char *name;
    const tact_json_path at = {where, "shape", 0}, at_name = {where, "name", 0};
    (void)answer;
    if (!tact_json_object(root, where, "shape", keys, 3, error) || !name_read(root, where, &name, error) ||
        !tact_json_member(root, where, "shape", &value, error))
        return false;
    if (json_object_get(s->shape_names, name))
        return tact_input_error_set(error, &at_name, "\"%.60s\" is already the name of a shape: forget it first", name);
    if (s->shape_count == s->shape_capacity) {
        const size_t capacity = 2 * s->shape_capacity + 16;
        named_shape *shapes = realloc(s->shapes, capacity * sizeof *shapes);
        if (!shapes)
            return tact_input_error_set(error, NULL, "out of memory");
        s->shapes = shapes;
        s->shape_capacity = capacity;
    }
    named_shape *shape = &s->shapes[s->shape_count];
    shape->shape = tact_shape_read(value, &at, &s->query.cache, error);
    if (!shape->shape)
        return false;
    shape->name = strdup(name);
    const json_int_t index = (json_int_t)s->shape_count++;
    return (shape->name && json_object_set_new(s->shape_names, name, json_integer(index)) == 0) ||
           tact_input_error_set(error, NULL, "out of memory");
}

static bool forget_run(serve_session *s, const json_t *root, const tact_json_path *where, json_writer *answer,
                       tact_input_error *error)
{
    static const char *const keys[] = {"op", "name"};
    const char *name;
    const tact_json_path at = {where, "name", 0};
    (void)answer;
    if (!tact_json_object(root, where, "forget", keys, 2, error) || !name_read(root, where, &name, error))
        return false;
    const json_t *value = json_object_get(s->shape_names, name);
    if (!value)
        return tact_input_error_set(error, &at, "there is no shape \"%.60s\"", name);
    const size_t index = (size_t)json_integer_value(value), last = --s->shape_count;
    tact_shape_release(s->shapes[index].shape);
    free(s->shapes[index].name);
    (void)json_object_del(s->shape_names, name);
    if (index < last) { /* the last shape takes its place, so that the table does not grow for ever */
        s->shapes[index] = s->shapes[last];
        (void)json_integer_set(json_object_get(s->shape_names, s->shapes[index].name), (json_int_t)index);
    }
    return true;
}

static bool bye_run(serve_session *s, const json_t *root, const tact_json_path *where, json_writer *answer,
                    tact_input_error *error)
{
    static const char *const keys[] = {"op"};
    (void)s;
    tact_json_writer_flag(answer, "bye", true);
    return tact_json_object(root, where, "bye", keys, 1, error);
}

/* Runs a request: about the session, about a world, or a query. */
static bool root_run(serve_session *s, const json_t *root, const char *op, json_writer *answer, tact_input_error *error)
{
    static const struct {
        const char *op;
        request_function *run;
    } requests[] = {{"hello", hello_run}, {"shape", shape_run}, {"forget", forget_run}, {"bye", bye_run}};
    const tact_json_path where = {NULL, NULL, 0};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (strcmp(op, requests[i].op) == 0) {
            tact_json_writer_begin(answer);
            const bool good = requests[i].run(s, root, &where, answer, error);
            tact_json_writer_end(answer);
            return good;
        }
    bool found = false;
    char names[QUERY_NAMES_LENGTH];
    const tact_json_path at = {&where, "op", 0};
    const bool good = tact_serve_worlds_run(&s->worlds, op, root, answer, &found, error);
    if (found)
        return good;
    if (!tact_query_has_operation(op, names))
        return tact_input_error_set(error, &at,
                                    "must be one of hello, bye, shape, forget, %s, or of the queries %s, not \"%.40s\"",
                                    tact_serve_world_operations, names, op);
    return tact_query_answer_root(&s->query, root, answer, error);
}

/* ---- lines ---- */

/* Takes the member "id" out of a request; `id` gets it as JSON, or is empty. */
static bool id_take(json_t *root, char id[ID_LENGTH], tact_input_error *error)
{
    const json_t *value = json_object_get(root, "id");
    const tact_json_path root_path = {NULL, NULL, 0}, at = {&root_path, "id", 0};
    id[0] = '\0';
    if (!value)
        return true;
    if (!json_is_string(value) && !json_is_number(value))
        return tact_input_error_set(error, &at, "must be a number or a string");
    size_t length; /* numbers have been read as doubles */
    if (json_is_number(value))
        length = (size_t)snprintf(id, ID_LENGTH, "%.17g", json_number_value(value));
    else
        length = json_dumpb(value, id, ID_LENGTH - 1, JSON_ENCODE_ANY | JSON_COMPACT);
    id[length < ID_LENGTH ? length : 0] = '\0';
    if (length == 0 || length >= ID_LENGTH)
        return tact_input_error_set(error, &at, "must have less than 64 characters");
    (void)json_object_del(root, "id");
    return true;
}

/* Adds the id to an answer. */
static void id_add(json_writer *answer, const char *id)
{
    if (!id[0])
        return;
    answer->length--; /* the brace at its end */
    tact_json_writer_json(answer, "id", id);
    tact_json_writer_end(answer);
}

bool tact_serve_session_answer(serve_session *s, const char *line, size_t length, json_writer *answer)
{
    json_error_t syntax;
    tact_input_error error;
    char id[ID_LENGTH] = "";
    const tact_json_path where = {NULL, NULL, 0}, at_op = {&where, "op", 0};
    const char *op = "";
    const json_t *value;
    s->start = clock();
    json_t *root = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &syntax);
    bool good = false, ends = false;
    if (!root)
        (void)tact_input_error_set(&error, NULL, "not valid JSON at column %d: %s", syntax.column, syntax.text);
    else if (!json_is_object(root))
        (void)tact_json_object(root, &where, "a request", NULL, 0, &error);
    else
        good = id_take(root, id, &error) && tact_json_member(root, &where, "op", &value, &error) &&
               tact_json_text(value, &at_op, &op, &error) && root_run(s, root, op, answer, &error);
    ends = good && strcmp(op, "bye") == 0;
    if (good && answer->out_of_memory)
        good = tact_input_error_set(&error, NULL, "%.40s could not be answered: out of memory", op);
    if (good && answer->not_finite)
        good =
            tact_input_error_set(&error, NULL, "%.40s could not be answered: a number is too large for a double", op);
    if (!good)
        tact_json_writer_error(answer, &error);
    id_add(answer, id);
    json_decref(root);
    if (good && answer->out_of_memory) { /* for the id */
        (void)tact_input_error_set(&error, NULL, "out of memory");
        tact_json_writer_error(answer, &error);
        good = false;
    }
    return good && !ends;
}
