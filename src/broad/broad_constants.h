/*
 * Caps, tolerances and tuned numbers of the broad phase, by file. A constant marked "performance only" changes no
 * answer: the pairs, neighbours and hits are the same with any value. Tests check that the mechanisms are used:
 * internal_broad fails without rebuilds (TREE_ENGINE_REBUILD_MIN) or changes of engine (ENGINE_CHOICE_GAIN),
 * internal_fat_bounds without a grid (GRID_MIN_SPHERES). The unit costs of the engines are in broad_choice.c, beside
 * the cost model that uses them.
 */
#ifndef TACT_BROAD_BROAD_CONSTANTS_H
#define TACT_BROAD_BROAD_CONSTANTS_H

/* ---- proxies (broad.c) ---- */

/* Proxies: the highest bit of a proxy index marks a leaf of the dynamic tree and an upper endpoint of the sweep. Proved
 * by that bit; no test has so many. */
#define BROAD_MAX_PROXIES 0x7fffffffu

/* ---- queries (broad_query.c) ---- */

/* Relative: ray parameters and distances are widened by this. Three operations in doubles, each with an error of at
 * most 2^-52 in any rounding mode, have an error below 7e-16. With 0 internal_broad_query fails. */
#define BROAD_QUERY_ROUNDING 1e-15

/* A ray parameter: added as well; more than flushing subnormal results to zero can lose (2.3e-308). With 0
 * internal_broad_query, rays_through_corners_hit_without_subnormals, fails. */
#define BROAD_QUERY_UNDERFLOW 1e-300

/* ---- pair cache (pair_cache.c) ---- */

/* Slots: a link is a slot and one bit, and BROAD_NONE is not a link. Proved by the bits of a link; no test has so many
 * pairs. */
#define PAIR_CACHE_MAX_SLOTS (1u << 30)

/* Entries of the first hash table, a power of two. Performance only. */
#define PAIR_CACHE_MIN_TABLE 16

/* ---- dynamic tree (dynamic_tree.c) ---- */

/* Height, in levels of nodes; a leaf has height 0. A higher tree is rebuilt; the stacks of traversals have a size
 * that depends on this. A tree as built has a height of at most DYNAMIC_TREE_MIDPOINT_SPLITS + 31. Without the
 * rebuild internal_broad fails. */
#define DYNAMIC_TREE_MAX_HEIGHT 96

/* Levels that are split at the midpoint; deeper ones are split at the median, at most 31 levels as there are fewer than
 * 2^31 items. Limits the height for boxes in a geometric series. With 1000 internal_broad fails. */
#define DYNAMIC_TREE_MIDPOINT_SPLITS 40

/* A length: greater extents count as this, so that no area overflows. Performance only. */
#define DYNAMIC_TREE_MAX_EXTENT 1e12f

/* A coordinate: bounds beyond count as this, so that the centre of a box is not a NaN. A NaN would only make a split
 * uneven: performance only. */
#define DYNAMIC_TREE_MAX_BOUND 1e30f

/* ---- fat boxes of the tree engine (tree_engine.c); all performance only ---- */

/* Moves: the horizon of a fat box is the number of moves that it is made for. The first value, and the largest. */
#define FAT_BOX_FIRST_HORIZON 8u
#define FAT_BOX_MAX_HORIZON 32u

/* The margin of a fat box, for paths that are not straight: (STEPS + TURNS / horizon) times the displacement of the
 * last move. A proxy that turns often has a short horizon, and so a larger margin. */
#define FAT_BOX_MARGIN_STEPS 2.0f
#define FAT_BOX_MARGIN_TURNS 16.0f

/* Relative to the longest side of the box: caps of the margin and of the predicted displacement. */
#define FAT_BOX_MAX_MARGIN 0.3f
#define FAT_BOX_MAX_AHEAD 1.5f

/* Relative to the longest side: a proxy that moves farther in one move gets no fat box, as it would leave it with
 * the next move. */
#define FAT_BOX_MAX_STEP 0.5f

/* Scale of all fat boxes, at most 1: a factor of FAT_BOX_MAX_HORIZON and FAT_BOX_MAX_MARGIN. The first value is good
 * at a density of 5 %. With the smallest no horizon exceeds one move (0.03 x 32 = 0.96). */
#define FAT_BOX_FIRST_SCALE 0.5f
#define FAT_BOX_MIN_SCALE 0.03f

/* Updates after which the scale is tuned, the factor of one tuning step, and the ratio of costs that is tolerated. */
#define FAT_BOX_TUNING_PERIOD 32
#define FAT_BOX_TUNING_STEP 0.8f
#define FAT_BOX_TUNING_TOLERANCE 1.5

/* Near pairs for each proxy and each overlapping pair: with more, the scale is reduced at once to save memory. */
#define FAT_BOX_MAX_PAIRS 6.0

/* ---- updates of the tree engine (tree_engine.c); all performance only ---- */

/* Nanoseconds: the test of a near pair, one reinsertion, and the share of one proxy in a rebuild. Used to tune the
 * scale of fat boxes (tune_fat_boxes), where only their ratios count. */
#define TREE_ENGINE_TEST_COST 5.0
#define TREE_ENGINE_ESCAPE_COST 600.0
#define TREE_ENGINE_REBUILD_COST 300.0

/* The tree is rebuilt if more than TREE_ENGINE_REBUILD_MIN proxies have escaped, and more than one in
 * TREE_ENGINE_REBUILD_PART. As measured with 3,000 and 30,000 cubes at 5 % density, a reinsertion takes 0.7 to 1.4
 * us and a rebuild 0.12 to 0.2 us for each proxy there is. They break even at about one in seven. */
#define TREE_ENGINE_REBUILD_MIN 64
#define TREE_ENGINE_REBUILD_PART 8

/* Ratio of costs: a pair reached through the list of a proxy, to one in the order of slots. */
#define TREE_ENGINE_LIST_COST 6.0

/* Proxies: how far ahead they are prefetched (measured with 10^6), and how many are prepared together. */
#define TREE_ENGINE_PREFETCH 12
#define TREE_ENGINE_CHUNK 32

/* ---- choosing an engine (engine_choice.h): performance only ---- */

/* Ratio of costs: how much cheaper the other engine must be. The cost models are right within some 30 %. */
#define ENGINE_CHOICE_GAIN 1.3

/* Periods in which the saving must pay for the change of engine. */
#define ENGINE_CHOICE_PAYBACK 8.0

/* Periods: the longest wait after a change of engine. */
#define ENGINE_CHOICE_MAX_BACKOFF 63

/* ---- sweep and prune or dynamic tree (broad_choice.c); performance only ---- */

/* Updates: one in BROAD_CHOICE_SAMPLE is counted; a period has BROAD_CHOICE_PERIOD counted updates. */
#define BROAD_CHOICE_SAMPLE 4
#define BROAD_CHOICE_PERIOD 16

/* Proxies: with more, AUTO does not take the sweep, whose queries are linear. With 1,000,000 internal_broad fails. */
#define BROAD_CHOICE_MAX_SWEEP 4096

/* Near pairs of the tree for each pair that overlaps: an estimate while the sweep is at work. */
#define BROAD_CHOICE_NEAR 3.0

/* Moves that a fat box allows on average where a proxy moves little: an estimate likewise. */
#define BROAD_CHOICE_MOVES 24.0f

/* ---- neighbour lists (neighbours.h) ---- */

/* Neighbours: the least capacity of a list. Capacities double from there. Performance only. */
#define NEIGHBOUR_MIN_CAPACITY 8u

/* Capacities, up to 8 x 2^27 neighbours. Each neighbour has a list of 8 or more itself, so the 32 bits of pool indices
 * end before. Proved by that count. */
#define NEIGHBOUR_SIZE_CLASSES 28

/* ---- fat bounds in continuous time (fat_bounds.h): its own fat boxes, not those of the tree engine above ---- */

/* Neighbours of a fat box and of a fat sphere. With fewer the next fat bound is made larger, with more smaller.
 * Performance only. */
#define FAT_BOX_MIN_NEIGHBOURS 6
#define FAT_BOX_MAX_NEIGHBOURS 16
#define FAT_SPHERE_MIN_NEIGHBOURS 5
#define FAT_SPHERE_MAX_NEIGHBOURS 10

/* Relative to the largest radius of the grid: fat spheres made for the grid are smaller by this, because the centre is
 * rounded to floats. Without it a third of the largest ones do not fit into the grid. Performance only. */
#define FAT_SPHERE_RADIUS_MARGIN 0x1p-10

/* ---- sphere grid: geometry (sphere_grid.h) ---- */

/* Relative to a radius: twice the rounding error of grid_spheres_overlap, five operations in floats. With 0
 * internal_engine_choice fails: a neighbour is missed. */
#define GRID_RADIUS_MARGIN 0x1p-20

/* Lengths: the range of radii, and the largest coordinate, of a sphere in the grid. The grid rejects other
 * spheres. Within the range squares of floats neither underflow nor overflow. With 1e-40 or 1e37
 * internal_fat_bounds fails. */
#define GRID_MIN_LENGTH 1e-15
#define GRID_MAX_LENGTH 1e15

/* Relative: the side of a cell exceeds twice the largest radius by this, so that a query of a sphere in the grid spans
 * at most three cells per axis (performance only). Also widens the squared distance by which cells are culled. Proved:
 * its rounding errors are about 1e-15; no test comes so close that it fails without it. */
#define GRID_CELL_MARGIN 0x1p-10

/* Cells: a slot index is cell * 8 + entry in 32 bits. Proved by those bits; GRID_MAX_CELLS_PER_SPHERE is reached first
 * in all tests. */
#define GRID_MAX_CELLS 0x1p28

/* Spheres per cell: three fit into the first cache line of a cell, six into two. The others go into the tree.
 * Performance only, up to 8. */
#define GRID_CELL_CAPACITY 6u

/* Cells that are prefetched before the first one is read. Performance only. */
#define GRID_PREFETCH_CELLS 32

/* Rows of cells along an axis: a query that spans more rows culls no cells by distance. Performance only. */
#define GRID_MAX_CULLED_ROWS 4

/* ---- sphere grid: when and how it is laid out (fat_bounds.c); performance only ---- */

/* Spheres: fewer are not worth a grid. */
#define GRID_MIN_SPHERES 64

/* Cells per sphere: with more the spheres are too far apart for a grid. */
#define GRID_MAX_CELLS_PER_SPHERE 2.5

/* The largest radius of a new grid, relative to the mean radius; the factor by which it is changed at a time. */
#define GRID_FIRST_RADIUS 1.3
#define GRID_RADIUS_STEP 1.2

/* Relative to the largest radius: with a larger mean radius the grid limits the fat spheres. */
#define GRID_SATURATION 0.85

/* Share of the spheres that fit by size but are not in the grid: with more the grid is laid out again. */
#define GRID_MAX_STRAYS 0.125

/* Standard deviations: half the size of the region, about the mean. (Of spheres evenly spread over a box all are within
 * 1.74.) The region is found in a few iterations, each over the spheres inside the last one, which ignores outliers. */
#define GRID_REGION_DEVIATIONS 3.0
#define GRID_REGION_ITERATIONS 4

/* ---- kinetic sweep and prune (kinetic_sweep.c) ---- */

/* Boxes: each has six certificates, numbered by 32 bits. Proved: 6 x 2^28 is below 2^32; no test has so many. */
#define KINETIC_SWEEP_MAX_BOXES (1u << 28)

#endif
