/*
 * Creates a tact_shape from a JSON SHAPE. A SHAPE with "place" and "margin" is the set of points within the margin of
 * the transformed core shape. At the top of a request, "place" becomes the transform of the query, and the margin
 * belongs to the shape; no transform scales it. Inside another shape, the core becomes a transformed shape with the
 * margin. A mesh, compound or NURBS shape can only be a part of a compound, which stores its transform.
 */
#include "shape_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/mesh.h>

#include "mesh_file.h"
#include "mesh_read.h"
#include "model_file.h"
#include "nurbs_read.h"

/* The members of a shape besides type, margin, place and motion. */
enum {
    TAKES_RADIUS = 1,
    TAKES_HEIGHT = 2,
    TAKES_SIZE = 4,
    TAKES_RADII = 8,
    TAKES_POINTS = 16,
    TAKES_OF = 32,
    TAKES_MESH = 64,
    TAKES_PARTS = 128,
    TAKES_NURBS = 256,
    TAKES_PLANE = 512,
    TAKES_HEIGHTS = 1024,
    TAKES_NAME = 2048
};

#define MAX_SHAPE_KEYS 16

typedef struct shape_kind {
    const char *name;
    const char *what; /* with its article, for errors */
    tact_shape_type type;
    unsigned takes;
    size_t points; /* required number; 0: one or more */
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
    {"nurbs", "a NURBS shape", TACT_NURBS, TAKES_NURBS, 0},
    {"halfspace", "a half-space", TACT_HALFSPACE, TAKES_PLANE, 0},
    {"heightfield", "a heightfield", TACT_HEIGHTFIELD, TAKES_HEIGHTS, 0},
    {"shared", "a shared shape", TACT_COMPOUND, TAKES_NAME, 0}, /* placed as a compound */
};

#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* Without shared shapes the last kind does not exist. */
static size_t kind_count(const mesh_cache *cache) { return cache->shared ? KIND_COUNT : KIND_COUNT - 1; }

static bool kind_read(const json_t *value, const tact_json_path *where, const mesh_cache *cache,
                      const shape_kind **kind, tact_input_error *error)
{
    if (!json_is_object(value))
        return tact_json_object(value, where, "a shape", NULL, 0, error);
    const json_t *type;
    const char *name;
    tact_json_path at = {where, "type", 0};
    if (!tact_json_member(value, where, "type", &type, error) || !tact_json_text(type, &at, &name, error))
        return false;
    for (size_t i = 0; i < kind_count(cache); i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *kind = &kinds[i];
            return true;
        }
    char names[240] = "";
    for (size_t i = 0; i < kind_count(cache); i++)
        (void)snprintf(names + strlen(names), sizeof names - strlen(names), "%s, ", kinds[i].name);
    return tact_input_error_set(error, &at, "must be one of %snot \"%.40s\"", names, name);
}

/* Reports members that this kind of shape does not have. */
static bool keys_check(const json_t *value, const tact_json_path *where, const shape_kind *kind, bool top,
                       tact_input_error *error)
{
    const char *keys[MAX_SHAPE_KEYS];
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
        keys[count++] = "one_sided";
    }
    if (kind->takes & TAKES_PLANE) {
        keys[count++] = "normal";
        keys[count++] = "offset";
    }
    if (kind->takes & TAKES_HEIGHTS) {
        keys[count++] = "counts";
        keys[count++] = "spacing";
        keys[count++] = "heights";
    }
    if (kind->takes & TAKES_PARTS) {
        keys[count++] = "parts";
        keys[count++] = "file";
    }
    if (kind->takes & TAKES_NAME)
        keys[count++] = "name";
    static const char *const nurbs[] = {"degree",    "counts", "knots",    "points", "weights", "trims",
                                        "tolerance", "solid",  "surfaces", "file",   "edges"};
    for (size_t i = 0; (kind->takes & TAKES_NURBS) && i < sizeof nurbs / sizeof *nurbs; i++)
        keys[count++] = nurbs[i];
    keys[count++] = "margin";
    keys[count++] = "place";
    if (top)
        keys[count++] = "motion";
    else if (json_object_get(value, "motion"))
        return tact_input_error_set(error, where, "has a motion, which only the outermost shape may have");
    return tact_json_object(value, where, kind->what, keys, count, error);
}

/* Reads the member `key`: three numbers that are not negative. */
static bool lengths_read(const json_t *object, const tact_json_path *where, const char *key, tact_vec3 *lengths,
                         tact_input_error *error)
{
    const json_t *value;
    double numbers[3];
    tact_json_path at = {where, key, 0};
    if (!tact_json_member(object, where, key, &value, error) || !tact_json_numbers(value, &at, numbers, 3, error))
        return false;
    for (size_t i = 0; i < 3; i++) {
        tact_json_path item = {&at, NULL, i};
        if (!tact_json_length(json_array_get(value, i), &item, &numbers[i], error))
            return false;
    }
    *lengths = (tact_vec3){numbers[0], numbers[1], numbers[2]};
    return true;
}

/* Reads the member "points"; on success the caller frees *points. */
static bool points_read(const json_t *object, const tact_json_path *where, const shape_kind *kind, tact_vec3 **points,
                        size_t *count, tact_input_error *error)
{
    const json_t *value;
    tact_json_path at = {where, "points", 0};
    if (!tact_json_member(object, where, "points", &value, error))
        return false;
    const size_t found = json_array_size(value); /* 0 if it is not an array */
    if (json_is_array(value) && found == 0)
        return tact_input_error_set(error, &at, "must not be empty");
    if (json_is_array(value) && kind->points && found != kind->points)
        return tact_input_error_set(error, &at, "must have %zu point%s, not %zu", kind->points,
                                    kind->points == 1 ? "" : "s", found);
    return tact_json_points(value, &at, points, count, error);
}

/* Reads the members "normal" and "offset" of a half-space. */
static bool plane_read(const json_t *object, const tact_json_path *where, tact_shape_def *def, tact_input_error *error)
{
    const json_t *normal, *offset;
    double numbers[3];
    tact_json_path at_normal = {where, "normal", 0}, at_offset = {where, "offset", 0};
    if (!tact_json_member(object, where, "normal", &normal, error) ||
        !tact_json_numbers(normal, &at_normal, numbers, 3, error) ||
        !tact_json_member(object, where, "offset", &offset, error) ||
        !tact_json_number(offset, &at_offset, &def->offset, error))
        return false;
    def->normal = (tact_vec3){numbers[0], numbers[1], numbers[2]};
    return (numbers[0] != 0.0 || numbers[1] != 0.0 || numbers[2] != 0.0) ||
           tact_input_error_set(error, &at_normal, "must not be zero");
}

static bool matrix_read(const json_t *value, const tact_json_path *where, tact_transform *transform,
                        tact_input_error *error)
{
    double matrix[16];
    if (!tact_json_numbers(value, where, matrix, 16, error))
        return false;
    if (matrix[3] != 0.0 || matrix[7] != 0.0 || matrix[11] != 0.0 || matrix[15] != 1.0)
        return tact_input_error_set(error, where,
                                    "must be affine: elements 3, 7, 11 and 15 (from 0) must be 0, 0, 0 and 1");
    *transform = tact_transform_from_matrix(matrix);
    return true;
}

/* Reads the optional members translate, rotate and scale. */
static bool translate_rotate_scale_read(const json_t *value, const tact_json_path *where, tact_transform *transform,
                                        tact_input_error *error)
{
    tact_vec3 translate = {0.0, 0.0, 0.0}, scale = {1.0, 1.0, 1.0};
    double rotate[4] = {0.0, 0.0, 0.0, 1.0};
    if (!tact_json_optional_vec(value, where, "translate", &translate, error))
        return false;
    const json_t *quaternion = json_object_get(value, "rotate");
    tact_json_path at_rotate = {where, "rotate", 0}, at_scale = {where, "scale", 0};
    if (quaternion && !tact_json_numbers(quaternion, &at_rotate, rotate, 4, error))
        return false;
    if (rotate[0] == 0.0 && rotate[1] == 0.0 && rotate[2] == 0.0 && rotate[3] == 0.0)
        return tact_input_error_set(error, &at_rotate, "must not be zero: it is a quaternion [x, y, z, w]");
    if (!tact_json_optional_vec(value, where, "scale", &scale, error))
        return false;
    if (scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0)
        return tact_input_error_set(error, &at_scale, "must not be zero along any axis");
    *transform = tact_transform_make(translate, (tact_quat){rotate[0], rotate[1], rotate[2], rotate[3]}, scale);
    return true;
}

bool tact_transform_read(const json_t *value, const tact_json_path *where, tact_transform *transform,
                         tact_input_error *error)
{
    static const char *const keys[] = {"translate", "rotate", "scale", "matrix"};
    if (!tact_json_object(value, where, "a place", keys, 4, error))
        return false;
    const json_t *matrix = json_object_get(value, "matrix");
    if (matrix) {
        tact_json_path at = {where, "matrix", 0};
        if (json_object_size(value) > 1)
            return tact_input_error_set(error, where,
                                        "has a matrix and also translate, rotate or scale: use one or the other");
        if (!matrix_read(matrix, &at, transform, error))
            return false;
    } else if (!translate_rotate_scale_read(value, where, transform, error)) {
        return false;
    }
    tact_report report;
    if (tact_transform_check(transform, &report) != TACT_OK)
        return tact_input_error_set(error, where, "cannot be used: %s", report.text);
    return true;
}

bool tact_motion_read(const json_t *value, const tact_json_path *where, tact_motion *motion, tact_input_error *error)
{
    static const char *const keys[] = {"velocity", "acceleration", "spin", "pivot"};
    return tact_json_object(value, where, "a motion", keys, sizeof keys / sizeof keys[0], error) &&
           tact_json_optional_vec(value, where, "velocity", &motion->velocity, error) &&
           tact_json_optional_vec(value, where, "acceleration", &motion->acceleration, error) &&
           tact_json_optional_vec(value, where, "spin", &motion->spin, error) &&
           tact_json_optional_vec(value, where, "pivot", &motion->pivot, error);
}

static tact_shape *part_read(const json_t *value, const tact_json_path *where, mesh_cache *cache,
                             tact_transform *part_transform, tact_input_error *error);

/* Reads the members of this kind of shape into `def`. The caller frees *points and releases parts[], also on failure.
 */
static bool def_read(const json_t *value, const tact_json_path *where, const shape_kind *kind, mesh_cache *cache,
                     tact_shape_def *def, tact_vec3 **points, tact_shape *parts[2], tact_input_error *error)
{
    def->type = kind->type;
    if ((kind->takes & TAKES_RADIUS) && !tact_json_member_length(value, where, "radius", &def->radius, error))
        return false;
    if ((kind->takes & TAKES_HEIGHT) && !tact_json_member_length(value, where, "height", &def->height, error))
        return false;
    if ((kind->takes & TAKES_SIZE) && !lengths_read(value, where, "size", &def->size, error))
        return false;
    if ((kind->takes & TAKES_RADII) && !lengths_read(value, where, "radii", &def->size, error))
        return false;
    if (kind->takes & TAKES_POINTS) {
        if (!points_read(value, where, kind, points, &def->point_count, error))
            return false;
        def->points = *points;
    }
    if ((kind->takes & TAKES_PLANE) && !plane_read(value, where, def, error))
        return false;
    if (kind->takes & TAKES_OF) {
        const json_t *of;
        tact_json_path at = {where, "of", 0};
        if (!tact_json_member(value, where, "of", &of, error))
            return false;
        if (!json_is_array(of) || json_array_size(of) != 2)
            return tact_input_error_set(error, &at, "must be an array of 2 shapes");
        for (size_t i = 0; i < 2; i++) {
            tact_json_path item = {&at, NULL, i};
            parts[i] = part_read(json_array_get(of, i), &item, cache, NULL, error);
            if (!parts[i])
                return false;
            def->parts[i] = parts[i];
        }
    }
    return true;
}

static tact_shape *shape_create(const tact_shape_def *def, const tact_json_path *where, tact_input_error *error)
{
    tact_report report;
    tact_shape *shape = tact_shape_create(def, &report);
    return shape ? shape : tact_shape_creation_failed(where, &report, error);
}

/* Reads a half-space inside another shape or scene. Its place becomes part of its plane: with x = M y + o the condition
 * n . y <= d is (M^-t n) . x <= d + (M^-t n) . o. */
static tact_shape *halfspace_read(const json_t *value, const tact_json_path *where, double margin,
                                  const tact_transform *place, tact_transform *part_transform, tact_input_error *error)
{
    const tact_json_path at_place = {where, "place", 0};
    tact_shape_def def = tact_shape_def_default();
    tact_transform inverse;
    def.type = TACT_HALFSPACE;
    def.margin = margin;
    *part_transform = tact_identity();
    if (!plane_read(value, where, &def, error))
        return NULL;
    if (tact_transform_invert(*place, &inverse) != TACT_OK) {
        (void)tact_input_error_set(error, &at_place, "cannot be used for a half-space: its inverse is out of range");
        return NULL;
    }
    const tact_vec3 n = def.normal, o = place->origin;
    def.normal = (tact_vec3){inverse.x_axis.x * n.x + inverse.x_axis.y * n.y + inverse.x_axis.z * n.z,
                             inverse.y_axis.x * n.x + inverse.y_axis.y * n.y + inverse.y_axis.z * n.z,
                             inverse.z_axis.x * n.x + inverse.z_axis.y * n.y + inverse.z_axis.z * n.z};
    def.offset += def.normal.x * o.x + def.normal.y * o.y + def.normal.z * o.z;
    return shape_create(&def, where, error);
}

/* Reads two positive numbers. */
static bool pair_read(const json_t *object, const tact_json_path *where, const char *key, double pair[2],
                      tact_input_error *error)
{
    const json_t *value;
    const tact_json_path at = {where, key, 0};
    if (!tact_json_member(object, where, key, &value, error) || !tact_json_numbers(value, &at, pair, 2, error))
        return false;
    return (pair[0] > 0.0 && pair[1] > 0.0) || tact_input_error_set(error, &at, "must be positive");
}

static tact_shape *heightfield_read(const json_t *object, const tact_json_path *where, double margin,
                                    tact_input_error *error)
{
    const json_t *value;
    double counts[2];
    const tact_json_path at_counts = {where, "counts", 0}, at_heights = {where, "heights", 0};
    tact_heightfield_def def = tact_heightfield_def_default();
    if (!pair_read(object, where, "counts", counts, error) ||
        !pair_read(object, where, "spacing", def.spacing, error) ||
        !tact_json_member(object, where, "heights", &value, error))
        return NULL;
    const size_t count = json_array_size(value); /* 0 if it is not an array */
    for (int i = 0; i < 2; i++) {
        if (counts[i] < 2.0 || counts[i] > 1e9 || counts[i] != floor(counts[i])) {
            (void)tact_input_error_set(error, &at_counts, "must be two whole numbers from 2 on");
            return NULL;
        }
        def.counts[i] = (size_t)counts[i];
    }
    if (!json_is_array(value) || counts[0] * counts[1] != (double)count) {
        (void)tact_input_error_set(error, &at_heights, "must be an array of %.0f numbers, %.0f times %.0f",
                                   counts[0] * counts[1], counts[0], counts[1]);
        return NULL;
    }
    double *heights = malloc(count * sizeof *heights);
    tact_shape *shape = NULL;
    if (!heights) {
        (void)tact_input_error_set(error, NULL, "out of memory");
    } else if (tact_json_numbers(value, &at_heights, heights, count, error)) {
        tact_report report;
        def.heights = heights;
        def.margin = margin;
        shape = tact_heightfield_create(&def, &report);
        if (!shape)
            (void)tact_shape_creation_failed(where, &report, error);
    }
    free(heights);
    return shape;
}

static tact_shape *compound_create(tact_shape *const *parts, const tact_transform *transforms, size_t count,
                                   double margin, const tact_json_path *where, tact_input_error *error)
{
    tact_report report;
    tact_shape *compound = tact_compound_create((const tact_shape *const *)parts, transforms, count, NULL, &report);
    return compound ? tact_shape_add_margin(compound, margin, where, error)
                    : tact_shape_creation_failed(where, &report, error);
}

/* The bodies of a model (model_file.h). */
static tact_shape *model_read(const json_t *value, const tact_json_path *where, mesh_cache *cache, double margin,
                              tact_input_error *error)
{
    const tact_json_path at = {where, "file", 0};
    const char *path;
    char reason[MESH_FILE_ERROR];
    if (!tact_json_text(json_object_get(value, "file"), &at, &path, error))
        return NULL;
    if (json_object_get(value, "parts")) {
        (void)tact_input_error_set(error, where, "has a file and also parts: use one or the other");
        return NULL;
    }
    if (!tact_model_file_reads(path)) {
        (void)tact_input_error_set(error, &at,
                                   "is no model (URDF, X3D, VRML97, glTF): for a mesh the type is \"mesh\"");
        return NULL;
    }
    tact_shape *shape = tact_mesh_cache_get(cache, path, (mesh_sides){.model = true}, reason, sizeof reason);
    if (!shape) {
        (void)tact_input_error_set(error, &at, "cannot be read: %s", reason);
        return NULL;
    }
    return tact_shape_add_margin(shape, margin, where, error);
}

static tact_shape *compound_read(const json_t *value, const tact_json_path *where, mesh_cache *cache, double margin,
                                 tact_input_error *error)
{
    const json_t *list;
    tact_json_path at = {where, "parts", 0};
    if (json_object_get(value, "file"))
        return model_read(value, where, cache, margin, error);
    if (!tact_json_member(value, where, "parts", &list, error))
        return NULL;
    if (!tact_json_array(list, &at, "shapes", error))
        return NULL;
    size_t count = json_array_size(list), done = 0;
    tact_shape **parts = calloc(count ? count : 1, sizeof *parts), *shape = NULL;
    tact_transform *transforms = calloc(count ? count : 1, sizeof *transforms);
    bool good = (parts && transforms) || tact_input_error_set(error, NULL, "out of memory");
    while (done < count && good) {
        tact_json_path item = {&at, NULL, done};
        parts[done] = part_read(json_array_get(list, done), &item, cache, &transforms[done], error);
        good = parts[done] != NULL;
        done += good;
    }
    if (good)
        shape = compound_create(parts, transforms, count, margin, where, error);
    while (done > 0)
        tact_shape_release(parts[--done]);
    free(parts);
    free(transforms);
    return shape;
}

static tact_shape *shared_find(const json_t *value, const tact_json_path *where, double margin, const mesh_cache *cache,
                               tact_input_error *error)
{
    const json_t *member;
    const char *name;
    const tact_json_path at = {where, "name", 0};
    if (!tact_json_member(value, where, "name", &member, error) || !tact_json_text(member, &at, &name, error))
        return NULL;
    tact_shape *shape = cache->shared(cache->shared_context, name);
    if (!shape) {
        (void)tact_input_error_set(error, &at, "there is no shape \"%.60s\"", name);
        return NULL;
    }
    return tact_shape_add_margin(tact_shape_retain(shape), margin, where, error);
}

/* Reads the shape itself with the given margin, without its place and motion. */
static tact_shape *core_read(const json_t *value, const tact_json_path *where, const shape_kind *kind, double margin,
                             mesh_cache *cache, tact_input_error *error)
{
    if (kind->type == TACT_MESH)
        return tact_mesh_read(value, where, margin, cache, error);
    if (kind->type == TACT_NURBS)
        return tact_nurbs_read(value, where, margin, cache, error);
    if (kind->takes & TAKES_NAME)
        return shared_find(value, where, margin, cache, error);
    if (kind->type == TACT_COMPOUND)
        return compound_read(value, where, cache, margin, error);
    if (kind->type == TACT_HEIGHTFIELD)
        return heightfield_read(value, where, margin, error);
    tact_shape_def def = tact_shape_def_default();
    tact_vec3 *points = NULL;
    tact_shape *parts[2] = {NULL, NULL}, *shape = NULL;
    def.margin = margin;
    if (def_read(value, where, kind, cache, &def, &points, parts, error))
        shape = shape_create(&def, where, error);
    free(points);
    tact_shape_release(parts[0]);
    tact_shape_release(parts[1]);
    return shape;
}

/* Reads the kind, the margin and the optional place of a shape. */
static bool header_read(const json_t *value, const tact_json_path *where, const mesh_cache *cache, bool top,
                        const shape_kind **kind, double *margin, tact_transform *transform, bool *has_place,
                        tact_input_error *error)
{
    *margin = 0.0;
    *transform = tact_identity();
    if (!kind_read(value, where, cache, kind, error) || !keys_check(value, where, *kind, top, error))
        return false;
    const json_t *member = json_object_get(value, "margin");
    tact_json_path at_margin = {where, "margin", 0}, at_place = {where, "place", 0};
    if (member && !tact_json_length(member, &at_margin, margin, error))
        return false;
    member = json_object_get(value, "place");
    *has_place = member != NULL;
    return !member || tact_transform_read(member, &at_place, transform, error);
}

/* Reads a shape inside another one; its place and margin are part of its geometry. `part_transform` is NULL where only
 * convex shapes are allowed. Otherwise it receives the transform of a mesh, compound or NURBS shape, and the identity
 * for a convex shape. On failure returns NULL and sets the error. */
static tact_shape *part_read(const json_t *value, const tact_json_path *where, mesh_cache *cache,
                             tact_transform *part_transform, tact_input_error *error)
{
    const shape_kind *kind = NULL;
    double margin;
    tact_shape_def def = tact_shape_def_default();
    bool has_place;
    if (!header_read(value, where, cache, false, &kind, &margin, &def.transform, &has_place, error))
        return NULL;
    if (kind->type == TACT_MESH || kind->type == TACT_COMPOUND || kind->type == TACT_NURBS ||
        kind->type == TACT_HEIGHTFIELD || kind->type == TACT_HALFSPACE) {
        if (!part_transform) {
            (void)tact_input_error_set(error, where, "is %s, but sum and join take only convex shapes", kind->what);
            return NULL;
        }
        if (kind->type == TACT_HALFSPACE)
            return halfspace_read(value, where, margin, &def.transform, part_transform, error);
        *part_transform = def.transform;
        return core_read(value, where, kind, margin, cache, error);
    }
    if (part_transform)
        *part_transform = tact_identity();
    if (!has_place)
        return core_read(value, where, kind, margin, cache, error);
    tact_shape *core = core_read(value, where, kind, 0.0, cache, error);
    if (!core)
        return NULL;
    def.type = TACT_TRANSFORMED;
    def.parts[0] = core;
    def.margin = margin;
    tact_shape *shape = shape_create(&def, where, error);
    tact_shape_release(core);
    return shape;
}

bool tact_moving_shape_read(const json_t *value, const tact_json_path *where, mesh_cache *cache, moving_shape *moving,
                            tact_input_error *error)
{
    const shape_kind *kind = NULL;
    double margin;
    bool has_place;
    moving->shape = NULL;
    moving->motion = tact_motion_still();
    if (!header_read(value, where, cache, true, &kind, &margin, &moving->transform, &has_place, error))
        return false;
    const json_t *motion = json_object_get(value, "motion");
    tact_json_path at = {where, "motion", 0};
    if (motion && !tact_motion_read(motion, &at, &moving->motion, error))
        return false;
    moving->shape = core_read(value, where, kind, margin, cache, error);
    return moving->shape != NULL;
}

tact_shape *tact_shape_read(const json_t *value, const tact_json_path *where, mesh_cache *cache,
                            tact_input_error *error)
{
    tact_transform part_transform = tact_identity();
    const tact_transform identity = tact_identity();
    tact_shape *shape = part_read(value, where, cache, &part_transform, error);
    if (!shape || memcmp(&part_transform, &identity, sizeof part_transform) == 0)
        return shape;
    /* a transformed mesh or compound becomes the only part of a compound */
    tact_shape *compound = compound_create(&shape, &part_transform, 1, 0.0, where, error);
    tact_shape_release(shape);
    return compound;
}
