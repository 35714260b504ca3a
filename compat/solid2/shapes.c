/*
 * Shapes (B.2) and their deformation (B.5). A complex shape becomes a soup of convex pieces.
 *
 * When its vertices change, the bodies of its objects are deformed: their trees are refitted, which is some twenty
 * times faster than making a soup. But each such body has vertices and a tree of its own, so where many objects share a
 * shape one soup is made for all of them.
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
        s->in_piece = false;
    }
    for (size_t i = 0; i < s->object_room; ++i) /* its address may be that of another one soon */
        if (s->objects[i].used && s->objects[i].shape == shape)
            s->objects[i].shape = NULL;
    tact_shape_release(shape->shape);
    free(shape->vertices);
    free(shape->spare);
    free(shape->own);
    free(shape->corners);
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
    s->in_piece = false;
    return made;
}

static void add_corner(corner c)
{
    struct DtShape *shape = tact_solid_state()->open;
    if (!tact_solid_room((void **)&shape->corners, &shape->corner_room, shape->corner_count, sizeof(corner))) {
        shape->broken = true;
        return;
    }
    shape->corners[shape->corner_count++] = c;
    if (shape->size_count > 0)
        ++shape->sizes[shape->size_count - 1];
}

void dtBegin(DtPolyType type)
{
    solid_state *s = tact_solid_state();
    (void)type; /* the hull of its vertices, whatever it is */
    if (s->open == NULL)
        return;
    dtEnd();
    struct DtShape *shape = s->open;
    if (!tact_solid_room((void **)&shape->sizes, &shape->size_room, shape->size_count, sizeof *shape->sizes)) {
        shape->broken = true;
        return;
    }
    shape->sizes[shape->size_count++] = 0;
    s->in_piece = true;
}

void dtEnd(void)
{
    solid_state *s = tact_solid_state();
    if (s->in_piece && s->open->sizes[s->open->size_count - 1] == 0)
        --s->open->size_count; /* a piece without vertices is none */
    s->in_piece = false;
}

void dtVertex(DtScalar x, DtScalar y, DtScalar z)
{
    solid_state *s = tact_solid_state();
    if (!s->in_piece)
        return;
    struct DtShape *shape = s->open;
    if (!tact_solid_room((void **)&shape->own, &shape->own_room, shape->own_count, 3 * sizeof(double))) {
        shape->broken = true;
        return;
    }
    const double numbers[3] = {x, y, z};
    memcpy(shape->own + 3 * shape->own_count, numbers, sizeof numbers);
    add_corner((corner){(uint32_t)shape->own_count++, true});
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
    if (s->in_piece)
        add_corner((corner){index, false});
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

/* ---- making a soup of it ---- */

/* Objects of a shape up to which each is deformed on its own. */
#define FEW 8
/* Corners of a piece up to which it needs no hull of its own, which costs more than the rest. */
#define SIMPLEX 4

/* The vertices of the client's array that are named, up to the last one. */
static size_t count_base(const struct DtShape *shape)
{
    size_t count = 0;
    for (size_t i = 0; i < shape->corner_count; ++i)
        if (!shape->corners[i].own && shape->corners[i].index >= count)
            count = (size_t)shape->corners[i].index + 1;
    return count;
}

/* Reads the vertices into `spare`: those of the client's array, then the shape's own. */
static bool read_vertices(struct DtShape *shape)
{
    const size_t from_base = count_base(shape), count = from_base + shape->own_count;
    if (shape->broken || shape->size_count == 0 || (from_base > 0 && shape->base == NULL) || count > UINT32_MAX)
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

/* What was read is what counts. */
static void accept_vertices(struct DtShape *shape)
{
    double *old = shape->vertices;
    shape->vertices = shape->spare;
    shape->spare = old;
}

static tact_shape *make_soup(const struct DtShape *shape, const double *vertices)
{
    const uint32_t from_base = (uint32_t)(shape->vertex_count - shape->own_count);
    uint32_t *corners = malloc(shape->corner_count * sizeof *corners);
    if (corners == NULL)
        return NULL;
    for (size_t i = 0; i < shape->corner_count; ++i)
        corners[i] = shape->corners[i].index + (shape->corners[i].own ? from_base : 0);
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = vertices, .count = shape->vertex_count};
    def.indices = corners;
    def.index_count = shape->corner_count;
    def.loop_sizes = shape->sizes;
    def.loop_count = shape->size_count;
    tact_shape *made = tact_soup_create(&def, NULL);
    free(corners);
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

/* ---- deforming it ---- */

/* Whether its objects are few enough that each is better off on its own. Without any, nobody would look at the numbers.
 */
static bool is_for_each(const struct DtShape *shape)
{
    const solid_state *s = tact_solid_state();
    size_t users = 0;
    bool simple = true;
    for (size_t i = 0; i < s->object_room; ++i)
        users += s->objects[i].used && s->objects[i].shape == shape;
    for (size_t i = 0; simple && i < shape->size_count; ++i)
        simple = shape->sizes[i] <= SIMPLEX;
    return users > 0 && users <= (simple ? FEW : 1);
}

/* Deforms the body of each object. False if one could not be: if it was the numbers, none was; if it was memory, others
 * may have been, and one soup for all takes less of it. */
static bool deform_each(const struct DtShape *shape)
{
    const solid_state *s = tact_solid_state();
    const tact_vertices now = {.data = shape->spare, .count = shape->vertex_count};
    for (size_t i = 0; i < s->object_room; ++i)
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
    if (shape->shape != NULL && is_for_each(shape) && deform_each(shape)) {
        accept_vertices(shape);
        shape->outdated = true;
        return;
    }
    tact_shape *made = make_soup(shape, shape->spare);
    if (made == NULL)
        return;
    /* the bodies hold on to the old one, as long as it is that of the previous frame */
    for (size_t i = 0; i < s->object_room; ++i)
        if (s->objects[i].used && s->objects[i].shape == shape)
            (void)tact_body_set_shape(s->world, s->objects[i].body, made);
    accept_vertices(shape);
    tact_shape_release(shape->shape);
    shape->shape = made;
    shape->outdated = false;
}
