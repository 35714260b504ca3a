#include "nurbs/nurbs_trim.h"

#include <math.h>
#include <string.h>

#include "core/number.h"
#include "core/report.h"
#include "math/elementary.h"
#include "nurbs/nurbs_trim_rows.h"

static bool out_of_memory(tact_report *report)
{
    return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory"), false;
}

static bool bad(tact_report *report, size_t loop, size_t curve, const char *text)
{
    return tact_report_fill(report, TACT_BAD_ARGUMENT, "trimming loop %zu, curve %zu: %s", loop, curve, text), false;
}

/* ---- checks ---- */

static bool check_curve(const tact_nurbs_curve *c, size_t loop, size_t curve, tact_report *report)
{
    if (c->degree < 1 || c->degree > TACT_NURBS_MAX_DEGREE)
        return bad(report, loop, curve, "the degree is not 1 to 15");
    if (c->count < (size_t)c->degree + 1 || c->count > NURBS_MAX_TRIM_POINTS)
        return bad(report, loop, curve, "the number of control points is not degree + 1 to 2^20");
    if (c->knots == NULL || c->points == NULL)
        return bad(report, loop, curve, "knots or points are missing (NULL)");
    for (size_t i = 0; i < c->count + (size_t)c->degree + 1; i++)
        if (!(fabs(c->knots[i]) <= NURBS_MAX_KNOT) || (i > 0 && !(c->knots[i] >= c->knots[i - 1])))
            return bad(report, loop, curve, "a knot is not finite, or smaller than the one before it");
    if (!(c->knots[c->degree] < c->knots[c->count]))
        return bad(report, loop, curve, "its domain is empty");
    for (size_t i = 0; i < c->count; i++)
        if (!(fabs(c->points[i][0]) <= NURBS_MAX_KNOT && fabs(c->points[i][1]) <= NURBS_MAX_KNOT) ||
            (c->weights != NULL && !(c->weights[i] >= 1.0 / NURBS_MAX_WEIGHT && c->weights[i] <= NURBS_MAX_WEIGHT)))
            return bad(report, loop, curve, "a control point or weight is not finite, or a weight is not positive");
    return true;
}

/* ---- polylines ---- */

/* A control point of a curve: (w u, w v, w). */
typedef struct curve_point {
    double u, v, w;
} curve_point;

typedef struct curve_flattener {
    nurbs_trim *trim;
    const tact_allocator *allocator;
    tact_report *report;
    double accuracy[2];
} curve_flattener;

static bool add_vertex(curve_flattener *f, double u, double v)
{
    trim_vertex_array *all = &f->trim->vertices;
    if (all->count >= NURBS_MAX_TRIM_POINTS)
        return tact_report_fill(f->report, TACT_BAD_ARGUMENT, "the trimming curves need more than a million points"),
               false;
    return trim_vertex_array_push(all, f->allocator, (trim_vertex){u, v}) || out_of_memory(f->report);
}

/* The largest distances of the control points of a Bezier curve from those of a line with the same ends: a bound of the
 * distance between the curve and its chord, since weights are positive. */
static bool is_flat(const curve_flattener *f, const curve_point *net, int count)
{
    const curve_point a = net[0], b = net[count - 1];
    const double u0 = a.u / a.w, v0 = a.v / a.w, du = b.u / b.w - u0, dv = b.v / b.w - v0;
    /* lengths in units of the accuracy */
    const double x = du / f->accuracy[0], y = dv / f->accuracy[1], square = x * x + y * y;
    for (int i = 1; i + 1 < count; i++) {
        const double pu = (net[i].u / net[i].w - u0) / f->accuracy[0], pv = (net[i].v / net[i].w - v0) / f->accuracy[1];
        const double along = square > 0.0 ? number_min(1.0, number_max(0.0, (pu * x + pv * y) / square)) : 0.0;
        if (!(tact_hypot(pu - along * x, pv - along * y) <= 1.0))
            return false;
    }
    return true;
}

/* Appends the vertices of a Bezier curve after its first. */
static bool flatten(curve_flattener *f, curve_point *net, int count, int depth)
{
    if (depth == 0 || is_flat(f, net, count))
        return add_vertex(f, net[count - 1].u / net[count - 1].w, net[count - 1].v / net[count - 1].w);
    curve_point high[NURBS_MAX_ORDER];
    const int last = count - 1;
    high[last] = net[last];
    for (int r = 1; r <= last; r++) { /* de Casteljau: net becomes the first half */
        for (int i = last; i >= r; i--)
            net[i] = (curve_point){0.5 * (net[i - 1].u + net[i].u), 0.5 * (net[i - 1].v + net[i].v),
                                   0.5 * (net[i - 1].w + net[i].w)};
        high[last - r] = net[last];
    }
    return flatten(f, net, count, depth - 1) && flatten(f, high, count, depth - 1);
}

/* The point of a span by the algorithm of de Boor, with control points as blossoms: the blossom at `arguments`. */
static curve_point blossom(const tact_nurbs_curve *c, size_t span, const double *arguments)
{
    curve_point d[NURBS_MAX_ORDER];
    const int p = c->degree;
    for (int i = 0; i <= p; i++) {
        const size_t k = span - (size_t)p + (size_t)i;
        const double w = c->weights != NULL ? c->weights[k] : 1.0;
        d[i] = (curve_point){w * c->points[k][0], w * c->points[k][1], w};
    }
    for (int r = 1; r <= p; r++)
        for (int i = p; i >= r; i--) {
            const double low = c->knots[span - (size_t)p + (size_t)i], high = c->knots[span + (size_t)(i - r) + 1];
            const double a = (arguments[r - 1] - low) / (high - low);
            d[i] = (curve_point){(1.0 - a) * d[i - 1].u + a * d[i].u, (1.0 - a) * d[i - 1].v + a * d[i].v,
                                 (1.0 - a) * d[i - 1].w + a * d[i].w};
        }
    return d[p];
}

void tact_nurbs_trim_curve_point(const tact_nurbs_curve *c, double t, double uv[2])
{
    size_t span = (size_t)c->degree; /* the last one of positive length that begins at t or before */
    for (size_t i = span; i < c->count; i++)
        span = c->knots[i] < c->knots[i + 1] && (c->knots[i] <= t || !(c->knots[span] < c->knots[span + 1])) ? i : span;
    double arguments[NURBS_MAX_ORDER];
    for (int i = 0; i < c->degree; i++)
        arguments[i] = t;
    const curve_point p = blossom(c, span, arguments);
    uv[0] = p.u / p.w;
    uv[1] = p.v / p.w;
}

/* Appends the vertices of a curve; its first one only if `first`. */
static bool flatten_curve(curve_flattener *f, const tact_nurbs_curve *c, bool first)
{
    for (size_t span = (size_t)c->degree; span < c->count; span++) {
        const double low = c->knots[span], high = c->knots[span + 1];
        if (!(low < high))
            continue;
        curve_point net[NURBS_MAX_ORDER];
        for (int a = 0; a <= c->degree;
             a++) { /* Bezier control point a: the blossom at `low` degree - a times, `high` a times */
            double arguments[NURBS_MAX_ORDER];
            for (int i = 0; i < c->degree; i++)
                arguments[i] = i < c->degree - a ? low : high;
            net[a] = blossom(c, span, arguments);
        }
        if (first && !add_vertex(f, net[0].u / net[0].w, net[0].v / net[0].w))
            return false;
        first = false;
        if (!flatten(f, net, c->degree + 1, NURBS_TRIM_DEPTH))
            return false;
    }
    return true;
}

static bool flatten_loop(curve_flattener *f, const tact_nurbs_loop *loop, size_t number, const double size[2])
{
    nurbs_trim *t = f->trim;
    const size_t begin = t->vertices.count;
    if (loop->curves == NULL || loop->curve_count == 0)
        return bad(f->report, number, 0, "there is no curve");
    for (size_t i = 0; i < loop->curve_count; i++) {
        if (!check_curve(&loop->curves[i], number, i, f->report))
            return false;
        const size_t joint = t->vertices.count;
        if (!flatten_curve(f, &loop->curves[i], true))
            return false;
        if (i > 0) { /* the first vertex of this curve is the last of the one before */
            const trim_vertex a = t->vertices.items[joint - 1], b = t->vertices.items[joint];
            if (!(fabs(a.u - b.u) <= NURBS_TRIM_GAP * size[0] && fabs(a.v - b.v) <= NURBS_TRIM_GAP * size[1]))
                return bad(f->report, number, i, "it does not begin where the curve before it ends");
            /* one vertex: two would be rounded apart, and where they are on the border the loop would cross itself */
            memmove(&t->vertices.items[joint], &t->vertices.items[joint + 1],
                    (t->vertices.count - joint - 1) * sizeof *t->vertices.items);
            t->vertices.count--;
        }
    }
    const trim_vertex a = t->vertices.items[begin], b = t->vertices.items[t->vertices.count - 1];
    if (!(fabs(a.u - b.u) <= NURBS_TRIM_GAP * size[0] && fabs(a.v - b.v) <= NURBS_TRIM_GAP * size[1]))
        return bad(f->report, number, loop->curve_count - 1, "the loop is not closed: its end is not its beginning");
    if (t->vertices.count - begin > 1)
        t->vertices.count--;
    return trim_size_array_push(&t->loop_ends, f->allocator, (uint32_t)t->vertices.count) || out_of_memory(f->report);
}

/* ---- division by patches ---- */

/* Where a point of the parameter plane is, in one direction. */
typedef struct trim_place {
    int32_t span; /* -1: before the domain; span_count: after it */
    int32_t local;
} trim_place;

static int32_t odd_local(double fraction)
{
    const double scaled = floor(fraction * (0.5 * NURBS_GRID)); /* 2 k + 1 */
    const int32_t k = scaled < 0.0 ? 0 : scaled > 0.5 * NURBS_GRID - 1.0 ? NURBS_GRID / 2 - 1 : (int32_t)scaled;
    return 2 * k + 1;
}

static trim_place place_of(const nurbs_surface *s, int d, double t)
{
    const double low = s->knots[d][s->degree[d]], high = s->knots[d][s->counts[d]];
    if (t < low)
        return (trim_place){-1, 1};
    if (t >= high)
        return (trim_place){(int32_t)s->span_count[d], 1};
    const uint32_t span = tact_nurbs_find_span(s, d, t);
    const double *knot = s->knots[d] + s->spans[d][span];
    return (trim_place){(int32_t)span, odd_local((t - knot[0]) / (knot[1] - knot[0]))};
}

/* One step along a loop: a vertex, or the crossing of a line between spans. */
typedef struct trim_item {
    int32_t a, b;     /* spans; of a crossing those before it */
    trim_point point; /* in patch (a, b) */
    int8_t step[2];   /* crossing: by how much the span changes; vertex: 0, 0 */
} trim_item;

ARRAY_OF(trim_item_array, trim_item);

typedef struct loop_divider {
    const nurbs_surface *surface;
    nurbs_trim *trim;
    const tact_allocator *allocator;
    trim_item_array items;
    bool corner_inside; /* of the domain: loops cross the line from there along -u an odd number of times */
} loop_divider;

/* Pushes points on the border of the domain out of it, so that the border itself bounds the surface there. A point
 * moves by at most 2 NURBS_TRIM_GAP of the domain. */
static double pushed(const nurbs_surface *s, int d, double t)
{
    const double low = s->knots[d][s->degree[d]], high = s->knots[d][s->counts[d]], gap = NURBS_TRIM_GAP * (high - low);
    return t < low + gap ? number_min(t, low - gap) : t > high - gap ? number_max(t, high + gap) : t;
}

/* Whether a coordinate was pushed out of the domain across a line between spans: to the same place always. */
static bool is_pushed(const nurbs_surface *s, int d, double t, int32_t line)
{
    const double low = s->knots[d][s->degree[d]], high = s->knots[d][s->counts[d]], gap = NURBS_TRIM_GAP * (high - low);
    return line == 0 ? t == low - gap : line == (int32_t)s->span_count[d] && t == high + gap;
}

/* Appends the crossings of the segment from p to q, in order, and q. */
static bool add_segment(loop_divider *d, trim_vertex p, trim_vertex q)
{
    const nurbs_surface *s = d->surface;
    trim_place at[2] = {place_of(s, 0, p.u), place_of(s, 1, p.v)}, end[2] = {place_of(s, 0, q.u), place_of(s, 1, q.v)};
    const double from[2] = {p.u, p.v}, to[2] = {q.u, q.v};
    double last = 0.0;
    while (at[0].span != end[0].span || at[1].span != end[1].span) {
        double when[2] = {INFINITY, INFINITY};
        int32_t lines[2] = {0, 0};
        for (int k = 0; k < 2; k++)
            if (at[k].span != end[k].span) { /* the line before or after the present span */
                const bool up = end[k].span > at[k].span;
                const int32_t line = lines[k] = up ? at[k].span + 1 : at[k].span;
                const double t =
                    line < (int32_t)s->span_count[k] ? s->knots[k][s->spans[k][line]] : s->knots[k][s->counts[k]];
                when[k] = number_min(1.0, number_max(last, (t - from[k]) / (to[k] - from[k])));
            }
        const int k = when[0] <= when[1] ? 0 : 1, other = 1 - k;
        const bool up = end[k].span > at[k].span;
        last = when[k];
        /* the place in the other direction, in its present span */
        int32_t along = 1;
        if (at[other].span >= 0 && at[other].span < (int32_t)s->span_count[other]) {
            const double *knot = s->knots[other] + s->spans[other][at[other].span];
            /* a vertex on the border, which was pushed out of the domain, crosses it at its own place: so loops that
             * meet at a seam cross it at the same place */
            const double place = is_pushed(s, k, to[k], lines[k])     ? to[other]
                                 : is_pushed(s, k, from[k], lines[k]) ? from[other]
                                                                      : from[other] + last * (to[other] - from[other]);
            along = odd_local((place - knot[0]) / (knot[1] - knot[0]));
        }
        const int32_t side = up ? NURBS_GRID : 0;
        const trim_item item = {at[0].span,
                                at[1].span,
                                k == 0 ? (trim_point){side, along} : (trim_point){along, side},
                                {(int8_t)(k == 0 ? (up ? 1 : -1) : 0), (int8_t)(k == 1 ? (up ? 1 : -1) : 0)}};
        if (!trim_item_array_push(&d->items, d->allocator, item))
            return false;
        d->corner_inside ^= k == 1 && at[0].span == -1 && at[1].span == (up ? -1 : 0);
        at[k].span += up ? 1 : -1;
    }
    const trim_item vertex = {end[0].span, end[1].span, {end[0].local, end[1].local}, {0, 0}};
    return trim_item_array_push(&d->items, d->allocator, vertex);
}

static bool in_domain(const nurbs_surface *s, int32_t a, int32_t b)
{
    return a >= 0 && b >= 0 && a < (int32_t)s->span_count[0] && b < (int32_t)s->span_count[1];
}

static bool begin_chain(loop_divider *d, int32_t a, int32_t b, bool closed)
{
    const uint32_t patch = (uint32_t)a * d->surface->span_count[1] + (uint32_t)b;
    return trim_chain_array_push(&d->trim->chains, d->allocator,
                                 (trim_chain){patch, (uint32_t)d->trim->points.count, 0, closed});
}

/* Appends a point to the last chain, unless it repeats the point before. */
static bool add_point(loop_divider *d, trim_point p)
{
    trim_chain *chain = &d->trim->chains.items[d->trim->chains.count - 1];
    const trim_point *before =
        chain->point_count > 0 ? d->trim->points.items + chain->first_point + chain->point_count - 1 : NULL;
    if (before != NULL && before->x == p.x && before->y == p.y)
        return true;
    chain->point_count++;
    return trim_point_array_push(&d->trim->points, d->allocator, p);
}

/* Makes chains of the items of a loop. */
static bool add_chains(loop_divider *d)
{
    const nurbs_surface *s = d->surface;
    const size_t count = d->items.count;
    size_t start = 0;
    while (start < count && d->items.items[start].step[0] == 0 && d->items.items[start].step[1] == 0)
        start++;
    if (start == count) { /* in one patch, or outside */
        const trim_item *first = d->items.items;
        if (!in_domain(s, first->a, first->b))
            return true;
        if (!begin_chain(d, first->a, first->b, true))
            return false;
        for (size_t i = 0; i < count; i++)
            if (!add_point(d, d->items.items[i].point))
                return false;
        trim_chain *chain = &d->trim->chains.items[d->trim->chains.count - 1];
        const trim_point *points = d->trim->points.items + chain->first_point;
        while (chain->point_count > 1 && points[0].x == points[chain->point_count - 1].x &&
               points[0].y == points[chain->point_count - 1].y)
            chain->point_count--;
        if (chain->point_count < 3)
            d->trim->chains.count--; /* it encloses nothing */
        return true;
    }
    bool open = false;
    for (size_t i = 0; i <= count; i++) {
        const trim_item *item = &d->items.items[(start + i) % count];
        const bool crossing = item->step[0] != 0 || item->step[1] != 0;
        if (open && !add_point(d, item->point))
            return false;
        if (!crossing)
            continue;
        const int32_t a = item->a + item->step[0], b = item->b + item->step[1];
        open = i < count && in_domain(s, a, b);
        trim_point entry = item->point;
        if (item->step[0] != 0)
            entry.x = NURBS_GRID - entry.x;
        else
            entry.y = NURBS_GRID - entry.y;
        if (open && !(begin_chain(d, a, b, false) && add_point(d, entry)))
            return false;
    }
    return true;
}

static bool divide_loops(loop_divider *d)
{
    const nurbs_trim *t = d->trim;
    for (size_t loop = 0, begin = 0; loop < t->loop_ends.count; begin = t->loop_ends.items[loop++]) {
        const size_t end = t->loop_ends.items[loop];
        d->items.count = 0;
        for (size_t i = begin; i < end; i++) {
            const trim_vertex p = t->vertices.items[i], q = t->vertices.items[i + 1 < end ? i + 1 : begin];
            if (!add_segment(d, p, q))
                return false;
        }
        if (!add_chains(d))
            return false;
    }
    return true;
}

/* ---- inside ---- */

bool tact_nurbs_trim_contains(const nurbs_trim *t, double u, double v)
{
    bool inside = false;
    for (size_t loop = 0, begin = 0; loop < t->loop_ends.count; begin = t->loop_ends.items[loop++])
        for (size_t i = begin, end = t->loop_ends.items[loop]; i < end; i++) {
            const trim_vertex p = t->vertices.items[i], q = t->vertices.items[i + 1 < end ? i + 1 : begin];
            if ((p.v <= v) != (q.v <= v) && p.u + (v - p.v) / (q.v - p.v) * (q.u - p.u) < u)
                inside = !inside;
        }
    return inside;
}

/* Sets `corner_inside`: `row`, that of the corner of the domain, and then one change for each chain that ends on a side
 * between two corners. */
static void set_corners(nurbs_trim *t, const nurbs_surface *s, bool row)
{
    const uint32_t width = s->span_count[1];
    memset(t->corner_inside, 0, t->patch_count);
    for (size_t i = 0; i < t->chains.count; i++) { /* bit 1: on side 0; bit 2: on side 3; parity of their numbers */
        const trim_chain *c = &t->chains.items[i];
        for (uint32_t end = 0; end < 2 && !c->closed; end++) {
            const trim_point p = t->points.items[c->first_point + (end == 0 ? 0 : c->point_count - 1)];
            t->corner_inside[c->patch] ^= (uint8_t)(p.y == 0 ? 2 : p.x == 0 ? 4 : 0);
        }
    }
    for (uint32_t b = 0; b < width; b++) {
        bool inside = row;
        row ^= (t->corner_inside[b] & 4) != 0;
        for (uint32_t a = 0; a < s->span_count[0]; a++) {
            uint8_t *corner = &t->corner_inside[a * width + b];
            const bool next = inside ^ ((*corner & 2) != 0);
            *corner = inside;
            inside = next;
        }
    }
}

/* ---- creation ---- */

static size_t knot_count(const tact_nurbs_curve *c) { return c->count + (size_t)c->degree + 1; }

/* Copies numbers to *to, which moves on, and returns their copy. */
static const double *copy_numbers(double **to, const double *from, size_t count)
{
    const double *copy = *to;
    memcpy(*to, from, count * sizeof *from);
    *to += count;
    return copy;
}

/* Copies the loops of a def, which have been checked. */
static bool copy_curves(nurbs_trim *t, const tact_nurbs_def *def, const tact_allocator *allocator)
{
    t->loop_count = def->trim_count;
    for (size_t i = 0; i < def->trim_count; i++) {
        t->curve_count += def->trims[i].curve_count;
        for (size_t j = 0; j < def->trims[i].curve_count; j++) {
            const tact_nurbs_curve *c = &def->trims[i].curves[j];
            t->number_count += knot_count(c) + (c->weights != NULL ? 3 : 2) * c->count;
        }
    }
    t->loops = tact_memory_allocate(allocator, t->loop_count, sizeof *t->loops);
    t->curves = tact_memory_allocate(allocator, t->curve_count, sizeof *t->curves);
    t->numbers = tact_memory_allocate(allocator, t->number_count, sizeof *t->numbers);
    if (t->loops == NULL || t->curves == NULL || t->numbers == NULL)
        return false;
    tact_nurbs_curve *copy = t->curves;
    double *to = t->numbers;
    for (size_t i = 0; i < def->trim_count; i++) {
        t->loops[i] = (tact_nurbs_loop){copy, def->trims[i].curve_count};
        for (size_t j = 0; j < def->trims[i].curve_count; j++) {
            const tact_nurbs_curve *c = &def->trims[i].curves[j];
            *copy = (tact_nurbs_curve){.degree = c->degree, .count = c->count};
            copy->knots = copy_numbers(&to, c->knots, knot_count(c));
            copy->points = (const double(*)[2])copy_numbers(&to, c->points[0], 2 * c->count);
            copy->weights = c->weights != NULL ? copy_numbers(&to, c->weights, c->count) : NULL;
            copy++;
        }
    }
    return true;
}

static bool make(nurbs_trim *t, const tact_nurbs_def *def, const nurbs_surface *s, const double accuracy[2],
                 const tact_allocator *allocator, tact_report *report)
{
    double size[2];
    for (int d = 0; d < 2; d++)
        size[d] = s->knots[d][s->counts[d]] - s->knots[d][s->degree[d]];
    curve_flattener f = {t, allocator, report, {accuracy[0], accuracy[1]}};
    for (size_t i = 0; i < def->trim_count; i++)
        if (!flatten_loop(&f, &def->trims[i], i, size))
            return false;
    if (!copy_curves(t, def, allocator))
        return out_of_memory(report);
    for (int d = 0; d < 2; d++) { /* closing gaps, pushing to the border, and rounding to odd numbers in two places */
        double longest = 0.0;
        for (uint32_t i = 0; i < s->span_count[d]; i++)
            longest = number_max(longest, s->knots[d][s->spans[d][i] + 1] - s->knots[d][s->spans[d][i]]);
        t->deviation[d] = accuracy[d] + 3.0 * NURBS_TRIM_GAP * size[d] + 4.0 * longest / NURBS_GRID;
    }
    for (size_t i = 0; i < t->vertices.count; i++) {
        t->vertices.items[i].u = pushed(s, 0, t->vertices.items[i].u);
        t->vertices.items[i].v = pushed(s, 1, t->vertices.items[i].v);
    }
    loop_divider d = {s, t, allocator, {0}, false};
    const bool fine = divide_loops(&d);
    trim_item_array_release(&d.items, allocator);
    t->patch_count = (size_t)s->span_count[0] * s->span_count[1];
    t->corner_inside = fine ? tact_memory_allocate(allocator, t->patch_count, 1) : NULL;
    if (t->corner_inside == NULL)
        return out_of_memory(report);
    set_corners(t, s, d.corner_inside);
    return tact_nurbs_trim_rows_init(&t->rows, t, allocator) || out_of_memory(report);
}

nurbs_trim *tact_nurbs_trim_create(const tact_nurbs_def *def, const nurbs_surface *surface, const double accuracy[2],
                                   const tact_allocator *allocator, tact_report *report)
{
    if (def->trims == NULL) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the trimming loops are missing (NULL)");
        return NULL;
    }
    nurbs_trim *t = tact_memory_allocate(allocator, 1, sizeof *t);
    if (t == NULL) {
        (void)out_of_memory(report);
        return NULL;
    }
    memset(t, 0, sizeof *t);
    if (make(t, def, surface, accuracy, allocator, report))
        return t;
    tact_nurbs_trim_free(t, allocator);
    return NULL;
}

void tact_nurbs_trim_free(nurbs_trim *t, const tact_allocator *allocator)
{
    if (t == NULL)
        return;
    trim_vertex_array_release(&t->vertices, allocator);
    trim_size_array_release(&t->loop_ends, allocator);
    trim_point_array_release(&t->points, allocator);
    trim_chain_array_release(&t->chains, allocator);
    tact_memory_free(allocator, t->corner_inside, t->patch_count, 1);
    tact_nurbs_trim_rows_release(&t->rows, allocator);
    tact_memory_free(allocator, t->loops, t->loop_count, sizeof *t->loops);
    tact_memory_free(allocator, t->curves, t->curve_count, sizeof *t->curves);
    tact_memory_free(allocator, t->numbers, t->number_count, sizeof *t->numbers);
    tact_memory_free(allocator, t, 1, sizeof *t);
}

size_t tact_nurbs_trim_byte_count(const nurbs_trim *t)
{
    return t == NULL ? 0
                     : sizeof *t + t->vertices.capacity * sizeof(trim_vertex) +
                           t->loop_ends.capacity * sizeof(uint32_t) + t->points.capacity * sizeof(trim_point) +
                           t->chains.capacity * sizeof(trim_chain) + t->patch_count + t->loop_count * sizeof *t->loops +
                           t->curve_count * sizeof *t->curves + t->number_count * sizeof *t->numbers;
}
