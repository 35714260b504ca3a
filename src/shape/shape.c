/* Creation, reference counting and destruction of shapes. Every def is checked here, in release builds too. */
#include <string.h>
#include <tact/shape.h>

#include "core/memory.h"
#include "core/number.h"
#include "core/report.h"
#include "math/transform_norm.h"
#include "math/vec.h"
#include "shape/compound.h"
#include "shape/mesh.h"
#include "shape/shape_data.h"

static bool length_ok(double value, const char *name, tact_report *report)
{
    if (value >= 0.0 && value <= SHAPE_MAX_COORDINATE)
        return true;
    (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "%s must be a length from 0 to %g, but is %g", name,
                           SHAPE_MAX_COORDINATE, value);
    return false;
}

static bool points_ok(const tact_vec3 *points, size_t count, tact_report *report)
{
    if (points == NULL || count == 0) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "points are missing");
        return false;
    }
    if (count > UINT32_MAX / 8) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "too many points: %zu", count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!vec_finite(points[i]) || vec_max_abs(points[i]) > SHAPE_MAX_COORDINATE) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "point %zu (%g %g %g) is not finite or too far out", i,
                                   points[i].x, points[i].y, points[i].z);
            return false;
        }
    }
    return true;
}

/* May `part` be a part of `whole`? Updates the counts of `whole`. */
static bool part_ok(const tact_shape *part, tact_shape *whole, tact_report *report)
{
    if (part == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "a part is missing (NULL)");
        return false;
    }
    if (shape_is_halfspace(part)) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "a part is a half-space, which cannot be a part of a shape");
        return false;
    }
    if (!shape_is_convex(part)) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                               "a part is not convex: meshes, soups and compounds can only be parts of a compound");
        return false;
    }
    if (part->nesting_depth >= SHAPE_MAX_NESTING) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "parts are nested deeper than %d", SHAPE_MAX_NESTING);
        return false;
    }
    if (part->part_count > SHAPE_MAX_PARTS - whole->part_count) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "there are more than %d nested parts", SHAPE_MAX_PARTS);
        return false;
    }
    if (part->nesting_depth >= whole->nesting_depth)
        whole->nesting_depth = part->nesting_depth + 1;
    whole->part_count += part->part_count;
    whole->has_custom_support = whole->has_custom_support || part->has_custom_support;
    return true;
}

static double points_radius(const tact_vec3 *points, size_t count)
{
    double radius = 0.0;
    for (size_t i = 0; i < count; i++)
        radius = number_max(radius, vec_length_safe(points[i]));
    return radius;
}

/* A bound of how much the linear part M of a transform lengthens a vector, from the entries of M^t M: the square root
 * of the trace or of the largest row sum (Gershgorin), whichever is less. The latter is sharp for rotations, so that
 * the bound does not grow with every level of nested parts. */
static double norm_bound(const tact_transform *m)
{
    const gram_matrix g = transform_gram(m);
    return sqrt(number_min(g.xx + g.yy + g.zz,
                           number_max(g.xx + g.xy + g.zx, number_max(g.yy + g.xy + g.yz, g.zz + g.yz + g.zx))));
}

/* The points of a polygon must be coplanar: its hull has at most two dimensions. */
static bool fill_hull(tact_shape *shape, const tact_shape_def *def, tact_report *report)
{
    if (!points_ok(def->points, def->point_count, report))
        return false;
    shape->hull = tact_hull_create(def->points, def->point_count, &def->allocator, report);
    if (shape->hull == NULL)
        return false;
    if (def->type == TACT_POLYGON && shape->hull->dimension == 3) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the points of the polygon do not lie in one plane");
        tact_hull_release(shape->hull, &def->allocator);
        return false;
    }
    shape->bounding_radius = points_radius(shape->hull->vertices, shape->hull->vertex_count);
    return true;
}

/* Stores the plane with a unit normal. */
static bool fill_halfspace(tact_shape *shape, const tact_shape_def *def, tact_report *report)
{
    const double length = vec_length_safe(def->normal), largest = vec_max_abs(def->normal);
    if (!vec_finite(def->normal) || !(largest > 0.0)) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the normal (%g %g %g) is zero or not finite", def->normal.x,
                               def->normal.y, def->normal.z);
        return false;
    }
    /* a unit vector stays as it is, to the bit: a restored half-space is the one that was saved */
    const bool is_unit = fabs(vec_length_squared(def->normal) - 1.0) <= HALFSPACE_UNIT_ROUNDING;
    shape->normal = is_unit ? def->normal : vec_normalize(def->normal);
    shape->offset = is_unit ? def->offset : def->offset / length;
    if (!(fabs(shape->offset) <= SHAPE_MAX_COORDINATE)) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                               "offset %g is not finite, or the plane is farther than %g from the origin", def->offset,
                               SHAPE_MAX_COORDINATE);
        return false;
    }
    shape->bounding_radius = INFINITY;
    return true;
}

static bool fill(tact_shape *shape, const tact_shape_def *def, tact_report *report)
{
    switch (def->type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON: {
        int count = (int)def->type - (int)TACT_POINT + 1;
        if (!points_ok(def->points, def->point_count, report))
            return false;
        if (def->point_count != (size_t)count) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "%d points are needed, but %zu are given", count,
                                   def->point_count);
            return false;
        }
        memcpy(shape->points, def->points, (size_t)count * sizeof *def->points);
        shape->point_count = count;
        shape->bounding_radius = points_radius(shape->points, (size_t)count);
        return true;
    }
    case TACT_SPHERE:
        shape->radius = shape->bounding_radius = def->radius;
        return length_ok(def->radius, "radius", report);
    case TACT_CAPSULE:
        shape->radius = def->radius;
        shape->half_height = 0.5 * def->height;
        shape->bounding_radius = shape->radius + shape->half_height;
        return length_ok(def->radius, "radius", report) && length_ok(def->height, "height", report);
    case TACT_CYLINDER:
    case TACT_CONE:
        if (!length_ok(def->radius, "radius", report) || !length_ok(def->height, "height", report))
            return false;
        shape->radius = def->radius;
        shape->half_height = 0.5 * def->height;
        shape->bounding_radius = vec_length_safe(vec_make(shape->radius, shape->half_height, 0.0));
        return true;
    case TACT_BOX:
    case TACT_ELLIPSOID:
        if (!length_ok(def->size.x, "size.x", report) || !length_ok(def->size.y, "size.y", report) ||
            !length_ok(def->size.z, "size.z", report))
            return false;
        shape->half_extents = vec_scale(def->size, def->type == TACT_BOX ? 0.5 : 1.0);
        shape->bounding_radius =
            def->type == TACT_BOX ? vec_length_safe(shape->half_extents) : vec_max_abs(shape->half_extents);
        return true;
    case TACT_POLYGON:
    case TACT_HULL:
        return fill_hull(shape, def, report);
    case TACT_MINKOWSKI_SUM:
    case TACT_CONVEX_HULL_OF: {
        if (!part_ok(def->parts[0], shape, report) || !part_ok(def->parts[1], shape, report))
            return false;
        double r0 = def->parts[0]->bounding_radius + def->parts[0]->margin,
               r1 = def->parts[1]->bounding_radius + def->parts[1]->margin;
        shape->bounding_radius = def->type == TACT_MINKOWSKI_SUM ? r0 + r1 : number_max(r0, r1);
        break;
    }
    case TACT_TRANSFORMED:
        if (!part_ok(def->parts[0], shape, report) || tact_transform_check(&def->transform, report) != TACT_OK)
            return false;
        shape->transform = def->transform;
        shape->bounding_radius = norm_bound(&def->transform) * def->parts[0]->bounding_radius +
                                 vec_length_safe(def->transform.origin) + def->parts[0]->margin;
        break;
    case TACT_CUSTOM:
        if (def->support == NULL) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the support function is missing (NULL)");
            return false;
        }
        shape->support = def->support;
        shape->has_custom_support = true;
        shape->support_context = def->support_context;
        shape->bounding_radius = def->support_radius;
        return length_ok(def->support_radius, "support_radius", report);
    case TACT_HALFSPACE:
        return fill_halfspace(shape, def, report);
    case TACT_MESH:
    case TACT_SOUP:
    case TACT_COMPOUND:
    case TACT_NURBS:
    case TACT_HEIGHTFIELD:
        (void)tact_report_fill(
            report, TACT_BAD_ARGUMENT,
            "meshes, soups, compounds, heightfields and NURBS shapes are made by tact_mesh_create, tact_soup_create, "
            "tact_compound_create, tact_heightfield_create and tact_nurbs_create");
        return false;
    default:
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "there is no shape type %d: set tact_shape_def::type",
                               (int)def->type);
        return false;
    }
    if (!(shape->bounding_radius <= SHAPE_MAX_COORDINATE)) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the shape would extend farther than %g from the origin",
                               SHAPE_MAX_COORDINATE);
        return false;
    }
    shape->parts[0] = tact_shape_retain(def->parts[0]);
    shape->parts[1] = def->type == TACT_TRANSFORMED ? NULL : tact_shape_retain(def->parts[1]);
    return true;
}

tact_shape_def tact_shape_def_default(void)
{
    tact_shape_def def;
    memset(&def, 0, sizeof def);
    def.transform = tact_identity();
    return def;
}

static shape_class class_of(tact_shape_type type)
{
    switch (type) {
    case TACT_SPHERE:
    case TACT_CAPSULE:
        return SHAPE_CLASS_SPHERE_SWEPT;
    case TACT_BOX:
        return SHAPE_CLASS_BOX;
    case TACT_POLYGON:
    case TACT_HULL:
        return SHAPE_CLASS_HULL;
    case TACT_MESH:
    case TACT_SOUP:
    case TACT_COMPOUND:
    case TACT_NURBS:
    case TACT_HEIGHTFIELD:
        return SHAPE_CLASS_COMPLEX;
    case TACT_HALFSPACE:
        return SHAPE_CLASS_HALFSPACE;
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
    case TACT_CYLINDER:
    case TACT_CONE:
    case TACT_ELLIPSOID:
    case TACT_MINKOWSKI_SUM:
    case TACT_CONVEX_HULL_OF:
    case TACT_TRANSFORMED:
    case TACT_CUSTOM:
        break; /* no default: the compiler warns about a type that is missing here */
    }
    return SHAPE_CLASS_CONVEX;
}

tact_shape *tact_shape_allocate(tact_shape_type type, double margin, const tact_allocator *allocator,
                                tact_report *report)
{
    if (!length_ok(margin, "margin", report))
        return NULL;
    tact_shape *shape = tact_memory_allocate(allocator, 1, sizeof *shape);
    if (shape == NULL) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    memset(shape, 0, sizeof *shape);
    shape->type = type;
    shape->shape_class = class_of(type);
    shape->allocator = *allocator;
    shape->margin = margin;
    shape->nesting_depth = 1;
    shape->part_count = 1;
    atomic_init(&shape->references, 1);
    return shape;
}

void tact_shape_deallocate(tact_shape *shape)
{
    tact_allocator allocator = shape->allocator;
    tact_memory_free(&allocator, shape, 1, sizeof *shape);
}

tact_shape *tact_shape_create(const tact_shape_def *def, tact_report *report)
{
    if (def == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the def is NULL");
        return NULL;
    }
    tact_shape *shape = tact_shape_allocate(def->type, def->margin, &def->allocator, report);
    if (shape == NULL)
        return NULL;
    if (!fill(shape, def, report)) {
        tact_shape_deallocate(shape);
        return NULL;
    }
    (void)tact_report_clear(report);
    return shape;
}

tact_shape *tact_shape_restore_hull(tact_shape_type type, double margin, const hull_boundary *boundary,
                                    const tact_allocator *allocator, tact_report *report)
{
    tact_shape *shape = tact_shape_allocate(type, margin, allocator, report);
    if (shape == NULL)
        return NULL;
    if (!points_ok(boundary->vertices, boundary->vertex_count, report) ||
        (shape->hull = tact_hull_restore(boundary, allocator, report)) == NULL) {
        tact_shape_deallocate(shape);
        return NULL;
    }
    shape->bounding_radius = points_radius(shape->hull->vertices, shape->hull->vertex_count);
    return shape;
}

tact_shape *tact_shape_retain(const tact_shape *shape)
{
    tact_shape *counted = (tact_shape *)(uintptr_t)shape; /* the reference count is the only member that changes */
    if (counted != NULL)
        (void)atomic_fetch_add_explicit(&counted->references, 1, memory_order_relaxed);
    return counted;
}

void tact_shape_release(tact_shape *shape)
{
    if (shape == NULL || atomic_fetch_sub_explicit(&shape->references, 1, memory_order_acq_rel) != 1)
        return;
    tact_allocator allocator = shape->allocator;
    if (shape->owner != NULL) {
        tact_shape_release(shape->owner);
    } else {
        tact_hull_release(shape->hull, &allocator);
        tact_mesh_free(shape->mesh, &allocator);
        tact_compound_free(shape->compound, &allocator);
        if (shape->free_nurbs != NULL)
            shape->free_nurbs(shape->nurbs);
        tact_shape_release(shape->parts[0]);
        tact_shape_release(shape->parts[1]);
    }
    tact_memory_free(&allocator, shape, 1, sizeof *shape);
}

tact_shape_type tact_shape_get_type(const tact_shape *shape)
{
    return shape == NULL                                                   ? (tact_shape_type)0
           : shape->nurbs != NULL                                          ? TACT_NURBS
           : shape->mesh != NULL && shape->mesh->heightfield.counts[0] > 0 ? TACT_HEIGHTFIELD
                                                                           : shape->type;
}

double tact_shape_get_margin(const tact_shape *shape) { return shape == NULL ? 0.0 : shape->margin; }

size_t tact_shape_get_points(const tact_shape *shape, tact_vec3 *points, size_t capacity)
{
    if (shape == NULL)
        return 0;
    const tact_vec3 *from = shape->points;
    size_t count = (size_t)shape->point_count;
    if (shape->hull != NULL) {
        from = shape->hull->vertices;
        count = shape->hull->vertex_count;
    } else if (shape->mesh != NULL) {
        from = shape->mesh->vertices;
        count = shape->mesh->vertex_count;
    }
    for (size_t i = 0; points != NULL && i < count && i < capacity; i++)
        points[i] = from[i];
    return count;
}

/* ---- short forms ---- */

tact_shape *tact_sphere(double radius)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_SPHERE;
    def.radius = radius;
    return tact_shape_create(&def, NULL);
}

static tact_shape *make_sized(tact_shape_type type, double x, double y, double z)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = type;
    def.size = vec_make(x, y, z);
    return tact_shape_create(&def, NULL);
}

tact_shape *tact_box(double x, double y, double z) { return make_sized(TACT_BOX, x, y, z); }

tact_shape *tact_ellipsoid(double x, double y, double z) { return make_sized(TACT_ELLIPSOID, x, y, z); }

static tact_shape *make_axial(tact_shape_type type, double radius, double height)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = type;
    def.radius = radius;
    def.height = height;
    return tact_shape_create(&def, NULL);
}

tact_shape *tact_capsule(double radius, double height) { return make_axial(TACT_CAPSULE, radius, height); }

tact_shape *tact_cylinder(double radius, double height) { return make_axial(TACT_CYLINDER, radius, height); }

tact_shape *tact_cone(double radius, double height) { return make_axial(TACT_CONE, radius, height); }

static tact_shape *make_of_points(tact_shape_type type, const tact_vec3 *points, size_t count)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = type;
    def.points = points;
    def.point_count = count;
    return tact_shape_create(&def, NULL);
}

tact_shape *tact_point(tact_vec3 p) { return make_of_points(TACT_POINT, &p, 1); }

tact_shape *tact_segment(tact_vec3 p, tact_vec3 q)
{
    const tact_vec3 points[2] = {p, q};
    return make_of_points(TACT_SEGMENT, points, 2);
}

tact_shape *tact_triangle(tact_vec3 p, tact_vec3 q, tact_vec3 r)
{
    const tact_vec3 points[3] = {p, q, r};
    return make_of_points(TACT_TRIANGLE, points, 3);
}

tact_shape *tact_tetrahedron(tact_vec3 p, tact_vec3 q, tact_vec3 r, tact_vec3 s)
{
    const tact_vec3 points[4] = {p, q, r, s};
    return make_of_points(TACT_TETRAHEDRON, points, 4);
}

tact_shape *tact_polygon(const tact_vec3 *points, size_t count) { return make_of_points(TACT_POLYGON, points, count); }

tact_shape *tact_hull(const tact_vec3 *points, size_t count) { return make_of_points(TACT_HULL, points, count); }

static tact_shape *make_of_parts(tact_shape_type type, const tact_shape *a, const tact_shape *b)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = type;
    def.parts[0] = a;
    def.parts[1] = b;
    return tact_shape_create(&def, NULL);
}

tact_shape *tact_minkowski_sum(const tact_shape *a, const tact_shape *b)
{
    return make_of_parts(TACT_MINKOWSKI_SUM, a, b);
}

tact_shape *tact_convex_hull_of(const tact_shape *a, const tact_shape *b)
{
    return make_of_parts(TACT_CONVEX_HULL_OF, a, b);
}

tact_shape *tact_transformed(const tact_shape *part, tact_transform transform)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_TRANSFORMED;
    def.parts[0] = part;
    def.transform = transform;
    return tact_shape_create(&def, NULL);
}

tact_shape *tact_custom(tact_support_callback *support, void *context, double support_radius)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_CUSTOM;
    def.support = support;
    def.support_context = context;
    def.support_radius = support_radius;
    return tact_shape_create(&def, NULL);
}

tact_shape *tact_halfspace(tact_vec3 normal, double offset)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_HALFSPACE;
    def.normal = normal;
    def.offset = offset;
    return tact_shape_create(&def, NULL);
}

tact_shape *tact_rounded(const tact_shape *shape, double margin)
{
    if (shape == NULL || !length_ok(margin, "margin", NULL))
        return NULL;
    tact_shape *rounded = tact_memory_allocate(&shape->allocator, 1, sizeof *rounded);
    if (rounded == NULL)
        return NULL;
    /* all but the reference count, which other threads may be changing */
    memcpy((char *)rounded + sizeof rounded->references, (const char *)shape + sizeof shape->references,
           sizeof *rounded - sizeof rounded->references);
    atomic_init(&rounded->references, 1);
    rounded->margin = margin;
    /* the owner itself, not another copy: otherwise a chain of copies could be of any length */
    rounded->owner = tact_shape_retain(shape->owner != NULL ? shape->owner : shape);
    return rounded;
}
