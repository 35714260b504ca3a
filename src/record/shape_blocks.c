/*
 * Shapes as blocks: docs/record.md has the layout.
 *
 * A shape is written once, after its parts. Its id is the number of shapes before it. So shared parts stay shared, and
 * no bytes can describe a shape that contains itself.
 *
 * Reading calls the same functions that create shapes for callers, with the same checks. Results that are expensive to
 * compute, or that would differ, are stored: the vertices and faces of hulls (the points of the def are not stored),
 * the triangles of polygons, and the trees of meshes and soups. Trees are checked. The connected components of a mesh
 * are computed again, because checking them would cost as much; those of an edited mesh are stored. The triangles of a
 * NURBS shape are computed again from its surfaces, because their distance from the surfaces could not be trusted.
 */
#include "record/shape_blocks.h"

#include <string.h>

#include "core/little_endian.h"
#include "nurbs/nurbs_shape.h"
#include "record/fields.h"
#include "shape/compound.h"
#include "shape/shape_data.h"
#include "tree/tree_bytes.h"

/* What every shape block begins with. */
typedef struct shape_head {
    uint32_t type; /* tact_shape_type, or SHAPE_ROUNDED */
    double margin;
} shape_head;

#define SHAPE_ROUNDED 0u /* another shape with another margin */

static const record_field head_fields[] = {FIELD_U32(shape_head, type), FIELD_F64(shape_head, margin), {0}};

/* Pointers to vertices, to u32 and to doubles. */
static const record_field vec3_field[] = {FIELD_F64S(3), {0}};
static const record_field u32_field[] = {FIELD_U32S(1), {0}};
static const record_field f64_field[] = {FIELD_F64S(1), {0}};
static const record_column vec3_column[] = {{0, sizeof(tact_vec3), vec3_field}, {0}};
static const record_column u32_column[] = {{0, sizeof(uint32_t), u32_field}, {0}};
static const record_column f64_column[] = {{0, sizeof(double), f64_field}, {0}};

/* ---- the same shape with another margin ---- */

static const record_field shape_field[] = {{.encoding = ENCODING_SHAPE}, {0}}; /* a pointer to a shape */

static void write_rounded(record_writer *w, const tact_shape *shape) { tact_writer_put(w, &shape->owner, shape_field); }

static tact_shape *read_rounded(record_reader *r, const shape_head *head, tact_report *report)
{
    const tact_shape *owner;
    if (!tact_reader_get(r, &owner, shape_field))
        return NULL;
    if (!(head->margin >= 0.0 && head->margin <= SHAPE_MAX_COORDINATE)) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "the margin of a shape is negative, too large or not a number");
        return NULL;
    }
    (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
    return tact_rounded(owner, head->margin);
}

/* ---- polygons and hulls ---- */

typedef struct hull_block {
    hull_boundary boundary;
    uint32_t face_vertex_total;
} hull_block;

static const record_field hull_fields[] = {FIELD_U32(hull_block, boundary.dimension),
                                           FIELD_U32(hull_block, boundary.vertex_count),
                                           FIELD_U32(hull_block, boundary.face_count),
                                           FIELD_U32(hull_block, face_vertex_total),
                                           {0}};

static void write_hull(record_writer *w, const tact_shape *shape)
{
    const hull *h = shape->hull;
    const hull_block block = {
        .boundary = {.dimension = (uint32_t)h->dimension, .vertex_count = h->vertex_count, .face_count = h->face_count},
        .face_vertex_total = h->face_vertex_total};
    tact_writer_put(w, &block, hull_fields);
    tact_writer_put_items(w, &h->vertices, vec3_column, h->vertex_count);
    unsigned char *to = tact_writer_reserve(w, h->face_count, 4);
    for (uint32_t i = 0; to != NULL && i < h->face_count; ++i)
        to = store_le32(to, h->faces[i].vertex_count);
    for (uint32_t i = 0; i < h->face_count; ++i) {
        const uint32_t *vertices = h->face_vertices + h->faces[i].first_vertex;
        tact_writer_put_items(w, &vertices, u32_column, h->faces[i].vertex_count);
    }
}

static tact_shape *read_hull(record_reader *r, const shape_head *head, tact_report *report)
{
    hull_block block;
    hull_boundary *b = &block.boundary;
    if (!tact_reader_get(r, &block, hull_fields) ||
        !tact_reader_get_items(r, &b->vertices, vec3_column, b->vertex_count) ||
        !tact_reader_get_items(r, &b->face_sizes, u32_column, b->face_count) ||
        !tact_reader_get_items(r, &b->face_vertices, u32_column, block.face_vertex_total))
        return NULL;
    uint32_t i = 0, left = block.face_vertex_total;
    for (; i < b->face_count && b->face_sizes[i] <= left; ++i)
        left -= b->face_sizes[i];
    if (i == b->face_count && left == 0 && (head->type != TACT_POLYGON || b->dimension <= 2))
        return tact_shape_restore_hull((tact_shape_type)head->type, head->margin, b, &r->allocator, report);
    (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "the faces of a hull do not fit its vertices or its dimension");
    return NULL;
}

/* ---- meshes and soups ---- */

enum { MESH_SOLID = 1, MESH_FACES = 2, MESH_REFITTABLE = 4, MESH_EDITED = 8, MESH_SURFACE = 16, MESH_ONE_SIDED = 32 };

typedef struct mesh_block {
    uint32_t flags; /* MESH_; a soup has none */
    uint32_t vertex_count, element_count, index_count;
    uint64_t tree_size;   /* bytes */
    double surface_error; /* with MESH_SURFACE; otherwise 0 */
    mesh_restore_data data;
    const tact_vec3 *vertices; /* this and the rest: reading only */
    tact_mesh_def def;
} mesh_block;

static const record_field mesh_fields[] = {
    FIELD_BITS(mesh_block, flags,
               MESH_SOLID | MESH_FACES | MESH_REFITTABLE | MESH_EDITED | MESH_SURFACE | MESH_ONE_SIDED),
    FIELD_U32(mesh_block, vertex_count),
    FIELD_U32(mesh_block, element_count),
    FIELD_U32(mesh_block, data.face_count),
    FIELD_F64(mesh_block, data.bounding_radius),
    {0},
};
static const record_field soup_fields[] = {
    FIELD_U32(mesh_block, vertex_count),
    FIELD_U32(mesh_block, element_count),
    FIELD_U32(mesh_block, index_count),
    FIELD_F64(mesh_block, data.bounding_radius),
    {0},
};
static const record_field surface_fields[] = {FIELD_F64(mesh_block, surface_error), {0}};
static const record_field tree_fields[] = {FIELD_U64(mesh_block, tree_size), {0}};
static const record_field component_fields[] = {
    FIELD_U32(mesh_block, data.component_excess),
    FIELD_U32(mesh_block, data.component_count),
    {0},
};

/* Begins a mesh or soup: the first fields and the vertices. */
static mesh_block write_mesh_head(record_writer *w, const tact_shape *shape, const record_field *fields)
{
    const mesh *m = shape->mesh;
    /* A mesh with capacity for edits has a face table from the start. It is written only after an edit. */
    const bool faces = m->face_of != NULL && !m->edited && m->element_capacity == 0;
    const mesh_block block = {.flags = (m->solid ? (uint32_t)MESH_SOLID : 0u) | (faces ? (uint32_t)MESH_FACES : 0u) |
                                       (m->refittable ? (uint32_t)MESH_REFITTABLE : 0u) |
                                       (m->edited ? (uint32_t)MESH_EDITED : 0u) |
                                       (m->one_sided ? (uint32_t)MESH_ONE_SIDED : 0u) |
                                       (shape->surface_error > 0.0 ? (uint32_t)MESH_SURFACE : 0u),
                              .surface_error = shape->surface_error,
                              .vertex_count = m->vertex_count,
                              .element_count = m->element_count,
                              .index_count = m->index_count,
                              .tree_size = tact_aabb_tree_bytes(&m->tree),
                              .data = {.face_count = m->face_count,
                                       .bounding_radius = m->bounding_radius,
                                       .component_excess = m->component_excess,
                                       .component_count = m->component_count}};
    tact_writer_put(w, &block, fields);
    if (block.flags & MESH_SURFACE)
        tact_writer_put(w, &block, surface_fields);
    tact_writer_put_items(w, &m->vertices, vec3_column, m->vertex_count);
    return block;
}

static void write_tree(record_writer *w, const mesh_block *block, const mesh *m)
{
    tact_writer_put(w, block, tree_fields);
    unsigned char *to = tact_writer_reserve(w, 1, (size_t)block->tree_size);
    if (to != NULL)
        tact_aabb_tree_write(&m->tree, to);
}

/* The triangle of each face, UINT32_MAX for none. So the memory of a reader is bounded by the number of bytes. */
static void write_triangle_of(record_writer *w, const mesh *m)
{
    unsigned char *to = tact_writer_reserve(w, m->face_count, 4);
    if (to == NULL)
        return;
    memset(to, 0xff, 4 * (size_t)m->face_count);
    for (uint32_t i = 0; i < m->element_count; ++i)
        (void)store_le32(to + 4 * (size_t)m->face_of[i], i);
}

static void write_mesh(record_writer *w, const tact_shape *shape)
{
    const mesh *m = shape->mesh;
    const mesh_block block = write_mesh_head(w, shape, mesh_fields);
    tact_writer_put_items(w, &m->indices, u32_column, m->index_count);
    if (block.flags & MESH_FACES)
        tact_writer_put_items(w, &m->face_of, u32_column, m->element_count);
    if (m->edited)
        write_triangle_of(w, m);
    write_tree(w, &block, m);
    if (m->edited) {
        tact_writer_put(w, &block, component_fields);
        tact_writer_put_items(w, &m->component_seeds, u32_column, m->component_count);
    }
}

static void write_soup(record_writer *w, const tact_shape *shape)
{
    const mesh *m = shape->mesh;
    const mesh_block block = write_mesh_head(w, shape, soup_fields);
    unsigned char *to = tact_writer_reserve(w, m->element_count, 4);
    for (uint32_t i = 0; to != NULL && i < m->element_count; ++i)
        to = store_le32(to, m->first_index[i + 1] - m->first_index[i]);
    tact_writer_put_items(w, &m->indices, u32_column, m->index_count);
    write_tree(w, &block, m);
}

static bool read_tree(record_reader *r, mesh_block *b)
{
    if (!tact_reader_get(r, b, tree_fields) || !tact_reader_has(r, b->tree_size, 1))
        return false;
    b->data.tree_size = (size_t)b->tree_size;
    b->data.tree = tact_reader_skip(r, b->data.tree_size);
    return true;
}

static tact_shape *restore_mesh(record_reader *r, mesh_block *b, const shape_head *head, tact_report *report)
{
    const bool soup = head->type == TACT_SOUP;
    b->def.vertices = (tact_vertices){b->vertices, b->vertex_count, 0, TACT_SCALAR_DOUBLE};
    b->def.index_count = soup ? b->index_count : 3 * (size_t)b->element_count;
    b->def.margin = head->margin;
    b->def.allocator = r->allocator;
    return tact_mesh_restore(&b->def, soup, &b->data, report);
}

static tact_shape *read_mesh(record_reader *r, const shape_head *head, tact_report *report)
{
    mesh_block b = {.def = tact_mesh_def_default()};
    if (!tact_reader_get(r, &b, mesh_fields))
        return NULL;
    const bool faces = b.flags & MESH_FACES, edited = b.flags & MESH_EDITED;
    const bool surface = b.flags & MESH_SURFACE;
    if ((edited && (b.flags & ~(uint32_t)MESH_ONE_SIDED) != (MESH_REFITTABLE | MESH_EDITED)) ||
        (surface && (faces || !(b.flags & MESH_REFITTABLE)))) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "the flags %lu of a mesh exclude each other",
                               (unsigned long)b.flags);
        return NULL;
    }
    if (surface && (!tact_reader_get(r, &b, surface_fields) ||
                    !(b.surface_error > 0.0 && b.surface_error <= SHAPE_MAX_COORDINATE))) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "the surface error of a mesh is not positive, or too large");
        return NULL;
    }
    b.def.solid = b.flags & MESH_SOLID;
    b.def.one_sided = b.flags & MESH_ONE_SIDED;
    b.data.refittable = b.flags & MESH_REFITTABLE;
    const bool complete =
        tact_reader_get_items(r, &b.vertices, vec3_column, b.vertex_count) &&
        tact_reader_get_items(r, &b.def.indices, u32_column, 3 * (uint64_t)b.element_count) &&
        (!faces || tact_reader_get_items(r, &b.data.face_of, u32_column, b.element_count)) &&
        (!edited || tact_reader_get_items(r, &b.data.triangle_of, u32_column, b.data.face_count)) && read_tree(r, &b) &&
        (!edited || (tact_reader_get(r, &b, component_fields) &&
                     tact_reader_get_items(r, &b.data.component_seeds, u32_column, b.data.component_count)));
    tact_shape *shape = complete ? restore_mesh(r, &b, head, report) : NULL;
    if (shape != NULL)
        shape->surface_error = b.surface_error;
    return shape;
}

static tact_shape *read_soup(record_reader *r, const shape_head *head, tact_report *report)
{
    mesh_block b = {.def = tact_mesh_def_default()};
    const bool complete = tact_reader_get(r, &b, soup_fields) &&
                          tact_reader_get_items(r, &b.vertices, vec3_column, b.vertex_count) &&
                          tact_reader_get_items(r, &b.def.loop_sizes, u32_column, b.element_count) &&
                          tact_reader_get_items(r, &b.def.indices, u32_column, b.index_count) && read_tree(r, &b);
    b.def.loop_count = b.element_count;
    return complete ? restore_mesh(r, &b, head, report) : NULL;
}

/* ---- heightfields ---- */

/* The mesh is made again from the heights: its tree depends on nothing else. */
typedef struct heightfield_block {
    heightfield_grid grid;
    const double *heights; /* reading only */
} heightfield_block;

static const record_field heightfield_fields[] = {
    FIELD_U32(heightfield_block, grid.counts), FIELD_F64(heightfield_block, grid.spacing), {0}};

static void write_heightfield(record_writer *w, const tact_shape *shape)
{
    const heightfield_block block = {.grid = shape->mesh->heightfield};
    const size_t count = (size_t)block.grid.counts[0] * block.grid.counts[1];
    tact_writer_put(w, &block, heightfield_fields);
    unsigned char *to = tact_writer_reserve(w, count, 8);
    for (size_t i = 0; to != NULL && i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &shape->mesh->vertices[i].y, sizeof bits);
        to = store_le64(to, bits);
    }
}

static tact_shape *read_heightfield(record_reader *r, const shape_head *head, tact_report *report)
{
    heightfield_block b;
    if (!tact_reader_get(r, &b, heightfield_fields) ||
        !tact_reader_get_items(r, &b.heights, f64_column, (uint64_t)b.grid.counts[0] * b.grid.counts[1]))
        return NULL;
    tact_heightfield_def def = tact_heightfield_def_default();
    for (int i = 0; i < 2; ++i) {
        def.counts[i] = b.grid.counts[i];
        def.spacing[i] = b.grid.spacing[i];
    }
    def.heights = b.heights;
    def.margin = head->margin;
    def.allocator = r->allocator;
    return tact_heightfield_create(&def, report);
}

/* ---- NURBS ---- */

enum { NURBS_SOLID = 1, NURBS_EDGES = 2 };

typedef struct nurbs_block {
    uint32_t flags; /* NURBS_ */
    uint32_t surface_count;
    struct nurbs_surface_block *surfaces; /* this and the rest: reading only */
    const double *knots, *weights;        /* of all surfaces */
    const tact_vec3 *points;
    const uint32_t *loops; /* of all surfaces: the number of curves of each trimming loop */
    struct nurbs_curve_block *curves;
    const double *numbers; /* of all curves */
    const tact_nurbs_edge *edges;
    uint64_t knot_count, weight_count, point_count, loop_count, curve_count, number_count;
    uint32_t edge_count;
} nurbs_block;

typedef struct nurbs_surface_block {
    uint32_t degree[2], counts[2];
    bool rational; /* it has weights */
    double tolerance;
    uint32_t trim_count; /* trimming loops */
} nurbs_surface_block;

typedef struct nurbs_curve_block {
    uint32_t degree, count;
    bool rational;
} nurbs_curve_block;

static const record_field nurbs_fields[] = {
    FIELD_BITS(nurbs_block, flags, NURBS_SOLID | NURBS_EDGES), FIELD_U32(nurbs_block, surface_count), {0}};
static const record_field nurbs_edge_fields[] = {
    FIELD_U32(tact_nurbs_edge, surface), FIELD_U32(tact_nurbs_edge, loop), FIELD_U32(tact_nurbs_edge, curve), {0}};
static const record_field nurbs_surface_fields[] = {
    FIELD_U32(nurbs_surface_block, degree),     FIELD_U32(nurbs_surface_block, counts),
    FIELD_BOOL(nurbs_surface_block, rational),  FIELD_F64(nurbs_surface_block, tolerance),
    FIELD_U32(nurbs_surface_block, trim_count), {0}};
static const record_field nurbs_curve_fields[] = {FIELD_U32(nurbs_curve_block, degree),
                                                  FIELD_U32(nurbs_curve_block, count),
                                                  FIELD_BOOL(nurbs_curve_block, rational),
                                                  {0}};
static const record_column nurbs_surface_column[] = {{0, sizeof(nurbs_surface_block), nurbs_surface_fields}, {0}};
static const record_column nurbs_edge_column[] = {{0, sizeof(tact_nurbs_edge), nurbs_edge_fields}, {0}};
static const record_column nurbs_curve_column[] = {{0, sizeof(nurbs_curve_block), nurbs_curve_fields}, {0}};

/* The trimming loops: the number of curves of each, then what describes each curve, then their numbers. */
static void write_trims(record_writer *w, const nurbs_model *m)
{
    for (uint32_t i = 0; i < m->surface_count; ++i)
        for (size_t k = 0; m->trims[i] != NULL && k < m->trims[i]->loop_count; ++k) {
            const uint32_t count = (uint32_t)m->trims[i]->loops[k].curve_count;
            tact_writer_put(w, &count, u32_field);
        }
    for (uint32_t i = 0; i < m->surface_count; ++i)
        for (size_t k = 0; m->trims[i] != NULL && k < m->trims[i]->curve_count; ++k) {
            const tact_nurbs_curve *c = &m->trims[i]->curves[k];
            const nurbs_curve_block curve = {(uint32_t)c->degree, (uint32_t)c->count, c->weights != NULL};
            tact_writer_put(w, &curve, nurbs_curve_fields);
        }
    for (uint32_t i = 0; i < m->surface_count; ++i)
        if (m->trims[i] != NULL)
            tact_writer_put_items(w, &m->trims[i]->numbers, f64_column, m->trims[i]->number_count);
}

/* First what describes each surface, then the knots of all, the weights, the control points, the trimming loops and the
 * edges. */
static void write_nurbs(record_writer *w, const tact_shape *shape)
{
    const nurbs_model *m = shape->nurbs->model;
    const nurbs_block block = {.flags = (shape->mesh->solid ? (uint32_t)NURBS_SOLID : 0u) |
                                        (m->edge_count > 0 ? (uint32_t)NURBS_EDGES : 0u),
                               .surface_count = m->surface_count};
    tact_writer_put(w, &block, nurbs_fields);
    for (uint32_t i = 0; i < m->surface_count; ++i) {
        const nurbs_surface *s = &m->surfaces[i];
        const nurbs_surface_block surface = {.degree = {(uint32_t)s->degree[0], (uint32_t)s->degree[1]},
                                             .counts = {s->counts[0], s->counts[1]},
                                             .rational = s->weights != NULL,
                                             .tolerance = m->tolerances[i].surface,
                                             .trim_count = m->trims[i] != NULL ? (uint32_t)m->trims[i]->loop_count : 0};
        tact_writer_put(w, &surface, nurbs_surface_fields);
    }
    for (uint32_t i = 0; i < 2 * m->surface_count; ++i) {
        const nurbs_surface *s = &m->surfaces[i / 2];
        const double *knots = s->knots[i % 2];
        tact_writer_put_items(w, &knots, f64_column, s->counts[i % 2] + (size_t)s->degree[i % 2] + 1);
    }
    for (uint32_t i = 0; i < m->surface_count; ++i)
        if (m->surfaces[i].weights != NULL) {
            const double *weights = m->surfaces[i].weights;
            tact_writer_put_items(w, &weights, f64_column, m->first_point[i + 1] - m->first_point[i]);
        }
    tact_writer_put_items(w, &shape->nurbs->tessellation.points, vec3_column, nurbs_point_count(m));
    write_trims(w, m);
    if (m->edge_count > 0) {
        const uint32_t count = (uint32_t)m->edge_count;
        tact_writer_put(w, &count, u32_field);
        tact_writer_put_items(w, &m->edges, nurbs_edge_column, m->edge_count);
    }
}

/* Adds up the numbers of a surface. They are compared with the bytes that are left, so that no sum overflows. */
static bool count_numbers(record_reader *r, nurbs_block *b, const nurbs_surface_block *s)
{
    const uint64_t points = (uint64_t)s->counts[0] * s->counts[1];
    if (!tact_reader_has(r, points, sizeof(tact_vec3)))
        return false;
    b->point_count += points;
    b->weight_count += s->rational ? points : 0;
    for (int d = 0; d < 2; ++d)
        b->knot_count += (uint64_t)s->counts[d] + s->degree[d] + 1;
    b->loop_count += s->trim_count;
    return tact_reader_has(r, b->point_count, sizeof(tact_vec3)) && tact_reader_has(r, b->knot_count, sizeof(double)) &&
           tact_reader_has(r, b->loop_count, sizeof(uint32_t));
}

/* Numbers of a curve: knots, control points and weights. */
static uint64_t curve_numbers(const nurbs_curve_block *c)
{
    return (uint64_t)c->count + c->degree + 1 + (c->rational ? 3 : 2) * (uint64_t)c->count;
}

/* Reads what write_trims wrote. */
static bool read_trims(record_reader *r, nurbs_block *b)
{
    if (!tact_reader_get_items(r, &b->loops, u32_column, b->loop_count))
        return false;
    for (uint64_t i = 0; i < b->loop_count; ++i) {
        b->curve_count += b->loops[i];
        if (!tact_reader_has(r, b->curve_count, 2 * sizeof(uint32_t)))
            return false;
    }
    if (!tact_reader_get_items(r, &b->curves, nurbs_curve_column, b->curve_count))
        return false;
    for (uint64_t i = 0; i < b->curve_count; ++i) {
        b->number_count += curve_numbers(&b->curves[i]);
        if (!tact_reader_has(r, b->number_count, sizeof(double)))
            return false;
    }
    return tact_reader_get_items(r, &b->numbers, f64_column, b->number_count);
}

/* Sets the curves and loops that refer to the numbers of a block. */
static void set_trims(nurbs_block *b, tact_nurbs_loop *loops, tact_nurbs_curve *curves)
{
    for (uint64_t i = 0; i < b->curve_count; ++i) {
        const nurbs_curve_block *from = &b->curves[i];
        const double *knots = b->numbers, *points = knots + from->count + from->degree + 1;
        curves[i] = (tact_nurbs_curve){.degree = from->degree <= TACT_NURBS_MAX_DEGREE ? (int)from->degree
                                                                                       : 0, /* 0 is refused */
                                       .count = from->count,
                                       .knots = knots,
                                       .points = (const double(*)[2])points,
                                       .weights = from->rational ? points + 2 * (size_t)from->count : NULL};
        b->numbers += curve_numbers(from);
    }
    for (uint64_t i = 0; i < b->loop_count; ++i) {
        loops[i] = (tact_nurbs_loop){curves, b->loops[i]};
        curves += b->loops[i];
    }
}

/* Reads the edges, if there are any. */
static bool read_edges(record_reader *r, nurbs_block *b)
{
    return !(b->flags & NURBS_EDGES) || (tact_reader_get(r, &b->edge_count, u32_field) &&
                                         tact_reader_get_items(r, &b->edges, nurbs_edge_column, b->edge_count));
}

static tact_shape *read_nurbs(record_reader *r, const shape_head *head, tact_report *report)
{
    nurbs_block b = {0};
    if (!tact_reader_get(r, &b, nurbs_fields) ||
        !tact_reader_get_items(r, &b.surfaces, nurbs_surface_column, b.surface_count))
        return NULL;
    for (uint32_t i = 0; i < b.surface_count; ++i)
        if (!count_numbers(r, &b, &b.surfaces[i]))
            return NULL;
    if (!tact_reader_get_items(r, &b.knots, f64_column, b.knot_count) ||
        !tact_reader_get_items(r, &b.weights, f64_column, b.weight_count) ||
        !tact_reader_get_items(r, &b.points, vec3_column, b.point_count) || !read_trims(r, &b) || !read_edges(r, &b))
        return NULL;
    tact_nurbs_def *defs = tact_reader_allocate(r, b.surface_count, sizeof *defs);
    tact_nurbs_loop *loops = tact_reader_allocate(r, (size_t)b.loop_count, sizeof *loops);
    tact_nurbs_curve *curves = tact_reader_allocate(r, (size_t)b.curve_count, sizeof *curves);
    if (defs == NULL || loops == NULL || curves == NULL) {
        (void)tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    set_trims(&b, loops, curves);
    for (uint32_t i = 0; i < b.surface_count; ++i) {
        const nurbs_surface_block *s = &b.surfaces[i];
        const size_t points = (size_t)s->counts[0] * s->counts[1];
        tact_nurbs_def *def = &defs[i];
        *def = (tact_nurbs_def){.counts = {s->counts[0], s->counts[1]},
                                .points = b.points,
                                .weights = s->rational ? b.weights : NULL,
                                .trims = loops,
                                .trim_count = s->trim_count,
                                .tolerance = s->tolerance,
                                .solid = b.flags & NURBS_SOLID,
                                .edges = i == 0 ? b.edges : NULL,
                                .edge_count = i == 0 ? b.edge_count : 0,
                                .margin = head->margin,
                                .allocator = r->allocator};
        for (int d = 0; d < 2; ++d) {
            def->degree[d] = s->degree[d] <= TACT_NURBS_MAX_DEGREE ? (int)s->degree[d] : 0; /* 0 is refused */
            def->knots[d] = b.knots;
            b.knots += (size_t)s->counts[d] + s->degree[d] + 1;
        }
        b.points += points;
        b.weights += s->rational ? points : 0;
        loops += s->trim_count;
    }
    return tact_nurbs_create(defs, b.surface_count, report);
}

/* ---- compounds ---- */

static const record_field compound_fields[] = {FIELD_U32(compound, part_count), {0}};
static const record_field part_fields[] = {FIELD_SHAPE(compound_part, shape), FIELD_F64(compound_part, transform), {0}};

/* The parts as tact_compound_create takes them. */
typedef struct part_arrays {
    const tact_shape **shapes;
    tact_transform *transforms;
} part_arrays;

static const record_field transform_field[] = {FIELD_F64S(12), {0}};
static const record_column part_columns[] = {
    {offsetof(part_arrays, shapes), sizeof(const tact_shape *), shape_field},
    {offsetof(part_arrays, transforms), sizeof(tact_transform), transform_field},
    {0},
};

static bool is_identity(const tact_transform *t)
{
    const tact_transform identity = tact_identity();
    return vec_equal(t->x_axis, identity.x_axis) && vec_equal(t->y_axis, identity.y_axis) &&
           vec_equal(t->z_axis, identity.z_axis) && vec_equal(t->origin, identity.origin);
}

/* A part as tact_compound_create got it: it stores a convex part with a margin as a TACT_TRANSFORMED shape. */
static compound_part original_part(const compound_part *part)
{
    const tact_shape *s = part->shape;
    if (s->type == TACT_TRANSFORMED && s->owner == NULL && !(s->margin > 0.0) && s->parts[0]->margin > 0.0 &&
        is_identity(&part->transform))
        return (compound_part){.shape = s->parts[0], .transform = s->transform};
    return *part;
}

static void write_compound(record_writer *w, const tact_shape *shape)
{
    tact_writer_put(w, shape->compound, compound_fields);
    for (uint32_t i = 0; i < shape->compound->part_count; ++i) {
        const compound_part part = original_part(&shape->compound->parts[i]);
        tact_writer_put(w, &part, part_fields);
    }
}

static tact_shape *read_compound(record_reader *r, const shape_head *head, tact_report *report)
{
    compound c;
    part_arrays a;
    if (head->margin != 0.0) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "a compound has a margin, which only its parts can have");
        return NULL;
    }
    return tact_reader_get(r, &c, compound_fields) && tact_reader_get_items(r, &a, part_columns, c.part_count)
               ? tact_compound_create(a.shapes, a.transforms, c.part_count, &r->allocator, report)
               : NULL;
}

/* ---- all types ---- */

/* A shape that tact_shape_create makes from numbers and parts. */
typedef struct simple_shape {
    tact_shape_def def;
    tact_vec3 points[4];
} simple_shape;

/* How a type is encoded, after shape_head: by fields of simple_shape, or by two functions. */
typedef struct shape_row {
    record_field fields[4]; /* the last one is zero */
    void (*write)(record_writer *w, const tact_shape *shape);
    tact_shape *(*read)(record_reader *r, const shape_head *head, tact_report *report);
} shape_row;

/* clang-format off */
#define POINTS(n) {FIELD_AT(simple_shape, points), .count = 3 * (n), .encoding = ENCODING_U64}
#define NUMBER(member) FIELD_F64(simple_shape, def.member)
#define PART(n) FIELD_SHAPE(simple_shape, def.parts[n])
/* clang-format on */

static const shape_row shape_rows[] = {
    [SHAPE_ROUNDED] = {.write = write_rounded, .read = read_rounded},
    [TACT_POINT] = {.fields = {POINTS(1)}},
    [TACT_SEGMENT] = {.fields = {POINTS(2)}},
    [TACT_TRIANGLE] = {.fields = {POINTS(3)}},
    [TACT_TETRAHEDRON] = {.fields = {POINTS(4)}},
    [TACT_SPHERE] = {.fields = {NUMBER(radius)}},
    [TACT_BOX] = {.fields = {NUMBER(size)}},
    [TACT_CAPSULE] = {.fields = {NUMBER(radius), NUMBER(height)}},
    [TACT_CYLINDER] = {.fields = {NUMBER(radius), NUMBER(height)}},
    [TACT_CONE] = {.fields = {NUMBER(radius), NUMBER(height)}},
    [TACT_ELLIPSOID] = {.fields = {NUMBER(size)}},
    [TACT_POLYGON] = {.write = write_hull, .read = read_hull},
    [TACT_HULL] = {.write = write_hull, .read = read_hull},
    [TACT_MINKOWSKI_SUM] = {.fields = {PART(0), PART(1)}},
    [TACT_CONVEX_HULL_OF] = {.fields = {PART(0), PART(1)}},
    [TACT_TRANSFORMED] = {.fields = {PART(0), NUMBER(transform)}},
    [TACT_CUSTOM] = {.fields = {FIELD_POINTER(simple_shape, def.support, TACT_POINTER_SUPPORT),
                                FIELD_POINTER(simple_shape, def.support_context, TACT_POINTER_SUPPORT_CONTEXT),
                                NUMBER(support_radius)}},
    [TACT_MESH] = {.write = write_mesh, .read = read_mesh},
    [TACT_SOUP] = {.write = write_soup, .read = read_soup},
    [TACT_COMPOUND] = {.write = write_compound, .read = read_compound},
    [TACT_NURBS] = {.write = write_nurbs, .read = read_nurbs},
    [TACT_HALFSPACE] = {.fields = {NUMBER(normal), NUMBER(offset)}},
    [TACT_HEIGHTFIELD] = {.write = write_heightfield, .read = read_heightfield},
};

static void write_simple(record_writer *w, const tact_shape *shape, const record_field *fields)
{
    simple_shape s = {.def = {.radius = shape->radius,
                              .height = 2.0 * shape->half_height, /* exact */
                              .size = vec_scale(shape->half_extents, shape->type == TACT_BOX ? 2.0 : 1.0),
                              .parts = {shape->parts[0], shape->parts[1]},
                              .transform = shape->transform,
                              .support = shape->support,
                              .support_context = shape->support_context,
                              .support_radius = shape->bounding_radius,
                              .normal = shape->normal,
                              .offset = shape->offset}};
    memcpy(s.points, shape->points, sizeof s.points);
    tact_writer_put(w, &s, fields);
}

static tact_shape *read_simple(record_reader *r, const shape_head *head, const record_field *fields,
                               tact_report *report)
{
    simple_shape s = {.def = tact_shape_def_default()};
    s.def.type = (tact_shape_type)head->type;
    s.def.margin = head->margin;
    s.def.allocator = r->allocator;
    s.def.points = s.points;
    s.def.point_count = head->type <= TACT_TETRAHEDRON ? head->type - TACT_POINT + 1 : 0;
    return tact_reader_get(r, &s, fields) && !r->overrun ? tact_shape_create(&s.def, report) : NULL;
}

/* ---- writing ---- */

/* Writes the shapes that a shape refers to. */
static bool put_parts(record_writer *w, const tact_shape *shape)
{
    if (shape->owner != NULL)
        return tact_writer_put_shape(w, shape->owner);
    for (int i = 0; i < 2; ++i)
        if (shape->parts[i] != NULL && !tact_writer_put_shape(w, shape->parts[i]))
            return false;
    for (uint32_t i = 0; shape->compound != NULL && i < shape->compound->part_count; ++i)
        if (!tact_writer_put_shape(w, original_part(&shape->compound->parts[i]).shape))
            return false;
    return true;
}

static bool put_block(record_writer *w, const tact_shape *shape)
{
    const bool nurbs = shape->nurbs != NULL && !shape->mesh->refittable; /* not the mesh of a deformable body */
    const tact_shape_type type = nurbs                                            ? TACT_NURBS
                                 : tact_shape_get_type(shape) == TACT_HEIGHTFIELD ? TACT_HEIGHTFIELD
                                                                                  : shape->type;
    const shape_head head = {shape->owner != NULL ? SHAPE_ROUNDED : (uint32_t)type, shape->margin};
    const shape_row *row = &shape_rows[head.type];
    tact_writer_open(w, BLOCK_SHAPE);
    tact_writer_put(w, &head, head_fields);
    if (row->write != NULL)
        row->write(w, shape);
    else
        write_simple(w, shape, row->fields);
    tact_writer_close(w);
    if (writer_ok(w) &&
        (w->shapes.count >= UINT32_MAX || !shape_array_reserve(&w->shapes, &w->allocator, w->shapes.count + 1)))
        (void)tact_writer_fail(w, TACT_OUT_OF_MEMORY, "out of memory for the id of a shape");
    return writer_ok(w);
}

bool tact_writer_put_shape(record_writer *w, const tact_shape *shape)
{
    const uint64_t pointer = (uint64_t)(uintptr_t)shape;
    uint32_t id;
    if (tact_pointer_ids_find(&w->ids, POINTER_KIND_SHAPE, pointer, &id))
        return true;
    if (!writer_ok(w) || !put_parts(w, shape) || !put_block(w, shape))
        return false;
    if (!tact_pointer_ids_add(&w->ids, &w->allocator, POINTER_KIND_SHAPE, pointer, (uint32_t)w->shapes.count))
        return tact_writer_fail(w, TACT_OUT_OF_MEMORY, "out of memory for the id of a shape");
    return shape_array_push(&w->shapes, &w->allocator, tact_shape_retain(shape)); /* capacity is reserved */
}

bool tact_writer_put_refittable(record_writer *w, const tact_shape *const meshes[2])
{
    for (int i = 0; i < 2; ++i) {
        if (!writer_ok(w) || !put_block(w, meshes[i]))
            return false;
        w->refittable[i] = meshes[i];
        w->refittable_ids[i] = (uint32_t)w->shapes.count;
        (void)shape_array_push(&w->shapes, &w->allocator, NULL); /* capacity is reserved */
    }
    return true;
}

uint32_t tact_writer_shape_id(const record_writer *w, const tact_shape *shape)
{
    uint32_t id = 0;
    for (int i = 0; i < 2; ++i)
        if (shape == w->refittable[i])
            return w->refittable_ids[i];
    (void)tact_pointer_ids_find(&w->ids, POINTER_KIND_SHAPE, (uint64_t)(uintptr_t)shape, &id);
    return id;
}

/* ---- reading ---- */

static tact_shape *read_shape(record_reader *r, tact_report *report)
{
    shape_head head;
    (void)tact_reader_get(r, &head, head_fields);
    if (head.type >= sizeof shape_rows / sizeof *shape_rows) {
        (void)tact_reader_fail(r, TACT_BAD_ARGUMENT, "there is no shape type %lu", (unsigned long)head.type);
        return NULL;
    }
    const shape_row *row = &shape_rows[head.type];
    return row->read != NULL ? row->read(r, &head, report) : read_simple(r, &head, row->fields, report);
}

bool tact_reader_get_shape(record_reader *r)
{
    tact_report report = {TACT_OK, ""};
    if (!shape_array_reserve(&r->shapes, &r->allocator, r->shapes.count + 1))
        return tact_reader_fail(r, TACT_OUT_OF_MEMORY, "out of memory for a shape");
    tact_shape *shape = read_shape(r, &report);
    tact_reader_free_arrays(r);
    if (shape == NULL && report.status != TACT_OK)
        (void)tact_reader_fail(r, report.status, "shape %zu: %s", r->shapes.count, report.text);
    if (!tact_reader_close(r) || shape == NULL) {
        tact_shape_release(shape);
        return false;
    }
    return shape_array_push(&r->shapes, &r->allocator, shape); /* capacity is reserved */
}
