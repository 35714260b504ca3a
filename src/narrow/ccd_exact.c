/*
 * The exact half of vertex-face and edge-edge continuous collision.
 *
 * Guarantee: right for all finite doubles, whatever the four points do, for any window of time; no allocation, no rounding,
 * every loop bounded. Cost: see the end of this comment.
 *
 * In integers (ccd_flight.h) the times of contact are roots of polynomials, and all questions about them are signs of quadratics at roots of
 * cubics, which poly.h decides.
 *  - The four points are in one plane when the volume, a cubic f, is zero. If f is not the polynomial 0 its at most three roots in the window
 *    are looked at in order.
 *  - Do they touch at a root r? In projection along axis k the areas a_i of the corners (ccd_flight.h) tell. Vertex and face: if the vertex
 *    is in the face, with weights w_i, then a_i = w_i n_k, n the normal; so two a_i of opposite signs mean no. If none are opposite and
 *    not all are zero then n_k, their sum, is not zero, the projection is one to one in the plane, and the answer is yes. Edges:
 *    the areas of the ends of one edge with the other are a_0, a_1; a_0 - a_1 = +-n_k, and a_2 - a_3 likewise. Ends strictly on the same side mean no (if n_k = 0 too: if
 *    they touch, all areas are multiples of n_k). If neither pair is and not all are zero then n_k is not zero and the answer is yes.
 *    Where all areas are zero on all three axes, the four points are on a line (or the edges are two points), the pair is degenerate, and they
 *    touch if a corner is between the ends of its edge: if the span is not positive.
 *  - f is the polynomial 0: the points stay in a plane. Then they touch at the start of the window, or first when a corner comes to lie on
 *    its edge: when a vertex enters a face of the same plane it crosses an edge, and edges that cross inside each other also did just before.
 *    Such an event is a common root of the three components of an area, where the span is not positive; if all three are the polynomial 0,
 *    it is the first root of the span. The least of the events is the answer.
 *
 * The mathematics is that of Brochu, Edwards and Bridson, "Efficient geometrically exact continuous collision detection" (2012) and of the oracle
 * of Wang, Ferguson et al., "A large scale benchmark and an inclusion-based algorithm for continuous collision detection" (2021); we decide by
 * signs at algebraic numbers instead of parity of crossings (which cannot tell two contacts from none) or symbolic algebra, and get the time, too.
 */
#include "math/environment.h"
#include "narrow/ccd.h"
#include "narrow/ccd_bracket.h"
#include "narrow/ccd_flight.h"

/* A time: a double, or a root. */
typedef struct moment {
    const poly_roots *roots; /* NULL: at `time` */
    int k;
    double time;
} moment;

static int sign_at(wide_desk *desk, const moment *when, const poly *g)
{
    if (g->degree <= 0)
        return g->c[0].sign;
    return when->roots == NULL ? tact_poly_sign(desk, g, when->time) : tact_root_sign(desk, when->roots, when->k, g);
}

typedef enum contact { APART, TOUCHING, DEGENERATE } contact;

/* Do they touch at a time when they are in one plane? */
static contact touch(ccd_flight *flight, const moment *when)
{
    for (int axis = 0; axis < 3; ++axis) {
        bool any = false;
        int first = 0;
        for (int i = 0; i < flight->corners; ++i) {
            int sign = sign_at(flight->desk, when, tact_ccd_flight_area(flight, i, axis));
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
        if (sign_at(flight->desk, when, tact_ccd_flight_span(flight, i)) <= 0)
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

static void answer_at(search *s, contact how, double time)
{
    s->answer->state = TACT_HIT;
    s->answer->degenerate = how == DEGENERATE;
    s->answer->from = s->answer->to = time;
}

/* Root number k, which is in the window, is the answer. */
static void answer_root(search *s, contact how, const poly_roots *roots, int k)
{
    wide_desk *desk = s->flight.desk;
    answer_at(s, how, s->enter);
    if (tact_root_compare(desk, roots, k, s->enter) == 0)
        return;
    s->answer->from = s->answer->to = s->exit;
    if (tact_root_compare(desk, roots, k, s->exit) == 0)
        return;
    tact_ccd_bracket(desk, roots, k, s->enter, s->exit, s->grid, &s->answer->from, &s->answer->to);
}

/* Which roots are in the window? From `first` up to, not including, `last`. */
static void roots_inside(search *s, const poly_roots *roots, int *first, int *last)
{
    wide_desk *desk = s->flight.desk;
    *first = 0;
    while (*first < roots->count && tact_root_compare(desk, roots, *first, s->enter) < 0)
        ++*first;
    *last = *first;
    while (*last < roots->count && tact_root_compare(desk, roots, *last, s->exit) <= 0)
        ++*last;
}

/* The points are in a plane now and then: at the roots of the volume. */
static void search_roots(search *s, const poly *volume)
{
    poly_roots roots = tact_roots_find(s->flight.desk, volume);
    int first, last;
    roots_inside(s, &roots, &first, &last);
    for (int k = first; k < last; ++k) {
        moment when = {&roots, k, 0.0};
        contact how = touch(&s->flight, &when);
        if (how != APART) {
            answer_root(s, how, &roots, k);
            return;
        }
    }
}

/* When does a corner first lie on its edge, within the window, not having done so at the start? The polynomial is returned, with the
 * number of the root; the degree is -1 if never. */
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
    poly_roots roots = tact_roots_find(flight->desk, f);
    int first, last;
    roots_inside(s, &roots, &first, &last);
    for (*k = first; *k < last; ++*k) {
        bool on = true;
        for (int axis = 0; axis < 3 && on && leading >= 0; ++axis)
            on = axis == leading || tact_root_sign(flight->desk, &roots, *k, area[axis]) == 0;
        if (on && (leading < 0 || tact_root_sign(flight->desk, &roots, *k, span) <= 0))
            return roots;
    }
    return never;
}

/* The points are in a plane all the time. */
static void search_plane(search *s)
{
    moment start = {NULL, 0, s->enter};
    contact how = touch(&s->flight, &start);
    if (how != APART) {
        answer_at(s, how, s->enter);
        return;
    }
    poly_roots events[CCD_CORNERS];
    int k[CCD_CORNERS], least = -1;
    for (int i = 0; i < s->flight.corners; ++i) {
        events[i] = corner_event(s, i, &k[i]);
        if (events[i].f.degree >= 0 &&
            (least < 0 || tact_root_compare_root(s->flight.desk, &events[i], k[i], &events[least], k[least]) < 0))
            least = i;
    }
    if (least < 0)
        return;
    moment when = {&events[least], k[least], 0.0};
    how = touch(&s->flight, &when);
    assert(how != APART);
    answer_root(s, how, &events[least], k[least]);
}

TACT_NOT_INLINED static void search_window(search *s, tact_ccd_kind kind, const tact_vec3 start[4],
                                           const tact_vec3 end[4], const tact_ccd_def *def)
{
    uint64_t words[CCD_DESK_WORDS];
    wide_desk desk = WIDE_DESK(words);
    s->enter = def->enter + 0.0; /* -0 becomes 0 */
    s->exit = def->exit + 0.0;
    s->grid = ccd_grid(def);
    tact_ccd_flight_begin(&s->flight, &desk, kind, start, end, def->velocities);
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
    environment before = environment_enter();
    search_window(&s, kind, start, end, def);
    environment_leave(before);
    return answer;
}
