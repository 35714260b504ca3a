/* Construction of compounds: every part and transform is checked here. */
#include "shape/compound.h"

#include <string.h>
#include <tact/mesh.h>

#include "core/memory.h"
#include "core/number.h"
#include "core/report.h"
#include "shape/feature_mesh.h"

static bool part_ok(const tact_shape *part, const tact_transform *transform, size_t i, tact_report *report)
{
    tact_report why;
    if (part == NULL)
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "part %zu is missing (NULL)", i);
    else if (shape_is_halfspace(part))
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "part %zu is a half-space, which cannot be a part of a shape",
                               i);
    else if (part->nesting_depth >= SHAPE_MAX_NESTING)
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "parts are nested deeper than %d", SHAPE_MAX_NESTING);
    else if (tact_transform_check(transform, &why) != TACT_OK)
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the transform of part %zu: %.150s", i, why.text);
    else
        return true;
    return false;
}

double tact_shape_least_error(const tact_shape *shape, const tact_transform *transform)
{
    if (!shape_has_nurbs(shape))
        return INFINITY;
    if (shape->compound == NULL)
        return complex_margin(shape, transform) - shape->margin;
    double least = INFINITY;
    for (uint32_t i = 0; i < shape->compound->part_count; i++) {
        const compound_part *part = &shape->compound->parts[i];
        const tact_transform at = tact_transform_compose(*transform, part->transform);
        least = number_min(least, tact_shape_least_error(part->shape, &at));
    }
    return least;
}

void tact_compound_free(compound *c, const tact_allocator *allocator)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; i < c->part_count; i++)
        tact_shape_release(c->parts[i].shape);
    tact_memory_free(allocator, c->parts, c->part_capacity, sizeof *c->parts);
    tact_aabb_tree_release(&c->tree);
    tact_memory_free(allocator, c, 1, sizeof *c);
}

size_t tact_compound_byte_count(const compound *c)
{
    return sizeof *c + c->part_capacity * sizeof *c->parts + c->tree.node_capacity * sizeof *c->tree.nodes +
           c->tree.bounds_capacity * sizeof *c->tree.bounds;
}

/* Stores a part: a convex one with a margin gets its transform inside. */
static bool store_part(compound_part *stored, const tact_shape *part, const tact_transform *transform,
                       const tact_allocator *allocator, tact_report *report)
{
    if (!shape_is_convex(part) || !(part->margin > 0.0)) {
        *stored = (compound_part){tact_shape_retain(part), *transform, 0, 0};
        return true;
    }
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_TRANSFORMED;
    def.parts[0] = part;
    def.transform = *transform;
    def.allocator = *allocator;
    *stored = (compound_part){tact_shape_create(&def, report), tact_identity(), 0, 0};
    return stored->shape != NULL;
}

/* Numbers the vertices of the leaves that have features. */
static void number_vertices(compound *c)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const tact_shape *part = c->parts[i].shape;
        const uint32_t of_part = feature_mesh_part_vertex_count(part);
        c->parts[i].first_vertex = (uint32_t)count;
        c->featureless_leaves = c->featureless_leaves || (of_part == 0 && !shape_is_empty(part)) ||
                                (part->compound != NULL && part->compound->featureless_leaves);
        count += of_part;
        if (count > COMPOUND_MAX_VERTICES)
            return;
    }
    c->vertex_count = (uint32_t)count;
}

static tact_status fill(compound *c, const tact_shape *const *parts, const tact_transform *transforms, size_t count,
                        const tact_allocator *allocator, tact_shape *whole, tact_report *report)
{
    const tact_transform identity = tact_identity();
    box *boxes = tact_memory_allocate(allocator, count > 0 ? count : 1, sizeof *boxes);
    c->part_capacity = (uint32_t)(count > 0 ? count : 1);
    c->parts = tact_memory_allocate(allocator, c->part_capacity, sizeof *c->parts);
    tact_status status = boxes != NULL && c->parts != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    size_t leaves = 0;
    for (size_t i = 0; i < count && status == TACT_OK; i++) {
        const tact_transform *transform = transforms != NULL ? &transforms[i] : &identity;
        tact_report why = {TACT_OUT_OF_MEMORY, ""};
        tact_bounds bounds;
        if (!store_part(&c->parts[i], parts[i], transform, allocator, &why)) {
            status = why.status;
            (void)tact_report_fill(report, status, "part %zu: %.150s", i, why.text);
            break;
        }
        c->part_count++;
        c->parts[i].first_leaf = (uint32_t)leaves;
        c->solid = c->solid || shape_has_solid(parts[i]);
        c->nurbs = c->nurbs || shape_has_nurbs(parts[i]);
        c->one_sided = c->one_sided || shape_has_one_sided(parts[i]);
        leaves += parts[i]->compound != NULL ? parts[i]->compound->leaf_count : 1;
        whole->nesting_depth =
            parts[i]->nesting_depth >= whole->nesting_depth ? parts[i]->nesting_depth + 1 : whole->nesting_depth;
        whole->has_custom_support = whole->has_custom_support || parts[i]->has_custom_support;
        if (leaves > COMPOUND_MAX_LEAVES) {
            status = tact_report_fill(report, TACT_BAD_ARGUMENT, "the compound has more than %lu leaves",
                                      (unsigned long)COMPOUND_MAX_LEAVES);
        } else if (shape_is_empty(c->parts[i].shape)) {
            boxes[i] = box_empty();
        } else if (tact_shape_bounds(c->parts[i].shape, c->parts[i].transform, &bounds) != TACT_OK) {
            status = tact_report_fill(report, TACT_BAD_ARGUMENT, "part %zu extends too far from the origin", i);
        } else {
            double error =
                COMPOUND_COMPOSE_ERROR * transformed_radius(&c->parts[i].transform, c->parts[i].shape->bounding_radius);
            boxes[i] = tact_box_expand(box_from_bounds(bounds.min, bounds.max), error);
            whole->bounding_radius =
                number_max(whole->bounding_radius, vec_length_safe(vec_make(number_max(-bounds.min.x, bounds.max.x),
                                                                            number_max(-bounds.min.y, bounds.max.y),
                                                                            number_max(-bounds.min.z, bounds.max.z))));
        }
    }
    c->leaf_count = (uint32_t)leaves;
    if (status == TACT_OK)
        number_vertices(c);
    if (status == TACT_OK) {
        aabb_tree_def def = aabb_tree_def_default();
        def.allocator = *allocator;
        status = tact_aabb_tree_build(&c->tree, boxes, count, &def);
    }
    if (status == TACT_OUT_OF_MEMORY)
        (void)tact_report_fill(report, status, "out of memory");
    tact_memory_free(allocator, boxes, count > 0 ? count : 1, sizeof *boxes);
    return status;
}

tact_shape *tact_compound_create(const tact_shape *const *parts, const tact_transform *transforms, size_t count,
                                 const tact_allocator *allocator, tact_report *report)
{
    const tact_allocator default_allocator = {NULL, NULL};
    const tact_transform identity = tact_identity();
    if (allocator == NULL)
        allocator = &default_allocator;
    if ((parts == NULL && count > 0) || count > TREE_MAX_ITEMS) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                               parts == NULL ? "the parts are missing (NULL)" : "too many parts");
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (!part_ok(parts[i], transforms != NULL ? &transforms[i] : &identity, i, report))
            return NULL;
    tact_shape *shape = tact_shape_allocate(TACT_COMPOUND, 0.0, allocator, report);
    if (shape == NULL)
        return NULL;
    shape->compound = tact_memory_allocate(allocator, 1, sizeof *shape->compound);
    if (shape->compound == NULL) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
        tact_shape_deallocate(shape);
        return NULL;
    }
    memset(shape->compound, 0, sizeof *shape->compound);
    if (fill(shape->compound, parts, transforms, count, allocator, shape, report) != TACT_OK) {
        tact_shape_release(shape);
        return NULL;
    }
    (void)tact_report_clear(report);
    return shape;
}

tact_shape *tact_compound(const tact_shape *const *parts, const tact_transform *transforms, size_t count)
{
    return tact_compound_create(parts, transforms, count, NULL, NULL);
}
