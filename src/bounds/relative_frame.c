/*
 * Relative frames and their rounding slack. relative_frame.h states the guarantee; here is why it holds.
 *
 * Let D be the computed inverse of the linear part A of the first frame, and E = D A - 1 its residual. A world point y
 * in the hulls of transformed vertices of both sides is y = A a + oA + rA = B b + oB + rB. Here a and b lie in the
 * boxes, and rA, rB are the rounding errors of the vertices. Multiplied by D: a = (D B) b + D (oB - oA) - E a +
 * D (rB - rA). The first two terms are the relative frame. The others, and the rounding of the relative frame, are
 * bounded term by term from the largest coordinates X of the two sides. No bound needs D to be an accurate inverse.
 *
 * Float arithmetic: let G = |linear| X + |origin| for side B. Rounding `linear` and `origin` to floats changes a result
 * by at most 1 epsilon of G, centre and half extent of a box by 2, the products and sums of centre and half extent by 5
 * each, their sum and comparison by 4: 17 in total. Likewise centre and half extent of the box of A, their difference
 * and sum with the other's, 6 epsilons of its X. Underflow changes each of a few operations by at most FLT_MIN.
 * Epsilons are those of directed rounding (2^-23, 2^-52), so that the bounds hold in every rounding mode.
 *
 * Along an axis n = e_i x f_j, where f_j is axis j of B scaled to about 1, separation means that
 * n . (a - linear b - origin) cannot be within |n| . slack. The additional operations of that test contribute 8
 * epsilons of |n| . (X + G).
 */
#include "bounds/relative_frame.h"

#include "bounds/bounds_constants.h"
#include "bounds/obb4.h"
#include "bounds/sat4_moving.h"
#include "core/number.h"
#include "math/vec.h"

#define FLOAT_EPSILON ((double)FLT_EPSILON)

/* The linear part and the origin of a transform as arrays. */
typedef struct frame_matrix {
    double m[3][3]; /* m[i][j]: coordinate i of axis j */
    double o[3];
} frame_matrix;

static frame_matrix frame_matrix_of(const tact_transform *t)
{
    return (frame_matrix){{{t->x_axis.x, t->y_axis.x, t->z_axis.x},
                           {t->x_axis.y, t->y_axis.y, t->z_axis.y},
                           {t->x_axis.z, t->y_axis.z, t->z_axis.z}},
                          {t->origin.x, t->origin.y, t->origin.z}};
}

/* One of two frames: its transform, the inverse, and bounds on its coordinates. */
typedef struct frame_side {
    frame_matrix at;
    double inverse[3][3];
    double residual[3][3];    /* upper bounds of |inverse at - 1| */
    double max_coordinate[3]; /* X: largest absolute coordinates of the boxes */
    double vertex_error[3];   /* rounding error of transformed vertices, in the world */
} frame_side;

/* Computes the residual and returns its largest element. At the first element that is not finite it stops with
 * infinity; the remaining elements are then infinite. */
static double find_residual(frame_side *s)
{
    double worst = 0.0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            s->residual[i][k] = INFINITY;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            double sum = i == k ? -1.0 : 0.0, abs_sum = fabs(sum);
            for (int l = 0; l < 3; ++l) {
                double product = s->inverse[i][l] * s->at.m[l][k];
                sum += product;
                abs_sum += fabs(product);
            }
            s->residual[i][k] = fabs(sum) + 8.0 * DBL_EPSILON * abs_sum + FRAME_UNDERFLOW;
            worst = worst > s->residual[i][k] ? worst : s->residual[i][k];
            if (!(s->residual[i][k] < INFINITY))
                return INFINITY;
        }
    return worst;
}

static frame_side frame_side_of(const tact_transform *transform, const box *bounds)
{
    frame_side s;
    s.at = frame_matrix_of(transform);
    const tact_vec3 x = transform->x_axis, y = transform->y_axis, z = transform->z_axis;
    const tact_vec3 yz = vec_cross(y, z), zx = vec_cross(z, x), xy = vec_cross(x, y);
    const double d = 1.0 / vec_dot(x, yz);
    const tact_vec3 rows[3] = {vec_scale(yz, d), vec_scale(zx, d), vec_scale(xy, d)};
    for (int i = 0; i < 3; ++i) {
        s.inverse[i][0] = rows[i].x;
        s.inverse[i][1] = rows[i].y;
        s.inverse[i][2] = rows[i].z;
    }
    if (!(find_residual(&s) < FRAME_MAX_RESIDUAL)) {
        tact_transform better;
        if (tact_transform_invert(*transform, &better) == TACT_OK) {
            frame_matrix a = frame_matrix_of(&better);
            memcpy(s.inverse, a.m, sizeof a.m);
            (void)find_residual(&s);
        }
    }
    for (int i = 0; i < 3; ++i) {
        double low = fabs((double)bounds->min[i]), high = fabs((double)bounds->max[i]);
        s.max_coordinate[i] = low > high ? low : high;
    }
    for (int i = 0; i < 3; ++i) {
        double abs_sum = fabs(s.at.o[i]);
        for (int j = 0; j < 3; ++j)
            abs_sum += fabs(s.at.m[i][j]) * s.max_coordinate[j];
        s.vertex_error[i] = 6.0 * DBL_EPSILON * abs_sum + FRAME_UNDERFLOW;
    }
    return s;
}

/* The frame b relative to a. Also returns G in `size`. */
static void make_relative(const frame_side *a, const frame_side *b, relative_frame *frame, double size[3])
{
    for (int i = 0; i < 3; ++i) {
        double origin = 0.0, origin_size = 0.0, slack = 0.0, sum = 0.0, underflows = 8.0;
        const double *row = a->inverse[i];
        for (int l = 0; l < 3; ++l) {
            double step = row[l] * (b->at.o[l] - a->at.o[l]);
            origin += step;
            origin_size += fabs(step);
            slack +=
                fabs(row[l]) * (a->vertex_error[l] + b->vertex_error[l]) + a->residual[i][l] * a->max_coordinate[l];
            underflows += b->max_coordinate[l];
        }
        slack += 8.0 * DBL_EPSILON * origin_size + FRAME_UNDERFLOW;
        for (int j = 0; j < 3; ++j) {
            double value = 0.0, value_size = 0.0;
            for (int l = 0; l < 3; ++l) {
                double product = row[l] * b->at.m[l][j];
                value += product;
                value_size += fabs(product);
            }
            slack += (8.0 * DBL_EPSILON * value_size + FRAME_UNDERFLOW) * b->max_coordinate[j];
            sum += fabs(value) * b->max_coordinate[j];
            underflows += 4.0 * fabs(value); /* centre and half extent of the box of b may be flushed to 0 */
            frame->linear[j][i] = fabs(value) < BOUNDS_MAX_COORDINATE ? (float)value : 0.0f;
            frame->abs_linear[j][i] = fabsf(frame->linear[j][i]);
            if (!(fabs(value) < BOUNDS_MAX_COORDINATE))
                slack = INFINITY;
        }
        size[i] = sum + fabs(origin);
        slack += FRAME_FACE_EPSILONS * FLOAT_EPSILON * (size[i] + a->max_coordinate[i]) + underflows * (double)FLT_MIN;
        bool usable = slack < BOUNDS_MAX_COORDINATE && size[i] < BOUNDS_MAX_COORDINATE &&
                      a->max_coordinate[i] < BOUNDS_MAX_COORDINATE;
        frame->origin[i] = usable ? (float)origin : 0.0f;
        frame->slack[i] = usable ? tact_float_round_up(slack) : INFINITY;
    }
    for (int j = 0; j < 3; ++j)
        frame->linear[j][3] = frame->abs_linear[j][3] = 0.0f;
    frame->origin[3] = frame->slack[3] = 0.0f;
}

static void broadcast(float lanes[4], float value) { lanes[0] = lanes[1] = lanes[2] = lanes[3] = value; }

/* The nine cross products of an edge of each box. */
static void prepare_edge_axes(sat_frame *s, const frame_side *opened, const double size[3])
{
    for (int j = 0; j < 3; ++j) {
        const float *axis = s->frame.linear[j];
        float largest = number_maxf(number_maxf(fabsf(axis[0]), fabsf(axis[1])), fabsf(axis[2]));
        float scale = largest > 0.0f && largest < INFINITY ? 1.0f / largest : 0.0f;
        float f[3] = {axis[0] * scale, axis[1] * scale, axis[2] * scale};
        for (int i = 0; i < 3; ++i) {
            int k = (i + 1) % 3, l = (i + 2) % 3;
            float n[3]; /* any vector is a valid axis: rounding in its computation does not matter */
            n[i] = 0.0f;
            n[k] = -f[l];
            n[l] = f[k];
            broadcast(s->edge_axis[3 * i + j][0], n[k]);
            broadcast(s->edge_axis[3 * i + j][1], n[l]);
            broadcast(s->edge_axis_abs[3 * i + j][0], fabsf(n[k]));
            broadcast(s->edge_axis_abs[3 * i + j][1], fabsf(n[l]));
            for (int m = 0; m < 3; ++m) {
                double projection = 0.0;
                for (int c = 0; c < 3; ++c)
                    projection += (double)n[c] * (double)s->frame.linear[m][c];
                s->edge_fixed_radius[j][m][i] = tact_float_round_up(fabs(projection));
            }
            double slack = 0.0;
            for (int c = 0; c < 3; ++c)
                slack +=
                    fabs((double)n[c]) * ((double)s->frame.slack[c] +
                                          FRAME_EDGE_EPSILONS * FLOAT_EPSILON * (size[c] + opened->max_coordinate[c]) +
                                          8.0 * (double)FLT_MIN);
            s->edge_slack[j][i] = tact_float_round_up(2.0 * slack + 32.0 * (double)FLT_MIN);
        }
        for (int m = 0; m < 3; ++m)
            s->edge_fixed_radius[j][m][3] = 0.0f;
        s->edge_slack[j][3] = 0.0f;
    }
}

/* `inverse`: the opened frame relative to the fixed one. */
static void prepare_sat(sat_frame *s, const relative_frame *inverse, const frame_side *opened, const double size[3],
                        sat_axes axes)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            broadcast(s->inverse[3 * i + j], inverse->linear[j][i]);
            broadcast(s->inverse_abs[3 * i + j], inverse->abs_linear[j][i]);
        }
    for (int i = 0; i < 4; ++i) {
        s->inverse_origin[i] = 2.0f * inverse->origin[i];
        s->inverse_slack[i] = 2.0f * inverse->slack[i];
    }
    if (axes == SAT_ALL_AXES)
        prepare_edge_axes(s, opened, size);
}

/* Displacement of the other frame along the axes of `side`, when it moves by `displacement` in the world. Adds to the
 * slack of the relative frame: the rounding of the displacement, the deviation, and the margin. Along a row r of the
 * inverse these are r . displacement, |r . deviation| and |r| margin. */
static void add_displacement(const frame_side *side, tact_vec3 displacement, tact_vec3 deviation, double margin,
                             relative_frame *frame, double size[3], double local[3])
{
    const double v[3] = {displacement.x, displacement.y, displacement.z},
                 u[3] = {deviation.x, deviation.y, deviation.z};
    for (int i = 0; i < 3; ++i) {
        const double *row = side->inverse[i];
        double sum = 0.0, sum_size = 0.0, deviated = 0.0, deviated_size = 0.0, square = 0.0;
        for (int l = 0; l < 3; ++l) {
            sum += row[l] * v[l];
            sum_size += fabs(row[l] * v[l]);
            deviated += row[l] * u[l];
            deviated_size += fabs(row[l] * u[l]);
            square += row[l] * row[l];
        }
        const double length = square > 1e-280 && square < 1e280 ? sqrt(square) * (1.0 + 1e-15)
                                                                : fabs(row[0]) + fabs(row[1]) + fabs(row[2]);
        const double more =
            fabs(deviated) + length * margin + 8.0 * DBL_EPSILON * (sum_size + deviated_size) + FRAME_UNDERFLOW;
        size[i] += sum_size;
        const double slack = (double)frame->slack[i] + more + FRAME_FACE_EPSILONS * FLOAT_EPSILON * (sum_size + more);
        const bool usable = slack < BOUNDS_MAX_COORDINATE && size[i] < BOUNDS_MAX_COORDINATE;
        frame->slack[i] = usable ? tact_float_round_up(slack) : INFINITY;
        local[i] = usable ? sum : 0.0;
    }
}

static float inverse_displacement_of(double displacement)
{
    const float rounded = (float)displacement;
    return fabsf(rounded) < FLT_MIN ? SAT_MAX_INVERSE_DISPLACEMENT : 1.0f / rounded;
}

/* `local`: the displacement of the fixed frame in the opened one; `local_inverse`: of the opened in the fixed one. */
static void prepare_moving(sat_moving_frame *s, const double local[3], const double local_inverse[3])
{
    for (int i = 0; i < 3; ++i) {
        s->inverse_displacement[i] = inverse_displacement_of(local[i]);
        s->inverse_displacement[3 + i] = inverse_displacement_of(2.0 * local_inverse[i]);
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            const int a = 3 * i + j;
            s->inverse_displacement[6 + a] = inverse_displacement_of(
                -2.0 * ((double)s->sat.edge_axis[a][0][0] * local[k] + (double)s->sat.edge_axis[a][1][0] * local[l]));
        }
    }
}

static void prepare_obb(obb_sat_frame *s, const frame_side *opened, const frame_side *fixed, const double size[3],
                        const double size_inverse[3])
{
    double opened_slack = 0.0, fixed_slack = 0.0, sum = 0.0, sum_inverse = 0.0, square = 0.0;
    for (int i = 0; i < 3; ++i) {
        opened_slack += (double)s->frame.slack[i];
        fixed_slack += (double)s->inverse.slack[i];
        sum += opened->max_coordinate[i] + size[i];
        sum_inverse += fixed->max_coordinate[i] + size_inverse[i];
        for (int j = 0; j < 3; ++j)
            square += (double)s->frame.linear[i][j] * (double)s->frame.linear[i][j];
    }
    s->opened_slack = tact_float_round_up(opened_slack + FRAME_OBB_EPSILONS * FLOAT_EPSILON * sum);
    s->fixed_slack = tact_float_round_up(fixed_slack + FRAME_OBB_EPSILONS * FLOAT_EPSILON * sum_inverse);
    s->max_scale = tact_float_round_up(sqrt(square));
    s->mean_scale = (float)sqrt(square / 3.0);
}

void tact_local_ray_make(const tact_transform *transform, const box *bounds, tact_vec3 from, tact_vec3 direction,
                         local_ray *ray)
{
    /* With y = from + t direction = A a + oA + rA: a = D (from - oA) + t D direction - E a - D rA. Where a is in the
     * boxes, t |direction| is at most |y| + |from|, so the rounding of D direction is bounded as well. */
    frame_side s = frame_side_of(transform, bounds);
    const double f[3] = {from.x, from.y, from.z}, d[3] = {direction.x, direction.y, direction.z};
    for (int i = 0; i < 3; ++i) {
        double local_from = 0.0, local_direction = 0.0, slack = 0.0;
        for (int l = 0; l < 3; ++l) {
            double row = s.inverse[i][l];
            local_from += row * (f[l] - s.at.o[l]);
            local_direction += row * d[l];
            /* vertex_error is 6 epsilons of the coordinates */
            slack += fabs(row) * (s.vertex_error[l] * 4.0 + 16.0 * DBL_EPSILON * fabs(f[l]) + FRAME_UNDERFLOW) +
                     s.residual[i][l] * s.max_coordinate[l];
        }
        ray->from[i] = local_from;
        ray->direction[i] = local_direction;
        bool usable = slack < INFINITY && fabs(local_from) < INFINITY && fabs(local_direction) < INFINITY;
        ray->slack[i] = usable ? slack * (1.0 + 8.0 * DBL_EPSILON) + FRAME_UNDERFLOW : INFINITY;
    }
}

void tact_common_frame_make(const tact_transform *transform_a, const box *bounds_a, const tact_transform *transform_b,
                            const box *bounds_b, common_frame *common)
{
    /* x along the first axis of A, z along the cross product of the first two, made orthogonal */
    tact_vec3 x = vec_normalize(transform_a->x_axis),
              z = vec_normalize(vec_cross(x, vec_normalize(transform_a->y_axis)));
    if (!(vec_length_squared(x) > 0.5))
        x = vec_make(1.0, 0.0, 0.0);
    if (!(vec_length_squared(z) > 0.5)) {
        tact_vec3 y;
        vec_tangent_basis(x, &y, &z);
    }
    z = vec_normalize(vec_mul_add(z, -vec_dot(z, x), x));
    tact_transform rigid = {x, vec_cross(z, x), z, transform_a->origin};
    /* relative to a frame whose boxes are points at its origin, each of the two gets its own slack */
    const box point = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    frame_side side = frame_side_of(&rigid, &point), a = frame_side_of(transform_a, bounds_a),
               b = frame_side_of(transform_b, bounds_b);
    double size_a[3], size_b[3];
    make_relative(&side, &a, &common->a, size_a);
    make_relative(&side, &b, &common->b, size_b);
    for (int i = 0; i < 3; ++i) {
        /* and the rounding of the difference of the two */
        double more = 8.0 * FLOAT_EPSILON * (size_a[i] + size_b[i]);
        common->a.slack[i] = tact_float_round_up((double)common->a.slack[i] + (double)common->b.slack[i] + more);
        common->b.slack[i] = 0.0f;
    }
}

void tact_sat_frames_make(const tact_transform *transform_a, const box *bounds_a, const tact_transform *transform_b,
                          const box *bounds_b, sat_axes axes, sat_frames *frames)
{
    frame_side a = frame_side_of(transform_a, bounds_a), b = frame_side_of(transform_b, bounds_b);
    double size_ab[3], size_ba[3];
    make_relative(&a, &b, &frames->ab.frame, size_ab);
    make_relative(&b, &a, &frames->ba.frame, size_ba);
    prepare_sat(&frames->ab, &frames->ba.frame, &a, size_ab, axes);
    prepare_sat(&frames->ba, &frames->ab.frame, &b, size_ba, axes);
}

void tact_sat_moving_frames_make(const tact_transform *transform_a, const box *bounds_a,
                                 const tact_transform *transform_b, const box *bounds_b, tact_vec3 displacement,
                                 tact_vec3 deviation, double margin, sat_moving_frames *frames)
{
    frame_side a = frame_side_of(transform_a, bounds_a), b = frame_side_of(transform_b, bounds_b);
    double size_ab[3], size_ba[3], local_ab[3], local_ba[3];
    sat_frame *ab = &frames->ab.sat, *ba = &frames->ba.sat;
    make_relative(&a, &b, &ab->frame, size_ab);
    make_relative(&b, &a, &ba->frame, size_ba);
    add_displacement(&a, displacement, deviation, margin, &ab->frame, size_ab, local_ab);
    add_displacement(&b, vec_negate(displacement), deviation, margin, &ba->frame, size_ba, local_ba);
    prepare_sat(ab, &ba->frame, &a, size_ab, SAT_ALL_AXES);
    prepare_sat(ba, &ab->frame, &b, size_ba, SAT_ALL_AXES);
    prepare_moving(&frames->ab, local_ab, local_ba);
    prepare_moving(&frames->ba, local_ba, local_ab);
}

void tact_obb_sat_frames_make(const tact_transform *transform_a, const box *bounds_a, const tact_transform *transform_b,
                              const box *bounds_b, obb_sat_frames *frames)
{
    frame_side a = frame_side_of(transform_a, bounds_a), b = frame_side_of(transform_b, bounds_b);
    double size_ab[3], size_ba[3];
    make_relative(&a, &b, &frames->ab.frame, size_ab);
    make_relative(&b, &a, &frames->ba.frame, size_ba);
    frames->ab.inverse = frames->ba.frame;
    frames->ba.inverse = frames->ab.frame;
    prepare_obb(&frames->ab, &a, &b, size_ab, size_ba);
    prepare_obb(&frames->ba, &b, &a, size_ba, size_ab);
}
