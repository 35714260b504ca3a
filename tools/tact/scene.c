/* POSIX, for strdup. */
#define _POSIX_C_SOURCE 200809L

#include "scene.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_file.h"
#include "model_file.h"
#include "shape_read.h"

/* The largest magnitude of coordinates and motions; the limit of tact/advance.h. */
#define MAX_MAGNITUDE 1e150

/* Finds the index of a string among three names; false if it is none of them. */
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

/* Reads one of three names. */
static bool word_read(const json_t *value, const tact_json_path *where, const char *const names[3], int *which,
                      tact_input_error *error)
{
    const char *text;
    if (!tact_json_text(value, where, &text, error))
        return false;
    return word_find(value, names, which) || tact_input_error_set(error, where, "must be %s, %s or %s, not \"%.40s\"",
                                                                  names[0], names[1], names[2], text);
}

static bool out_of_memory(tact_input_error *error) { return tact_input_error_set(error, NULL, "out of memory"); }

/* ---- bodies ---- */

/* The mass of a body in a scene: total, or by density; both 0: kinematic. */
typedef struct body_matter {
    double mass, density;
} body_matter;

/* Checks the range of a vector. */
static bool magnitude_check(const scene_reader *r, const tact_json_path *where, tact_vec3 vec)
{
    const double size = fmax(fabs(vec.x), fmax(fabs(vec.y), fabs(vec.z)));
    return size <= MAX_MAGNITUDE ||
           tact_input_error_set(r->error, where, "must have components up to %g, not %g", MAX_MAGNITUDE, size);
}

/* Gives a body its name, which must be unique. */
static bool name_set(scene_reader *r, const char *name, const tact_json_path *where, size_t number, scene_body *body)
{
    const json_t *other = json_object_get(r->names, name);
    if (other)
        return tact_input_error_set(r->error, where, "\"%.60s\" is already the name of bodies[%lld]", name,
                                    (long long)json_integer_value(other));
    json_t *text = json_string(name);
    body->name = strdup(name);
    body->json_name = text ? json_dumps(text, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    json_decref(text);
    if (!body->name || !body->json_name || json_object_set_new(r->names, name, json_integer((json_int_t)number)) != 0)
        return out_of_memory(r->error);
    return true;
}

/* Reads the name; the default is the index of the body. */
static bool name_read(scene_reader *r, const json_t *value, const tact_json_path *where, size_t number,
                      scene_body *body)
{
    char default_name[24];
    const char *name = default_name;
    (void)snprintf(default_name, sizeof default_name, "%zu", number);
    if (value && !tact_json_text(value, where, &name, r->error))
        return false;
    if (name[0] == '\0')
        return tact_input_error_set(r->error, where, "must not be empty");
    return name_set(r, name, where, number, body);
}

/* Reads the keys of mass and material. Of mass and density at most one is positive; both 0: kinematic. */
static bool matter_read(scene_reader *r, const json_t *value, const tact_json_path *where, body_matter *matter,
                        tact_material *material)
{
    const tact_json_path at_density = {where, "density", 0}, at_restitution = {where, "restitution", 0};
    if (!tact_json_optional_length(value, where, "mass", &matter->mass, r->error) ||
        !tact_json_optional_length(value, where, "density", &matter->density, r->error) ||
        !tact_json_optional_length(value, where, "restitution", &material->restitution, r->error) ||
        !tact_json_optional_length(value, where, "friction", &material->friction, r->error) ||
        !tact_json_optional_length(value, where, "rolling_friction", &material->rolling_friction, r->error))
        return false;
    if (json_object_get(value, "mass") && json_object_get(value, "density"))
        return tact_input_error_set(r->error, &at_density, "and mass are both given: use one or the other");
    if (material->restitution > 1.0)
        return tact_input_error_set(r->error, &at_restitution, "must not be greater than 1, but is %g",
                                    material->restitution);
    return true;
}

/* Gives the body its mass, unless it is kinematic. */
static bool mass_set(scene_reader *r, const tact_json_path *where, const body_matter *matter, tact_body body)
{
    const bool by_density = matter->density > 0.0;
    const tact_json_path at = {where, by_density ? "density" : "mass", 0};
    tact_world *world = r->world;
    double mass = matter->mass;
    tact_status status = TACT_OK;
    if (by_density) {
        const tact_mass m = tact_mass_from_density(tact_body_get_shape(world, body),
                                                   tact_body_get_transform(world, body), matter->density);
        status = m.status == TACT_NOT_CONVERGED ? TACT_OK : m.status;
        mass = m.mass;
    }
    if (status == TACT_OK)
        status = by_density && !(mass > 0.0) ? TACT_BAD_ARGUMENT : tact_body_set_mass(world, body, mass);
    if (status == TACT_OUT_OF_MEMORY)
        return out_of_memory(r->error);
    if (status != TACT_OK && tact_shape_get_type(tact_body_get_shape(world, body)) == TACT_HALFSPACE)
        return tact_input_error_set(r->error, &at,
                                    "is not possible: a half-space is infinite. Without %s it stays where it is",
                                    by_density ? "density" : "mass");
    return status == TACT_OK ||
           tact_input_error_set(r->error, &at,
                                "is not possible for this shape: it has no extent, its faces are inconsistently "
                                "oriented, or its size or mass is out of range");
}

bool tact_scene_motion_check(const scene_reader *r, const tact_json_path *where, const tact_motion *motion,
                             bool has_mass)
{
    const tact_json_path at_pivot = {where, "pivot", 0};
    const struct {
        const char *name;
        tact_vec3 vec;
    } parts[] = {{"velocity", motion->velocity},
                 {"acceleration", motion->acceleration},
                 {"spin", motion->spin},
                 {"pivot", motion->pivot}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const tact_json_path at = {where, parts[i].name, 0};
        if (!magnitude_check(r, &at, parts[i].vec))
            return false;
    }
    if (has_mass && (motion->pivot.x != 0.0 || motion->pivot.y != 0.0 || motion->pivot.z != 0.0))
        return tact_input_error_set(r->error, &at_pivot,
                                    "is only for bodies without mass: others rotate about their centre of mass");
    return true;
}

/* Reads "motion_plan": the motions after the first one. */
static bool later_motions_read(scene_reader *r, const json_t *list, const tact_json_path *where, bool has_mass,
                               scene_body *body)
{
    static const char *const keys[] = {"at", "motion"};
    if (!tact_json_array(list, where, "motions, each with its start time", r->error))
        return false;
    const size_t count = json_array_size(list);
    if (count == 0)
        return tact_input_error_set(r->error, where, "is empty: add a motion with a start time, or remove the key");
    body->later_motions = calloc(count, sizeof *body->later_motions);
    if (!body->later_motions)
        return out_of_memory(r->error);
    for (double last = 0.0; body->later_count < count; last = body->later_motions[body->later_count++].start) {
        scene_motion *later = &body->later_motions[body->later_count];
        const json_t *value = json_array_get(list, body->later_count), *start, *motion;
        const tact_json_path here = {where, NULL, body->later_count}, at_start = {&here, "at", 0},
                             at_motion = {&here, "motion", 0};
        if (!tact_json_object(value, &here, "an entry of motion_plan", keys, 2, r->error) ||
            !tact_json_member(value, &here, "at", &start, r->error) ||
            !tact_json_length(start, &at_start, &later->start, r->error) ||
            !tact_json_member(value, &here, "motion", &motion, r->error) ||
            !tact_motion_read(motion, &at_motion, &later->motion, r->error))
            return false;
        if (!(later->start > last))
            return tact_input_error_set(r->error, &at_start, "must be later than %g, but is %g", last, later->start);
        if (!tact_scene_motion_check(r, &at_motion, &later->motion, has_mass))
            return false;
    }
    return true;
}

/* The motion callback of a body with a motion plan: sets its next motion. */
static void motion_plan_next(void *context, double time, tact_transform *place, tact_motion_plan *plan)
{
    scene_body *body = context;
    (void)time;
    (void)place;
    plan->motion = body->later_motions[body->later_next++].motion;
    plan->until = body->later_next < body->later_count ? body->later_motions[body->later_next].start : 0.0;
}

/* Reads the motion plan and the poll interval. */
static bool motion_plan_read(scene_reader *r, const json_t *value, const tact_json_path *where,
                             const tact_motion *motion, scene_body *body)
{
    const json_t *list = json_object_get(value, "motion_plan");
    const tact_json_path at_plan = {where, "motion_plan", 0};
    double poll_interval = 0.0;
    const bool has_mass = tact_body_get_mass(r->world, body->body) > 0.0;
    if ((list && !later_motions_read(r, list, &at_plan, has_mass, body)) ||
        !tact_json_optional_length(value, where, "poll_interval", &poll_interval, r->error))
        return false;
    (void)tact_body_set_poll_interval(r->world, body->body, poll_interval);
    if (body->later_count == 0)
        return true;
    const tact_motion_plan plan = {
        .motion = *motion, .until = body->later_motions[0].start, .callback = motion_plan_next, .context = body};
    return tact_body_set_motion_plan(r->world, body->body, &plan) == TACT_OK || out_of_memory(r->error);
}

/* Creates the body of a shape, to which it takes over the reference. */
static bool body_create(scene_reader *r, const tact_json_path *where, tact_shape *shape, tact_body_def *def,
                        scene_body *body)
{
    tact_report report;
    tact_bounds bounds;
    def->shape = shape;
    def->user = body;
    const bool bounded = tact_shape_bounds(shape, def->transform, &bounds) == TACT_OK;
    const tact_status status = tact_body_create_many(r->world, def, 1, &body->body, &report);
    tact_shape_release(shape); /* the body has a reference */
    if (!bounded)
        return tact_input_error_set(r->error, where, "has no points, or coordinates beyond %g", MAX_MAGNITUDE);
    return status == TACT_OK || tact_input_error_set(r->error, where, "cannot be created: %s",
                                                     report.text[0] ? report.text : tact_status_text(status));
}

/* Creates the body from its shape, transform and motion. */
static bool body_make(scene_reader *r, const json_t *value, const tact_json_path *where, scene_body *body)
{
    const json_t *shape, *place = json_object_get(value, "place"), *motion = json_object_get(value, "motion");
    const tact_json_path at_shape = {where, "shape", 0}, at_place = {where, "place", 0},
                         at_motion = {where, "motion", 0};
    tact_body_def def = {.transform = tact_identity(), .motion = tact_motion_still()};
    body_matter matter = {0.0, 0.0};
    if (!matter_read(r, value, where, &matter, &def.material))
        return false;
    if (!tact_json_member(value, where, "shape", &shape, r->error))
        return false;
    if (json_object_get(shape, "motion"))
        return tact_input_error_set(r->error, &at_shape, "has a motion; in a scene the motion is a key of the body");
    body->scale = (tact_vec3){1.0, 1.0, 1.0};
    if (place && (!tact_transform_read(place, &at_place, &def.transform, r->error) ||
                  !tact_json_optional_vec(place, &at_place, "scale", &body->scale, r->error)))
        return false;
    if (motion && !tact_motion_read(motion, &at_motion, &def.motion, r->error))
        return false;
    if (!tact_scene_motion_check(r, &at_motion, &def.motion, matter.mass > 0.0 || matter.density > 0.0))
        return false;
    tact_shape *created = tact_shape_read(shape, &at_shape, r->cache, r->error);
    return created && body_create(r, where, created, &def, body) && mass_set(r, where, &matter, body->body) &&
           motion_plan_read(r, value, where, &def.motion, body);
}

bool tact_scene_body_read(scene_reader *r, const json_t *value, const tact_json_path *where, size_t number,
                          scene_body *body)
{
    static const char *const keys[] = {"name",    "shape",       "place",    "motion",           "motion_plan",  "mass",
                                       "density", "restitution", "friction", "rolling_friction", "poll_interval"};
    static const char *const renamed[][2] = {{"then", "motion_plan"}, {"poll", "poll_interval"}};
    const tact_json_path at_name = {where, "name", 0};
    tact_json_rename_keys(value, renamed, sizeof renamed / sizeof renamed[0]);
    if (!tact_json_object(value, where, "a body", keys, sizeof keys / sizeof keys[0], r->error) ||
        !name_read(r, json_object_get(value, "name"), &at_name, number, body))
        return false;
    return body_make(r, value, where, body);
}

void tact_scene_body_release(scene_body *body)
{
    free(body->name);
    free(body->json_name);
    free(body->later_motions);
}

/* ---- models: many bodies from a file ---- */

/* Reads the file of an entry of bodies; without one the model has no format. */
static bool model_load(scene_reader *r, const json_t *value, const tact_json_path *where, model_file *model)
{
    const json_t *file = json_is_object(value) ? json_object_get(value, "file") : NULL;
    const tact_json_path at = {where, "file", 0};
    char reason[MESH_FILE_ERROR];
    const char *name;
    if (!file)
        return true;
    if (!tact_json_text(file, &at, &name, r->error))
        return false;
    if (!tact_model_file_reads(name))
        return tact_input_error_set(r->error, &at, "is no model (URDF, X3D, VRML97, glTF): a mesh is a shape");
    char *path = tact_mesh_cache_path(r->cache, name, reason, sizeof reason);
    const bool good = path && tact_model_file_read(path, &(model_options){NULL, 0}, model, reason, sizeof reason);
    free(path);
    return good || tact_input_error_set(r->error, &at, "cannot be read: %s", reason);
}

/* Creates the bodies of a model, from `first` on. Their names begin with that of the entry, if it has one. */
static bool model_make(scene_reader *r, const json_t *value, const tact_json_path *where, size_t number,
                       const model_file *model, scene_body *first)
{
    static const char *const keys[] = {"name",        "file",     "place",           "density",
                                       "restitution", "friction", "rolling_friction"};
    const json_t *place = json_object_get(value, "place"), *prefix = json_object_get(value, "name");
    const tact_json_path at_place = {where, "place", 0}, at_name = {where, "name", 0};
    tact_body_def def = {.motion = tact_motion_still()};
    tact_transform frame = tact_identity();
    body_matter matter = {0.0, 0.0};
    const char *name = NULL;
    if (!tact_json_object(value, where, "a body with a file", keys, sizeof keys / sizeof keys[0], r->error) ||
        (prefix && !tact_json_text(prefix, &at_name, &name, r->error)) ||
        !matter_read(r, value, where, &matter, &def.material) ||
        (place && !tact_transform_read(place, &at_place, &frame, r->error)))
        return false;
    for (size_t i = 0; i < model->bodies.count; i++) {
        const model_body *part = &model->bodies.items[i];
        const size_t size = (name ? strlen(name) + 1 : 0) + strlen(part->name) + 1;
        char *full = malloc(size);
        if (!full)
            return out_of_memory(r->error);
        first[i].scale = (tact_vec3){1.0, 1.0, 1.0};
        (void)snprintf(full, size, "%s%s%s", name ? name : "", name ? "/" : "", part->name);
        def.transform = tact_transform_compose(frame, part->transform);
        const bool named = name_set(r, full, &at_name, number, &first[i]);
        free(full);
        if (!named || !body_create(r, where, tact_shape_retain(part->shape), &def, &first[i]) ||
            !mass_set(r, where, &matter, first[i].body))
            return false;
    }
    return true;
}

static bool bodies_make(scene_reader *r, scene *s, const json_t *list, const tact_json_path *where,
                        const model_file *models)
{
    const size_t entries = json_array_size(list);
    size_t count = 0, next = 0;
    for (size_t i = 0; i < entries; i++)
        count += models[i].format ? models[i].bodies.count : 1;
    s->bodies = calloc(count ? count : 1, sizeof *s->bodies);
    if (!s->bodies)
        return out_of_memory(r->error);
    s->count = count;
    for (size_t i = 0; i < entries; i++) {
        const tact_json_path at = {where, NULL, i};
        const json_t *value = json_array_get(list, i);
        scene_body *first = s->bodies + next;
        if (models[i].format ? !model_make(r, value, &at, i, &models[i], first)
                             : !tact_scene_body_read(r, value, &at, i, first))
            return false;
        next += models[i].format ? models[i].bodies.count : 1;
    }
    return true;
}

static bool bodies_read(scene_reader *r, scene *s, const json_t *list, const tact_json_path *where)
{
    if (!tact_json_array(list, where, "bodies", r->error))
        return false;
    const size_t entries = json_array_size(list);
    model_file *models = calloc(entries ? entries : 1, sizeof *models);
    bool good = models || out_of_memory(r->error);
    for (size_t i = 0; i < entries && good; i++) {
        const tact_json_path at = {where, NULL, i};
        good = model_load(r, json_array_get(list, i), &at, &models[i]);
    }
    good = good && bodies_make(r, s, list, where, models);
    for (size_t i = 0; models && i < entries; i++)
        tact_model_file_release(&models[i]);
    free(models);
    return good;
}

/* ---- the scene ---- */

/* Keys of earlier versions that have no counterpart get an error of their own. */
static bool old_keys_reject(const scene_reader *r, const json_t *root, const tact_json_path *where)
{
    static const char *const keys[] = {"rest_time", "rest"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const tact_json_path at = {where, keys[i], 0};
        if (json_object_get(root, keys[i]))
            return tact_input_error_set(r->error, &at,
                                        "is no longer used: bodies at rest do not bounce any more, they stay in "
                                        "contact. Remove it, or set contact_step (default 1/60)");
    }
    return true;
}

bool tact_scene_response_read(scene_reader *r, const json_t *root, const tact_json_path *where,
                              scene_response *response)
{
    static const char *const responses[] = {"none", "elastic", "inelastic"};
    const json_t *value = json_object_get(root, "response");
    const tact_json_path at = {where, "response", 0};
    int chosen = SCENE_NONE;
    if (value && !word_read(value, &at, responses, &chosen, r->error))
        return false;
    *response = (scene_response)chosen;
    /* without a response no contact lasts */
    return tact_world_set_contact_events(r->world, chosen != SCENE_NONE) == TACT_OK || out_of_memory(r->error);
}

bool tact_scene_settings_read(scene_reader *r, const json_t *root, const tact_json_path *where,
                              scene_response *response)
{
    static const char *const engines[] = {"auto", "sweep-and-prune", "fat-bounds"};
    static const char *const old_engines[] = {"auto", "lists", "shells"}; /* names in earlier versions */
    const json_t *kinetic = json_object_get(root, "kinetic"), *sleep = json_object_get(root, "sleep"),
                 *step = json_object_get(root, "contact_step");
    const tact_json_path at_gravity = {where, "gravity", 0}, at_kinetic = {where, "kinetic", 0},
                         at_sleep = {where, "sleep", 0}, at_step = {where, "contact_step", 0};
    tact_world *world = r->world;
    tact_vec3 gravity = {0.0, 0.0, 0.0};
    double contact_step = 0.0;
    bool sleeps = true;
    int engine = TACT_KINETIC_AUTO;
    if ((kinetic && !word_find(kinetic, old_engines, &engine) &&
         !word_read(kinetic, &at_kinetic, engines, &engine, r->error)) ||
        !tact_json_optional_vec(root, where, "gravity", &gravity, r->error) ||
        !magnitude_check(r, &at_gravity, gravity) ||
        (step && !tact_json_number(step, &at_step, &contact_step, r->error)) ||
        (sleep && !tact_json_flag(sleep, &at_sleep, &sleeps, r->error)))
        return false;
    if (step && tact_world_set_contact_step(world, contact_step) != TACT_OK)
        return tact_input_error_set(r->error, &at_step, "must be positive, but is %g", contact_step);
    if (tact_world_set_gravity(world, gravity) != TACT_OK || tact_world_set_sleeping(world, sleeps) != TACT_OK ||
        tact_world_set_kinetic(world, (tact_kinetic)engine) != TACT_OK)
        return out_of_memory(r->error);
    return tact_scene_response_read(r, root, where, response);
}

static bool root_read(scene_reader *r, scene *s, const json_t *root, const tact_json_path *where)
{
    static const char *const keys[] = {"end", "response", "bodies", "gravity", "contact_step", "sleep", "kinetic"};
    const json_t *end, *bodies;
    const tact_json_path at_end = {where, "end", 0}, at_bodies = {where, "bodies", 0};
    return old_keys_reject(r, root, where) &&
           tact_json_object(root, where, "a scene", keys, sizeof keys / sizeof keys[0], r->error) &&
           tact_json_member(root, where, "end", &end, r->error) && tact_json_length(end, &at_end, &s->end, r->error) &&
           tact_scene_settings_read(r, root, where, &s->response) &&
           tact_json_member(root, where, "bodies", &bodies, r->error) && bodies_read(r, s, bodies, &at_bodies);
}

bool tact_scene_read(const char *text, size_t length, const char *folder, scene *s, tact_input_error *error)
{
    json_error_t syntax;
    mesh_cache cache = {.folder = folder};
    scene_reader r = {.cache = &cache, .error = error};
    const tact_json_path where = {NULL, text, 0};
    memset(s, 0, sizeof *s);
    if (strspn(text, " \t\r\n") == length)
        return tact_input_error_set(error, NULL, "is empty: a scene is a JSON object with end and bodies");
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &syntax);
    bool good = root != NULL;
    if (!good) {
        (void)tact_input_error_set(error, NULL, "not valid JSON at column %d: %s", syntax.column, syntax.text);
        error->line = syntax.line > 0 ? (size_t)syntax.line : 0;
    }
    if (good) {
        s->world = r.world = tact_world_create(NULL);
        r.names = json_object();
        good = s->world && r.names ? root_read(&r, s, root, &where) : out_of_memory(error);
    }
    json_decref(r.names);
    json_decref(root);
    tact_mesh_cache_release(&cache);
    if (!good)
        tact_scene_release(s);
    return good;
}

void tact_scene_release(scene *s)
{
    tact_world_release(s->world);
    for (size_t i = 0; i < s->count; i++)
        tact_scene_body_release(&s->bodies[i]);
    free(s->bodies);
    memset(s, 0, sizeof *s);
}

tact_status tact_scene_respond(tact_world *world, scene_response response, const tact_event *event)
{
    if (response == SCENE_NONE)
        return TACT_OK;
    const tact_material a = tact_body_get_material(world, event->a), b = tact_body_get_material(world, event->b);
    const tact_bounce_def def = {
        .restitution = response == SCENE_ELASTIC ? 1.0 : fmin(a.restitution, b.restitution),
        .friction = fmin(a.friction, b.friction),
        .rolling_friction = fmin(a.rolling_friction, b.rolling_friction),
    };
    return tact_world_bounce_with(world, event, &def);
}
