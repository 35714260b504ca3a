/* Shapes (B.2) and their deformation (B.5). A complex shape becomes a soup of convex parts.
 *
 * When its vertices change, the bodies of its objects are deformed: refitting their trees is some twenty times as fast
 * as creating a soup. But each such body then has its own vertices and tree. If many objects share a shape, one new
 * soup is created for all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "state.h"

static DtShapeRef wrap(tact_shape *shape)
{
    struct DtShape *made = shape != NULL ? calloc(1, sizeof *made) : NULL;
    if (made == NULL)
        tact_shape_release(shape);
    else
        made->shape = shape;
    return made;
}

DtShapeRef dtBox(DtScalar x, DtScalar y, DtScalar z) { return wrap(tact_box(x, y, z)); }

DtShapeRef dtCone(DtScalar radius, DtScalar height) { return wrap(tact_cone(radius, height)); }

DtShapeRef dtCylinder(DtScalar radius, DtScalar height) { return wrap(tact_cylinder(radius, height)); }

DtShapeRef dtSphere(DtScalar radius) { return wrap(tact_sphere(radius)); }

void dtDeleteShape(DtShapeRef shape)
{
    solid_state *s = tact_solid_state();
    if (shape == NULL)
        return;
    if (s->open == shape) {
        s->open = NULL;
        s->in_part = false;
    }
    for (size_t i = 0; i < s->object_capacity; ++i) /* the address may be reused */
        if (s->objects[i].used && s->objects[i].shape == shape)
            s->objects[i].shape = NULL;
    tact_shape_release(shape->shape);
    free(shape->vertices);
    free(shape->spare);
    free(shape->own);
    free(shape->part_vertices);
    free(shape->sizes);
    free(shape);
}

/* ---- building ---- */

DtShapeRef dtNewComplexShape(void)
{
    solid_state *s = tact_solid_state();
    dtEndComplexShape();
    struct DtShape *made = calloc(1, sizeof *made);
    if (made != NULL)
        made->complex = true;
    s->open = made;
    s->in_part = false;
    return made;
}

static void add_part_vertex(part_vertex c)
{
    struct DtShape *shape = tact_solid_state()->open;
    if (!tact_solid_reserve((void **)&shape->part_vertices, &shape->part_vertex_capacity, shape->part_vertex_count,
                            sizeof(part_vertex))) {
        shape->failed = true;
        return;
    }
    shape->part_vertices[shape->part_vertex_count++] = c;
    if (shape->size_count > 0)
        ++shape->sizes[shape->size_count - 1];
}

void dtBegin(DtPolyType type)
{
    solid_state *s = tact_solid_state();
    (void)type; /* always the hull of its vertices */
    if (s->open == NULL)
        return;
    dtEnd();
    struct DtShape *shape = s->open;
    if (!tact_solid_reserve((void **)&shape->sizes, &shape->size_capacity, shape->size_count, sizeof *shape->sizes)) {
        shape->failed = true;
        return;
    }
    shape->sizes[shape->size_count++] = 0;
    s->in_part = true;
}

void dtEnd(void)
{
    solid_state *s = tact_solid_state();
    if (s->in_part && s->open->sizes[s->open->size_count - 1] == 0)
        --s->open->size_count; /* drop a part without vertices */
    s->in_part = false;
}

void dtVertex(DtScalar x, DtScalar y, DtScalar z)
{
    solid_state *s = tact_solid_state();
    if (!s->in_part)
        return;
    struct DtShape *shape = s->open;
    if (!tact_solid_reserve((void **)&shape->own, &shape->own_capacity, shape->own_count, 3 * sizeof(double))) {
        shape->failed = true;
        return;
    }
    const double numbers[3] = {x, y, z};
    memcpy(shape->own + 3 * shape->own_count, numbers, sizeof numbers);
    add_part_vertex((part_vertex){(uint32_t)shape->own_count++, true});
}

void dtVertexBase(const void *base)
{
    solid_state *s = tact_solid_state();
    if (s->open != NULL)
        s->open->base = base;
}

void dtVertexIndex(DtIndex index)
{
    solid_state *s = tact_solid_state();
    if (s->in_part)
        add_part_vertex((part_vertex){index, false});
}

void dtVertexIndices(DtPolyType type, DtCount count, const DtIndex *indices)
{
    if (indices == NULL)
        return;
    dtBegin(type);
    for (DtCount i = 0; i < count; ++i)
        dtVertexIndex(indices[i]);
    dtEnd();
}

void dtVertexRange(DtPolyType type, DtIndex first, DtCount count)
{
    dtBegin(type);
    for (DtCount i = 0; i < count; ++i)
        dtVertexIndex(first + i);
    dtEnd();
}

/* ---- soup creation ---- */

/* Largest number of objects of a shape whose bodies are deformed one by one. Performance only. */
#define MAX_DEFORMED_OBJECTS 8
/* Largest number of vertices of a part without a hull; building hulls dominates the cost. Performance only. */
#define MAX_SIMPLEX_VERTICES 4

/* Number of vertices of the client's array, up to the last one used. */
static size_t count_base(const struct DtShape *shape)
{
    size_t count = 0;
    for (size_t i = 0; i < shape->part_vertex_count; ++i)
        if (!shape->part_vertices[i].own && shape->part_vertices[i].index >= count)
            count = (size_t)shape->part_vertices[i].index + 1;
    return count;
}

/* Reads the vertices into `spare`: those of the client's array, then those given by value. */
static bool read_vertices(struct DtShape *shape)
{
    const size_t from_base = count_base(shape), count = from_base + shape->own_count;
    if (shape->failed || shape->size_count == 0 || (from_base > 0 && shape->base == NULL) || count > UINT32_MAX)
        return false;
    if (shape->spare == NULL)
        shape->spare = malloc(count * 3 * sizeof(double));
    if (shape->spare == NULL)
        return false;
    if (from_base > 0)
        memcpy(shape->spare, shape->base, from_base * 3 * sizeof(double));
    if (shape->own_count > 0)
        memcpy(shape->spare + 3 * from_base, shape->own, shape->own_count * 3 * sizeof(double));
    shape->vertex_count = count;
    return true;
}

/* Makes the vertices read last the current ones. */
static void accept_vertices(struct DtShape *shape)
{
    double *old = shape->vertices;
    shape->vertices = shape->spare;
    shape->spare = old;
}

static tact_shape *make_soup(const struct DtShape *shape, const double *vertices)
{
    const uint32_t from_base = (uint32_t)(shape->vertex_count - shape->own_count);
    uint32_t *indices = malloc(shape->part_vertex_count * sizeof *indices);
    if (indices == NULL)
        return NULL;
    for (size_t i = 0; i < shape->part_vertex_count; ++i)
        indices[i] = shape->part_vertices[i].index + (shape->part_vertices[i].own ? from_base : 0);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = vertices, .count = shape->vertex_count};
    def.indices = indices;
    def.index_count = shape->part_vertex_count;
    def.loop_sizes = shape->sizes;
    def.loop_count = shape->size_count;
    tact_shape *made = tact_soup_create(&def, NULL);
    free(indices);
    return made;
}

tact_shape *tact_solid_shape(struct DtShape *shape)
{
    if (!shape->outdated)
        return shape->shape;
    tact_shape *made = make_soup(shape, shape->vertices);
    if (made != NULL) {
        tact_shape_release(shape->shape);
        shape->shape = made;
        shape->outdated = false;
    }
    return made;
}

void dtEndComplexShape(void)
{
    solid_state *s = tact_solid_state();
    if (s->open == NULL)
        return;
    dtEnd();
    if (read_vertices(s->open))
        s->open->shape = make_soup(s->open, s->open->spare);
    s->open = NULL;
}

/* ---- deformation ---- */

/* Are there few enough objects to deform each body? Without objects the answer is no: the new soup checks the vertices.
 */
static bool should_deform_each(const struct DtShape *shape)
{
    const solid_state *s = tact_solid_state();
    size_t users = 0;
    bool simple = true;
    for (size_t i = 0; i < s->object_capacity; ++i)
        users += s->objects[i].used && s->objects[i].shape == shape;
    for (size_t i = 0; simple && i < shape->size_count; ++i)
        simple = shape->sizes[i] <= MAX_SIMPLEX_VERTICES;
    return users > 0 && users <= (simple ? MAX_DEFORMED_OBJECTS : 1);
}

/* Deforms the body of each object. Returns false if one fails: with invalid vertices none was deformed; out of memory,
 * some may have been, and one soup for all needs less memory. */
static bool deform_each(const struct DtShape *shape)
{
    const solid_state *s = tact_solid_state();
    const tact_vertices now = {.data = shape->spare, .count = shape->vertex_count};
    for (size_t i = 0; i < s->object_capacity; ++i)
        if (s->objects[i].used && s->objects[i].shape == shape &&
            (tact_body_make_deformable(s->world, s->objects[i].body) != TACT_OK ||
             tact_body_deform(s->world, s->objects[i].body, now) != TACT_OK))
            return false;
    return true;
}

void dtChangeVertexBase(DtShapeRef shape, const void *base)
{
    solid_state *s = tact_solid_state();
    if (shape == NULL || !shape->complex || base == NULL || shape == s->open)
        return;
    shape->base = base;
    if (!read_vertices(shape))
        return;
    if (shape->shape != NULL && should_deform_each(shape) && deform_each(shape)) {
        accept_vertices(shape);
        shape->outdated = true;
        return;
    }
    tact_shape *made = make_soup(shape, shape->spare);
    if (made == NULL)
        return;
    /* the bodies keep the old shape while it is that of the previous frame */
    for (size_t i = 0; i < s->object_capacity; ++i)
        if (s->objects[i].used && s->objects[i].shape == shape)
            (void)tact_body_set_shape(s->world, s->objects[i].body, made);
    accept_vertices(shape);
    tact_shape_release(shape->shape);
    shape->shape = made;
    shape->outdated = false;
}
