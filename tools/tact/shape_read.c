/*
 * From a JSON SHAPE to a tact_shape. A SHAPE with "place" and "margin" is all points within the margin of place(core).
 * At the top of a request the place becomes the placement that the query is asked with, and the margin that of the
 * shape, which no placement stretches. Inside another shape the core is wrapped into a placed shape that has the
 * margin; a mesh or compound, which can only be a part of a compound, keeps its place beside it there.
 */
#include "shape_read.h"

#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>

#include "mesh_read.h"

/* Which members a type of shape takes besides type, margin, place and motion. */
enum {
    TAKES_RADIUS = 1,
    TAKES_HEIGHT = 2,
    TAKES_SIZE = 4,
    TAKES_RADII = 8,
    TAKES_POINTS = 16,
    TAKES_OF = 32,
    TAKES_MESH = 64,
    TAKES_PARTS = 128
};

/* The most members of any shape. */
#define MEMBERS_MOST 8

typedef struct shape_kind {
    const char *name;
    const char *what; /* with its article, for people */
    tact_shape_type type;
    unsigned takes;
    size_t points; /* how many it must have; 0 for one or more */
} shape_kind;

static const shape_kind kinds[] = {
    {"sphere", "a sphere", TACT_SPHERE, TAKES_RADIUS, 0},
    {"box", "a box", TACT_BOX, TAKES_SIZE, 0},
    {"capsule", "a capsule", TACT_CAPSULE, TAKES_RADIUS | TAKES_HEIGHT, 0},
    {"cone", "a cone", TACT_CONE, TAKES_RADIUS | TAKES_HEIGHT, 0},
    {"cylinder", "a cylinder", TACT_CYLINDER, TAKES_RADIUS | TAKES_HEIGHT, 0},
    {"ellipsoid", "an ellipsoid", TACT_ELLIPSOID, TAKES_RADII, 0},
    {"point", "a point", TACT_POINT, TAKES_POINTS, 1},
    {"segment", "a segment", TACT_SEGMENT, TAKES_POINTS, 2},
    {"triangle", "a triangle", TACT_TRIANGLE, TAKES_POINTS, 3},
    {"tetrahedron", "a tetrahedron", TACT_TETRAHEDRON, TAKES_POINTS, 4},
    {"polygon", "a polygon", TACT_POLYGON, TAKES_POINTS, 0},
    {"hull", "a hull", TACT_HULL, TAKES_POINTS, 0},
    {"sum", "a sum", TACT_MINKOWSKI_SUM, TAKES_OF, 0},
    {"join", "a join", TACT_CONVEX_HULL_OF, TAKES_OF, 0},
    {"mesh", "a mesh", TACT_MESH, TAKES_MESH, 0},
    {"compound", "a compound", TACT_COMPOUND, TAKES_PARTS, 0},
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

static bool kind_read(const json_t *value, const tact_json_path *where, const shape_kind **kind,
                      tact_complaint *complaint)
{
    if (!json_is_object(value))
        return tact_json_object(value, where, "a shape", NULL, 0, complaint);
    const json_t *type;
    const char *name;
    tact_json_path at = {where, "type", 0};
    if (!tact_json_member(value, where, "type", &type, complaint) || !tact_json_text(type, &at, &name, complaint))
        return false;
    for (size_t i = 0; i < KIND_COUNT; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *kind = &kinds[i];
            return true;
        }
    return tact_complaint_make(complaint, &at,
                               "must be one of sphere, box, capsule, cone, cylinder, ellipsoid, point, segment, "
                               "triangle, tetrahedron, polygon, hull, sum, join, mesh, compound, not \"%.40s\"",
                               name);
}

/* Complains about members that this kind of shape does not take. */
static bool keys_check(const json_t *value, const tact_json_path *where, const shape_kind *kind, bool top,
                       tact_complaint *complaint)
{
    const char *keys[MEMBERS_MOST];
    size_t count = 0;
    keys[count++] = "type";
    if (kind->takes & TAKES_RADIUS)
        keys[count++] = "radius";
    if (kind->takes & TAKES_HEIGHT)
        keys[count++] = "height";
    if (kind->takes & TAKES_SIZE)
        keys[count++] = "size";
    if (kind->takes & TAKES_RADII)
        keys[count++] = "radii";
    if (kind->takes & TAKES_POINTS)
        keys[count++] = "points";
    if (kind->takes & TAKES_OF)
        keys[count++] = "of";
    if (kind->takes & TAKES_MESH) {
        keys[count++] = "file";
        keys[count++] = "vertices";
        keys[count++] = "triangles";
        keys[count++] = "solid";
    }
    if (kind->takes & TAKES_PARTS)
        keys[count++] = "parts";
    keys[count++] = "margin";
    keys[count++] = "place";
    if (top)
        keys[count++] = "motion";
    else if (json_object_get(value, "motion"))
        return tact_complaint_make(complaint, where, "has a motion, which only the outermost shape may have");
    return tact_json_object(value, where, kind->what, keys, count, complaint);
}

/* The member `key`, a number that is not negative. */
static bool length_read(const json_t *object, const tact_json_path *where, const char *key, double *length,
                        tact_complaint *complaint)
{
    const json_t *value;
    tact_json_path at = {where, key, 0};
    return tact_json_member(object, where, key, &value, complaint) && tact_json_length(value, &at, length, complaint);
}

/* The member `key`, three numbers that are not negative. */
static bool lengths_read(const json_t *object, const tact_json_path *where, const char *key, tact_vec3 *lengths,
                         tact_complaint *complaint)
{
    const json_t *value;
    double numbers[3];
    tact_json_path at = {where, key, 0};
    if (!tact_json_member(object, where, key, &value, complaint) ||
        !tact_json_numbers(value, &at, numbers, 3, complaint))
        return false;
    for (size_t i = 0; i < 3; i++) {
        tact_json_path item = {&at, NULL, i};
        if (!tact_json_length(json_array_get(value, i), &item, &numbers[i], complaint))
            return false;
    }
    *lengths = (tact_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

/* The member `key` if there is one; `vec` keeps its value if not. */
static bool vec_read_if(const json_t *object, const tact_json_path *where, const char *key, tact_vec3 *vec,
                        tact_complaint *complaint)
{
    const json_t *value = json_object_get(object, key);
    tact_json_path at = {where, key, 0};
    return !value || tact_json_vec(value, &at, vec, complaint);
}

/* The member "points"; on success the caller frees *points. */
static bool points_read(const json_t *object, const tact_json_path *where, const shape_kind *kind, tact_vec3 **points,
                        size_t *count, tact_complaint *complaint)
{
    const json_t *value;
    tact_json_path at = {where, "points", 0};
    if (!tact_json_member(object, where, "points", &value, complaint))
        return false;
    const size_t held = json_array_size(value); /* 0 for what is no array */
    if (json_is_array(value) && held == 0)
        return tact_complaint_make(complaint, &at, "must not be empty");
    if (json_is_array(value) && kind->points && held != kind->points)
        return tact_complaint_make(complaint, &at, "must hold %zu point%s, not %zu", kind->points,
                                   kind->points == 1 ? "" : "s", held);
    return tact_json_points(value, &at, points, count, complaint);
}

static bool matrix_read(const json_t *value, const tact_json_path *where, tact_transform *place,
                        tact_complaint *complaint)
{
    double matrix[16];
    if (!tact_json_numbers(value, where, matrix, 16, complaint))
        return false;
    if (matrix[3] != 0.0 || matrix[7] != 0.0 || matrix[11] != 0.0 || matrix[15] != 1.0)
        return tact_complaint_make(complaint, where,
                                   "must be affine: numbers 3, 7, 11 and 15 (counted from 0) must be 0, 0, 0 and 1");
    *place = tact_transform_from_matrix(matrix);
    return true;
}

/* Translation, rotation and scale, each of which may be left out. */
static bool steps_read(const json_t *value, const tact_json_path *where, tact_transform *place,
                       tact_complaint *complaint)
{
    tact_vec3 translate = {0.0, 0.0, 0.0}, scale = {1.0, 1.0, 1.0};
    double rotate[4] = {0.0, 0.0, 0.0, 1.0};
    if (!vec_read_if(value, where, "translate", &translate, complaint))
        return false;
    const json_t *quaternion = json_object_get(value, "rotate");
    tact_json_path at_rotate = {where, "rotate", 0}, at_scale = {where, "scale", 0};
    if (quaternion && !tact_json_numbers(quaternion, &at_rotate, rotate, 4, complaint))
        return false;
    if (rotate[0] == 0.0 && rotate[1] == 0.0 && rotate[2] == 0.0 && rotate[3] == 0.0)
        return tact_complaint_make(complaint, &at_rotate, "must not be zero: it is a quaternion [x, y, z, w]");
    if (!vec_read_if(value, where, "scale", &scale, complaint))
        return false;
    if (scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0)
        return tact_complaint_make(complaint, &at_scale, "must not be zero along any axis");
    *place = tact_transform_make(translate, (tact_quat){rotate[0], rotate[1], rotate[2], rotate[3]}, scale);
    return true;
}

bool tact_place_read(const json_t *value, const tact_json_path *where, tact_transform *place, tact_complaint *complaint)
{
    static const char *const keys[] = {"translate", "rotate", "scale", "matrix"};
    if (!tact_json_object(value, where, "a place", keys, 4, complaint))
        return false;
    const json_t *matrix = json_object_get(value, "matrix");
    if (matrix) {
        tact_json_path at = {where, "matrix", 0};
        if (json_object_size(value) > 1)
            return tact_complaint_make(complaint, where, "has a matrix, so it takes no translate, rotate or scale");
        if (!matrix_read(matrix, &at, place, complaint))
            return false;
    } else if (!steps_read(value, where, place, complaint)) {
        return false;
    }
    tact_report report;
    if (tact_transform_check(place, &report) != TACT_OK)
        return tact_complaint_make(complaint, where, "cannot be used: %s", report.text);
    return true;
}

bool tact_motion_read(const json_t *value, const tact_json_path *where, tact_motion *motion, tact_complaint *complaint)
{
    static const char *const keys[] = {"velocity", "acceleration", "spin"};
    return tact_json_object(value, where, "a motion", keys, 3, complaint) &&
           vec_read_if(value, where, "velocity", &motion->velocity, complaint) &&
           vec_read_if(value, where, "acceleration", &motion->acceleration, complaint) &&
           vec_read_if(value, where, "spin", &motion->spin, complaint);
}

static tact_shape *part_read(const json_t *value, const tact_json_path *where, mesh_cache *cache,
                             tact_transform *beside, tact_complaint *complaint);

/* The members that belong to the kind of shape, into `def`. What it allocates is left in *points and def->parts, for
 * the caller to free whether it succeeds or not. */
static bool def_read(const json_t *value, const tact_json_path *where, const shape_kind *kind, mesh_cache *cache,
                     tact_shape_def *def, tact_vec3 **points, tact_shape *parts[2], tact_complaint *complaint)
{
    def->type = kind->type;
    if ((kind->takes & TAKES_RADIUS) && !length_read(value, where, "radius", &def->radius, complaint))
        return false;
    if ((kind->takes & TAKES_HEIGHT) && !length_read(value, where, "height", &def->height, complaint))
        return false;
    if ((kind->takes & TAKES_SIZE) && !lengths_read(value, where, "size", &def->size, complaint))
        return false;
    if ((kind->takes & TAKES_RADII) && !lengths_read(value, where, "radii", &def->size, complaint))
        return false;
    if (kind->takes & TAKES_POINTS) {
        if (!points_read(value, where, kind, points, &def->point_count, complaint))
            return false;
        def->points = *points;
    }
    if (kind->takes & TAKES_OF) {
        const json_t *of;
        tact_json_path at = {where, "of", 0};
        if (!tact_json_member(value, where, "of", &of, complaint))
            return false;
        if (!json_is_array(of) || json_array_size(of) != 2)
            return tact_complaint_make(complaint, &at, "must be an array of 2 shapes");
        for (size_t i = 0; i < 2; i++) {
            tact_json_path item = {&at, NULL, i};
            parts[i] = part_read(json_array_get(of, i), &item, cache, NULL, complaint);
            if (!parts[i])
                return false;
            def->parts[i] = parts[i];
        }
    }
    return true;
}

/* Makes a shape, saying why not if it cannot be. */
static tact_shape *shape_make(const tact_shape_def *def, const tact_json_path *where, tact_complaint *complaint)
{
    tact_report report;
    tact_shape *shape = tact_shape_create(def, &report);
    if (!shape)
        (void)tact_complaint_make(complaint, where, "cannot be made: %s",
                                  report.text[0] ? report.text : tact_status_text(report.status));
    return shape;
}

/* Makes a compound of what was read. */
static tact_shape *compound_make(tact_shape *const *parts, const tact_transform *places, size_t count, double margin,
                                 const tact_json_path *where, tact_complaint *complaint)
{
    tact_report report;
    tact_shape *whole = tact_compound_create((const tact_shape *const *)parts, places, count, NULL, &report);
    if (!whole)
        (void)tact_complaint_make(complaint, where, "cannot be made: %s",
                                  report.text[0] ? report.text : tact_status_text(report.status));
    if (!whole || margin == 0.0)
        return whole;
    tact_shape *rounded = tact_rounded(whole, margin);
    tact_shape_release(whole);
    if (!rounded)
        (void)tact_complaint_make(complaint, where, "cannot be made with this margin");
    return rounded;
}

static tact_shape *compound_read(const json_t *value, const tact_json_path *where, mesh_cache *cache, double margin,
                                 tact_complaint *complaint)
{
    const json_t *list;
    tact_json_path at = {where, "parts", 0};
    if (!tact_json_member(value, where, "parts", &list, complaint))
        return NULL;
    if (!json_is_array(list)) {
        (void)tact_complaint_make(complaint, &at, "must be an array of shapes");
        return NULL;
    }
    size_t count = json_array_size(list), done = 0;
    tact_shape **parts = calloc(count ? count : 1, sizeof *parts), *shape = NULL;
    tact_transform *places = calloc(count ? count : 1, sizeof *places);
    bool good = (parts && places) || tact_complaint_make(complaint, NULL, "out of memory");
    while (done < count && good) {
        tact_json_path item = {&at, NULL, done};
        parts[done] = part_read(json_array_get(list, done), &item, cache, &places[done], complaint);
        good = parts[done] != NULL;
        done += good;
    }
    if (good)
        shape = compound_make(parts, places, count, margin, where, complaint);
    while (done > 0)
        tact_shape_release(parts[--done]);
    free(parts);
    free(places);
    return shape;
}

/* The shape itself with the given margin, its place and motion left aside. */
static tact_shape *core_read(const json_t *value, const tact_json_path *where, const shape_kind *kind, double margin,
                             mesh_cache *cache, tact_complaint *complaint)
{
    if (kind->type == TACT_MESH)
        return tact_mesh_read(value, where, margin, cache, complaint);
    if (kind->type == TACT_COMPOUND)
        return compound_read(value, where, cache, margin, complaint);
    tact_shape_def def = tact_shape_def_default();
    tact_vec3 *points = NULL;
    tact_shape *parts[2] = {NULL, NULL}, *shape = NULL;
    def.margin = margin;
    if (def_read(value, where, kind, cache, &def, &points, parts, complaint))
        shape = shape_make(&def, where, complaint);
    free(points);
    tact_shape_release(parts[0]);
    tact_shape_release(parts[1]);
    return shape;
}

/* What is around the core: its kind, margin and place (`placed` says whether it has one). */
static bool frame_read(const json_t *value, const tact_json_path *where, bool top, const shape_kind **kind,
                       double *margin, tact_transform *place, bool *placed, tact_complaint *complaint)
{
    *margin = 0.0;
    *place = tact_identity();
    if (!kind_read(value, where, kind, complaint) || !keys_check(value, where, *kind, top, complaint))
        return false;
    const json_t *member = json_object_get(value, "margin");
    tact_json_path at_margin = {where, "margin", 0}, at_place = {where, "place", 0};
    if (member && !tact_json_length(member, &at_margin, margin, complaint))
        return false;
    member = json_object_get(value, "place");
    *placed = member != NULL;
    return !member || tact_place_read(member, &at_place, place, complaint);
}

/* A shape inside another: place and margin are part of its geometry. `beside` is NULL where only convex shapes can be;
 * otherwise it receives the place of a mesh or compound, and the identity for a convex shape, which has its place
 * inside. NULL with a complaint made if it is no good. */
static tact_shape *part_read(const json_t *value, const tact_json_path *where, mesh_cache *cache,
                             tact_transform *beside, tact_complaint *complaint)
{
    const shape_kind *kind = NULL;
    double margin;
    tact_shape_def def = tact_shape_def_default();
    bool placed;
    if (!frame_read(value, where, false, &kind, &margin, &def.transform, &placed, complaint))
        return NULL;
    if (kind->type == TACT_MESH || kind->type == TACT_COMPOUND) {
        if (!beside) {
            (void)tact_complaint_make(complaint, where, "is %s, but only convex shapes have a sum or join", kind->what);
            return NULL;
        }
        *beside = def.transform;
        return core_read(value, where, kind, margin, cache, complaint);
    }
    if (beside)
        *beside = tact_identity();
    if (!placed)
        return core_read(value, where, kind, margin, cache, complaint);
    tact_shape *core = core_read(value, where, kind, 0.0, cache, complaint);
    if (!core)
        return NULL;
    def.type = TACT_TRANSFORMED;
    def.parts[0] = core;
    def.margin = margin;
    tact_shape *shape = shape_make(&def, where, complaint);
    tact_shape_release(core);
    return shape;
}

bool tact_actor_read(const json_t *value, const tact_json_path *where, mesh_cache *cache, tact_actor *actor,
                     tact_complaint *complaint)
{
    const shape_kind *kind = NULL;
    double margin;
    bool placed;
    actor->shape = NULL;
    actor->motion = tact_motion_still();
    if (!frame_read(value, where, true, &kind, &margin, &actor->place, &placed, complaint))
        return false;
    const json_t *motion = json_object_get(value, "motion");
    tact_json_path at = {where, "motion", 0};
    if (motion && !tact_motion_read(motion, &at, &actor->motion, complaint))
        return false;
    actor->shape = core_read(value, where, kind, margin, cache, complaint);
    return actor->shape != NULL;
}

tact_shape *tact_shape_read(const json_t *value, const tact_json_path *where, mesh_cache *cache,
                            tact_complaint *complaint)
{
    tact_transform beside = tact_identity();
    const tact_transform nowhere = tact_identity();
    tact_shape *shape = part_read(value, where, cache, &beside, complaint);
    if (!shape || memcmp(&beside, &nowhere, sizeof beside) == 0)
        return shape;
    /* a mesh or compound that is placed: one that has it as its only part */
    tact_shape *whole = compound_make(&shape, &beside, 1, 0.0, where, complaint);
    tact_shape_release(shape);
    return whole;
}
