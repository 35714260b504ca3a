/* The intersection curve of two overlapping crates, followed segment by segment. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

static void follow(void *context, const tact_contact *c)
{
    double length = 0.0;
    size_t at = 0, steps = 0;
    if (c->intersection_count == 0)
        return; /* one is inside the other */
    do {        /* each segment ends where another one starts, bit for bit */
        const tact_intersection *s = &c->intersections[at];
        printf("facet %u of A, facet %u of B: (%g %g %g) to (%g %g %g)\n", (unsigned)s->facet_a, (unsigned)s->facet_b,
               s->from.x, s->from.y, s->from.z, s->to.x, s->to.y, s->to.z);
        length += fabs(s->to.x - s->from.x) + fabs(s->to.y - s->from.y) + fabs(s->to.z - s->from.z);
        for (at = 0; at < c->intersection_count; at++)
            if (c->intersections[at].from.x == s->to.x && c->intersections[at].from.y == s->to.y &&
                c->intersections[at].from.z == s->to.z)
                break;
    } while (at != 0 && at < c->intersection_count && ++steps < c->intersection_count);
    printf("length %g\n", length);
    *(double *)context = length;
}

int main(void)
{
    tact_shape *crate = tact_box(2, 2, 2);
    tact_world *world = tact_world_create(NULL);
    double length = 0.0;
    tact_body_create(world, &(tact_body_def){.shape = crate});
    tact_body_create(world, &(tact_body_def){.shape = crate, .transform = tact_at(1, 0.5, 1.5)});
    tact_world_set_contact_callback(
        world, (tact_response){.want = TACT_INTERSECTIONS, .callback = follow, .context = &length});
    tact_world_test(world);
    tact_world_release(world);
    tact_shape_release(crate);
    return length == 2 * (1 + 1.5 + 0.5) ? 0 : 1;
}
