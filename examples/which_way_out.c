/* Which way out? A crate sunk a little into the floor: touch with a cache, depth, and the points that carry it. */
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    tact_shape *floor = tact_box(20, 2, 20), *crate = tact_box(2, 2, 2);
    tact_transform ground = tact_at(0, -1, 0), at = tact_at(0, 0.75, 0);
    tact_cache cache = {{0, 0, 0}}; /* one for each pair, kept from frame to frame */
    tact_overlap touch = tact_shapes_overlap(floor, ground, crate, at, &cache);

    tact_penetration in = tact_shapes_penetration(floor, ground, crate, at);
    printf("%g deep; out along (%g %g %g)\n", in.depth, in.normal.x, in.normal.y, in.normal.z);

    tact_vec3 step = tact_vec(in.depth * in.normal.x, in.depth * in.normal.y, in.depth * in.normal.z);
    tact_transform out = tact_transform_translate(at, step); /* now they just touch */
    tact_manifold rest = tact_shapes_manifold(floor, ground, crate, out, 0.01);
    for (int i = 0; i < rest.count; i++)
        printf("carried at (%g %g %g)\n", rest.points[i].on_a.x, rest.points[i].on_a.y, rest.points[i].on_a.z);

    tact_shape_release(floor);
    tact_shape_release(crate);
    return touch.state == TACT_HIT && in.status == TACT_OK && in.depth == 0.25 && rest.count == 4 ? 0 : 1;
}
