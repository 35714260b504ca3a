/*
 * Your own contact solver: a crate falls onto a floor of triangles, frame by frame. Contact points are reported before
 * they touch (reach), so that the solver stops the crate at the floor; their ids find the impulses of the last frame
 * again (warm start). The crate moves up and down only, which keeps the solver short.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

#define FRAME (1.0 / 60.0)

enum { MAX_POINTS = 32 };

typedef struct solver_point {
    uint64_t id;
    double gap, impulse;
} solver_point;

typedef struct solver {
    solver_point points[MAX_POINTS], last[MAX_POINTS]; /* of this frame, of the last one */
    int count, last_count, warm, begins, ends;
} solver;

static void on_contact(void *context, const tact_contact *c)
{
    solver *s = context;
    s->begins += c->phase == TACT_PHASE_BEGIN;
    s->ends += c->phase == TACT_PHASE_END;
    for (size_t i = 0; i < c->point_count && s->count < MAX_POINTS; i++) {
        const tact_contact_point *p = &c->points[i];
        solver_point *q = &s->points[s->count++];
        *q = (solver_point){.id = (uint64_t)p->feature_a << 32 | p->feature_b, .gap = -p->depth};
        for (int k = 0; k < s->last_count; k++)
            if (s->last[k].id == q->id) {
                q->impulse = s->last[k].impulse;
                s->warm++;
            }
    }
}

/* Projected Gauss-Seidel: no point gets deeper than the floor within the frame. The mass is 1. */
static double solve(solver *s, double velocity)
{
    for (int i = 0; i < s->count; i++)
        velocity += s->points[i].impulse;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < s->count; i++) {
            solver_point *p = &s->points[i];
            const double impulse = fmax(p->impulse - (velocity + p->gap / FRAME), 0.0);
            velocity += impulse - p->impulse;
            p->impulse = impulse;
        }
    return velocity;
}

int main(void)
{
    const tact_vec3 corners[4] = {{-5, 0, -5}, {-5, 0, 5}, {5, 0, 5}, {5, 0, -5}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){corners, 4, 0, TACT_SCALAR_DOUBLE};
    def.indices = triangles;
    def.index_count = 6;
    tact_shape *ground = tact_mesh_create(&def, NULL), *box = tact_box(1, 1, 1);

    solver s = {.count = 0};
    tact_world *world = tact_world_create(NULL);
    tact_world_set_contact_callback(
        world, (tact_response){.want = TACT_CONTACT_POINTS, .callback = on_contact, .context = &s, .report_end = true});
    tact_body_create(world, &(tact_body_def){.shape = ground});
    tact_body crate = tact_body_create(world, &(tact_body_def){.shape = box, .reach = 0.1});

    double height = 2.0, velocity = 0.0, lowest = height;
    for (int frame = 0; frame < 120; frame++) {
        tact_body_set_transform(world, crate, tact_at(1, height, 2));
        s.count = s.warm = 0;
        tact_world_test(world);
        velocity = frame < 90 ? velocity - 9.81 * FRAME : 2.0; /* at last it is lifted */
        velocity = solve(&s, velocity);
        height += velocity * FRAME;
        lowest = fmin(lowest, height);
        memcpy(s.last, s.points, sizeof s.points);
        s.last_count = s.count;
        if (frame % 15 == 14)
            printf("frame %3d: %d points, %d warm, bottom at %.4f\n", frame + 1, s.count, s.warm, height - 0.5);
    }
    printf("%d contact began, %d ended, never below the floor: %s\n", s.begins, s.ends, lowest > 0.499 ? "yes" : "no");

    tact_world_release(world);
    tact_shape_release(ground);
    tact_shape_release(box);
    return s.begins == 1 && s.ends == 1 && lowest > 0.499 ? 0 : 1;
}
