/*
 * The exact half of vertex-face and edge-edge continuous collision.
 *
 * Guarantee: right for all finite doubles, whatever the four points do, for any window of time; no allocation, every
 * loop bounded. Cost: 0.5 to 2 us on ordinary coordinates, at most 5 ms whatever the exponents; 80 kB of stack.
 *
 * In integers (ccd_flight.h) the times of contact are roots of polynomials, and all questions about them are signs of
 * quadratics at roots of cubics, which poly.h decides.
 *  - The four points are in one plane when the volume, a cubic f, is zero. If f is not the polynomial 0, its at most
 *    three roots in the window are looked at in order.
 *  - Do they touch at a root? In projection along axis k the areas a_i of the corners (ccd_flight.h) tell; n is the
 *    normal of the face, or the cross product of the edges.
 *    Vertex and face: if the vertex is in the face, with weights w_i, then a_i = w_i n_k. So two areas of opposite
 *    signs mean no. If none are, and not all are zero, then their sum, n_k, is not zero, the plane is projected one to
 *    one, and the answer is yes.
 *    Two edges: the areas of the ends of one with the other are a_0 and a_1, their difference is n_k; a_2 and a_3
 *    likewise. If they touch, all areas are multiples of n_k, those of two ends of opposite signs or zero. So two ends
 *    strictly on the same side mean no. If neither two are, and not all areas are zero, then n_k is not zero, and the
 *    answer is yes.
 *    If all areas are zero along all axes, all points are on a line (or each edge is a point): the pair is degenerate.
 *    They touch if a corner is between the ends of its edge, where the span is not positive.
 *  - f is the polynomial 0: the points stay in a plane. They touch at the start of the window, or else first when a
 *    corner comes to lie on its edge: a vertex enters a face over an edge, and edges that cross inside of each other
 *    did so just before. Such an event is a common root of the three components of an area where the span is not
 *    positive; if all three are the polynomial 0, it is the first root of the span. The least event is the answer.
 *
 * Brochu, Edwards and Bridson, "Efficient geometrically exact continuous collision detection" (2012), count crossings
 * modulo two, which cannot tell two contacts from none and gives no time; Wang, Ferguson et al., "A large scale
 * benchmark and an inclusion-based algorithm for continuous collision detection" (2021), have an oracle in symbolic
 * algebra. We depart from both: signs at algebraic numbers, in plain integers.
 */
#include "ccd/ccd_bracket.h"
#include "ccd/ccd_polynomials.h"
#include "ccd/feature_ccd.h"
#include "math/fp_environment.h"
#include "math/poly_filter.h"

/* A time: root number k of a polynomial, which is in [from, to]; or, if these are the same, a double. */
typedef struct moment {
    const poly_roots *roots;
    int k;
    double from, to;
} moment;

static int sign_at(wide_workspace *workspace, const moment *when, const poly *g)
{
    if (g->degree <= 0)
        return g->c[0].sign;
    if (when->from == when->to)
        return poly_sign(workspace, g, when->from);
    poly_approximation near = poly_approximate(g, when->to);
    int sign = poly_approximation_sign(&near, when->from, when->to);
    return sign != 0 ? sign : tact_poly_root_sign(workspace, when->roots, when->k, g);
}

typedef enum contact { APART, TOUCHING, DEGENERATE } contact;

/* Do they touch at a time when they are in one plane? */
static contact touch(ccd_flight *flight, const moment *when)
{
    for (int axis = 0; axis < 3; ++axis) {
        bool any = false;
        int first = 0;
        for (int i = 0; i < flight->corners; ++i) {
            int sign = sign_at(flight->workspace, when, tact_ccd_flight_area(flight, i, axis));
            if (flight->kind == TACT_VERTEX_FACE) {
                if (sign * first < 0)
                    return APART;
                first = first != 0 ? first : sign;
            } else {
                if (i % 2 == 1 && sign * first > 0)
                    return APART;
                first = sign;
            }
            any = any || sign != 0;
        }
        if (any)
            return TOUCHING;
    }
    for (int i = 0; i < flight->corners; ++i)
        if (sign_at(flight->workspace, when, tact_ccd_flight_span(flight, i)) <= 0)
            return DEGENERATE;
    return APART;
}

/* What is looked for, and where. */
typedef struct search {
    ccd_flight flight;
    double enter, exit;
    int grid;
    tact_ccd *answer;
} search;

static moment find_moment(search *s, const poly_roots *roots, int k)
{
    moment when = {roots, k, s->enter, s->enter};
    if (k < roots->first + roots->count_at_from)
        return when;
    when.from = when.to = s->exit;
    if (k < roots->last - roots->count_at_to)
        tact_ccd_bracket(s->flight.workspace, roots, k, s->enter, s->exit, s->grid, &when.from, &when.to);
    return when;
}

/* Do they touch then? If so that is the answer. */
static bool touches(search *s, const moment *when)
{
    contact how = touch(&s->flight, when);
    if (how == APART)
        return false;
    s->answer->state = TACT_HIT;
    s->answer->degenerate = how == DEGENERATE;
    s->answer->lower = when->from;
    s->answer->upper = when->to;
    return true;
}

/* The points are in a plane now and then: at the roots of the volume. */
static void search_roots(search *s, const poly *volume)
{
    poly_roots roots = tact_poly_roots_find(s->flight.workspace, volume, s->enter, s->exit);
    bool found = false;
    for (int k = roots.first; k < roots.last && !found; ++k) {
        moment when = find_moment(s, &roots, k);
        found = touches(s, &when);
    }
}

/* When does a corner first lie on its edge, within the window, not having done so at the start? The polynomial is
 * returned, with the number of the root; the degree is -1 if never. */
static poly_roots corner_event(search *s, int corner, int *k)
{
    ccd_flight *flight = &s->flight;
    const poly *area[3], *span = tact_ccd_flight_span(flight, corner);
    int leading = -1;
    for (int axis = 2; axis >= 0; --axis) {
        area[axis] = tact_ccd_flight_area(flight, corner, axis);
        if (area[axis]->degree >= 0)
            leading = axis;
    }
    const poly_roots never = {.f = {.degree = -1}};
    const poly *f = leading >= 0 ? area[leading] : span;
    if (f->degree <= 0)
        return never;
    poly_roots roots = tact_poly_roots_find(flight->workspace, f, s->enter, s->exit);
    for (*k = roots.first; *k < roots.last; ++*k) {
        bool on = true;
        for (int axis = 0; axis < 3 && on && leading >= 0; ++axis)
            on = axis == leading || tact_poly_root_sign(flight->workspace, &roots, *k, area[axis]) == 0;
        if (on && (leading < 0 || tact_poly_root_sign(flight->workspace, &roots, *k, span) <= 0))
            return roots;
    }
    return never;
}

/* The points are in a plane all the time. */
static void search_plane(search *s)
{
    moment when = {NULL, 0, s->enter, s->enter};
    if (touches(s, &when))
        return;
    poly_roots events[CCD_CORNERS];
    int k[CCD_CORNERS], least = -1;
    for (int i = 0; i < s->flight.corners; ++i) {
        events[i] = corner_event(s, i, &k[i]);
        if (events[i].f.degree >= 0 && (least < 0 || tact_poly_root_compare_root(s->flight.workspace, &events[i], k[i],
                                                                                 &events[least], k[least]) < 0))
            least = i;
    }
    if (least < 0)
        return;
    when = find_moment(s, &events[least], k[least]);
    bool found = touches(s, &when);
    assert(found);
    (void)found;
}

TACT_NOINLINE static void search_window(search *s, tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4],
                                        const tact_ccd_def *def)
{
    uint64_t words[CCD_DESK_WORDS];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    s->enter = def->enter + 0.0; /* -0 becomes 0 */
    s->exit = def->exit + 0.0;
    s->grid = ccd_grid(def);
    tact_ccd_flight_begin(&s->flight, &workspace, kind, start, end, def->velocities);
    const poly *volume = tact_ccd_flight_volume(&s->flight);
    if (volume->degree >= 0)
        search_roots(s, volume);
    else
        search_plane(s);
}

tact_ccd tact_ccd_exact(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def)
{
    tact_ccd answer = {.status = TACT_OK, .state = TACT_MISS};
    search s;
    s.answer = &answer;
    fp_environment before = fp_environment_enter();
    search_window(&s, kind, start, end, def);
    if (answer.state == TACT_HIT)
        tact_ccd_describe(kind, start, end, def, &answer); /* after the search: the two do not share the stack */
    fp_environment_leave(before);
    return answer;
}
