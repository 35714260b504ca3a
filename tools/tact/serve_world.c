/* POSIX, for strdup. */
#define _POSIX_C_SOURCE 200809L

#include "serve_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/record.h>

#include "base64.h"
#include "run_report.h"
#include "shape_read.h"
#include "states_file.h"

/* The name of the world of a request that names none. */
#define DEFAULT_NAME "main"

/* Events of one answer at most; the client asks again for more. It bounds the answer, as memory does. */
#define MAX_EVENTS 1000

/* A request about a world. */
typedef struct world_request {
    serve_worlds *worlds;
    json_t *root; /* without "op" and "world" */
    const tact_json_path *where;
    json_writer *answer;
    tact_input_error *error;
    const char *name;   /* of the world */
    serve_world *world; /* NULL: there is none of this name */
} world_request;

static bool out_of_memory(const world_request *r) { return tact_input_error_set(r->error, NULL, "out of memory"); }

/* Reports a status of the library. */
static bool status_check(const world_request *r, const char *what, tact_status status)
{
    return status == TACT_OK || tact_input_error_set(r->error, NULL, "%s: %s", what, tact_status_text(status));
}

static bool keys_check(const world_request *r, const char *what, const char *const *keys, size_t count)
{
    return tact_json_object(r->root, r->where, what, keys, count, r->error);
}

/* ---- worlds ---- */

static void world_release(serve_world *w)
{
    if (!w)
        return;
    tact_world_release(w->world);
    for (size_t i = 0; i < w->count; i++)
        if (w->bodies[i]) {
            tact_scene_body_release(w->bodies[i]);
            free(w->bodies[i]);
        }
    free(w->bodies);
    free(w->name);
    json_decref(w->names);
    free(w);
}

void tact_serve_worlds_release(serve_worlds *worlds)
{
    for (size_t i = 0; i < worlds->count; i++)
        world_release(worlds->items[i]);
    free(worlds->items);
    worlds->items = NULL;
    worlds->count = 0;
}

/* Adds a world of the request's name. `world` is the caller's, and on success the session's. */
static serve_world *world_add(const world_request *r, tact_world *world)
{
    serve_worlds *worlds = r->worlds;
    if (r->world) {
        (void)tact_input_error_set(r->error, NULL, "there is a world \"%.60s\" already: drop it first", r->name);
        return NULL;
    }
    if (worlds->count == worlds->limit) {
        (void)tact_input_error_set(r->error, NULL, "a session has at most %zu worlds, the limit of this server",
                                   worlds->limit);
        return NULL;
    }
    if (!worlds->items)
        worlds->items = calloc(worlds->limit, sizeof(serve_world *));
    serve_world *w = worlds->items ? calloc(1, sizeof *w) : NULL;
    if (w) {
        w->name = strdup(r->name);
        w->names = json_object();
    }
    if (!w || !w->name || !w->names || !world) {
        world_release(w);
        (void)out_of_memory(r);
        return NULL;
    }
    w->world = world;
    (void)tact_world_set_progress(world, worlds->progress);
    worlds->items[worlds->count++] = w;
    return w;
}

/* Room for another body in the table of a world. */
static scene_body *body_add(serve_world *w)
{
    if (w->count == w->capacity) {
        const size_t capacity = 2 * w->capacity + 16;
        scene_body **bodies = realloc(w->bodies, capacity * sizeof(scene_body *));
        if (!bodies)
            return NULL;
        w->bodies = bodies;
        w->capacity = capacity;
    }
    scene_body *body = calloc(1, sizeof *body);
    if (body)
        w->bodies[w->count++] = body;
    return body;
}

static bool world_run(world_request *r)
{
    static const char *const keys[] = {"gravity", "contact_step", "sleep", "kinetic", "response"};
    const tact_world_def def = {.parallel = {.threads = 1}};
    if (!keys_check(r, "world", keys, sizeof keys / sizeof keys[0]))
        return false;
    tact_world *world = tact_world_create(&def);
    serve_world *w = world_add(r, world);
    if (!w) {
        tact_world_release(world);
        return false;
    }
    scene_reader reader = {.world = world, .cache = r->worlds->cache, .names = w->names, .error = r->error};
    return tact_scene_settings_read(&reader, r->root, r->where, &w->response);
}

static bool drop_run(world_request *r)
{
    if (!keys_check(r, "drop", NULL, 0))
        return false;
    for (size_t i = 0; i < r->worlds->count; i++)
        if (r->worlds->items[i] == r->world)
            r->worlds->items[i] = r->worlds->items[--r->worlds->count];
    world_release(r->world);
    return true;
}

/* ---- bodies ---- */

static bool body_run(world_request *r)
{
    serve_world *w = r->world;
    scene_body *body = body_add(w);
    scene_reader reader = {.world = w->world, .cache = r->worlds->cache, .names = w->names, .error = r->error};
    return body ? tact_scene_body_read(&reader, r->root, r->where, w->count - 1, body) : out_of_memory(r);
}

/* Finds the body that a value names. */
static bool body_find(const world_request *r, const json_t *value, const tact_json_path *where, size_t *index)
{
    const char *name;
    if (!tact_json_text(value, where, &name, r->error))
        return false;
    const json_t *found = json_object_get(r->world->names, name);
    if (!found)
        return tact_input_error_set(r->error, where, "there is no body \"%.60s\"", name);
    *index = (size_t)json_integer_value(found);
    return true;
}

/* The body that the member "body" of an object names. */
static bool body_member(const world_request *r, const json_t *object, const tact_json_path *where, size_t *index)
{
    const json_t *value;
    const tact_json_path at = {where, "body", 0};
    return tact_json_member(object, where, "body", &value, r->error) && body_find(r, value, &at, index);
}

static bool remove_run(world_request *r)
{
    static const char *const keys[] = {"body"};
    size_t index;
    if (!keys_check(r, "remove", keys, 1) || !body_member(r, r->root, r->where, &index))
        return false;
    scene_body *body = r->world->bodies[index];
    (void)tact_body_remove(r->world->world, body->body);
    (void)json_object_del(r->world->names, body->name);
    tact_scene_body_release(body);
    free(body);
    r->world->bodies[index] = NULL;
    while (r->world->count > 0 && !r->world->bodies[r->world->count - 1])
        r->world->count--;
    return true;
}

/* Moves one body: {"body":NAME,"place":...,"motion":...}. */
static bool body_move(const world_request *r, const json_t *value, const tact_json_path *where)
{
    static const char *const keys[] = {"body", "place", "motion"};
    const json_t *place, *motion;
    const tact_json_path at_place = {where, "place", 0}, at_motion = {where, "motion", 0};
    size_t index;
    tact_transform transform;
    tact_world *world = r->world->world;
    if (!tact_json_object(value, where, "a move", keys, 3, r->error) || !body_member(r, value, where, &index))
        return false;
    scene_body *body = r->world->bodies[index];
    place = json_object_get(value, "place");
    motion = json_object_get(value, "motion");
    if (place) {
        tact_vec3 scale = {1.0, 1.0, 1.0};
        if (!tact_transform_read(place, &at_place, &transform, r->error) ||
            !tact_json_optional_vec(place, &at_place, "scale", &scale, r->error))
            return false;
        if (tact_body_set_transform(world, body->body, transform) != TACT_OK)
            return tact_input_error_set(r->error, &at_place, "is singular, or moves the body beyond 1e150");
        body->scale = scale;
    }
    if (motion) {
        tact_motion m = tact_motion_still();
        scene_reader reader = {.world = world, .error = r->error};
        if (!tact_motion_read(motion, &at_motion, &m, r->error) ||
            !tact_scene_motion_check(&reader, &at_motion, &m, tact_body_get_mass(world, body->body) > 0.0))
            return false;
        if (tact_body_set_motion(world, body->body, m) != TACT_OK)
            return tact_input_error_set(r->error, &at_motion, "is not possible for this body");
    }
    return true;
}

/* Moves a body, or each of the list "bodies". */
static bool move_run(world_request *r)
{
    static const char *const keys[] = {"bodies"};
    const json_t *list = json_object_get(r->root, "bodies");
    const tact_json_path at = {r->where, "bodies", 0};
    if (!list)
        return body_move(r, r->root, r->where);
    if (!keys_check(r, "move with bodies", keys, 1) || !tact_json_array(list, &at, "moves", r->error))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const tact_json_path item = {&at, NULL, i};
        if (!body_move(r, json_array_get(list, i), &item))
            return false;
    }
    return true;
}

/* ---- contacts at one instant ---- */

static void names_write(json_writer *answer, const scene_body *a, const scene_body *b)
{
    tact_json_writer_json(answer, "a", a->json_name);
    if (b)
        tact_json_writer_json(answer, "b", b->json_name);
}

/* The contact callback of `test`: writes the contact. */
static void contact_write(void *context, const tact_contact *contact)
{
    static const char *const phases[] = {"begin", "persist", "end"};
    json_writer *answer = context;
    if (!contact->user_a || !contact->user_b) /* a body was removed */
        return;
    tact_json_writer_item(answer);
    names_write(answer, contact->user_a, contact->user_b);
    tact_json_writer_word(answer, "phase", phases[contact->phase]);
    if (contact->want == TACT_WITNESS && contact->phase != TACT_PHASE_END)
        tact_json_writer_vec(answer, "point", contact->point);
    if (contact->point_count > 0) {
        tact_json_writer_list(answer, "points");
        for (size_t i = 0; i < contact->point_count; i++) {
            const tact_contact_point *p = &contact->points[i];
            tact_json_writer_item(answer);
            tact_json_writer_number(answer, "depth", p->depth);
            tact_json_writer_vec(answer, "normal", p->normal);
            tact_json_writer_vec(answer, "pa", p->on_a);
            tact_json_writer_vec(answer, "pb", p->on_b);
            tact_json_writer_item_end(answer);
        }
        tact_json_writer_list_end(answer);
    }
    tact_json_writer_item_end(answer);
}

static bool test_run(world_request *r)
{
    static const char *const keys[] = {"want"};
    static const struct {
        const char *name;
        tact_want want;
    } wants[] = {{"points", TACT_CONTACT_POINTS}, {"witness", TACT_WITNESS}, {"pairs", TACT_NOTHING}};
    const json_t *value = json_object_get(r->root, "want");
    const tact_json_path at = {r->where, "want", 0};
    const char *name = wants[0].name;
    size_t i = 0;
    if (!keys_check(r, "test", keys, 1) || (value && !tact_json_text(value, &at, &name, r->error)))
        return false;
    while (i < sizeof wants / sizeof wants[0] && strcmp(name, wants[i].name) != 0)
        i++;
    if (i == sizeof wants / sizeof wants[0])
        return tact_input_error_set(r->error, &at, "must be points, witness or pairs, not \"%.40s\"", name);
    const tact_response response = {
        .want = wants[i].want, .callback = contact_write, .context = r->answer, .report_end = true};
    const tact_response none = {.want = TACT_NOTHING};
    tact_world *world = r->world->world;
    if (!status_check(r, "test", tact_world_set_contact_callback(world, response)))
        return false;
    tact_json_writer_list(r->answer, "contacts");
    const tact_count count = tact_world_test(world);
    tact_json_writer_list_end(r->answer);
    (void)tact_world_set_contact_callback(world, none);
    return status_check(r, "test", count.status);
}

/* ---- continuous time ---- */

static void event_write(json_writer *answer, const tact_event *e)
{
    const char *name;
    bool has_b, has_point;
    tact_json_writer_number(answer, "t", e->time);
    if (!tact_event_kind_describe(e->kind, &name, &has_b, &has_point)) {
        tact_json_writer_word(answer, "kind", "none");
        return;
    }
    tact_json_writer_word(answer, "kind", name);
    names_write(answer, e->user_a, has_b ? e->user_b : NULL);
    if (has_point) {
        tact_json_writer_vec(answer, "point", e->point);
        tact_json_writer_vec(answer, "normal", e->normal);
    }
}

/* Reads the member "until" of a request: not before the time of the world. */
static bool until_read(const world_request *r, double *until)
{
    const json_t *value;
    const tact_json_path at = {r->where, "until", 0};
    const double now = tact_world_get_time(r->world->world);
    if (!tact_json_member(r->root, r->where, "until", &value, r->error) ||
        !tact_json_number(value, &at, until, r->error))
        return false;
    return *until >= now ||
           tact_input_error_set(r->error, &at, "is %.17g, which is before the time of the world, %.17g", *until, now);
}

/* The next event that is reported, with the response applied to it. */
static bool event_next(const world_request *r, double until, tact_event *event)
{
    const char *name;
    bool has_b, has_point;
    do {
        (void)tact_world_next_event(r->world->world, until, event);
        if (event->kind == TACT_EVENT_TOUCH) {
            const tact_status status = tact_scene_respond(r->world->world, r->world->response, event);
            if (status != TACT_OK)
                return status_check(r, "the impact", status);
        }
    } while (event->kind != TACT_EVENT_NONE && (!tact_event_kind_describe(event->kind, &name, &has_b, &has_point) ||
                                                !event->user_a || (has_b && !event->user_b)));
    if (event->kind == TACT_EVENT_NONE && event->status != TACT_OK && event->status != TACT_CANCELLED)
        return status_check(r, "the next event", event->status);
    return true;
}

/* Ends an answer: a request that took too long can be repeated. */
static void cancelled_write(const world_request *r, const tact_event *event)
{
    if (event->status == TACT_CANCELLED)
        tact_json_writer_flag(r->answer, "cancelled", true);
}

static bool next_run(world_request *r)
{
    static const char *const keys[] = {"until"};
    double until;
    tact_event event;
    if (!keys_check(r, "next", keys, 1) || !until_read(r, &until) || !event_next(r, until, &event))
        return false;
    if (event.kind == TACT_EVENT_NONE)
        event.time = tact_world_get_time(r->world->world);
    event_write(r->answer, &event);
    cancelled_write(r, &event);
    return true;
}

static bool advance_run(world_request *r)
{
    static const char *const keys[] = {"until"};
    double until;
    tact_event event;
    size_t count = 0;
    if (!keys_check(r, "advance", keys, 1) || !until_read(r, &until))
        return false;
    tact_json_writer_list(r->answer, "events");
    for (; count < MAX_EVENTS; count++) {
        if (!event_next(r, until, &event))
            return false;
        if (event.kind == TACT_EVENT_NONE)
            break;
        tact_json_writer_item(r->answer);
        event_write(r->answer, &event);
        tact_json_writer_item_end(r->answer);
    }
    tact_json_writer_list_end(r->answer);
    tact_json_writer_number(r->answer, "t", tact_world_get_time(r->world->world));
    if (count == MAX_EVENTS)
        tact_json_writer_flag(r->answer, "more", true);
    cancelled_write(r, &event);
    return true;
}

static bool states_run(world_request *r)
{
    json_writer *answer = r->answer;
    const serve_world *w = r->world;
    if (!keys_check(r, "states", NULL, 0))
        return false;
    tact_json_writer_number(answer, "t", tact_world_get_time(w->world));
    tact_json_writer_list(answer, "bodies");
    for (size_t i = 0; i < w->count; i++) {
        const scene_body *body = w->bodies[i];
        if (!body)
            continue;
        const tact_transform at = tact_body_get_transform(w->world, body->body);
        tact_json_writer_item(answer);
        tact_json_writer_json(answer, "name", body->json_name);
        tact_json_writer_vec(answer, "translate", at.origin);
        tact_json_writer_quat(answer, "rotate", tact_transform_rotation(&at, body->scale));
        tact_json_writer_item_end(answer);
    }
    tact_json_writer_list_end(answer);
    return true;
}

/* ---- queries about a world ---- */

static bool hit_write(const world_request *r, const char *what, const tact_hit *hit, bool has_t)
{
    json_writer *answer = r->answer;
    const scene_body *body = hit->user;
    if (!status_check(r, what, hit->status))
        return false;
    tact_json_writer_flag(answer, "hit", hit->state == TACT_HIT);
    if (hit->state != TACT_HIT)
        return true;
    tact_json_writer_json(answer, "body", body->json_name);
    tact_json_writer_number(answer, has_t ? "t" : "distance", has_t ? hit->t : hit->distance);
    tact_json_writer_vec(answer, "point", hit->point);
    tact_json_writer_vec(answer, "normal", hit->normal);
    return true;
}

static bool world_ray_run(world_request *r)
{
    static const char *const keys[] = {"from", "dir", "max"};
    tact_vec3 from, dir;
    double max = INFINITY;
    const tact_json_path at = {r->where, "dir", 0};
    if (!keys_check(r, "world_ray", keys, 3) || !tact_json_member_vec(r->root, r->where, "from", &from, r->error) ||
        !tact_json_member_vec(r->root, r->where, "dir", &dir, r->error) ||
        !tact_json_optional_length(r->root, r->where, "max", &max, r->error))
        return false;
    if (dir.x == 0.0 && dir.y == 0.0 && dir.z == 0.0)
        return tact_input_error_set(r->error, &at, "must not be zero");
    (void)tact_world_sync_transforms(r->world->world);
    const tact_hit hit = tact_world_ray(r->world->world, from, dir, max, NULL);
    return hit_write(r, "world_ray", &hit, true);
}

static bool world_closest_run(world_request *r)
{
    static const char *const keys[] = {"from", "max"};
    tact_vec3 from;
    double max = INFINITY;
    if (!keys_check(r, "world_closest", keys, 2) || !tact_json_member_vec(r->root, r->where, "from", &from, r->error) ||
        !tact_json_optional_length(r->root, r->where, "max", &max, r->error))
        return false;
    (void)tact_world_sync_transforms(r->world->world);
    const tact_hit hit = tact_world_closest_point(r->world->world, from, max, NULL);
    return hit_write(r, "world_closest", &hit, false);
}

/* ---- the bytes of a world ---- */

static bool save_run(world_request *r)
{
    tact_bytes bytes;
    tact_report report;
    memset(&bytes, 0, sizeof bytes);
    if (!keys_check(r, "save", NULL, 0))
        return false;
    bool good = tact_world_save(r->world->world, tact_bytes_sink(&bytes), NULL, &report) == TACT_OK ||
                tact_input_error_set(r->error, NULL, "save: %s", report.text);
    char *text = good ? malloc(BASE64_LENGTH(bytes.size) + 3) : NULL;
    if (text) {
        const size_t length = tact_base64_encode(text + 1, bytes.data, bytes.size);
        text[0] = text[length + 1] = '"';
        text[length + 2] = '\0';
        tact_json_writer_json(r->answer, "data", text);
    } else if (good) {
        good = out_of_memory(r);
    }
    free(text);
    tact_bytes_release(&bytes);
    return good;
}

/* Gives every body of a restored world a name, "#index.generation", as in its handle. */
static bool bodies_name(const world_request *r, serve_world *w)
{
    const tact_body none = {0, 0};
    for (tact_body b = tact_world_next_body(w->world, none); b.generation; b = tact_world_next_body(w->world, b)) {
        scene_body *body = body_add(w);
        char name[40];
        (void)snprintf(name, sizeof name, "\"#%u.%u\"", (unsigned)b.index, (unsigned)b.generation);
        if (!body || !(body->json_name = strdup(name)))
            return out_of_memory(r);
        name[strlen(name) - 1] = '\0';
        body->name = strdup(name + 1);
        body->body = b;
        body->scale = (tact_vec3){1.0, 1.0, 1.0};
        if (!body->name || json_object_set_new(w->names, body->name, json_integer((json_int_t)w->count - 1)) != 0)
            return out_of_memory(r);
        (void)tact_body_set_user(w->world, b, body);
    }
    return true;
}

/* Decodes the member "data"; *bytes is the caller's to free. */
static bool data_read(const world_request *r, unsigned char **bytes, size_t *size)
{
    const json_t *value;
    const char *text;
    const tact_json_path at = {r->where, "data", 0};
    if (!tact_json_member(r->root, r->where, "data", &value, r->error) || !tact_json_text(value, &at, &text, r->error))
        return false;
    const size_t length = json_string_length(value);
    *bytes = malloc(length / 4 * 3 + 1);
    if (!*bytes)
        return out_of_memory(r);
    return tact_base64_decode(*bytes, size, text, length) || tact_input_error_set(r->error, &at, "is not base64");
}

/* The world of a recording, after all its calls. */
static tact_world *world_replay(const world_request *r, const unsigned char *bytes, size_t size,
                                const tact_record_def *def)
{
    static const char *const states[] = {"call", "end", "truncated", "diverged", "failed"};
    const tact_json_path at = {r->where, "data", 0};
    tact_report report = {0};
    tact_replay *replay = tact_replay_begin(bytes, size, def, &report);
    const tact_replay_state state = replay ? tact_replay_run(replay, &report) : TACT_REPLAY_FAILED;
    if (state == TACT_REPLAY_FAILED || !tact_replay_get_world(replay)) {
        (void)tact_input_error_set(r->error, &at, "cannot be replayed: %s",
                                   report.text[0] ? report.text : "its last call destroys the world");
        tact_replay_release(replay);
        return NULL;
    }
    tact_json_writer_word(r->answer, "state", states[state]);
    tact_json_writer_number(r->answer, "calls", (double)tact_replay_get_call_count(replay));
    return tact_replay_take_world(replay);
}

/* Creates a world from the bytes of a saved one, or of a recording. */
static bool bytes_run(world_request *r, bool recorded)
{
    static const char *const keys[] = {"data", "response"};
    const tact_record_def def = {.parallel = {.threads = 1}};
    const tact_json_path at = {r->where, "data", 0};
    unsigned char *bytes = NULL;
    size_t size;
    tact_report report = {0};
    tact_world *world = NULL;
    bool good = keys_check(r, recorded ? "replay" : "restore", keys, 2) && data_read(r, &bytes, &size);
    if (good) {
        world = recorded ? world_replay(r, bytes, size, &def) : tact_world_restore(bytes, size, &def, &report);
        good = world != NULL;
        if (!good && !recorded)
            (void)tact_input_error_set(r->error, &at, "cannot be restored: %s", report.text);
    }
    free(bytes);
    serve_world *w = good ? world_add(r, world) : NULL;
    if (!w) {
        tact_world_release(world);
        return false;
    }
    scene_reader reader = {.world = world, .cache = r->worlds->cache, .names = w->names, .error = r->error};
    if (!tact_scene_response_read(&reader, r->root, r->where, &w->response) || !bodies_name(r, w))
        return false;
    tact_json_writer_number(r->answer, "bodies", (double)w->count);
    return true;
}

static bool restore_run(world_request *r) { return bytes_run(r, false); }
static bool replay_run(world_request *r) { return bytes_run(r, true); }

/* ---- requests ---- */

const char tact_serve_world_operations[] = "world, drop, body, move, remove, test, next, advance, states, world_ray, "
                                           "world_closest, save, restore, replay";

bool tact_serve_worlds_run(serve_worlds *worlds, const char *op, const json_t *root, json_writer *answer, bool *found,
                           tact_input_error *error)
{
    static const struct {
        const char *op;
        bool (*run)(world_request *r);
        bool creates; /* the world; else it must exist */
    } requests[] = {{"world", world_run, true},
                    {"restore", restore_run, true},
                    {"replay", replay_run, true},
                    {"drop", drop_run, false},
                    {"body", body_run, false},
                    {"move", move_run, false},
                    {"remove", remove_run, false},
                    {"test", test_run, false},
                    {"next", next_run, false},
                    {"advance", advance_run, false},
                    {"states", states_run, false},
                    {"world_ray", world_ray_run, false},
                    {"world_closest", world_closest_run, false},
                    {"save", save_run, false}};
    const tact_json_path where = {NULL, NULL, 0}, at = {&where, "world", 0};
    size_t i = 0;
    while (i < sizeof requests / sizeof requests[0] && strcmp(op, requests[i].op) != 0)
        i++;
    *found = i < sizeof requests / sizeof requests[0];
    if (!*found)
        return false;
    world_request r = {.worlds = worlds, .where = &where, .answer = answer, .error = error, .name = DEFAULT_NAME};
    const json_t *name = json_object_get(root, "world");
    if (name && !tact_json_text(name, &at, &r.name, error))
        return false;
    for (size_t k = 0; k < worlds->count; k++)
        if (strcmp(worlds->items[k]->name, r.name) == 0)
            r.world = worlds->items[k];
    if (!requests[i].creates && !r.world)
        return tact_input_error_set(error, NULL, "there is no world \"%.60s\": the request world creates it", r.name);
    r.root = json_copy((json_t *)(uintptr_t)root);
    if (!r.root)
        return out_of_memory(&r);
    (void)json_object_del(r.root, "op");
    (void)json_object_del(r.root, "world");
    tact_json_writer_begin(answer);
    const bool good = requests[i].run(&r);
    tact_json_writer_end(answer);
    json_decref(r.root);
    return good;
}
