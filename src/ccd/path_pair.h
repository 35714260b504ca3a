/*
 * A pair of features whose points move on linear paths, and the stages of its query (path_ccd.h): a filter in doubles,
 * an exact solver in integers, and the weights and normal of a contact.
 */
#ifndef TACT_CCD_PATH_PAIR_H
#define TACT_CCD_PATH_PAIR_H

#include "ccd/ccd_polynomials.h"
#include "ccd/path_ccd.h"
#include "math/vec.h"

/* The motion of four points over a window of a parameter: of time, or of the fraction of a jump. */
typedef struct path_pair {
    tact_ccd_kind kind;
    const linear_path *path; /* of the four points */
    const linear_path *to;   /* NULL, or for a jump from `path` to `to`: of the four points */
    double time;             /* of the jump */
    double enter, exit;      /* the window; of a jump: 0 and 1 */
} path_pair;

/* The beginning of an interval of contact, in the parameter. */
typedef struct path_bracket {
    double lower, upper;
    bool degenerate;
} path_bracket;

/* All intervals of contact in the window: see path_ccd. */
typedef struct path_contacts {
    int count;
    path_bracket at[PATH_CCD_MAX_CONTACTS];
    bool at_enter, at_exit;
} path_contacts;

/* Decides in doubles. Returns false if they are not accurate enough. In the default floating-point environment.
 * (path_filter.c) */
bool tact_path_filter(const path_pair *pair, path_contacts *contacts);

/* Decides in integers. (path_exact.c) */
void tact_path_exact(const path_pair *pair, path_contacts *contacts);

/* Weights and normal of a contact, from the motion and the bracket alone, so that they do not depend on how it was
 * found. In the default floating-point environment. (path_contact.c) */
void tact_path_fill_contact(const path_pair *pair, const path_bracket *bracket, tact_ccd *contact);

/* Lengths of the numbers of tact_path_fractions. Coordinates and times have 1573 bits, from 2^499 > 1e150 down to
 * 2^-1074, and their differences 1574 (25 words). A position times its denominator, the length of the time interval of
 * the path, is a sum of two products: 3148 (50 words). A jump multiplies it by the denominator of the other path: 4722,
 * with a difference of such products as rate: 4723 (74 words). Its denominator is a product of two lengths: 3148.
 *
 * The four points as fractions, linear in the parameter minus `origin`; for a jump `origin` is 0. Words: a jump needs
 * most, 24 differences of times of 25, 24 positions of 50, 24 values and rates of 74 and 4 denominators of 50, each
 * with one more. (path_fractions.c) */
#define PATH_FRACTION_WORDS 4000
void tact_path_fractions(wide_workspace *workspace, const path_pair *pair, double origin, ccd_fractions *points);

/* The position on a path at a time, in doubles. Coordinate k has an error of at most 4 units of 2^-53 of magnitude[k],
 * if this is at least 2^-900; `exact`: none. Proof for interpolation, with u = 2^-53 and s = (t - t0) / (t1 - t0): the
 * relative error of s is 3 u, and 1 - s has the same error and its own rounding. So that of the position is
 * 3 u |s| |x1 - x0| + 2 u |1 - s| |x0| + u |s| |x1|, and the rounding of the sum. With a velocity it is
 * 2 u |t - t0| |x1| and the rounding of the sum. */
static inline tact_vec3 path_position(const linear_path *p, double time, tact_vec3 *magnitude, bool *exact)
{
    *exact = time == p->t0 || (time == p->t1 && !p->has_velocity);
    if (*exact) {
        tact_vec3 x = time == p->t0 ? p->x0 : p->x1;
        *magnitude = vec_make(fabs(x.x), fabs(x.y), fabs(x.z));
        return x;
    }
    if (p->has_velocity) {
        const double dt = time - p->t0, size = fabs(dt);
        *magnitude = vec_make(fabs(p->x0.x) + size * fabs(p->x1.x), fabs(p->x0.y) + size * fabs(p->x1.y),
                              fabs(p->x0.z) + size * fabs(p->x1.z));
        return vec_make(p->x0.x + dt * p->x1.x, p->x0.y + dt * p->x1.y, p->x0.z + dt * p->x1.z);
    }
    const double s = (time - p->t0) / (p->t1 - p->t0), r = 1.0 - s, s_size = fabs(s), r_size = fabs(r);
    *magnitude = vec_make(r_size * fabs(p->x0.x) + s_size * (fabs(p->x1.x) + fabs(p->x1.x - p->x0.x)),
                          r_size * fabs(p->x0.y) + s_size * (fabs(p->x1.y) + fabs(p->x1.y - p->x0.y)),
                          r_size * fabs(p->x0.z) + s_size * (fabs(p->x1.z) + fabs(p->x1.z - p->x0.z)));
    return vec_make(r * p->x0.x + s * p->x1.x, r * p->x0.y + s * p->x1.y, r * p->x0.z + s * p->x1.z);
}

#endif
