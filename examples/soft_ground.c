/* A ball sinks into a soft ground that gives way: vertices as a renderer has them, changed where they are. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { SIDE = 41, SQUARES = SIDE - 1, CORNERS = SQUARES * SQUARES * 6 };

typedef struct vertex {
    float place[3], colour[4];
} vertex;

typedef struct ground {
    vertex vertices[SIDE * SIDE];
    tact_body body;
    int prints; /* how often it has given way */
} ground;

static const double radius = 0.5;

/* The ball is pressed into the ground: what is below it goes down, to just beneath the ball. */
static void give_way(void *context, const tact_contact *c)
{
    ground *g = context;
    const tact_body ball = c->a.index == g->body.index ? c->b : c->a;
    const tact_vec3 at = tact_body_get_transform(c->world, ball).origin;
    size_t first = SIDE * SIDE, end = 0;
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        float *p = g->vertices[i].place;
        /* farther out than the ball by more than a triangle is long, so that the walls are clear of it */
        const bool below = hypot((double)p[0] - at.x, (double)p[1] - at.y) < radius + 0.15;
        if (!below || (double)p[2] <= at.z - radius - 0.01)
            continue;
        p[2] = (float)(at.z - radius - 0.05);
        first = i < first ? i : first;
        end = i + 1;
    }
    if (first < end)
        tact_body_deform_range(c->world, g->body, first, end - first);
    g->prints++;
}

int main(void)
{
    static ground g;
    static uint32_t corners[CORNERS];
    for (int i = 0; i < SIDE * SIDE; i++) {
        g.vertices[i].place[0] = 0.1f * (float)(i % SIDE) - 2.0f;
        g.vertices[i].place[1] = 0.1f * (float)(i / SIDE) - 2.0f;
    }
    for (uint32_t i = 0, n = 0; i < SQUARES * SQUARES; i++) {
        const uint32_t at = i / SQUARES * SIDE + i % SQUARES;
        const uint32_t two[6] = {at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE};
        for (int k = 0; k < 6; k++)
            corners[n++] = two[k];
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){g.vertices, SIDE * SIDE, sizeof(vertex), TACT_SCALAR_FLOAT};
    def.indices = corners;
    def.index_count = CORNERS;
    tact_shape *field = tact_mesh_create(&def, NULL), *round = tact_sphere(radius);

    tact_world *world = tact_world_create(NULL);
    g.body = tact_body_create(world, &(tact_body_def){.shape = field, .deformable = true});
    tact_body_deform(world, g.body, def.vertices); /* the same array from now on */
    tact_body ball = tact_body_create(world, &(tact_body_def){.shape = round});
    tact_world_set_contact_callback(world, (tact_response){.callback = give_way, .context = &g});
    size_t touching = 1;
    for (int step = 0; step <= 10; step++) {
        tact_body_set_transform(world, ball, tact_at(0.07, 0.03, 0.8 - 0.1 * step));
        tact_world_test(world);
        touching = tact_world_test(world).count; /* it has given way */
    }
    tact_hit floor = tact_world_ray(world, tact_vec(0.07, 0.03, -9), tact_vec(0, 0, 1), 99, NULL);
    printf("gave way %d times; the ground below the ball is %.2f deep, and %s\n", g.prints, -floor.point.z,
           touching > 0 ? "they touch" : "they do not touch");

    tact_world_release(world);
    tact_shape_release(field);
    tact_shape_release(round);
    return g.prints > 5 && touching == 0 && fabs(floor.point.z + 0.75) < 0.02 ? 0 : 1;
}
