/*
 * The queries of tact/query.h about two convex shapes, each with its transform. Every function checks the transforms
 * and answers TACT_BAD_ARGUMENT where one is not usable; the shapes are not NULL.
 */
#ifndef TACT_CONVEX_CONVEX_PAIR_H
#define TACT_CONVEX_CONVEX_PAIR_H

#include <tact/query.h>

tact_distance tact_convex_pair_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                        const tact_transform *transform_b, const tact_distance_def *def);

tact_overlap tact_convex_pair_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                     const tact_transform *transform_b, double distance, tact_cache *cache);

tact_common_point tact_convex_pair_common_point(const tact_shape *a, const tact_transform *transform_a,
                                                const tact_shape *b, const tact_transform *transform_b,
                                                tact_cache *cache);

tact_penetration tact_convex_pair_penetration(const tact_shape *a, const tact_transform *transform_a,
                                              const tact_shape *b, const tact_transform *transform_b);

/* `normal` and `point` as for tact_convex_manifold. */
tact_manifold tact_convex_pair_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                        const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                        tact_vec3 point);

/* ---- what the fast paths of single shape classes fall back to ---------------------------------------------------- */

/* Two hulls that the fast GJK has failed on. */
tact_distance tact_convex_pair_distance_robust(const tact_shape *a, const tact_transform *transform_a,
                                               const tact_shape *b, const tact_transform *transform_b,
                                               const tact_distance_def *def);
tact_overlap tact_convex_pair_within_robust(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                            const tact_transform *transform_b, double distance, tact_cache *cache);

/* Two shapes whose bounding spheres are known to overlap, or that have a cheaper test before. */
tact_overlap tact_convex_pair_within_near(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                          const tact_transform *transform_b, double distance, tact_cache *cache);

/* Two boxes under any affine transforms: by their 15 separating axes if there is no margin, no distance and no cached
 * axis; else by GJK. */
tact_overlap tact_parallelepipeds_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                         const tact_transform *transform_b, double distance, tact_cache *cache);

#endif
