/* POSIX, for strdup. */
#define _POSIX_C_SOURCE 200809L

#include "scene.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_cache.h"
#include "shape_read.h"

/* Of coordinates and motions: see tact/advance.h. */
#define NUMBER_MOST 1e150

/* ---- small pieces ---- */

/* The member `key`, a number not below 0, if there is one; `number` keeps its value if not. */
static bool length_read_if(const json_t *object, const tact_json_path *where, const char *key, double *number,
                           tact_complaint *complaint)
{
    const json_t *value = json_object_get(object, key);
    tact_json_path at = {where, key, 0};
    return !value || tact_json_length(value, &at, number, complaint);
}

/* Finds which of three words `value` is; false if it is none of them. */
static bool word_find(const json_t *value, const char *const names[3], int *which)
{
    const char *text = json_string_value(value);
    for (int i = 0; i < 3 && text; i++)
        if (strcmp(text, names[i]) == 0) {
            *which = i;
            return true;
        }
    return false;
}

/* Reads one of three words. */
static bool word_read(const json_t *value, const tact_json_path *where, const char *const names[3], int *which,
                      tact_complaint *complaint)
{
    const char *text;
    if (!tact_json_text(value, where, &text, complaint))
        return false;
    return word_find(value, names, which) ||
           tact_complaint_make(complaint, where, "must be %s, %s or %s, not \"%.40s\"", names[0], names[1], names[2],
                               text);
}

static bool no_memory(tact_complaint *complaint) { return tact_complaint_make(complaint, NULL, "out of memory"); }

/* ---- bodies ---- */

/* What all bodies of a scene are read with. */
typedef struct reader {
    scene *scene;
    mesh_cache cache;
    tact_vec3 gravity;
    json_t *names; /* an object: the number of the body that has a name */
    tact_complaint *complaint;
} reader;

/* The name, which no other body may have; without one it is the number of the body. */
static bool name_read(reader *r, const json_t *value, const tact_json_path *where, scene_body *body)
{
    const size_t number = (size_t)(body - r->scene->bodies);
    char usual[24];
    const char *name = usual;
    (void)snprintf(usual, sizeof usual, "%zu", number);
    if (value && !tact_json_text(value, where, &name, r->complaint))
        return false;
    if (name[0] == '\0')
        return tact_complaint_make(r->complaint, where, "must not be empty");
    const json_t *other = json_object_get(r->names, name);
    if (other)
        return tact_complaint_make(r->complaint, where, "\"%.60s\" is the name of bodies[%lld] already", name,
                                   (long long)json_integer_value(other));
    json_t *text = json_string(name);
    body->name = strdup(name);
    body->quoted = text ? json_dumps(text, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    json_decref(text);
    if (!body->name || !body->quoted || json_object_set_new(r->names, name, json_integer((json_int_t)number)) != 0)
        return no_memory(r->complaint);
    return true;
}

static bool mass_give(reader *r, const tact_json_path *where, const scene_body *body)
{
    const tact_json_path at = {where, "mass", 0};
    const tact_status status = tact_body_set_mass(r->scene->world, body->body, body->mass);
    if (status == TACT_OUT_OF_MEMORY)
        return no_memory(r->complaint);
    return status == TACT_OK ||
           tact_complaint_make(r->complaint, &at,
                               "cannot be that of this shape: it has no extent, its faces contradict each other, or "
                               "the numbers are too large or too small");
}

/* Gravity, if the body has a mass; and looks whether a body can move so. */
static bool gravity_add(const reader *r, const tact_json_path *where, const scene_body *body, tact_motion *motion)
{
    if (body->mass > 0.0)
        motion->acceleration = (tact_vec3){motion->acceleration.x + r->gravity.x, motion->acceleration.y + r->gravity.y,
                                           motion->acceleration.z + r->gravity.z};
    const struct {
        const char *name, *what;
        tact_vec3 vec;
    } parts[] = {
        {"velocity", "must hold", motion->velocity},
        {"acceleration", body->mass > 0.0 ? "and gravity together must come to" : "must hold", motion->acceleration},
        {"spin", "must hold", motion->spin}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const tact_json_path at = {where, parts[i].name, 0};
        const double size = fmax(fabs(parts[i].vec.x), fmax(fabs(parts[i].vec.y), fabs(parts[i].vec.z)));
        if (!(size <= NUMBER_MOST))
            return tact_complaint_make(r->complaint, &at, "%s numbers up to %g, not %g", parts[i].what, NUMBER_MOST,
                                       size);
    }
    return true;
}

/* The motions that come after the first one. */
static bool pieces_read(reader *r, const json_t *list, const tact_json_path *where, scene_body *body)
{
    static const char *const keys[] = {"at", "motion"};
    if (!tact_json_array(list, where, "motions, each with the time at which it begins", r->complaint))
        return false;
    const size_t count = json_array_size(list);
    if (count == 0)
        return tact_complaint_make(r->complaint, where, "is empty: name a motion that comes later, or leave it out");
    body->pieces = calloc(count, sizeof *body->pieces);
    if (!body->pieces)
        return no_memory(r->complaint);
    for (double last = 0.0; body->piece_count < count; last = body->pieces[body->piece_count++].at) {
        scene_piece *piece = &body->pieces[body->piece_count];
        const json_t *value = json_array_get(list, body->piece_count), *at, *motion;
        const tact_json_path here = {where, NULL, body->piece_count}, at_at = {&here, "at", 0},
                             at_motion = {&here, "motion", 0};
        if (!tact_json_object(value, &here, "a motion that comes later", keys, 2, r->complaint) ||
            !tact_json_member(value, &here, "at", &at, r->complaint) ||
            !tact_json_length(at, &at_at, &piece->at, r->complaint) ||
            !tact_json_member(value, &here, "motion", &motion, r->complaint) ||
            !tact_motion_read(motion, &at_motion, &piece->motion, r->complaint))
            return false;
        if (!(piece->at > last))
            return tact_complaint_make(r->complaint, &at_at, "must be later than %g, but is %g", last, piece->at);
        if (!gravity_add(r, &at_motion, body, &piece->motion))
            return false;
    }
    return true;
}

/* The next motion of a body; when it bounces, only that. */
static void piece_next(void *context, double time, tact_transform *place, tact_motion_plan *course)
{
    scene_body *body = context;
    (void)time;
    (void)place;
    course->motion = body->pieces[body->piece_next++].motion;
    course->until = body->piece_next < body->piece_count ? body->pieces[body->piece_next].at : 0.0;
}

/* What is said of a body's way through time besides its first motion. */
static bool course_read(reader *r, const json_t *value, const tact_json_path *where, const tact_motion *motion,
                        scene_body *body)
{
    const json_t *plan = json_object_get(value, "motion_plan");
    const tact_json_path at_plan = {where, "motion_plan", 0};
    double poll_interval = 0.0;
    if ((plan && !pieces_read(r, plan, &at_plan, body)) ||
        !length_read_if(value, where, "poll_interval", &poll_interval, r->complaint))
        return false;
    (void)tact_body_set_poll_interval(r->scene->world, body->body, poll_interval);
    if (body->piece_count == 0)
        return true;
    const tact_motion_plan course = {
        .motion = *motion, .until = body->pieces[0].at, .callback = piece_next, .context = body};
    return tact_body_set_motion_plan(r->scene->world, body->body, &course) == TACT_OK || no_memory(r->complaint);
}

/* Shape, place and motion, from which the body is made. */
static bool body_make(reader *r, const json_t *value, const tact_json_path *where, scene_body *body)
{
    const json_t *shape, *place = json_object_get(value, "place"), *motion = json_object_get(value, "motion");
    const tact_json_path at_shape = {where, "shape", 0}, at_place = {where, "place", 0},
                         at_motion = {where, "motion", 0};
    tact_body_def def = {.transform = tact_identity(), .motion = tact_motion_still(), .user = body};
    if (!tact_json_member(value, where, "shape", &shape, r->complaint))
        return false;
    if (json_object_get(shape, "motion"))
        return tact_complaint_make(r->complaint, &at_shape, "has a motion: in a scene that stands beside the shape");
    if (place && !tact_place_read(place, &at_place, &def.transform, r->complaint))
        return false;
    if (motion && !tact_motion_read(motion, &at_motion, &def.motion, r->complaint))
        return false;
    if (!gravity_add(r, &at_motion, body, &def.motion))
        return false;
    tact_shape *made = tact_shape_read(shape, &at_shape, &r->cache, r->complaint);
    if (!made)
        return false;
    tact_report report;
    tact_bounds bounds;
    def.shape = made;
    const bool bounded = tact_shape_bounds(made, def.transform, &bounds) == TACT_OK;
    const tact_status status = tact_body_create_many(r->scene->world, &def, 1, &body->body, &report);
    tact_shape_release(made); /* the body holds it */
    if (!bounded)
        return tact_complaint_make(r->complaint, where, "has no points, or reaches beyond %g", NUMBER_MOST);
    if (status != TACT_OK)
        return tact_complaint_make(r->complaint, where, "cannot be made: %s",
                                   report.text[0] ? report.text : tact_status_text(status));
    return (body->mass == 0.0 || mass_give(r, where, body)) && course_read(r, value, where, &def.motion, body);
}

static bool body_read(reader *r, const json_t *value, const tact_json_path *where, scene_body *body)
{
    static const char *const keys[] = {"name", "shape",       "place",    "motion",       "motion_plan",
                                       "mass", "restitution", "friction", "poll_interval"};
    static const char *const renamed[][2] = {{"then", "motion_plan"}, {"poll", "poll_interval"}};
    const tact_json_path at_name = {where, "name", 0}, at_restitution = {where, "restitution", 0};
    tact_json_rename_keys(value, renamed, sizeof renamed / sizeof renamed[0]);
    if (!tact_json_object(value, where, "a body", keys, sizeof keys / sizeof keys[0], r->complaint) ||
        !name_read(r, json_object_get(value, "name"), &at_name, body) ||
        !length_read_if(value, where, "mass", &body->mass, r->complaint) ||
        !length_read_if(value, where, "restitution", &body->restitution, r->complaint) ||
        !length_read_if(value, where, "friction", &body->friction, r->complaint))
        return false;
    if (body->restitution > 1.0)
        return tact_complaint_make(r->complaint, &at_restitution, "must not be greater than 1, but is %g",
                                   body->restitution);
    return body_make(r, value, where, body);
}

static bool bodies_read(reader *r, const json_t *list, const tact_json_path *where)
{
    if (!tact_json_array(list, where, "bodies", r->complaint))
        return false;
    const size_t count = json_array_size(list);
    scene *s = r->scene;
    s->bodies = calloc(count ? count : 1, sizeof *s->bodies);
    if (!s->bodies)
        return no_memory(r->complaint);
    s->count = count;
    for (size_t i = 0; i < count; i++) {
        tact_json_path at = {where, NULL, i};
        if (!body_read(r, json_array_get(list, i), &at, &s->bodies[i]))
            return false;
    }
    return true;
}

/* ---- the whole ---- */

static bool root_read(reader *r, const json_t *root, const tact_json_path *where)
{
    static const char *const keys[] = {"end", "response", "bodies", "gravity", "rest_time", "kinetic"};
    static const char *const renamed[][2] = {{"rest", "rest_time"}};
    static const char *const responses[] = {"none", "elastic", "inelastic"};
    static const char *const engines[] = {"auto", "sweep-and-prune", "fat-bounds"};
    static const char *const old_engines[] = {"auto", "lists", "shells"}; /* in earlier versions */
    const json_t *end, *bodies, *response = json_object_get(root, "response"),
                                *gravity = json_object_get(root, "gravity"),
                                *kinetic = json_object_get(root, "kinetic");
    const tact_json_path at_end = {where, "end", 0}, at_bodies = {where, "bodies", 0},
                         at_response = {where, "response", 0}, at_gravity = {where, "gravity", 0},
                         at_kinetic = {where, "kinetic", 0};
    double rest_time = -1.0;
    int answer = SCENE_NONE, engine = TACT_KINETIC_AUTO;
    tact_json_rename_keys(root, renamed, sizeof renamed / sizeof renamed[0]);
    if (!tact_json_object(root, where, "a scene", keys, sizeof keys / sizeof keys[0], r->complaint) ||
        !tact_json_member(root, where, "end", &end, r->complaint) ||
        !tact_json_length(end, &at_end, &r->scene->end, r->complaint) ||
        (response && !word_read(response, &at_response, responses, &answer, r->complaint)) ||
        (kinetic && !word_find(kinetic, old_engines, &engine) &&
         !word_read(kinetic, &at_kinetic, engines, &engine, r->complaint)) ||
        (gravity && !tact_json_vec(gravity, &at_gravity, &r->gravity, r->complaint)) ||
        !length_read_if(root, where, "rest_time", &rest_time, r->complaint) ||
        !tact_json_member(root, where, "bodies", &bodies, r->complaint))
        return false;
    r->scene->response = (scene_response)answer;
    (void)tact_world_set_kinetic(r->scene->world, (tact_kinetic)engine);
    if (rest_time >= 0.0)
        (void)tact_world_set_rest_time(r->scene->world, rest_time);
    return bodies_read(r, bodies, &at_bodies);
}

bool tact_scene_read(const char *text, size_t length, const char *folder, scene *s, tact_complaint *complaint)
{
    json_error_t error;
    reader r = {.scene = s, .cache = {.folder = folder}, .complaint = complaint};
    const tact_json_path where = {NULL, text, 0};
    memset(s, 0, sizeof *s);
    if (strspn(text, " \t\r\n") == length)
        return tact_complaint_make(complaint, NULL, "is empty: a scene is a JSON object with end and bodies");
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    bool good = root != NULL;
    if (!good) {
        (void)tact_complaint_make(complaint, NULL, "not JSON at column %d: %s", error.column, error.text);
        complaint->line = error.line > 0 ? (size_t)error.line : 0;
    }
    if (good) {
        s->world = tact_world_create(NULL);
        r.names = json_object();
        good = s->world && r.names ? root_read(&r, root, &where) : no_memory(complaint);
    }
    json_decref(r.names);
    json_decref(root);
    tact_mesh_cache_release(&r.cache);
    if (!good)
        tact_scene_release(s);
    return good;
}

void tact_scene_release(scene *s)
{
    tact_world_release(s->world);
    for (size_t i = 0; i < s->count; i++) {
        free(s->bodies[i].name);
        free(s->bodies[i].quoted);
        free(s->bodies[i].pieces);
    }
    free(s->bodies);
    memset(s, 0, sizeof *s);
}

tact_status tact_scene_respond(const scene *s, const tact_event *event)
{
    const scene_body *a = event->user_a, *b = event->user_b;
    tact_bounce_def def = tact_bounce_def_default();
    if (s->response == SCENE_NONE)
        return TACT_OK;
    if (s->response == SCENE_INELASTIC)
        def.restitution = a->restitution < b->restitution ? a->restitution : b->restitution;
    def.friction = a->friction < b->friction ? a->friction : b->friction;
    return tact_world_bounce_with(s->world, event, &def);
}
