#include <tact/remote.h>

#include <jansson.h>
#include <nng/nng.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base64.h"

/* Bytes that are read at once. */
#define CHUNK 65536

/* Bytes of one change: 19 numbers of 25 characters, and names. */
#define CHANGE_BYTES 1024

/* Bytes of changes after which they are sent: far below the limit of a message. */
#define CHANGES_BYTES 65536

/* Bytes of a reason. */
#define ERROR_BYTES 600

#define DEFAULT_TIMEOUT 60.0

typedef struct buffer {
    char *text;
    size_t size, capacity;
} buffer;

struct tact_remote {
    nng_stream_dialer *dialer;
    nng_stream *stream;
    nng_aio *aio;
    bool has_world, ended;
    buffer changes;    /* the list of a request "move"; empty: none */
    buffer input;      /* what was received; the last answer ends at `answer_end` */
    size_t answer_end; /* with its line end */
    tact_remote_contact *contacts;
    tact_contact_point *points;
    char error[ERROR_BYTES];
};

static void fail(tact_remote *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(r->error, sizeof r->error, format, arguments);
    va_end(arguments);
}

static bool buffer_reserve(buffer *b, size_t size)
{
    if (b->capacity - b->size >= size)
        return true;
    const size_t capacity = 2 * b->capacity + size;
    char *text = realloc(b->text, capacity);
    if (!text)
        return false;
    b->text = text;
    b->capacity = capacity;
    return true;
}

static bool buffer_add(buffer *b, const char *text, size_t size)
{
    if (!buffer_reserve(b, size + 1))
        return false;
    memcpy(b->text + b->size, text, size);
    b->size += size;
    b->text[b->size] = '\0';
    return true;
}

/* ---- the connection ---- */

static bool all_send(tact_remote *r, const char *text, size_t size)
{
    while (size > 0) {
        nng_iov part = {.iov_buf = (void *)(uintptr_t)text, .iov_len = size};
        (void)nng_aio_set_iov(r->aio, 1, &part);
        nng_stream_send(r->stream, r->aio);
        nng_aio_wait(r->aio);
        const size_t sent = nng_aio_count(r->aio);
        if (nng_aio_result(r->aio) != 0 || sent == 0) {
            fail(r, "the server cannot be reached: %s", nng_strerror(nng_aio_result(r->aio)));
            return false;
        }
        text += sent;
        size -= sent;
    }
    return true;
}

/* Receives the next answer; NULL on failure. It has no line end. */
static char *answer_receive(tact_remote *r)
{
    if (r->answer_end > 0) { /* forget the last one */
        r->input.size -= r->answer_end;
        memmove(r->input.text, r->input.text + r->answer_end, r->input.size);
        r->answer_end = 0;
    }
    for (size_t scanned = 0;;) {
        char *end = r->input.size > scanned ? memchr(r->input.text + scanned, '\n', r->input.size - scanned) : NULL;
        if (end) {
            *end = '\0';
            r->answer_end = (size_t)(end - r->input.text) + 1;
            return r->input.text;
        }
        scanned = r->input.size;
        if (!buffer_reserve(&r->input, CHUNK)) {
            fail(r, "out of memory");
            return NULL;
        }
        nng_iov part = {.iov_buf = r->input.text + r->input.size, .iov_len = CHUNK};
        (void)nng_aio_set_iov(r->aio, 1, &part);
        nng_stream_recv(r->stream, r->aio);
        nng_aio_wait(r->aio);
        if (nng_aio_result(r->aio) != 0 || nng_aio_count(r->aio) == 0) {
            fail(r, "the server has not answered: %s", nng_strerror(nng_aio_result(r->aio)));
            return NULL;
        }
        r->input.size += nng_aio_count(r->aio);
    }
}

/* Receives an answer that is no error. */
static char *good_answer(tact_remote *r)
{
    static const char error[] = "{\"error\":";
    char *answer = answer_receive(r);
    if (!answer || strncmp(answer, error, sizeof error - 1) == 0) {
        json_t *root = answer ? json_loads(answer, 0, NULL) : NULL;
        const char *reason = json_string_value(json_object_get(root, "error"));
        if (reason)
            fail(r, "%s", reason);
        json_decref(root);
        r->ended = true;
        return NULL;
    }
    return answer;
}

/* Sends the changes; their answers are received later. */
static bool changes_send(tact_remote *r)
{
    if (r->changes.size == 0)
        return true;
    const bool good =
        buffer_add(&r->changes, "]}\n", 3) && all_send(r, r->changes.text, r->changes.size) && good_answer(r);
    r->changes.size = 0;
    r->ended = r->ended || !good;
    return good;
}

static char *ask(tact_remote *r, const char *request, size_t size)
{
    if (!r || r->ended)
        return NULL;
    if (!changes_send(r) || !all_send(r, request, size) || !all_send(r, "\n", 1)) {
        r->ended = true;
        return NULL;
    }
    return good_answer(r);
}

const char *tact_remote_request(tact_remote *remote, const char *request)
{
    const bool is_line = request && !strchr(request, '\n') && request[strspn(request, " \t\r")];
    if (remote && !is_line)
        fail(remote, "a request is one line, and not empty");
    return is_line ? ask(remote, request, strlen(request)) : NULL;
}

static bool connect_to(tact_remote *r, const char *address)
{
    int result = nng_stream_dialer_alloc(&r->dialer, address);
    if (result == 0 && strncmp(address, "ws://", 5) == 0)
        result = nng_stream_dialer_set_bool(r->dialer, NNG_OPT_WS_RECV_TEXT, true);
    if (result == 0) {
        nng_stream_dialer_dial(r->dialer, r->aio);
        nng_aio_wait(r->aio);
        result = nng_aio_result(r->aio);
    }
    if (result == 0)
        r->stream = nng_aio_get_output(r->aio, 0);
    else
        fail(r, "%.100s: cannot connect: %s", address, nng_strerror(result));
    return result == 0;
}

static bool greet(tact_remote *r, const char *token)
{
    json_t *hello = json_pack("{s:s,s:s*}", "op", "hello", "token", token);
    char *text = hello ? json_dumps(hello, JSON_COMPACT) : NULL;
    const bool good = text && ask(r, text, strlen(text));
    if (!text)
        fail(r, "out of memory, or the token is not UTF-8");
    free(text);
    json_decref(hello);
    return good;
}

tact_remote *tact_remote_connect(const char *address, const tact_remote_def *def, tact_report *report)
{
    const double timeout = def && def->timeout > 0.0 ? def->timeout : DEFAULT_TIMEOUT;
    tact_remote *r = calloc(1, sizeof *r);
    bool good = r && address && nng_aio_alloc(&r->aio, NULL, NULL) == 0;
    if (good) {
        nng_aio_set_timeout(r->aio, (nng_duration)(timeout < 1e6 ? timeout * 1e3 : 1e9));
        good = connect_to(r, address) && greet(r, def ? def->token : NULL);
    }
    if (report) {
        report->status = good ? TACT_OK : !r ? TACT_OUT_OF_MEMORY : TACT_BAD_ARGUMENT;
        (void)snprintf(report->text, sizeof report->text, "%.190s",
                       good || !r    ? ""
                       : r->error[0] ? r->error
                                     : "an address is missing, or out of memory");
    }
    if (good)
        return r;
    tact_remote_close(r);
    return NULL;
}

void tact_remote_close(tact_remote *r)
{
    if (!r)
        return;
    if (r->stream) {
        nng_stream_close(r->stream);
        nng_stream_free(r->stream);
    }
    if (r->dialer)
        nng_stream_dialer_free(r->dialer);
    if (r->aio)
        nng_aio_free(r->aio);
    free(r->changes.text);
    free(r->input.text);
    free(r->contacts);
    free(r->points);
    free(r);
}

const char *tact_remote_get_error(const tact_remote *remote) { return remote ? remote->error : ""; }

/* ---- worlds ---- */

tact_status tact_remote_send_world(tact_remote *r, const tact_world *world, tact_remote_response response)
{
    static const char *const responses[] = {"none", "elastic", "inelastic"};
    tact_bytes bytes = {0};
    tact_report report;
    if (!r || r->ended || response < TACT_REMOTE_NONE || response > TACT_REMOTE_INELASTIC)
        return TACT_BAD_ARGUMENT;
    r->changes.size = 0; /* they are of the world before */
    if (r->has_world && !tact_remote_request(r, "{\"op\":\"drop\"}"))
        return TACT_BAD_ARGUMENT;
    r->has_world = false;
    const tact_status status = tact_world_save(world, tact_bytes_sink(&bytes), NULL, &report);
    char head[100];
    const int length =
        snprintf(head, sizeof head, "{\"op\":\"restore\",\"response\":\"%s\",\"data\":\"", responses[response]);
    const size_t size = (size_t)length + BASE64_LENGTH(bytes.size) + 2;
    char *request = status == TACT_OK ? malloc(size) : NULL;
    if (request) {
        memcpy(request, head, (size_t)length);
        (void)tact_base64_encode(request + length, bytes.data, bytes.size);
        memcpy(request + size - 2, "\"}", 2);
        r->has_world = ask(r, request, size) != NULL;
    } else {
        fail(r, "%s", status == TACT_OK ? "out of memory" : report.text);
    }
    free(request);
    tact_bytes_release(&bytes);
    return status != TACT_OK ? status : !request ? TACT_OUT_OF_MEMORY : r->has_world ? TACT_OK : TACT_BAD_ARGUMENT;
}

tact_world *tact_remote_receive_world(tact_remote *r, const tact_record_def *def, tact_report *report)
{
    const char *answer = tact_remote_request(r, "{\"op\":\"save\"}");
    json_t *root = answer ? json_loads(answer, 0, NULL) : NULL;
    const json_t *data = json_object_get(root, "data");
    const size_t length = json_string_length(data);
    unsigned char *bytes = data ? malloc(length / 4 * 3 + 1) : NULL;
    size_t size;
    tact_world *world = NULL;
    if (report)
        *report = (tact_report){.status = TACT_BAD_ARGUMENT};
    if (bytes && tact_base64_decode(bytes, &size, json_string_value(data), length))
        world = tact_world_restore(bytes, size, def, report);
    else if (report)
        (void)snprintf(report->text, sizeof report->text, "%.190s", tact_remote_get_error(r));
    free(bytes);
    json_decref(root);
    return world;
}

/* ---- changes ---- */

/* Begins a change of a body: {"body":"#1.2", */
static int change_begin(char *change, tact_body body)
{
    return snprintf(change, CHANGE_BYTES, "{\"body\":\"#%u.%u\",", (unsigned)body.index, (unsigned)body.generation);
}

static bool is_finite(const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(numbers[i] - numbers[i] == 0.0))
            return false;
    return true;
}

static tact_status change_add(tact_remote *r, const char *change)
{
    static const char head[] = "{\"op\":\"move\",\"bodies\":[";
    if (r->changes.size > CHANGES_BYTES && !changes_send(r))
        return TACT_BAD_ARGUMENT;
    const size_t before = r->changes.size;
    if (buffer_add(&r->changes, before == 0 ? head : ",", before == 0 ? sizeof head - 1 : 1) &&
        buffer_add(&r->changes, change, strlen(change)))
        return TACT_OK;
    r->changes.size = before;
    fail(r, "out of memory");
    return TACT_OUT_OF_MEMORY;
}

tact_status tact_remote_set_transform(tact_remote *r, tact_body body, tact_transform t)
{
    const double m[12] = {t.x_axis.x, t.x_axis.y, t.x_axis.z, t.y_axis.x, t.y_axis.y, t.y_axis.z,
                          t.z_axis.x, t.z_axis.y, t.z_axis.z, t.origin.x, t.origin.y, t.origin.z};
    char change[CHANGE_BYTES];
    if (!r || r->ended || !is_finite(m, 12))
        return TACT_BAD_ARGUMENT;
    const int length = change_begin(change, body);
    (void)snprintf(
        change + length, CHANGE_BYTES - (size_t)length,
        "\"place\":{\"matrix\":[%.17g,%.17g,%.17g,0,%.17g,%.17g,%.17g,0,%.17g,%.17g,%.17g,0,%.17g,%.17g,%.17g,1]}}",
        m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11]);
    return change_add(r, change);
}

tact_status tact_remote_set_motion(tact_remote *r, tact_body body, tact_motion motion)
{
    const tact_vec3 v = motion.velocity, a = motion.acceleration, w = motion.spin, p = motion.pivot;
    const double m[12] = {v.x, v.y, v.z, a.x, a.y, a.z, w.x, w.y, w.z, p.x, p.y, p.z};
    char change[CHANGE_BYTES];
    if (!r || r->ended || !is_finite(m, 12))
        return TACT_BAD_ARGUMENT;
    const int length = change_begin(change, body);
    (void)snprintf(change + length, CHANGE_BYTES - (size_t)length,
                   "\"motion\":{\"velocity\":[%.17g,%.17g,%.17g],\"acceleration\":[%.17g,%.17g,%.17g],\"spin\":[%.17g,%"
                   ".17g,%.17g],"
                   "\"pivot\":[%.17g,%.17g,%.17g]}}",
                   m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11]);
    return change_add(r, change);
}

/* ---- answers ---- */

static tact_vec3 vec_of(const json_t *object, const char *name)
{
    const json_t *v = json_object_get(object, name);
    return (tact_vec3){json_number_value(json_array_get(v, 0)), json_number_value(json_array_get(v, 1)),
                       json_number_value(json_array_get(v, 2))};
}

/* The handle in a name "#index.generation"; zero for another name. */
static tact_body body_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    unsigned index, generation;
    if (!text || sscanf(text, "#%u.%u", &index, &generation) != 2)
        return (tact_body){0, 0};
    return (tact_body){index, generation};
}

/* Writes the contacts of an answer to the arrays of the connection. */
static bool contacts_read(tact_remote *r, const json_t *list)
{
    size_t count = json_array_size(list), points = 0;
    for (size_t i = 0; i < count; i++)
        points += json_array_size(json_object_get(json_array_get(list, i), "points"));
    free(r->contacts);
    free(r->points);
    r->contacts = calloc(count + 1, sizeof *r->contacts);
    r->points = calloc(points + 1, sizeof *r->points);
    if (!r->contacts || !r->points)
        return false;
    tact_contact_point *point = r->points;
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, i), *all = json_object_get(value, "points");
        const char *phase = json_string_value(json_object_get(value, "phase"));
        tact_remote_contact *c = &r->contacts[i];
        c->a = body_of(value, "a");
        c->b = body_of(value, "b");
        c->phase = !phase                          ? TACT_PHASE_BEGIN
                   : strcmp(phase, "end") == 0     ? TACT_PHASE_END
                   : strcmp(phase, "persist") == 0 ? TACT_PHASE_PERSIST
                                                   : TACT_PHASE_BEGIN;
        c->points = point;
        c->point_count = json_array_size(all);
        for (size_t k = 0; k < c->point_count; k++, point++) {
            const json_t *p = json_array_get(all, k);
            point->on_a = vec_of(p, "pa");
            point->on_b = vec_of(p, "pb");
            point->normal = vec_of(p, "normal");
            point->depth = json_number_value(json_object_get(p, "depth"));
        }
    }
    return true;
}

tact_status tact_remote_test(tact_remote *r, const tact_remote_contact **contacts, size_t *count)
{
    const char *answer = contacts && count ? tact_remote_request(r, "{\"op\":\"test\"}") : NULL;
    json_t *root = answer ? json_loads(answer, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
    const json_t *list = json_object_get(root, "contacts");
    const bool good = list && contacts_read(r, list);
    if (good) {
        *contacts = r->contacts;
        *count = json_array_size(list);
    }
    json_decref(root);
    return good ? TACT_OK : answer ? TACT_OUT_OF_MEMORY : TACT_BAD_ARGUMENT;
}

static tact_event_kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        tact_event_kind kind;
    } kinds[] = {{"touch", TACT_EVENT_TOUCH}, {"begin", TACT_EVENT_CONTACT_BEGIN}, {"end", TACT_EVENT_CONTACT_END},
                 {"sleep", TACT_EVENT_SLEEP}, {"wake", TACT_EVENT_WAKE},           {"crushed", TACT_EVENT_CRUSHED}};
    for (size_t i = 0; name && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return kinds[i].kind;
    return TACT_EVENT_NONE;
}

tact_event_kind tact_remote_next_event(tact_remote *r, double until, tact_event *event)
{
    char request[100];
    (void)snprintf(request, sizeof request, "{\"op\":\"next\",\"until\":%.17g}", until);
    const char *answer = is_finite(&until, 1) ? tact_remote_request(r, request) : NULL;
    json_t *root = answer ? json_loads(answer, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
    tact_event e = {.status = answer ? TACT_OUT_OF_MEMORY : TACT_BAD_ARGUMENT};
    if (root) {
        e.status = json_object_get(root, "cancelled") ? TACT_CANCELLED : TACT_OK;
        e.kind = kind_of(json_string_value(json_object_get(root, "kind")));
        e.time = json_number_value(json_object_get(root, "t"));
        e.a = body_of(root, "a");
        e.b = body_of(root, "b");
        e.point = vec_of(root, "point");
        e.normal = vec_of(root, "normal");
    }
    json_decref(root);
    if (event)
        *event = e;
    return e.kind;
}
