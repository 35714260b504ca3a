/*
 * How large the bounds of a sweep's tree are. What a search costs goes up and down with that, as the chance that two
 * bounds of given size overlap does (MacDonald and Booth, 1990, for rays; here the sum of sides instead of the area,
 * as two boxes meet along each axis by the sum of theirs). So it tells when a tree no longer fits: measured in cloth,
 * where it has grown by a fifth a search takes a quarter longer than in a tree made anew. O(n), 100 ns a node.
 */
#include "math/fp_environment.h"
#include "sweep/sweep_internal.h"

double tact_mesh_sweep_tree_extent(const mesh_sweep *s)
{
    if (!s->has_step)
        return 0.0;
    const fp_environment before = fp_environment_enter();
    double sum = 0.0;
    for (uint32_t i = 0; i < s->tree.node_count; ++i) {
        float sizes[MOVING_WIDTH];
        simde_mm_storeu_ps(sizes, moving_bound4_sizes(&s->tree.bounds[i]));
        for (int k = 0; k < MOVING_WIDTH; ++k)
            sum += sizes[k] > 0.0f ? (double)sizes[k] : 0.0; /* of places that are empty it is negative */
    }
    fp_environment_leave(before);
    return sum / s->frame.scale;
}
