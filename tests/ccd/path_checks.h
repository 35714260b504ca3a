/*
 * Contacts on linear paths, for tests: queries of all kinds written as paths in many ways, and checks of what must hold
 * for every answer.
 */
#ifndef TACT_TEST_PATH_CHECKS_H
#define TACT_TEST_PATH_CHECKS_H

#include <math.h>
#include <string.h>

#include "ccd/path_pair.h"
#include "support/random.h"

/* A query: four paths and a window. */
typedef struct path_question {
    tact_ccd_kind kind;
    linear_path path[4];
    double enter, exit;
} path_question;

static inline path_ccd ask_path(const path_question *q)
{
    path_ccd answer;
    tact_path_ccd(q->kind, q->path, q->enter, q->exit, &answer);
    return answer;
}

static inline path_ccd ask_window(const path_question *q, double enter, double exit)
{
    path_question part = *q;
    part.enter = enter;
    part.exit = exit;
    return ask_path(&part);
}

static inline double next_up(double x) { return nextafter(x, INFINITY); }

static inline bool same_time(const tact_ccd *a, const tact_ccd *b)
{
    return a->lower == b->lower && a->upper == b->upper && a->degenerate == b->degenerate;
}

static inline bool same_times(const path_ccd *a, const path_ccd *b)
{
    bool same = a->count == b->count && a->at_enter == b->at_enter && a->at_exit == b->at_exit;
    for (int i = 0; i < a->count && same; ++i)
        same = same_time(&a->contact[i], &b->contact[i]);
    return same;
}

/* The coordinate of a path at a time, in long double. */
static inline long double long_coordinate(const linear_path *p, int axis, long double time)
{
    long double x0 = vec_component(p->x0, axis), x1 = vec_component(p->x1, axis);
    if (p->has_velocity)
        return x0 + (time - p->t0) * x1;
    return x0 + (x1 - x0) * ((time - p->t0) / ((long double)p->t1 - p->t0));
}

/* Is a contact consistent? NULL, or an error text. `at` and `speed` are the positions and velocities of the points. */
static inline const char *contact_fault(tact_ccd_kind kind, const tact_ccd *c, long double at[4][3],
                                        long double speed[4][3], long double size)
{
    if (c->status != TACT_OK || c->state != TACT_HIT)
        return "not a hit";
    const double *w = c->weights;
    for (int i = 0; i < 4; ++i)
        if (!(w[i] >= 0.0 && w[i] <= 1.0))
            return "weight out of range";
    double one = kind == TACT_VERTEX_FACE ? w[0] : w[0] + w[1];
    double other = kind == TACT_VERTEX_FACE ? w[1] + w[2] + w[3] : w[2] + w[3];
    if (fabs(one - 1.0) > 0x1p-51 || fabs(other - 1.0) > 0x1p-51)
        return "weights do not sum up to 1";
    long double fastest = 0.0L;
    for (int i = 0; i < 4; ++i)
        for (int axis = 0; axis < 3; ++axis)
            fastest = fmaxl(fastest, fabsl(speed[i][axis]));
    for (int axis = 0; axis < 3; ++axis) {
        long double sum = 0.0L;
        for (int i = 0; i < 4; ++i) {
            bool first = kind == TACT_VERTEX_FACE ? i == 0 : i < 2;
            sum += (first ? 1.0L : -1.0L) * w[i] * at[i][axis];
        }
        if (!(fabsl(sum) <= 0x1p-44L * size + 8.0L * fastest * ((long double)c->upper - c->lower)))
            return "the contact points do not agree";
    }
    double length = c->normal.x * c->normal.x + c->normal.y * c->normal.y + c->normal.z * c->normal.z;
    if (!(c->degenerate ? length == 0.0 : fabs(length - 1.0) < 0x1p-50))
        return "normal not of unit length";
    return NULL;
}

/* Is an answer consistent? NULL, or an error text. */
static inline const char *path_fault(const path_question *q, const path_ccd *a)
{
    if (a->count < 0 || a->count > PATH_CCD_MAX_CONTACTS)
        return "wrong count";
    if (a->count == 0 && (a->at_enter || a->at_exit))
        return "at an end of no interval";
    for (int i = 0; i < a->count; ++i) {
        const tact_ccd *c = &a->contact[i];
        if (!(c->lower >= q->enter && c->upper <= q->exit))
            return "outside of the window";
        if (c->upper != c->lower && c->upper != next_up(c->lower))
            return "not neighbouring doubles";
        if (i == 0 && a->at_enter && (c->lower != q->enter || c->upper != q->enter))
            return "not at the start of the window";
        if (i == 0 && !a->at_enter && c->upper == q->enter)
            return "unexpectedly at the start of the window";
        if (i > 0 && !(a->contact[i - 1].lower <= c->lower && a->contact[i - 1].upper <= c->upper))
            return "not in order";
        long double at[4][3], speed[4][3], size = 0.0L, time = 0.5L * ((long double)c->lower + c->upper);
        for (int k = 0; k < 4; ++k)
            for (int axis = 0; axis < 3; ++axis) {
                const linear_path *p = &q->path[k];
                long double x0 = vec_component(p->x0, axis), x1 = vec_component(p->x1, axis);
                at[k][axis] = long_coordinate(p, axis, time);
                speed[k][axis] = p->has_velocity ? x1 : (x1 - x0) / ((long double)p->t1 - p->t0);
                long double reach = fabsl(x0) + fabsl((time - p->t0) * speed[k][axis]) + fabsl(at[k][axis]);
                size = fmaxl(size, reach);
            }
        const char *fault = contact_fault(q->kind, c, at, speed, size);
        if (fault != NULL)
            return fault;
    }
    return NULL;
}

/* Do the filter, where it decides, and the exact solver agree to the bit? Counts what the filter decides. */
static inline bool filter_agrees(const path_question *q, int *decided)
{
    const path_pair pair = {.kind = q->kind, .path = q->path, .enter = q->enter, .exit = q->exit};
    path_contacts filtered, exact;
    memset(&filtered, 0, sizeof filtered);
    if (!tact_path_filter(&pair, &filtered))
        return true;
    ++*decided;
    tact_path_exact(&pair, &exact);
    bool same =
        filtered.count == exact.count && filtered.at_enter == exact.at_enter && filtered.at_exit == exact.at_exit;
    for (int i = 0; i < exact.count && same; ++i)
        same = filtered.at[i].lower == exact.at[i].lower && filtered.at[i].upper == exact.at[i].upper &&
               !exact.at[i].degenerate;
    return same;
}

/* The answers for [enter, middle] and [middle, exit] as one. */
static inline path_ccd join_answers(const path_ccd *a, const path_ccd *b)
{
    path_ccd joined = *a;
    for (int i = a->at_exit ? 1 : 0; i < b->count && joined.count < PATH_CCD_MAX_CONTACTS; ++i)
        joined.contact[joined.count++] = b->contact[i];
    joined.at_exit = b->at_exit;
    return joined;
}

/* A double inside the window, or one of its ends. */
static inline double random_time(random_source *r, double enter, double exit)
{
    double time = random_range(r, enter, exit);
    return random_chance(r, 0.1) ? (random_chance(r, 0.5) ? enter : exit) : time;
}

/* Does splitting the window at a double leave the answer as it is? */
static inline bool splits_well(const path_question *q, const path_ccd *whole, double middle)
{
    path_ccd a = ask_window(q, q->enter, middle), b = ask_window(q, middle, q->exit);
    if (a.at_exit != b.at_enter)
        return false;
    path_ccd joined = join_answers(&a, &b);
    return same_times(&joined, whole);
}

/* At the start of the window, at its end, beside and at contacts, and at random. */
static inline bool all_splits(const path_question *q, const path_ccd *whole, random_source *r)
{
    bool well = splits_well(q, whole, q->enter) && splits_well(q, whole, q->exit);
    for (int i = 0; i < whole->count && well; ++i) {
        const double times[4] = {nextafter(whole->contact[i].lower, -INFINITY), whole->contact[i].lower,
                                 whole->contact[i].upper, next_up(whole->contact[i].upper)};
        double time = times[random_below(r, 4)];
        well = !(time >= q->enter && time <= q->exit) || splits_well(q, whole, time);
    }
    return well && splits_well(q, whole, random_time(r, q->enter, q->exit));
}

/* Prints a query so that it can be repeated. */
static inline void print_question(const path_question *q)
{
    (void)fprintf(stderr, "kind %d window %a %a\n", (int)q->kind, q->enter, q->exit);
    for (int k = 0; k < 4; ++k) {
        const linear_path *p = &q->path[k];
        (void)fprintf(stderr, "  {%a, %a, {%a, %a, %a}, {%a, %a, %a}, %s},\n", p->t0, p->t1, p->x0.x, p->x0.y, p->x0.z,
                      p->x1.x, p->x1.y, p->x1.z, p->has_velocity ? "true" : "false");
    }
}

#endif
