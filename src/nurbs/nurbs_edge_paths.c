/* Paths across edges: see the header. */
#include "nurbs/nurbs_edge_paths.h"

#include <math.h>

#include "core/number.h"
#include "math/vec.h"
#include "nurbs/nurbs_edge_curves.h"

/* A curve of a surface. */
typedef struct edge_side {
    uint32_t surface, loop, curve;
} edge_side;

typedef struct path_search {
    const nurbs_model *model;
    const nurbs_moving_points *points;
    double limit;
} path_search;

/* A place, and the derivatives there. */
typedef struct path_end {
    uint32_t surface;
    double uv[2];
    tact_vec3 along[2];
} path_end;

/* Points of a curve at equal steps of its parameter, and the lengths up to them. */
typedef struct curve_samples {
    uint32_t count; /* of steps */
    tact_vec3 at[EDGE_PATH_MAX_SAMPLES + 1];
    double length[EDGE_PATH_MAX_SAMPLES + 1];
} curve_samples;

static edge_side side_of(const tact_nurbs_edge *e, int k)
{
    return (edge_side){e->surface[k], e->loop[k], e->curve[k]};
}

/* ---- places ---- */

/* The point of a surface, and its derivatives if `along` is not NULL. */
static tact_vec3 point_at(const path_search *p, uint32_t surface, const double uv[2], tact_vec3 *along)
{
    const nurbs_model *m = p->model;
    const tact_vec3 *const all[2] = {p->points->from, p->points->to};
    tact_vec3 out[2][4];
    for (int i = 0; i < 2; i++)
        tact_nurbs_evaluate_at(&m->surfaces[surface], all[i] + m->first_point[surface], uv[0], uv[1], along != NULL,
                               out[i]);
    tact_vec3 sum[3];
    for (int k = 0; k < (along != NULL ? 3 : 1); k++)
        sum[k] = vec_mul_add(vec_scale(out[0][k], 1.0 - p->points->at), p->points->at, out[1][k]);
    if (along != NULL) {
        along[0] = sum[2];
        along[1] = sum[1];
    }
    return sum[0];
}

static tact_vec3 point_of_curve(const path_search *p, edge_side side, double fraction)
{
    double uv[2];
    tact_nurbs_edge_curve_point(p->model, side.surface, side.loop, side.curve, fraction, uv);
    return point_at(p, side.surface, uv, NULL);
}

static path_end end_at(const path_search *p, const tact_nurbs_location *at)
{
    path_end e = {.surface = at->surface, .uv = {at->u, at->v}};
    (void)point_at(p, e.surface, e.uv, e.along);
    return e;
}

/* The length of the straight way from a place to a point of a curve on its surface. */
static double length_to_curve(const path_search *p, const path_end *e, edge_side side, double fraction)
{
    double uv[2];
    tact_nurbs_edge_curve_point(p->model, side.surface, side.loop, side.curve, fraction, uv);
    return vec_length_safe(vec_mul_add(vec_scale(e->along[0], uv[0] - e->uv[0]), uv[1] - e->uv[1], e->along[1]));
}

/* ---- curves ---- */

static uint32_t sample_count(const nurbs_model *m, edge_side side)
{
    const nurbs_trim *trim = m->trims[side.surface];
    const nurbs_surface *s = &m->surfaces[side.surface];
    const size_t wanted =
        2 * (trim != NULL ? trim->loops[side.loop].curves[side.curve].count : s->counts[side.curve % 2]);
    return wanted < EDGE_PATH_MIN_SAMPLES   ? EDGE_PATH_MIN_SAMPLES
           : wanted > EDGE_PATH_MAX_SAMPLES ? EDGE_PATH_MAX_SAMPLES
                                            : (uint32_t)wanted;
}

/* A fraction between `low` and `high` at which a distance is least; it has one minimum there. */
typedef struct curve_distance {
    const path_search *search;
    const path_end *end; /* the way from it; NULL: from `point` */
    tact_vec3 point;
    edge_side side;
} curve_distance;

static double distance_at(const curve_distance *c, double fraction)
{
    return c->end != NULL ? length_to_curve(c->search, c->end, c->side, fraction)
                          : vec_length_safe(vec_sub(point_of_curve(c->search, c->side, fraction), c->point));
}

static double find_minimum(const curve_distance *c, double low, double high, double *at)
{
    for (int i = 0; i < EDGE_PATH_ITERATIONS; i++) {
        const double third = (high - low) / 3.0;
        if (distance_at(c, low + third) <= distance_at(c, high - third))
            high -= third;
        else
            low += third;
    }
    *at = 0.5 * (low + high);
    return distance_at(c, *at);
}

/* The point of a curve that is nearest to a place, and how far it is. */
static double find_foot(const path_search *p, const path_end *e, edge_side side, double *at)
{
    const uint32_t n = sample_count(p->model, side);
    uint32_t best = 0;
    double least = INFINITY;
    for (uint32_t i = 0; i <= n; i++) {
        const double d = length_to_curve(p, e, side, (double)i / n);
        if (d < least) {
            least = d;
            best = i;
        }
    }
    const curve_distance c = {.search = p, .end = e, .side = side};
    const double d = find_minimum(&c, best > 0 ? (best - 1.0) / n : 0.0, best < n ? (best + 1.0) / n : 1.0, at);
    if (best > 0 && best < n)
        return d;
    double other_at; /* of a closed curve, both ends are the same point */
    const double other = find_minimum(&c, best > 0 ? 0.0 : (n - 1.0) / n, best > 0 ? 1.0 / n : 1.0, &other_at);
    if (other < d)
        *at = other_at;
    return number_min(d, other);
}

static void sample(const path_search *p, edge_side side, curve_samples *s)
{
    s->count = sample_count(p->model, side);
    s->length[0] = 0.0;
    for (uint32_t i = 0; i <= s->count; i++) {
        s->at[i] = point_of_curve(p, side, (double)i / s->count);
        if (i > 0)
            s->length[i] = s->length[i - 1] + vec_length_safe(vec_sub(s->at[i], s->at[i - 1]));
    }
}

static double total_length(const curve_samples *s) { return s->length[s->count]; }

static double length_at(const curve_samples *s, double fraction)
{
    const double place = number_min(number_max(fraction, 0.0), 1.0) * s->count;
    const uint32_t i = place < s->count - 1.0 ? (uint32_t)place : s->count - 1;
    return s->length[i] + (place - i) * (s->length[i + 1] - s->length[i]);
}

/* The point at a part of the length, 0 to 1. */
static tact_vec3 point_at_length(const curve_samples *s, double part)
{
    uint32_t i = 0;
    while (i + 1 < s->count && s->length[i + 1] < part * total_length(s))
        i++;
    const double step = s->length[i + 1] - s->length[i],
                 at = step > 0.0 ? number_min((part * total_length(s) - s->length[i]) / step, 1.0) : 0.0;
    return vec_mul_add(vec_scale(s->at[i], 1.0 - at), at, s->at[i + 1]);
}

/* Whether both curves of an edge have the same direction. */
static bool same_direction(const curve_samples *a, const curve_samples *b)
{
    static const double parts[4] = {0.0, 0.25, 0.75, 1.0};
    double along = 0.0, against = 0.0;
    for (int i = 0; i < 4; i++) {
        const tact_vec3 p = point_at_length(a, parts[i]);
        along += vec_length_safe(vec_sub(p, point_at_length(b, parts[i])));
        against += vec_length_safe(vec_sub(p, point_at_length(b, 1.0 - parts[i])));
    }
    return along <= against;
}

/* ---- along an edge ---- */

static double length_between(double a, double b, double total, bool closed)
{
    const double length = fabs(a - b);
    return closed ? number_min(length, total - length) : length;
}

/* The point of curve `b` that is the same as a point of curve `a`: the nearest one within EDGE_PATH_SEARCH of the
 * same part of the length. Returns their distance. */
static double find_same(const path_search *p, const curve_samples *a, edge_side side_b, const curve_samples *b,
                        double at_a, tact_vec3 point, bool closed, double *at_b)
{
    const double part = length_at(a, at_a) / total_length(a),
                 middle = (same_direction(a, b) ? part : 1.0 - part) * total_length(b),
                 reach = EDGE_PATH_SEARCH * total_length(b);
    double least = INFINITY;
    for (uint32_t i = 0; i < b->count; i++) { /* steps of which a part is near */
        const double step = b->length[i + 1] - b->length[i], centre = b->length[i] + 0.5 * step;
        if (length_between(middle, centre, total_length(b), closed) > reach + 0.5 * step)
            continue;
        const tact_vec3 way = vec_sub(b->at[i + 1], b->at[i]);
        const double square = vec_length_squared(way),
                     place = square > 0.0 ? vec_dot(vec_sub(point, b->at[i]), way) / square : 0.0,
                     inside = number_min(number_max(place, 0.0), 1.0),
                     distance = vec_length_safe(vec_sub(vec_mul_add(b->at[i], inside, way), point));
        if (distance < least) {
            least = distance;
            *at_b = (i + inside) / b->count;
        }
    }
    if (!(least < INFINITY))
        return least;
    const curve_distance c = {.search = p, .point = point, .side = side_b};
    return find_minimum(&c, number_max(*at_b - 1.0 / b->count, 0.0), number_min(*at_b + 1.0 / b->count, 1.0), at_b);
}

static bool joined_along(const path_search *p, edge_side side_a, const path_end *a, edge_side side_b, const path_end *b)
{
    double at_a, at_b, same;
    const double way_a = find_foot(p, a, side_a, &at_a);
    if (!(way_a <= p->limit))
        return false;
    const double way_b = find_foot(p, b, side_b, &at_b);
    if (!(way_a + way_b <= p->limit))
        return false;
    curve_samples curve_a, curve_b;
    sample(p, side_a, &curve_a);
    sample(p, side_b, &curve_b);
    if (!(total_length(&curve_a) > 0.0) || !(total_length(&curve_b) > 0.0))
        return false;
    const bool closed = vec_length_safe(vec_sub(curve_b.at[0], curve_b.at[curve_b.count])) <= p->limit;
    const double gap = find_same(p, &curve_a, side_b, &curve_b, at_a, point_of_curve(p, side_a, at_a), closed, &same);
    const double along =
        length_between(length_at(&curve_b, same), length_at(&curve_b, at_b), total_length(&curve_b), closed);
    return way_a + gap + along + way_b <= p->limit;
}

/* ---- around corners ---- */

/* The end of the other curve of an edge that is end `end` of the curve `side`, by distance. */
static int other_end(const path_search *p, edge_side side, edge_side other, int end)
{
    double along = 0.0, against = 0.0;
    for (int i = 0; i < 2; i++) {
        const tact_vec3 at = point_of_curve(p, side, i);
        along += vec_length_safe(vec_sub(at, point_of_curve(p, other, i)));
        against += vec_length_safe(vec_sub(at, point_of_curve(p, other, 1 - i)));
    }
    return along <= against ? end : 1 - end;
}

/* The edge of a curve, and its other side. False: there is none. */
static bool find_other_side(const nurbs_model *m, edge_side side, edge_side *other)
{
    for (size_t i = 0; i < m->edge_count; i++)
        for (int k = 0; k < 2; k++) {
            const tact_nurbs_edge *e = &m->edges[i];
            if (e->surface[k] == side.surface && e->loop[k] == side.loop && e->curve[k] == side.curve) {
                *other = side_of(e, 1 - k);
                return true;
            }
        }
    return false;
}

/* From an end of a curve of the surface of `a` around the corner there. */
static bool joined_around(const path_search *p, edge_side side, int end, const path_end *a, const path_end *b)
{
    const double way = length_to_curve(p, a, side, end);
    if (!(way <= p->limit))
        return false;
    edge_side other;
    for (int i = 0; i < EDGE_PATH_CORNER && find_other_side(p->model, side, &other); i++) {
        end = other_end(p, side, other, end);
        if (other.surface == b->surface && way + length_to_curve(p, b, other, end) <= p->limit)
            return true;
        const uint32_t count = tact_nurbs_loop_curve_count(p->model, other.surface, other.loop);
        other.curve = (end == 0 ? other.curve + count - 1 : other.curve + 1) % count; /* beyond the corner */
        end = 1 - end;
        side = other;
    }
    return false;
}

bool tact_nurbs_are_edge_neighbours(const nurbs_model *model, const nurbs_moving_points *points,
                                    const tact_nurbs_location *a, const tact_nurbs_location *b, double limit)
{
    const path_search p = {model, points, limit};
    if (model->edge_count == 0 || !a->on_surface || !b->on_surface)
        return false;
    const path_end ends[2] = {end_at(&p, a), end_at(&p, b)};
    for (size_t i = 0; i < model->edge_count; i++)
        for (int k = 0; k < 2; k++) {
            const edge_side side = side_of(&model->edges[i], k), other = side_of(&model->edges[i], 1 - k);
            if (side.surface != a->surface)
                continue;
            if ((other.surface == b->surface && joined_along(&p, side, &ends[0], other, &ends[1])) ||
                joined_around(&p, side, 0, &ends[0], &ends[1]) || joined_around(&p, side, 1, &ends[0], &ends[1]))
                return true;
        }
    return false;
}
