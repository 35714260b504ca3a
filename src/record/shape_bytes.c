/*
 * Shapes as bytes: docs/record.md tells the layout.
 *
 * A shape is written once, after those that it is made of, and named by its number: how many came before it. So what is
 * shared stays shared, and no bytes can describe a shape that contains itself. Depth is bounded by that of shapes.
 *
 * What is read goes through the same makers as what a caller gives, and is refused by them. What would cost time to
 * find again, or would not come out the same, is written as found: the corners and faces of a hull (not all points it
 * was made from are known any more), the triangles of polygons, and the trees of meshes and soups. Nothing is taken on
 * trust that an answer depends on: trees are checked, and the connected parts of a mesh, which only finding them could
 * check, are found.
 */
#include <math.h>
#include <string.h>

#include "core/little_endian.h"
#include "core/memory.h"
#include "record/numbers.h"
#include "shape/compound.h"
#include "shape/shape_data.h"
#include "tree/tree_bytes.h"

#define TYPE_ROUNDED 0u /* beside the tact_shape_types: the same shape with another margin */

enum { MESH_SOLID = 1, MESH_FACES = 2, MESH_TWIN = 4, MESH_TORN = 8 };

/* ---- writing ---- */

static void put_points(writer *w, const tact_vec3 *points, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        tact_put_vec(w, points[i]);
}

static void put_words(writer *w, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        tact_put32(w, words[i]);
}

static void put_hull(writer *w, const hull *h)
{
    tact_put32(w, (uint32_t)h->dimension);
    tact_put32(w, h->vertex_count);
    tact_put32(w, h->face_count);
    tact_put32(w, h->face_vertex_total);
    put_points(w, h->vertices, h->vertex_count);
    for (uint32_t i = 0; i < h->face_count; ++i)
        tact_put32(w, h->faces[i].vertex_count);
    for (uint32_t i = 0; i < h->face_count; ++i)
        put_words(w, h->face_vertices + h->faces[i].first_vertex, h->faces[i].vertex_count);
}

static void put_tree(writer *w, const aabb_tree *tree)
{
    size_t size = tact_aabb_tree_bytes(tree);
    tact_put64(w, size);
    unsigned char *at = tact_writer_room(w, size);
    if (at != NULL)
        tact_aabb_tree_write(tree, at);
}

/* Of each face its triangle: so there are as many bytes as a reader takes memory for. */
static void put_torn_faces(writer *w, const mesh *m)
{
    unsigned char *at = tact_writer_room(w, 4 * (size_t)m->face_count);
    if (at == NULL)
        return;
    memset(at, 0xff, 4 * (size_t)m->face_count);
    for (uint32_t i = 0; i < m->element_count; ++i)
        (void)store_le32(at + 4 * (size_t)m->face_of[i], i);
}

static void put_mesh(writer *w, const mesh *m)
{
    /* arrays may be there that nothing has come of */
    const bool faces = m->face_of != NULL && !m->edited && m->element_capacity == 0;
    tact_put32(w, (m->solid ? (uint32_t)MESH_SOLID : 0u) | (faces ? (uint32_t)MESH_FACES : 0u) |
                      (m->refittable ? (uint32_t)MESH_TWIN : 0u) | (m->edited ? (uint32_t)MESH_TORN : 0u));
    tact_put32(w, m->vertex_count);
    tact_put32(w, m->element_count);
    tact_put32(w, m->face_count);
    tact_put_double(w, m->bounding_radius);
    put_points(w, m->vertices, m->vertex_count);
    put_words(w, m->indices, m->index_count);
    if (faces)
        put_words(w, m->face_of, m->element_count);
    if (m->edited)
        put_torn_faces(w, m);
    put_tree(w, &m->tree);
    if (m->edited) {
        tact_put32(w, m->component_excess);
        tact_put32(w, m->component_count);
        put_words(w, m->component_seeds, m->component_count);
    }
}

static void put_soup(writer *w, const mesh *m)
{
    tact_put32(w, m->vertex_count);
    tact_put32(w, m->element_count);
    tact_put32(w, m->index_count);
    tact_put_double(w, m->bounding_radius);
    put_points(w, m->vertices, m->vertex_count);
    for (uint32_t i = 0; i < m->element_count; ++i)
        tact_put32(w, m->first_index[i + 1] - m->first_index[i]);
    put_words(w, m->indices, m->index_count);
    put_tree(w, &m->tree);
}

static bool place_is_identity(const tact_transform *p)
{
    const tact_transform same = tact_identity();
    return vec_equal(p->x_axis, same.x_axis) && vec_equal(p->y_axis, same.y_axis) &&
           vec_equal(p->z_axis, same.z_axis) && vec_equal(p->origin, same.origin);
}

/* A part of a compound as its maker was given it: a convex one with a margin is kept as one that is placed. */
static compound_part part_as_given(const compound_part *kept)
{
    const tact_shape *s = kept->shape;
    if (s->type == TACT_TRANSFORMED && s->owner == NULL && !(s->margin > 0.0) && s->parts[0]->margin > 0.0 &&
        place_is_identity(&kept->transform))
        return (compound_part){s->parts[0], s->transform, 0};
    return *kept;
}

/* Writes what a shape is made of first. */
static bool scribe_parts(scribe *s, const tact_shape *shape)
{
    uint32_t number;
    if (shape->owner != NULL)
        return tact_scribe_shape(s, shape->owner, &number);
    for (int i = 0; i < 2; ++i)
        if (shape->parts[i] != NULL && !tact_scribe_shape(s, shape->parts[i], &number))
            return false;
    for (uint32_t i = 0; shape->compound != NULL && i < shape->compound->part_count; ++i) {
        compound_part part = part_as_given(&shape->compound->parts[i]);
        if (!tact_scribe_shape(s, part.shape, &number))
            return false;
    }
    return true;
}

static void put_number(scribe *s, const tact_shape *part)
{
    uint32_t number = 0;
    (void)tact_scribe_shape(s, part, &number); /* it has been written */
    tact_put32(&s->out, number);
}

static void put_compound(scribe *s, const compound *c)
{
    tact_put32(&s->out, c->part_count);
    for (uint32_t i = 0; i < c->part_count; ++i) {
        compound_part part = part_as_given(&c->parts[i]);
        put_number(s, part.shape);
        tact_put_place(&s->out, &part.transform);
    }
}

static void put_contents(scribe *s, const tact_shape *shape)
{
    writer *w = &s->out;
    switch (shape->type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        put_points(w, shape->points, (size_t)shape->point_count);
        break;
    case TACT_SPHERE:
        tact_put_double(w, shape->radius);
        break;
    case TACT_CAPSULE:
    case TACT_CYLINDER:
    case TACT_CONE:
        tact_put_double(w, shape->radius);
        tact_put_double(w, 2.0 * shape->half_height); /* exact */
        break;
    case TACT_BOX:
        tact_put_vec(w, vec_scale(shape->half_extents, 2.0));
        break;
    case TACT_ELLIPSOID:
        tact_put_vec(w, shape->half_extents);
        break;
    case TACT_POLYGON:
    case TACT_HULL:
        put_hull(w, shape->hull);
        break;
    case TACT_MINKOWSKI_SUM:
    case TACT_CONVEX_HULL_OF:
        put_number(s, shape->parts[0]);
        put_number(s, shape->parts[1]);
        break;
    case TACT_TRANSFORMED:
        put_number(s, shape->parts[0]);
        tact_put_place(w, &shape->transform);
        break;
    case TACT_CUSTOM:
        tact_put_support(s, shape->support);
        tact_put_data(s, TACT_POINTER_SUPPORT_CONTEXT, shape->support_context);
        tact_put_double(w, shape->bounding_radius);
        break;
    case TACT_MESH:
        put_mesh(w, shape->mesh);
        break;
    case TACT_SOUP:
        put_soup(w, shape->mesh);
        break;
    case TACT_COMPOUND:
        put_compound(s, shape->compound);
        break;
    }
}

/* Gives the shape the next number; NULL: to one that is not to be found again. */
static bool enter(scribe *s, const tact_shape *shape, uint64_t pointer, uint32_t *number)
{
    const tact_allocator *allocator = &s->out.allocator;
    if (s->shapes.count >= UINT32_MAX || !shape_array_reserve(&s->shapes, allocator, s->shapes.count + 1) ||
        (shape != NULL && !tact_number_add(&s->numbers, allocator, KIND_SHAPE, pointer, (uint32_t)s->shapes.count)))
        return tact_writer_fail(&s->out, TACT_OUT_OF_MEMORY, "no memory for the number of a shape");
    *number = (uint32_t)s->shapes.count;
    return shape_array_push(&s->shapes, allocator, tact_shape_retain(shape)); /* there is room */
}

static void write(scribe *s, const tact_shape *shape)
{
    tact_writer_open(&s->out, BLOCK_SHAPE);
    tact_put32(&s->out, shape->owner != NULL ? TYPE_ROUNDED : (uint32_t)shape->type);
    tact_put_double(&s->out, shape->margin);
    if (shape->owner != NULL)
        put_number(s, shape->owner);
    else
        put_contents(s, shape);
    tact_writer_close(&s->out);
}

bool tact_scribe_shape(scribe *s, const tact_shape *shape, uint32_t *number)
{
    uint64_t pointer = (uint64_t)(uintptr_t)shape;
    if (tact_number_find(&s->numbers, KIND_SHAPE, pointer, number))
        return true;
    if (!writer_well(&s->out) || !scribe_parts(s, shape))
        return false;
    write(s, shape);
    return writer_well(&s->out) && enter(s, shape, pointer, number);
}

bool tact_scribe_twin(scribe *s, const tact_shape *twin, uint32_t *number)
{
    if (!writer_well(&s->out))
        return false;
    write(s, twin);
    return writer_well(&s->out) && enter(s, NULL, 0, number);
}

/* ---- reading ---- */

/* Memory for what has been announced, and is there; at least one. */
static void *take(library *l, size_t count, size_t size)
{
    void *block = tact_memory_allocate(&l->allocator, count > 0 ? count : 1, size);
    if (block == NULL)
        (void)tact_reader_fail(&l->in, TACT_OUT_OF_MEMORY, "no memory for a shape");
    return block;
}

static void give(library *l, void *block, size_t count, size_t size)
{
    tact_memory_free(&l->allocator, block, count > 0 ? count : 1, size);
}

static tact_vec3 *get_points(library *l, size_t count)
{
    tact_vec3 *points = tact_reader_holds(&l->in, count, 24) ? take(l, count, sizeof *points) : NULL;
    for (size_t i = 0; points != NULL && i < count; ++i)
        points[i] = tact_get_vec(&l->in);
    return points;
}

static uint32_t *get_words(library *l, size_t count)
{
    uint32_t *words = tact_reader_holds(&l->in, count, 4) ? take(l, count, sizeof *words) : NULL;
    for (size_t i = 0; words != NULL && i < count; ++i)
        words[i] = tact_get32(&l->in);
    return words;
}

static tact_shape *read_hull(library *l, tact_shape_type type, double margin, tact_report *why)
{
    tact_shape *shape = NULL;
    hull_boundary parts = {.dimension = tact_get32(&l->in)};
    parts.vertex_count = tact_get32(&l->in);
    parts.face_count = tact_get32(&l->in);
    uint32_t total = tact_get32(&l->in), sum = 0;
    tact_vec3 *corners = get_points(l, parts.vertex_count);
    uint32_t *sizes = corners != NULL ? get_words(l, parts.face_count) : NULL;
    uint32_t *face_corners = sizes != NULL ? get_words(l, total) : NULL;
    if (face_corners != NULL) {
        uint32_t f = 0;
        for (; f < parts.face_count && sizes[f] <= total - sum; ++f)
            sum += sizes[f];
        parts.vertices = corners;
        parts.face_sizes = sizes;
        parts.face_vertices = face_corners;
        if (f < parts.face_count || sum != total || (type == TACT_POLYGON && parts.dimension > 2))
            (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "the faces of a hull do not fit");
        else
            shape = tact_shape_restore_hull(type, margin, &parts, &l->allocator, why);
    }
    give(l, face_corners, total, sizeof *face_corners);
    give(l, sizes, parts.face_count, sizeof *sizes);
    give(l, corners, parts.vertex_count, sizeof *corners);
    return shape;
}

static bool get_tree(library *l, mesh_restore_data *found)
{
    uint64_t size = tact_get64(&l->in);
    if (!tact_reader_holds(&l->in, size, 1))
        return false;
    found->tree_size = (size_t)size;
    found->tree = tact_reader_skip(&l->in, found->tree_size);
    return true;
}

static tact_shape *read_mesh(library *l, double margin, tact_report *why)
{
    tact_shape *shape = NULL;
    mesh_restore_data found = {0};
    uint32_t flags = tact_get32(&l->in), vertex_count = tact_get32(&l->in), count = tact_get32(&l->in);
    found.face_count = tact_get32(&l->in);
    found.bounding_radius = tact_get_double(&l->in);
    const bool torn = flags & MESH_TORN;
    if (flags > (MESH_SOLID | MESH_FACES | MESH_TWIN | MESH_TORN) || (torn && flags != (MESH_TWIN | MESH_TORN))) {
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "unknown flags of a mesh");
        return NULL;
    }
    bool faces = flags & MESH_FACES, well = tact_reader_holds(&l->in, count, 12);
    tact_vec3 *vertices = well ? get_points(l, vertex_count) : NULL;
    uint32_t *corners = vertices != NULL ? get_words(l, 3 * (size_t)count) : NULL;
    const size_t told = torn ? found.face_count : faces ? count : 0; /* faces of triangles, or triangles of faces */
    uint32_t *face_of = corners != NULL && (faces || torn) ? get_words(l, told) : NULL;
    uint32_t *parts = NULL;
    well = corners != NULL && (face_of != NULL || !(faces || torn)) && get_tree(l, &found);
    if (well && torn) {
        found.component_excess = tact_get32(&l->in);
        found.component_count = tact_get32(&l->in);
        parts = get_words(l, found.component_count);
        well = parts != NULL;
    }
    if (well) {
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = (tact_vertices){vertices, vertex_count, 0, TACT_SCALAR_DOUBLE};
        def.indices = corners;
        def.index_count = 3 * (size_t)count;
        def.solid = flags & MESH_SOLID;
        def.margin = margin;
        def.allocator = l->allocator;
        found.refittable = flags & MESH_TWIN;
        found.face_of = torn ? NULL : face_of;
        found.triangle_of = torn ? face_of : NULL;
        found.component_seeds = parts;
        shape = tact_mesh_restore(&def, false, &found, why);
    }
    give(l, parts, found.component_count, sizeof *parts);
    give(l, face_of, told, sizeof *face_of);
    give(l, corners, 3 * (size_t)count, sizeof *corners);
    give(l, vertices, vertex_count, sizeof *vertices);
    return shape;
}

static tact_shape *read_soup(library *l, double margin, tact_report *why)
{
    tact_shape *shape = NULL;
    mesh_restore_data found = {0};
    uint32_t vertex_count = tact_get32(&l->in), count = tact_get32(&l->in), corner_count = tact_get32(&l->in);
    found.bounding_radius = tact_get_double(&l->in);
    tact_vec3 *vertices = get_points(l, vertex_count);
    uint32_t *sizes = vertices != NULL ? get_words(l, count) : NULL;
    uint32_t *corners = sizes != NULL ? get_words(l, corner_count) : NULL;
    if (corners != NULL && get_tree(l, &found)) {
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = (tact_vertices){vertices, vertex_count, 0, TACT_SCALAR_DOUBLE};
        def.indices = corners;
        def.index_count = corner_count;
        def.loop_sizes = sizes;
        def.loop_count = count;
        def.margin = margin;
        def.allocator = l->allocator;
        shape = tact_mesh_restore(&def, true, &found, why);
    }
    give(l, corners, corner_count, sizeof *corners);
    give(l, sizes, count, sizeof *sizes);
    give(l, vertices, vertex_count, sizeof *vertices);
    return shape;
}

static tact_shape *read_compound(library *l, double margin, tact_report *why)
{
    uint32_t count = tact_get32(&l->in);
    if (margin != 0.0 || !tact_reader_holds(&l->in, count, 100)) {
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "a compound with a margin of its own");
        return NULL;
    }
    const tact_shape **parts = take(l, count, sizeof *parts);
    tact_transform *places = parts != NULL ? take(l, count, sizeof *places) : NULL;
    tact_shape *shape = NULL;
    bool well = places != NULL;
    for (uint32_t i = 0; well && i < count; ++i) {
        parts[i] = tact_get_shape(l);
        places[i] = tact_get_place(&l->in);
        well = parts[i] != NULL;
    }
    if (well)
        shape = tact_compound_create(parts, places, count, &l->allocator, why);
    give(l, places, count, sizeof *places);
    give(l, parts, count, sizeof *parts);
    return shape;
}

static tact_shape *read_rounded(library *l, double margin, tact_report *why)
{
    const tact_shape *base = tact_get_shape(l);
    if (base == NULL)
        return NULL;
    if (!(margin >= 0.0 && margin <= SHAPE_MAX_COORDINATE)) {
        (void)tact_reader_fail(&l->in, TACT_BAD_ARGUMENT, "a margin that is not a length");
        return NULL;
    }
    (void)tact_report_fill(why, TACT_OUT_OF_MEMORY, "out of memory");
    return tact_rounded(base, margin);
}

/* Those that tact_shape_create makes. */
static tact_shape *read_plain(library *l, uint32_t type, double margin, tact_report *why)
{
    reader *in = &l->in;
    tact_shape_def def = tact_shape_def_default();
    tact_vec3 points[4];
    def.type = (tact_shape_type)type;
    def.margin = margin;
    def.allocator = l->allocator;
    def.points = points;
    switch (type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        def.point_count = type - TACT_POINT + 1;
        for (size_t i = 0; i < def.point_count; ++i)
            points[i] = tact_get_vec(in);
        break;
    case TACT_SPHERE:
        def.radius = tact_get_double(in);
        break;
    case TACT_CAPSULE:
    case TACT_CYLINDER:
    case TACT_CONE:
        def.radius = tact_get_double(in);
        def.height = tact_get_double(in);
        break;
    case TACT_BOX:
    case TACT_ELLIPSOID:
        def.size = tact_get_vec(in);
        break;
    case TACT_MINKOWSKI_SUM:
    case TACT_CONVEX_HULL_OF:
        def.parts[0] = tact_get_shape(l);
        def.parts[1] = tact_get_shape(l);
        break;
    case TACT_TRANSFORMED:
        def.parts[0] = tact_get_shape(l);
        def.transform = tact_get_place(in);
        break;
    case TACT_CUSTOM:
        if (!tact_get_support(l, &def.support, &def.support_context))
            return NULL;
        def.support_radius = tact_get_double(in);
        break;
    default:
        (void)tact_reader_fail(in, TACT_BAD_ARGUMENT, "there is no shape type %lu", (unsigned long)type);
        break;
    }
    return in->trouble.status == TACT_OK && !in->beyond ? tact_shape_create(&def, why) : NULL;
}

static tact_shape *read_any(library *l, tact_report *why)
{
    uint32_t type = tact_get32(&l->in);
    double margin = tact_get_double(&l->in);
    switch (type) {
    case TYPE_ROUNDED:
        return read_rounded(l, margin, why);
    case TACT_POLYGON:
    case TACT_HULL:
        return read_hull(l, (tact_shape_type)type, margin, why);
    case TACT_MESH:
        return read_mesh(l, margin, why);
    case TACT_SOUP:
        return read_soup(l, margin, why);
    case TACT_COMPOUND:
        return read_compound(l, margin, why);
    default:
        return read_plain(l, type, margin, why);
    }
}

bool tact_library_shape(library *l)
{
    tact_report why = {TACT_OK, ""};
    if (!shape_array_reserve(&l->shapes, &l->allocator, l->shapes.count + 1))
        return tact_reader_fail(&l->in, TACT_OUT_OF_MEMORY, "no memory for a shape");
    tact_shape *shape = read_any(l, &why);
    if (shape == NULL && why.status != TACT_OK)
        (void)tact_reader_fail(&l->in, why.status, "shape %zu: %.120s", l->shapes.count, why.text);
    if (!tact_reader_close(&l->in) || shape == NULL) {
        tact_shape_release(shape);
        return false;
    }
    return shape_array_push(&l->shapes, &l->allocator, shape); /* there is room */
}
