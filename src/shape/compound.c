/* Making a compound. */
#include "shape/compound.h"

#include <float.h>
#include <string.h>
#include <tact/mesh.h>

#include "core/memory.h"
#include "core/report.h"

/* Leaves of a compound: their numbers fit 32 bits. */
#define COMPOUND_MOST_LEAVES 0x7fffffffu

/* Relative to the largest number on the way: by how much a vertex under the composed placement may be off from where
 * the part's own puts it, as seen from the compound. */
#define COMPOSED_ROUNDING (32.0 * DBL_EPSILON)

/* The largest number that comes up when points within `reach` of the origin are placed. */
static double placed_reach(const tact_transform *at, double reach)
{
    return reach * (vec_length_safe(at->x_axis) + vec_length_safe(at->y_axis) + vec_length_safe(at->z_axis)) +
           vec_max_abs(at->origin);
}

static bool part_ok(const tact_shape *part, const tact_transform *place, size_t i, tact_report *report)
{
    tact_report why;
    if (part == NULL)
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "part %zu is missing (NULL)", i);
    else if (part->nesting_depth >= SHAPE_MAX_NESTING)
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "parts are nested deeper than %d", SHAPE_MAX_NESTING);
    else if (tact_transform_check(place, &why) != TACT_OK)
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the placement of part %zu: %.150s", i, why.text);
    else
        return true;
    return false;
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
    return sizeof *c + c->part_capacity * sizeof *c->parts + c->tree.node_room * sizeof *c->tree.nodes +
           c->tree.bounds_room * sizeof *c->tree.bounds;
}

/* The part as it is kept: a convex one with a margin has its placement inside. */
static bool keep_part(compound_part *kept, const tact_shape *part, const tact_transform *place,
                      const tact_allocator *allocator, tact_report *report)
{
    if (!shape_is_convex(part) || !(part->margin > 0.0)) {
        *kept = (compound_part){tact_shape_retain(part), *place, 0};
        return true;
    }
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_TRANSFORMED;
    def.parts[0] = part;
    def.transform = *place;
    def.allocator = *allocator;
    *kept = (compound_part){tact_shape_create(&def, report), tact_identity(), 0};
    return kept->shape != NULL;
}

static tact_status fill(compound *c, const tact_shape *const *parts, const tact_transform *places, size_t count,
                        const tact_allocator *allocator, tact_shape *whole, tact_report *report)
{
    const tact_transform nowhere = tact_identity();
    box *boxes = tact_memory_allocate(allocator, count > 0 ? count : 1, sizeof *boxes);
    c->part_capacity = (uint32_t)(count > 0 ? count : 1);
    c->parts = tact_memory_allocate(allocator, c->part_capacity, sizeof *c->parts);
    tact_status status = boxes != NULL && c->parts != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
    size_t leaves = 0;
    for (size_t i = 0; i < count && status == TACT_OK; i++) {
        const tact_transform *place = places != NULL ? &places[i] : &nowhere;
        tact_report why = {TACT_OUT_OF_MEMORY, ""};
        tact_bounds bounds;
        if (!keep_part(&c->parts[i], parts[i], place, allocator, &why)) {
            status = why.status;
            (void)tact_report_fill(report, status, "part %zu: %.150s", i, why.text);
            break;
        }
        c->part_count++;
        c->parts[i].first_leaf = (uint32_t)leaves;
        c->solid = c->solid || shape_has_solid(parts[i]);
        leaves += parts[i]->compound != NULL ? parts[i]->compound->leaf_count : 1;
        whole->nesting_depth =
            parts[i]->nesting_depth >= whole->nesting_depth ? parts[i]->nesting_depth + 1 : whole->nesting_depth;
        whole->has_custom_support = whole->has_custom_support || parts[i]->has_custom_support;
        if (leaves > COMPOUND_MOST_LEAVES) {
            status = tact_report_fill(report, TACT_BAD_ARGUMENT, "there are more than %lu leaves in all",
                                      (unsigned long)COMPOUND_MOST_LEAVES);
        } else if (shape_is_empty(c->parts[i].shape)) {
            boxes[i] = box_empty();
        } else if (tact_shape_bounds(c->parts[i].shape, c->parts[i].transform, &bounds) != TACT_OK) {
            status = tact_report_fill(report, TACT_BAD_ARGUMENT, "part %zu reaches too far", i);
        } else {
            double slack = COMPOSED_ROUNDING * placed_reach(&c->parts[i].transform, c->parts[i].shape->bounding_radius);
            boxes[i] = tact_box_widen(box_of_corners(bounds.min, bounds.max), slack);
            whole->bounding_radius =
                fmax(whole->bounding_radius,
                     vec_length_safe(vec_make(fmax(-bounds.min.x, bounds.max.x), fmax(-bounds.min.y, bounds.max.y),
                                              fmax(-bounds.min.z, bounds.max.z))));
        }
    }
    c->leaf_count = (uint32_t)leaves;
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

tact_shape *tact_compound_create(const tact_shape *const *parts, const tact_transform *places, size_t count,
                                 const tact_allocator *allocator, tact_report *report)
{
    const tact_allocator usual = {NULL, NULL};
    const tact_transform nowhere = tact_identity();
    if (allocator == NULL)
        allocator = &usual;
    if ((parts == NULL && count > 0) || count > TREE_MOST) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT,
                               parts == NULL ? "the parts are missing (NULL)" : "too many parts");
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (!part_ok(parts[i], places != NULL ? &places[i] : &nowhere, i, report))
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
    if (fill(shape->compound, parts, places, count, allocator, shape, report) != TACT_OK) {
        tact_shape_release(shape);
        return NULL;
    }
    (void)tact_report_clear(report);
    return shape;
}

tact_shape *tact_compound(const tact_shape *const *parts, const tact_transform *places, size_t count)
{
    return tact_compound_create(parts, places, count, NULL, NULL);
}
