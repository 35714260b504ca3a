/*
 * The exact solver of contacts on linear paths.
 *
 * Guarantee: all contacts, for all coordinates and times up to 1e150, whatever the four points do. No allocation, every
 * loop is bounded. Cost: 3 to 10 us for ordinary coordinates, at most some 20 ms whatever the exponents; 290 kB of
 * stack.
 *
 * The points are fractions of integers, linear in time (path_pair.h). Multiplied by the denominators, their differences
 * give the polynomials of ccd_polynomials.h, and their roots and signs are decided as in ccd_exact.c. Time is counted
 * from an origin T: the start of the window, if the window is short relative to its distance from 0, and otherwise 0.
 * In either case t - T is a double for each double t of the window (Sterbenz 1974), and the polynomials are well
 * conditioned there.
 *
 * If the volume is not the zero polynomial, the pair touches at no other times than its roots, at most three. Each root
 * at which it touches is an interval of its own.
 *
 * If the volume is the zero polynomial, the points are always coplanar. Let C be the set of times of contact, and E_i
 * those at which the point of point-edge pair i lies on its edge. E_i is part of C. A time in C at which no point lies
 * on its edge is inside C: the vertex is strictly inside a face with area, or two edges that are not parallel intersect
 * strictly inside both. A time strictly inside an E_i is inside C, too. So where C begins or ends, some E_i does:
 *  - If the area of pair i is not always zero, E_i is a set of at most two instants: common roots of the components of
 *    the area at which the span is not positive.
 *  - If it is always zero, E_i begins and ends at the at most two roots of the span.
 * These roots are the *events*. The pair touches at each. Between two events, or an event and an end of the window, it
 * touches always or never: as just after the earlier of them, where signs follow from derivatives (ccd_touch.h). So no
 * number between two events is needed, however close they are.
 */
#include <math.h>

#include "ccd/ccd_bracket.h"
#include "ccd/ccd_constants.h"
#include "ccd/ccd_touch.h"
#include "ccd/path_pair.h"
#include "core/inline.h"

/* Words of a difference of two points, multiplied by two denominators (path_pair.h): 4723 + 3148 bits, and one more. */
#define PATH_DIFFERENCE_WORDS 123

/* As CCD_WORKSPACE_WORDS, with PATH_FRACTION_WORDS + 30 N for points and differences instead of 66 N. */
#define PATH_WORKSPACE_WORDS (PATH_FRACTION_WORDS + 254 * PATH_DIFFERENCE_WORDS)

#define PATH_MAX_EVENTS (2 * CCD_MAX_POINT_EDGES)

/* A query under way. Times of polynomials are relative to `origin`. */
typedef struct path_query {
    ccd_polynomials polynomials;
    double origin, enter, exit;
    path_contacts *contacts;
} path_query;

/* Doubles as integers in the same order. */
static int64_t order_of(double x)
{
    uint64_t bits = wide_bits_of_double(x);
    return bits >> 63 ? -(int64_t)(bits & INT64_MAX) : (int64_t)bits;
}

static double double_at(int64_t order)
{
    return order >= 0 ? ccd_double_of_bits((uint64_t)order) : -ccd_double_of_bits((uint64_t)-order);
}

/* Half the distance of two numbers, which may exceed the largest integer. */
static int64_t half_distance(int64_t low, int64_t high) { return (int64_t)(((uint64_t)high - (uint64_t)low) / 2); }

/* The neighbouring doubles (in time) between which a root strictly inside the window lies, or twice the double that it
 * is. Searches from an estimate outwards in growing steps, and then bisects. */
static void find_doubles(path_query *s, const poly_roots *roots, int k, double bracket[2])
{
    double origin = s->origin;
    int64_t low = order_of(s->enter + origin), high = order_of(s->exit + origin), stride = 1;
    bool below = false, above = false; /* has the search found a lower and an upper bound? */
    double guess = origin + tact_ccd_estimate_root(roots, k, s->enter, s->exit);
    int64_t probe = guess >= double_at(low) && guess <= double_at(high) ? order_of(guess) : low;
    while ((uint64_t)high - (uint64_t)low > 1) {
        probe = probe <= low ? low + 1 : probe >= high ? high - 1 : probe;
        double time = double_at(probe);
        int side = tact_poly_root_compare(s->polynomials.workspace, roots, k, time - origin);
        if (side == 0) {
            bracket[0] = bracket[1] = time + 0.0;
            return;
        }
        if (side > 0)
            low = probe;
        else
            high = probe;
        below = below || side > 0;
        above = above || side < 0;
        int64_t half = half_distance(low, high), step = stride < half || (below && above) ? stride : half;
        if (below && above)
            probe = low + half;
        else
            probe = side > 0 ? low + step : high - step;
        stride = stride < INT64_MAX / CCD_STRIDE_GROWTH ? stride * CCD_STRIDE_GROWTH : stride;
    }
    bracket[0] = double_at(low) + 0.0; /* -0 becomes 0 */
    bracket[1] = double_at(high) + 0.0;
}

static bool at_start(const poly_roots *roots, int k) { return k < roots->first + roots->count_at_from; }
static bool at_end(const poly_roots *roots, int k) { return k >= roots->last - roots->count_at_to; }

/* The time of a root, relative to the origin. */
static contact_time locate_root(path_query *s, const poly_roots *roots, int k, double bracket[2])
{
    contact_time when = {roots, k, s->enter, s->enter, false};
    if (at_end(roots, k))
        when.from = when.to = s->exit;
    bracket[0] = bracket[1] = when.from + s->origin;
    if (at_start(roots, k) || at_end(roots, k))
        return when;
    find_doubles(s, roots, k, bracket);
    when.from = bracket[0] - s->origin;
    when.to = bracket[1] - s->origin;
    return when;
}

static void add_contact(path_query *s, const double bracket[2], bool degenerate)
{
    assert(s->contacts->count < PATH_CCD_MAX_CONTACTS);
    s->contacts->at[s->contacts->count++] = (path_bracket){bracket[0], bracket[1], degenerate};
}

/* The points are coplanar at the roots of the volume. */
static void solve_roots(path_query *s, const poly *volume)
{
    wide_workspace *workspace = s->polynomials.workspace;
    poly_roots roots = tact_poly_roots_find(workspace, volume, s->enter, s->exit);
    for (int k = roots.first; k < roots.last; ++k) {
        double bracket[2];
        if (k > roots.first && tact_poly_roots_equal(workspace, &roots, k - 1))
            continue;
        contact_time when = locate_root(s, &roots, k, bracket);
        contact_test touch = tact_ccd_touch(&s->polynomials, &when);
        if (touch == TEST_APART)
            continue;
        add_contact(s, bracket, touch == TEST_DEGENERATE);
        s->contacts->at_enter = s->contacts->at_enter || at_start(&roots, k);
        s->contacts->at_exit = s->contacts->at_exit || at_end(&roots, k);
    }
}

/* A time at which a point lies on its edge: a root of a polynomial. */
typedef struct path_event {
    const poly_roots *roots;
    int k;
} path_event;

/* Inserts an event into the list in order of time, unless there is one at that time. */
static void insert_event(path_query *s, path_event events[PATH_MAX_EVENTS], int *count, path_event event)
{
    int at = *count;
    while (at > 0) {
        const path_event *other = &events[at - 1];
        int order = tact_poly_root_compare_root(s->polynomials.workspace, event.roots, event.k, other->roots, other->k);
        if (order == 0)
            return;
        if (order > 0)
            break;
        --at;
    }
    for (int i = *count; i > at; --i)
        events[i] = events[i - 1];
    events[at] = event;
    ++*count;
}

/* Adds the events of a point-edge pair that are after the start of the window. */
static void find_events(path_query *s, int point_edge, poly_roots *roots, path_event events[PATH_MAX_EVENTS],
                        int *count)
{
    ccd_polynomials *polynomials = &s->polynomials;
    const poly *area[3], *span = tact_ccd_span(polynomials, point_edge);
    int leading = -1;
    for (int axis = 2; axis >= 0; --axis) {
        area[axis] = tact_ccd_area(polynomials, point_edge, axis);
        if (area[axis]->degree >= 0)
            leading = axis;
    }
    const poly *f = leading >= 0 ? area[leading] : span;
    if (f->degree <= 0)
        return;
    *roots = tact_poly_roots_find(polynomials->workspace, f, s->enter, s->exit);
    for (int k = roots->first + roots->count_at_from; k < roots->last; ++k) {
        bool on = true;
        for (int axis = 0; axis < 3 && on && leading >= 0; ++axis)
            on = axis == leading || tact_poly_root_sign(polynomials->workspace, roots, k, area[axis]) == 0;
        if (on && (leading < 0 || tact_poly_root_sign(polynomials->workspace, roots, k, span) <= 0))
            insert_event(s, events, count, (path_event){roots, k});
    }
}

static bool touches_after(path_query *s, contact_time when)
{
    when.just_after = true;
    return tact_ccd_touch(&s->polynomials, &when) != TEST_APART;
}

/* The points are coplanar all the time. */
static void solve_coplanar(path_query *s)
{
    poly_roots roots[CCD_MAX_POINT_EDGES];
    path_event events[PATH_MAX_EVENTS];
    int count = 0;
    contact_time when = {NULL, 0, s->enter, s->enter, false};
    double start = s->enter + s->origin;
    contact_test touch = tact_ccd_touch(&s->polynomials, &when);
    if (touch != TEST_APART)
        add_contact(s, (double[]){start, start}, touch == TEST_DEGENERATE);
    s->contacts->at_enter = touch != TEST_APART;
    if (s->enter == s->exit) {
        s->contacts->at_exit = s->contacts->at_enter;
        return;
    }
    for (int i = 0; i < s->polynomials.point_edge_count; ++i)
        find_events(s, i, &roots[i], events, &count);
    bool touching = touch != TEST_APART && touches_after(s, when);
    for (int i = 0; i < count; ++i) {
        double bracket[2];
        when = locate_root(s, events[i].roots, events[i].k, bracket);
        if (!touching) {
            touch = tact_ccd_touch(&s->polynomials, &when);
            assert(touch != TEST_APART);
            add_contact(s, bracket, touch == TEST_DEGENERATE);
        }
        touching = at_end(events[i].roots, events[i].k) || touches_after(s, when);
    }
    s->contacts->at_exit = touching;
}

/* The origin of time: see above. */
static double choose_origin(const path_pair *pair)
{
    bool far =
        pair->enter > 0.0 ? pair->exit <= 2.0 * pair->enter : pair->exit < 0.0 && pair->enter >= 2.0 * pair->exit;
    return far ? pair->enter : 0.0;
}

TACT_NOINLINE void tact_path_exact(const path_pair *pair, path_contacts *contacts)
{
    uint64_t words[PATH_WORKSPACE_WORDS];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    path_query s;
    ccd_fractions points;
    *contacts = (path_contacts){.count = 0};
    s.contacts = contacts;
    s.origin = pair->to != NULL ? 0.0 : choose_origin(pair);
    s.enter = pair->enter - s.origin;
    s.exit = pair->exit - s.origin;
    tact_path_fractions(&workspace, pair, s.origin, &points);
    tact_ccd_polynomials_init_fractions(&s.polynomials, &workspace, pair->kind, &points, false);
    const poly *volume = tact_ccd_volume(&s.polynomials);
    if (volume->degree >= 0)
        solve_roots(&s, volume);
    else
        solve_coplanar(&s);
}
