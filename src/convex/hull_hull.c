/*
 * Two hulls: from the shapes and their transforms directly to the fast GJK (gjk_fast.c).
 *
 * Guarantee: that of the fast GJK. Both transforms are checked together, A's in the low and B's in the high lane of
 * each vector. They are accepted if their linear parts are similarities up to a factor of two, which excludes NaN and
 * infinity. All other pairs take the general path, which finds out what is wrong.
 *
 * Cost: some 10 ns besides the search. Making two convex instances, with all that the robust GJK needs, takes 50.
 */
#include "convex/hull_hull.h"

#include "convex/convex_constants.h"
#include "convex/convex_pair.h"
#include "convex/gjk_fast.h"
#include "convex/margin.h"
#include "math/double2.h"
#include "math/fp_environment.h"

/* Two transforms. */
typedef struct hull_transforms {
    axes_pair frames;
    vec_pair origins;
    tact_vec3 offset;
    __m128d most; /* squared bound of what the linear parts stretch */
    __m128d norm; /* sum of the squares of the axes */
} hull_transforms;

/* False: take the general path. */
TACT_FORCE_INLINE bool read_transforms(const tact_transform *transform_a, const tact_transform *transform_b,
                                       hull_transforms *m)
{
    const axes_pair f = axes_pair_of(transform_a, transform_b);
    const vec_pair o = vec_pair_of(transform_a->origin, transform_b->origin);
    __m128d xx = vec_pair_dot(f.x, f.x), yy = vec_pair_dot(f.y, f.y), zz = vec_pair_dot(f.z, f.z);
    __m128d xy = double2_abs(vec_pair_dot(f.x, f.y)), yz = double2_abs(vec_pair_dot(f.y, f.z)),
            zx = double2_abs(vec_pair_dot(f.z, f.x));
    /* Gershgorin's circles around the entries of M^t M: sharp for a rotation. */
    __m128d x = _mm_add_pd(xy, zx), y = _mm_add_pd(xy, yz), z = _mm_add_pd(yz, zx);
    __m128d most = _mm_max_pd(_mm_add_pd(xx, x), _mm_max_pd(_mm_add_pd(yy, y), _mm_add_pd(zz, z)));
    __m128d least = _mm_min_pd(_mm_sub_pd(xx, x), _mm_min_pd(_mm_sub_pd(yy, y), _mm_sub_pd(zz, z)));
    m->frames = f;
    m->origins = o;
    m->offset = vec_make(double2_high(o.x) - double2_low(o.x), double2_high(o.y) - double2_low(o.y),
                         double2_high(o.z) - double2_low(o.z));
    m->most = most;
    m->norm = _mm_add_pd(_mm_add_pd(xx, yy), zz);
    /* A NaN in an axis is in the norm. */
    __m128d even = _mm_cmpgt_pd(least, _mm_mul_pd(_mm_set1_pd(HULL_HULL_EVEN), most));
    __m128d bounded = _mm_and_pd(_mm_cmplt_pd(vec_pair_dot(o, o), _mm_set1_pd(GJK_MAX_LENGTH * GJK_MAX_LENGTH)),
                                 _mm_and_pd(_mm_cmplt_pd(m->norm, _mm_set1_pd(GJK_MAX_LENGTH * GJK_MAX_LENGTH)),
                                            _mm_cmpgt_pd(m->norm, _mm_set1_pd(GJK_MIN_LENGTH * GJK_MIN_LENGTH))));
    return _mm_movemask_pd(_mm_and_pd(even, bounded)) == 3;
}

/* Prepares the fast search. False: take the general path. */
TACT_FORCE_INLINE bool make_pair(const tact_shape *a, const tact_shape *b, const hull_transforms *m, gjk_fast_pair *p)
{
    __m128d reach = _mm_mul_pd(_mm_set_pd(b->bounding_radius, a->bounding_radius), _mm_sqrt_pd(m->norm));
    double size = double2_horizontal_add(reach) + vec_max_abs(m->offset);
    p->hull_a = a->hull;
    p->hull_b = b->hull;
    p->a = p->b = NULL;
    p->axes = m->frames;
    p->offset = m->offset;
    p->rounding = GJK_ROUNDING * CONVEX_ROUNDOFF * size;
    p->margins = a->margin + b->margin;
    p->cell_unit = gjk_fast_cell_unit(a->hull, b->hull, reach);
    return size > GJK_MIN_LENGTH && size + p->margins < GJK_MAX_LENGTH && !is_zero(m->offset) &&
           a->hull->vertex_count >= HULL_HULL_MIN_VERTICES && b->hull->vertex_count >= HULL_HULL_MIN_VERTICES;
}

/* Reads the cached axis; whether the search can start with it. */
static inline bool read_axis(const tact_cache *cache, tact_vec3 *axis)
{
    *axis = cache != NULL ? cache->axis : vec_make(0.0, 0.0, 0.0);
    double square = vec_length_squared(*axis);
    return is_zero(*axis) || (square < GJK_MAX_LENGTH && square > GJK_MIN_LENGTH);
}

tact_distance tact_hull_hull_distance(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                      const tact_transform *transform_b, const tact_distance_def *def)
{
    hull_transforms m;
    gjk_fast_pair p;
    gjk_result core;
    if (!read_transforms(transform_a, transform_b, &m) || !make_pair(a, b, &m, &p) || !read_axis(def->cache, &p.axis))
        return tact_convex_pair_distance(a, transform_a, b, transform_b, def);
    const gjk_goal goal = {def->accuracy, def->upper_bound + p.margins, false, false, false};
    if (!tact_gjk_fast_hulls(&p, &goal, max_double(goal.limit, p.rounding), &core))
        return tact_convex_pair_distance_robust(a, transform_a, b, transform_b, def);
    return margin_gjk_distance(&core, vec_add(core.on_a, transform_a->origin), vec_add(core.on_b, transform_b->origin),
                               a->margin, b->margin, def);
}

/* Not inlined, so that the bounding-sphere test before it needs no large stack frame. */
static TACT_NOINLINE tact_overlap search_within(const tact_shape *a, const tact_transform *transform_a,
                                                const tact_shape *b, const tact_transform *transform_b,
                                                const hull_transforms *m, double distance, tact_cache *cache)
{
    gjk_fast_pair p;
    gjk_result core;
    if (!make_pair(a, b, m, &p) || !read_axis(cache, &p.axis))
        return tact_convex_pair_within_near(a, transform_a, b, transform_b, distance, cache);
    const gjk_goal goal = {0.0, distance + p.margins, true, false, false};
    if (!tact_gjk_fast_hulls(&p, &goal, max_double(goal.limit, p.rounding), &core))
        return tact_convex_pair_within_robust(a, transform_a, b, transform_b, distance, cache);
    if (core.status == GJK_BEYOND_LIMIT && cache != NULL)
        cache->axis = core.normal;
    return (tact_overlap){TACT_OK, core.status == GJK_BEYOND_LIMIT ? TACT_MISS : TACT_HIT};
}

tact_overlap tact_hull_hull_within(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, double distance, tact_cache *cache)
{
    hull_transforms m;
    if (!read_transforms(transform_a, transform_b, &m))
        return tact_convex_pair_within_near(a, transform_a, b, transform_b, distance, cache);
    /* Bounding spheres around the origins. */
    __m128d reach = _mm_mul_pd(_mm_set_pd(b->bounding_radius, a->bounding_radius), _mm_sqrt_pd(m.most));
    double together = double2_horizontal_add(reach) + (a->margin + b->margin + distance),
           apart = vec_length_squared(m.offset);
    if (apart > together * together * (1.0 + BOUNDING_SPHERE_SLACK) && together > GJK_MIN_LENGTH)
        return (tact_overlap){TACT_OK, TACT_MISS};
    return search_within(a, transform_a, b, transform_b, &m, distance, cache);
}
