/*
 * The exact solver of vertex-face and edge-edge continuous collision detection.
 *
 * Guarantee: correct for all finite doubles, whatever the four points do, for any window of time. No allocation, every
 * loop is bounded. Cost: 0.5 to 2 us for ordinary coordinates, at most 5 ms whatever the exponents; 80 kB of stack.
 *
 * In integers (ccd_polynomials.h) contact times are roots of polynomials, and every question about them is the sign of
 * a quadratic at a root of a cubic, which math/poly.h decides. The four points are coplanar when the volume, a cubic f,
 * is zero. If f is not the zero polynomial, its at most three roots in the window are tested in order (ccd_touch.h).
 *
 * If f is the zero polynomial the points stay coplanar. They touch at the start of the window, or else first when a
 * point comes to lie on its edge: a vertex enters a face across an edge, and edges that intersect in their interiors
 * did so at an end just before. Such an event is a common root of the three components of an area where the span is not
 * positive; if all three are the zero polynomial, it is the first root of the span. The earliest event is the answer.
 *
 * Brochu, Edwards and Bridson 2012 ("Efficient geometrically exact continuous collision detection") count intersections
 * modulo two, which cannot tell two contacts from none and gives no time. Wang et al. 2021 ("A large scale benchmark
 * and an inclusion-based algorithm for continuous collision detection", Tight-Inclusion) have a ground truth in
 * symbolic algebra. Departure from both: signs at algebraic numbers, in plain integers.
 */
#include "ccd/ccd_bracket.h"
#include "ccd/ccd_polynomials.h"
#include "ccd/ccd_touch.h"
#include "ccd/feature_ccd.h"
#include "math/fp_environment.h"

/* A query under way. */
typedef struct exact_query {
    ccd_polynomials polynomials;
    double enter, exit;
    int grid;
    tact_ccd *answer;
} exact_query;

static contact_time locate_root(exact_query *s, const poly_roots *roots, int k)
{
    contact_time when = {roots, k, s->enter, s->enter, false};
    if (k < roots->first + roots->count_at_from)
        return when;
    when.from = when.to = s->exit;
    if (k < roots->last - roots->count_at_to)
        tact_ccd_bracket(s->polynomials.workspace, roots, k, s->enter, s->exit, s->grid, &when.from, &when.to);
    return when;
}

/* Do they touch at this time? If so it becomes the answer. */
static bool accept_contact(exact_query *s, const contact_time *when)
{
    contact_test touch = tact_ccd_touch(&s->polynomials, when);
    if (touch == TEST_APART)
        return false;
    s->answer->state = TACT_HIT;
    s->answer->degenerate = touch == TEST_DEGENERATE;
    s->answer->lower = when->from;
    s->answer->upper = when->to;
    return true;
}

/* The points are coplanar at the roots of the volume. */
static void solve_roots(exact_query *s, const poly *volume)
{
    poly_roots roots = tact_poly_roots_find(s->polynomials.workspace, volume, s->enter, s->exit);
    bool found = false;
    for (int k = roots.first; k < roots.last && !found; ++k) {
        contact_time when = locate_root(s, &roots, k);
        found = accept_contact(s, &when);
    }
}

/* The first time in the window, not at its start, at which a point lies on its edge: the polynomial and the number of
 * its root. The degree is -1 if there is none. */
static poly_roots point_edge_event(exact_query *s, int point_edge, int *k)
{
    ccd_polynomials *polynomials = &s->polynomials;
    const poly *area[3], *span = tact_ccd_span(polynomials, point_edge);
    int leading = -1;
    for (int axis = 2; axis >= 0; --axis) {
        area[axis] = tact_ccd_area(polynomials, point_edge, axis);
        if (area[axis]->degree >= 0)
            leading = axis;
    }
    const poly_roots never = {.f = {.degree = -1}};
    const poly *f = leading >= 0 ? area[leading] : span;
    if (f->degree <= 0)
        return never;
    poly_roots roots = tact_poly_roots_find(polynomials->workspace, f, s->enter, s->exit);
    for (*k = roots.first; *k < roots.last; ++*k) {
        bool on = true;
        for (int axis = 0; axis < 3 && on && leading >= 0; ++axis)
            on = axis == leading || tact_poly_root_sign(polynomials->workspace, &roots, *k, area[axis]) == 0;
        if (on && (leading < 0 || tact_poly_root_sign(polynomials->workspace, &roots, *k, span) <= 0))
            return roots;
    }
    return never;
}

/* The points are coplanar all the time. */
static void solve_coplanar(exact_query *s)
{
    contact_time when = {NULL, 0, s->enter, s->enter, false};
    if (accept_contact(s, &when))
        return;
    poly_roots events[CCD_MAX_POINT_EDGES];
    int k[CCD_MAX_POINT_EDGES], earliest = -1;
    for (int i = 0; i < s->polynomials.point_edge_count; ++i) {
        events[i] = point_edge_event(s, i, &k[i]);
        if (events[i].f.degree >= 0 &&
            (earliest < 0 || tact_poly_root_compare_root(s->polynomials.workspace, &events[i], k[i], &events[earliest],
                                                         k[earliest]) < 0))
            earliest = i;
    }
    if (earliest < 0)
        return;
    when = locate_root(s, &events[earliest], k[earliest]);
    bool found = accept_contact(s, &when);
    assert(found);
    (void)found;
}

TACT_NOINLINE static void solve_window(exact_query *s, tact_ccd_kind kind, const tact_vec3 start[4],
                                       const tact_vec3 end[4], const tact_ccd_def *def)
{
    uint64_t words[CCD_WORKSPACE_WORDS];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    s->enter = def->enter + 0.0; /* -0 becomes 0 */
    s->exit = def->exit + 0.0;
    s->grid = ccd_grid_exponent(def);
    tact_ccd_polynomials_init(&s->polynomials, &workspace, kind, start, end, def->velocities);
    const poly *volume = tact_ccd_volume(&s->polynomials);
    if (volume->degree >= 0)
        solve_roots(s, volume);
    else
        solve_coplanar(s);
}

tact_ccd tact_ccd_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def)
{
    tact_ccd answer = {.status = TACT_OK, .state = TACT_MISS};
    exact_query s;
    s.answer = &answer;
    fp_environment before = fp_environment_enter();
    solve_window(&s, kind, start, end, def);
    if (answer.state == TACT_HIT)
        tact_ccd_fill_contact(kind, start, end, def,
                              &answer); /* after the search, so that the two do not use stack at the same time */
    fp_environment_leave(before);
    return answer;
}
