/* A crate penetrates the floor: overlap with a cached axis, penetration depth, and the contact manifold. */
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    tact_shape *floor = tact_box(20, 2, 20), *crate = tact_box(2, 2, 2);
    tact_transform ground = tact_at(0, -1, 0), at = tact_at(0, 0.75, 0);
    tact_cache cache = {{0, 0, 0}}; /* one for each pair, kept from frame to frame */
    tact_overlap overlap = tact_shapes_overlap(floor, ground, crate, at, &cache);

    tact_penetration p = tact_shapes_penetration(floor, ground, crate, at);
    printf("depth %g, normal (%g %g %g)\n", p.depth, p.normal.x, p.normal.y, p.normal.z);

    tact_vec3 correction = tact_vec(p.depth * p.normal.x, p.depth * p.normal.y, p.depth * p.normal.z);
    tact_transform out = tact_transform_translate(at, correction); /* now they just touch */
    tact_manifold m = tact_shapes_manifold(floor, ground, crate, out, 0.01);
    for (int i = 0; i < m.count; i++)
        printf("contact at (%g %g %g)\n", m.points[i].on_a.x, m.points[i].on_a.y, m.points[i].on_a.z);

    tact_shape_release(floor);
    tact_shape_release(crate);
    return overlap.state == TACT_HIT && p.status == TACT_OK && p.depth == 0.25 && m.count == 4 ? 0 : 1;
}
