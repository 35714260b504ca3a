/*
 * Views between placed frames. See view.h for what is guaranteed; here is why it holds.
 *
 * Let D be the computed inverse of the seer's linear part A, E = D A - 1 its residual. A world point y in the hulls of
 * placed vertices of both sides is y = A a + oA + rA = B b + oB + rB, where a and b lie in the boxes and rA, rB are
 * what rounding did to the vertices. Multiplied by D: a = (D B) b + D (oB - oA) - E a + D (rB - rA). The first two
 * terms are the view; the others, and the rounding of the view, are bounded term by term from the largest coordinates X
 * of the two sides. No bound needs D to be a good inverse.
 *
 * Float arithmetic: let G = |linear| X + |origin| for the seen side. Rounding `linear` and `origin` to floats changes a
 * result by at most 1 epsilon of G, centre and half size of a box 2, the products and sums of centre and half size 5
 * each, adding and comparing them 4: together 17; likewise centre and half size of the seer's own box, their difference
 * and sum with the other's, 6 epsilons of its X. Underflow changes each of a few operations by at most FLT_MIN.
 * Epsilons are those of directed rounding (2^-23, 2^-52), so that the rounding mode does not matter.
 *
 * Along an axis n = e_i x f_j, f_j being the seen axis j brought to about 1, separation means that n . (a - linear b -
 * origin) cannot be within |n| . slack; the few more operations of that test are 8 epsilons of |n| . (X + G).
 */
#include "bounds/relative_frame.h"

#include "bounds/obb4.h"
#include "bounds/sat4_moving.h"
#include "math/vec.h"

#define FLOAT_ROUNDINGS 20.0  /* epsilons of X + G: 17, and some for adding up the bound itself */
#define ACROSS_ROUNDINGS 10.0 /* epsilons of X + G: 8, likewise */
#define EPSILON ((double)FLT_EPSILON)

/* Above this, a product of two sums of coordinates might leave the floats: the slack becomes infinite. */
#define LARGEST 0x1p60

/* A residual above this is worth a better inverse. Any value is right; a smaller one costs time. */
#define GOOD_RESIDUAL 0x1p-40

/* What a sum of products of doubles loses to underflow, at most. */
#define TINY (16.0 * DBL_MIN)

/* a placement as columns, and its origin */
typedef struct affine {
    double m[3][3]; /* m[i][j]: coordinate i of axis j */
    double o[3];
} affine;

static affine affine_of(const tact_transform *p)
{
    return (affine){{{p->x_axis.x, p->y_axis.x, p->z_axis.x},
                     {p->x_axis.y, p->y_axis.y, p->z_axis.y},
                     {p->x_axis.z, p->y_axis.z, p->z_axis.z}},
                    {p->origin.x, p->origin.y, p->origin.z}};
}

/* One side of a pair of frames: where it is, how far it reaches, its inverse. */
typedef struct side {
    affine at;
    double inverse[3][3];
    double residual[3][3]; /* upper bounds of |inverse at - 1| */
    double most[3];        /* largest absolute coordinates of the boxes */
    double rounding[3];    /* of placed vertices, in the world */
} side;

/* Fills in the residual, and returns the worst of it; from the first that is not finite on, all are taken to be
 * infinite. */
static double find_residual(side *s)
{
    double worst = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            s->residual[i][k] = INFINITY;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            double sum = i == k ? -1.0 : 0.0, size = fabs(sum);
            for (int l = 0; l < 3; ++l) {
                double product = s->inverse[i][l] * s->at.m[l][k];
                sum += product;
                size += fabs(product);
            }
            s->residual[i][k] = fabs(sum) + 8.0 * DBL_EPSILON * size + TINY;
            worst = worst > s->residual[i][k] ? worst : s->residual[i][k];
            if (!(s->residual[i][k] < INFINITY))
                return INFINITY;
        }
    return worst;
}

static side side_of(const tact_transform *at, const box *whole)
{
    side s;
    s.at = affine_of(at);
    const tact_vec3 x = at->x_axis, y = at->y_axis, z = at->z_axis;
    const tact_vec3 yz = vec_cross(y, z), zx = vec_cross(z, x), xy = vec_cross(x, y);
    const double d = 1.0 / vec_dot(x, yz);
    const tact_vec3 rows[3] = {vec_scale(yz, d), vec_scale(zx, d), vec_scale(xy, d)};
    for (int i = 0; i < 3; ++i) {
        s.inverse[i][0] = rows[i].x;
        s.inverse[i][1] = rows[i].y;
        s.inverse[i][2] = rows[i].z;
    }
    if (!(find_residual(&s) < GOOD_RESIDUAL)) {
        tact_transform better;
        if (tact_transform_invert(*at, &better) == TACT_OK) {
            affine a = affine_of(&better);
            memcpy(s.inverse, a.m, sizeof a.m);
            (void)find_residual(&s);
        }
    }
    for (int i = 0; i < 3; ++i) {
        double low = fabs((double)whole->min[i]), high = fabs((double)whole->max[i]);
        s.most[i] = low > high ? low : high;
    }
    for (int i = 0; i < 3; ++i) {
        double size = fabs(s.at.o[i]);
        for (int j = 0; j < 3; ++j)
            size += fabs(s.at.m[i][j]) * s.most[j];
        s.rounding[i] = 6.0 * DBL_EPSILON * size + TINY;
    }
    return s;
}

/* Also leaves G in `size`. */
static void look(const side *seer, const side *seen, relative_frame *view, double size[3])
{
    for (int i = 0; i < 3; ++i) {
        double origin = 0.0, origin_size = 0.0, slack = 0.0, sum = 0.0, flushed = 8.0;
        const double *row = seer->inverse[i];
        for (int l = 0; l < 3; ++l) {
            double step = row[l] * (seen->at.o[l] - seer->at.o[l]);
            origin += step;
            origin_size += fabs(step);
            slack += fabs(row[l]) * (seer->rounding[l] + seen->rounding[l]) + seer->residual[i][l] * seer->most[l];
            flushed += seen->most[l];
        }
        slack += 8.0 * DBL_EPSILON * origin_size + TINY;
        for (int j = 0; j < 3; ++j) {
            double value = 0.0, value_size = 0.0;
            for (int l = 0; l < 3; ++l) {
                double product = row[l] * seen->at.m[l][j];
                value += product;
                value_size += fabs(product);
            }
            slack += (8.0 * DBL_EPSILON * value_size + TINY) * seen->most[j];
            sum += fabs(value) * seen->most[j];
            flushed += 4.0 * fabs(value); /* centre and half size of the seen box may have been */
            view->linear[j][i] = fabs(value) < LARGEST ? (float)value : 0.0f;
            view->abs_linear[j][i] = fabsf(view->linear[j][i]);
            if (!(fabs(value) < LARGEST))
                slack = INFINITY;
        }
        size[i] = sum + fabs(origin);
        slack += FLOAT_ROUNDINGS * EPSILON * (size[i] + seer->most[i]) + flushed * (double)FLT_MIN;
        bool usable = slack < LARGEST && size[i] < LARGEST && seer->most[i] < LARGEST;
        view->origin[i] = usable ? (float)origin : 0.0f;
        view->slack[i] = usable ? tact_float_round_up(slack) : INFINITY;
    }
    for (int j = 0; j < 3; ++j)
        view->linear[j][3] = view->abs_linear[j][3] = 0.0f;
    view->origin[3] = view->slack[3] = 0.0f;
}

static void spread(float lanes[4], float value) { lanes[0] = lanes[1] = lanes[2] = lanes[3] = value; }

/* The nine axes across an edge of each. */
static void prepare_across(sat_frame *s, const side *opened, const double size[3])
{
    for (int j = 0; j < 3; ++j) {
        const float *axis = s->frame.linear[j];
        float largest = fmaxf(fmaxf(fabsf(axis[0]), fabsf(axis[1])), fabsf(axis[2]));
        float unit = largest > 0.0f && largest < INFINITY ? 1.0f / largest : 0.0f;
        float f[3] = {axis[0] * unit, axis[1] * unit, axis[2] * unit};
        for (int i = 0; i < 3; ++i) {
            int k = (i + 1) % 3, l = (i + 2) % 3;
            float n[3]; /* any vector will do: what is written here is the axis, exactly */
            n[i] = 0.0f;
            n[k] = -f[l];
            n[l] = f[k];
            spread(s->edge_axis[3 * i + j][0], n[k]);
            spread(s->edge_axis[3 * i + j][1], n[l]);
            spread(s->edge_axis_abs[3 * i + j][0], fabsf(n[k]));
            spread(s->edge_axis_abs[3 * i + j][1], fabsf(n[l]));
            for (int m = 0; m < 3; ++m) {
                double along = 0.0;
                for (int c = 0; c < 3; ++c)
                    along += (double)n[c] * (double)s->frame.linear[m][c];
                s->edge_fixed_radius[j][m][i] = tact_float_round_up(fabs(along));
            }
            double slack = 0.0;
            for (int c = 0; c < 3; ++c)
                slack += fabs((double)n[c]) *
                         ((double)s->frame.slack[c] + ACROSS_ROUNDINGS * EPSILON * (size[c] + opened->most[c]) +
                          8.0 * (double)FLT_MIN);
            s->edge_slack[j][i] = tact_float_round_up(2.0 * slack + 32.0 * (double)FLT_MIN);
        }
        for (int m = 0; m < 3; ++m)
            s->edge_fixed_radius[j][m][3] = 0.0f;
        s->edge_slack[j][3] = 0.0f;
    }
}

static void prepare(sat_frame *s, const relative_frame *back, const side *opened, const double size[3], sat_axes axes)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            spread(s->inverse[3 * i + j], back->linear[j][i]);
            spread(s->inverse_abs[3 * i + j], back->abs_linear[j][i]);
        }
    for (int i = 0; i < 4; ++i) {
        s->inverse_origin[i] = 2.0f * back->origin[i];
        s->inverse_slack[i] = 2.0f * back->slack[i];
    }
    if (axes == SAT_ALL_AXES)
        prepare_across(s, opened, size);
}

void tact_relative_frame_make(const tact_transform *seer, const box *seer_whole, const tact_transform *seen,
                              const box *seen_whole, relative_frame *view)
{
    side a = side_of(seer, seer_whole), b = side_of(seen, seen_whole);
    double size[3];
    look(&a, &b, view, size);
}

void tact_local_ray_make(const tact_transform *at, const box *whole, tact_vec3 from, tact_vec3 direction,
                         local_ray *ray)
{
    /* With y = from + t direction = A a + oA + rA: a = D (from - oA) + t D direction - E a - D rA. Where a is in the
     * boxes, t |direction| is at most |y| + |from|, so the rounding of D direction is bounded as well. */
    side s = side_of(at, whole);
    const double f[3] = {from.x, from.y, from.z}, d[3] = {direction.x, direction.y, direction.z};
    for (int i = 0; i < 3; ++i) {
        double place = 0.0, step = 0.0, slack = 0.0;
        for (int l = 0; l < 3; ++l) {
            double row = s.inverse[i][l];
            place += row * (f[l] - s.at.o[l]);
            step += row * d[l];
            /* the rounding of placed vertices is 6 epsilons of their size */
            slack += fabs(row) * (s.rounding[l] * 4.0 + 16.0 * DBL_EPSILON * fabs(f[l]) + TINY) +
                     s.residual[i][l] * s.most[l];
        }
        ray->from[i] = place;
        ray->direction[i] = step;
        bool usable = slack < INFINITY && fabs(place) < INFINITY && fabs(step) < INFINITY;
        ray->slack[i] = usable ? slack * (1.0 + 8.0 * DBL_EPSILON) + TINY : INFINITY;
    }
}

void tact_common_frame_make(const tact_transform *transform_a, const box *whole_a, const tact_transform *transform_b,
                            const box *whole_b, common_frame *gauge)
{
    /* x as the first axis of A, z across the first two; whatever these are, they are turned to be perpendicular */
    tact_vec3 x = vec_normalize(transform_a->x_axis),
              z = vec_normalize(vec_cross(x, vec_normalize(transform_a->y_axis)));
    if (!(vec_length_squared(x) > 0.5))
        x = vec_make(1.0, 0.0, 0.0);
    if (!(vec_length_squared(z) > 0.5)) {
        tact_vec3 y;
        vec_tangent_basis(x, &y, &z);
    }
    z = vec_normalize(vec_mul_add(z, -vec_dot(z, x), x));
    tact_transform frame = {x, vec_cross(z, x), z, transform_a->origin};
    /* looked at from a frame whose boxes are points at its origin, each of the two has its slack */
    const box nothing = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    side seer = side_of(&frame, &nothing), a = side_of(transform_a, whole_a), b = side_of(transform_b, whole_b);
    double size_a[3], size_b[3];
    look(&seer, &a, &gauge->a, size_a);
    look(&seer, &b, &gauge->b, size_b);
    for (int i = 0; i < 3; ++i) {
        /* and the difference of the two rounds as well */
        double more = 8.0 * EPSILON * (size_a[i] + size_b[i]);
        gauge->a.slack[i] = tact_float_round_up((double)gauge->a.slack[i] + (double)gauge->b.slack[i] + more);
        gauge->b.slack[i] = 0.0f;
    }
}

void tact_sat_frames_make(const tact_transform *transform_a, const box *whole_a, const tact_transform *transform_b,
                          const box *whole_b, sat_axes axes, sat_frames *sights)
{
    side a = side_of(transform_a, whole_a), b = side_of(transform_b, whole_b);
    double size_ab[3], size_ba[3];
    look(&a, &b, &sights->ab.frame, size_ab);
    look(&b, &a, &sights->ba.frame, size_ba);
    prepare(&sights->ab, &sights->ba.frame, &a, size_ab, axes);
    prepare(&sights->ba, &sights->ab.frame, &b, size_ba, axes);
}

/* How far the seen frame goes along the axes of the seer, when it goes by `way` in the world; and gives the view the
 * slack for that: for the way's own rounding, for what bends it, and for the margin. Along a row r of the inverse these
 * are r . way, |r . bend| and |r| margin. */
static void go(const side *seer, tact_vec3 way, tact_vec3 bend, double margin, relative_frame *view, double size[3],
               double gone[3])
{
    const double v[3] = {way.x, way.y, way.z}, u[3] = {bend.x, bend.y, bend.z};
    for (int i = 0; i < 3; ++i) {
        const double *row = seer->inverse[i];
        double sum = 0.0, sum_size = 0.0, bent = 0.0, bent_size = 0.0, square = 0.0;
        for (int l = 0; l < 3; ++l) {
            sum += row[l] * v[l];
            sum_size += fabs(row[l] * v[l]);
            bent += row[l] * u[l];
            bent_size += fabs(row[l] * u[l]);
            square += row[l] * row[l];
        }
        const double length = square > 1e-280 && square < 1e280 ? sqrt(square) * (1.0 + 1e-15)
                                                                : fabs(row[0]) + fabs(row[1]) + fabs(row[2]);
        const double more = fabs(bent) + length * margin + 8.0 * DBL_EPSILON * (sum_size + bent_size) + TINY;
        size[i] += sum_size;
        const double slack = (double)view->slack[i] + more + FLOAT_ROUNDINGS * EPSILON * (sum_size + more);
        const bool usable = slack < LARGEST && size[i] < LARGEST;
        view->slack[i] = usable ? tact_float_round_up(slack) : INFINITY;
        gone[i] = usable ? sum : 0.0;
    }
}

static float pace_of(double gone)
{
    const float way = (float)gone;
    return fabsf(way) < FLT_MIN ? SAT_MAX_INVERSE_DISPLACEMENT : 1.0f / way;
}

/* `gone`: the fixed frame, seen from the opened one; `gone_back`: the opened one, seen from it. */
static void prepare_slide(sat_moving_frame *s, const double gone[3], const double gone_back[3])
{
    for (int i = 0; i < 3; ++i) {
        s->inverse_displacement[i] = pace_of(gone[i]);
        s->inverse_displacement[3 + i] = pace_of(2.0 * gone_back[i]);
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int a = 3 * i + j;
            s->inverse_displacement[6 + a] = pace_of(
                -2.0 * ((double)s->sat.edge_axis[a][0][0] * gone[k] + (double)s->sat.edge_axis[a][1][0] * gone[l]));
        }
    }
}

void tact_sat_moving_frames_make(const tact_transform *transform_a, const box *whole_a,
                                 const tact_transform *transform_b, const box *whole_b, tact_vec3 way, tact_vec3 bend,
                                 double margin, sat_moving_frames *slides)
{
    side a = side_of(transform_a, whole_a), b = side_of(transform_b, whole_b);
    double size_ab[3], size_ba[3], gone_ab[3], gone_ba[3];
    sat_frame *ab = &slides->ab.sat, *ba = &slides->ba.sat;
    look(&a, &b, &ab->frame, size_ab);
    look(&b, &a, &ba->frame, size_ba);
    go(&a, way, bend, margin, &ab->frame, size_ab, gone_ab);
    go(&b, vec_negate(way), bend, margin, &ba->frame, size_ba, gone_ba);
    prepare(ab, &ba->frame, &a, size_ab, SAT_ALL_AXES);
    prepare(ba, &ab->frame, &b, size_ba, SAT_ALL_AXES);
    prepare_slide(&slides->ab, gone_ab, gone_ba);
    prepare_slide(&slides->ba, gone_ba, gone_ab);
}

/* Epsilons of all coordinates: see obb4.h. */
#define OBB_ROUNDINGS 96.0

static void prepare_obb(obb_sat_frame *s, const side *opened, const side *fixed, const double size[3],
                        const double size_back[3])
{
    double slack = 0.0, spare = 0.0, sum = 0.0, sum_back = 0.0, square = 0.0;
    for (int i = 0; i < 3; ++i) {
        slack += (double)s->frame.slack[i];
        spare += (double)s->inverse.slack[i];
        sum += opened->most[i] + size[i];
        sum_back += fixed->most[i] + size_back[i];
        for (int j = 0; j < 3; ++j)
            square += (double)s->frame.linear[i][j] * (double)s->frame.linear[i][j];
    }
    s->opened_slack = tact_float_round_up(slack + OBB_ROUNDINGS * EPSILON * sum);
    s->fixed_slack = tact_float_round_up(spare + OBB_ROUNDINGS * EPSILON * sum_back);
    s->max_scale = tact_float_round_up(sqrt(square));
    s->mean_scale = (float)sqrt(square / 3.0);
}

void tact_obb_sat_frames_make(const tact_transform *transform_a, const box *whole_a, const tact_transform *transform_b,
                              const box *whole_b, obb_sat_frames *sights)
{
    side a = side_of(transform_a, whole_a), b = side_of(transform_b, whole_b);
    double size_ab[3], size_ba[3];
    look(&a, &b, &sights->ab.frame, size_ab);
    look(&b, &a, &sights->ba.frame, size_ba);
    sights->ab.inverse = sights->ba.frame;
    sights->ba.inverse = sights->ab.frame;
    prepare_obb(&sights->ab, &a, &b, size_ab, size_ba);
    prepare_obb(&sights->ba, &b, &a, size_ba, size_ab);
}
