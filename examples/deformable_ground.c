/* A ball sinks into soft ground: the vertices are in the array of the renderer and change in place. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { SIDE = 41, SQUARES = SIDE - 1, INDICES = SQUARES * SQUARES * 6 };

typedef struct vertex {
    float position[3], colour[4];
} vertex;

typedef struct ground {
    vertex vertices[SIDE * SIDE];
    tact_body body;
    int deformations;
} ground;

static const double radius = 0.5;

/* Moves the vertices below the ball down, to just beneath it. */
static void yield_to_ball(void *context, const tact_contact *c)
{
    ground *g = context;
    const tact_body ball = c->a.index == g->body.index ? c->b : c->a;
    const tact_vec3 at = tact_body_get_transform(c->world, ball).origin;
    size_t first = SIDE * SIDE, end = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        float *p = g->vertices[i].position;
        /* wider than the ball by more than a triangle, so that the side walls are clear of it */
        const bool below = hypot((double)p[0] - at.x, (double)p[1] - at.y) < radius + 0.15;
        if (!below || (double)p[2] <= at.z - radius - 0.01)
            continue;
        p[2] = (float)(at.z - radius - 0.05);
        first = i < first ? i : first;
        end = i + 1;
    }
    if (first < end)
        tact_body_deform_range(c->world, g->body, first, end - first);
    g->deformations++;
}

int main(void)
{
    static ground g;
    static uint32_t indices[INDICES];
    for (int i = 0; i < SIDE * SIDE; i++) {
        g.vertices[i].position[0] = 0.1f * (float)(i % SIDE) - 2.0f;
        g.vertices[i].position[1] = 0.1f * (float)(i / SIDE) - 2.0f;
    }
    for (uint32_t i = 0, n = 0; i < SQUARES * SQUARES; i++) {
        const uint32_t at = i / SQUARES * SIDE + i % SQUARES;
        const uint32_t quad[6] = {at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE};
        for (int k = 0; k < 6; k++)
            indices[n++] = quad[k];
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){g.vertices, SIDE * SIDE, sizeof(vertex), TACT_SCALAR_FLOAT};
    def.indices = indices;
    def.index_count = INDICES;
    tact_shape *field = tact_mesh_create(&def, NULL), *round = tact_sphere(radius);

    tact_world *world = tact_world_create(NULL);
    g.body = tact_body_create(world, &(tact_body_def){.shape = field, .deformable = true});
    tact_body_deform(world, g.body, def.vertices); /* the same array from now on */
    tact_body ball = tact_body_create(world, &(tact_body_def){.shape = round});
    tact_world_set_contact_callback(world, (tact_response){.callback = yield_to_ball, .context = &g});
    size_t touching = 1;
    for (int step = 0; step <= 10; step++) {
        tact_body_set_transform(world, ball, tact_at(0.07, 0.03, 0.8 - 0.1 * step));
        tact_world_test(world);
        touching = tact_world_test(world).count; /* the ground has yielded */
    }
    tact_hit floor = tact_world_ray(world, tact_vec(0.07, 0.03, -9), tact_vec(0, 0, 1), 99, NULL);
    printf("%d deformations; the ground below the ball is %.2f deep, and %s\n", g.deformations, -floor.point.z,
           touching > 0 ? "they touch" : "they do not touch");

    tact_world_release(world);
    tact_shape_release(field);
    tact_shape_release(round);
    return g.deformations > 5 && touching == 0 && fabs(floor.point.z + 0.75) < 0.02 ? 0 : 1;
}
