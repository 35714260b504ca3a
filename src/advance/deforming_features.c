/* The features of an event of a deforming pair, and where they are on NURBS surfaces: see deforming_pair.h. */
#include <string.h>

#include "advance/advance.h"
#include "advance/deforming_pair.h"
#include "advance/surface_motion.h"
#include "nurbs/nurbs_shape.h"

/* The triangles of a NURBS body that are tested; NULL: of another body. */
static const nurbs_tessellation *tessellation_of(const tact_world *world, const surface_window *surface, uint32_t index)
{
    const tact_shape *shape = world->bodies.items[index].shape;
    return surface != NULL ? &surface->tessellation : shape->nurbs != NULL ? &shape->nurbs->tessellation : NULL;
}

/* Fills in the places of the features. `which`: the body of A and of B in the pair. */
static void set_places(const tact_world *world, deforming_pair *pair, const int which[2])
{
    tact_event_features *out = &pair->features;
    const nurbs_tessellation *t[2];
    for (int i = 0; i < 2; ++i)
        t[i] = tessellation_of(world, pair->surfaces[which[i]], pair->bodies[i]);
    if (out->kind == TACT_VERTEX_FACE) {
        if (t[0] != NULL)
            out->location_a = tact_nurbs_location_of_vertex(t[0], out->a);
        if (t[1] != NULL)
            out->location_b = tact_nurbs_location_on_triangle(t[1], out->b, out->ccd.weights + 1);
        return;
    }
    if (t[0] != NULL)
        out->location_a = tact_nurbs_location_on_edge(t[0], out->vertices, out->ccd.weights);
    if (t[1] != NULL)
        out->location_b = tact_nurbs_location_on_edge(t[1], out->vertices + 2, out->ccd.weights + 2);
}

/* The leaf of a compound that has a vertex of the body; its number becomes that within the leaf. */
static uint32_t find_leaf(const tact_world *world, uint32_t body, uint32_t *vertex)
{
    const tact_shape *shape = world->bodies.items[body].shape;
    if (shape->compound == NULL)
        return 0;
    const feature_leaf leaf = tact_feature_mesh_leaf(shape, *vertex);
    *vertex -= leaf.first_vertex;
    return leaf.leaf;
}

void tact_deforming_features_set(const tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                                 const feature_event *event)
{
    const feature_pair *features = &event->pair;
    tact_event_features *out = &pair->features;
    *out = (tact_event_features){.kind = features->kind, .ccd = event->ccd};
    memcpy(out->vertices, features->index, sizeof out->vertices);
    if (features->kind == TACT_VERTEX_FACE)
        memcpy(out->vertices + 1, pair->triangles.items[features->index[1]].vertices, 3 * sizeof *out->vertices);
    const uint32_t second = pair->second_vertex; /* 0: a body with itself */
    tact_vec3 point = {0.0, 0.0, 0.0};
    int which[2] = {0, 0};
    for (int i = 0; i < 4; ++i) {
        const uint32_t v = out->vertices[i];
        const int body = second > 0 && v >= second ? 1 : 0;
        if (i == 0 || i == 3) {
            which[i / 3] = body;
            pair->bodies[i / 3] = bodies[body];
        }
        const linear_path path = tact_feature_windows_path(pair->windows, v);
        if (features->kind == TACT_VERTEX_FACE ? i == 0 : i < 2) /* the contact point on A */
            point = vec_mul_add(point, event->ccd.weights[i], linear_path_at(&path, event->ccd.lower));
        out->vertices[i] = v - (body == 1 ? second : 0);
        const uint32_t leaf = find_leaf(world, bodies[body], &out->vertices[i]);
        if (i == 0)
            out->part_a.leaf = leaf;
        else if (i == 3)
            out->part_b.leaf = leaf;
    }
    pair->point = point;
    out->a = out->vertices[0];
    out->b = features->kind == TACT_VERTEX_FACE ? pair->faces.items[features->index[1]] : out->vertices[2];
    out->part_b.face = features->kind == TACT_VERTEX_FACE ? out->b : 0;
    set_places(world, pair, which);
}

void tact_deforming_places_set(const tact_world *world, deforming_pair *pair, const uint32_t bodies[2],
                               const pair_prediction *r)
{
    const advance *ad = world->advance;
    tact_nurbs_location *places[2] = {&pair->features.location_a, &pair->features.location_b};
    for (int i = 0; i < 2; ++i) {
        const surface_window *surface = ad->cold.items[bodies[i]].surface;
        if (surface != NULL && !pair->overlaps_at_start)
            *places[i] = tact_surface_window_locate(surface, r->parts[i].face, ad->time, r->point);
    }
}
