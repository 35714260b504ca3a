/*
 * Weights and normal of a contact on linear paths, with the guarantees of ccd_contact.c: in doubles at the middle of
 * the bracket, and in integers where these are not accurate enough. The integers are fractions with a common
 * denominator (path_pair.h).
 *
 * Cost: 60 to 150 ns in doubles, some 5 to 10 us in integers; up to 295 kB of stack.
 */
#include <math.h>

#include "ccd/ccd_constants.h"
#include "ccd/ccd_contact.h"
#include "ccd/path_pair.h"
#include "core/inline.h"

/* Words of a value or rate of a jump, multiplied by the other three denominators (path_pair.h): 4723 + 3 3148 bits, and
 * one more for the difference. */
#define COMMON_DIFFERENCE_WORDS 222

/* The words of the workspace: the fractions; the four products of denominators, and in each the product of two before
 * the third; 30 differences; and what tact_ccd_contact_in_integers uses, with N to spare. */
#define CONTACT_WORKSPACE_WORDS (PATH_FRACTION_WORDS + 4 * (148 + 99) + 140 * COMMON_DIFFERENCE_WORDS + 800)

/* A point and its velocity, in doubles, with bounds of the magnitudes that determine their errors. */
typedef struct point_motion {
    tact_vec3 at, speed;
    double magnitude, fastest;
} point_motion;

static point_motion motion_on_path(const linear_path *p, double time)
{
    point_motion m;
    tact_vec3 magnitude;
    bool exact;
    m.at = path_position(p, time, &magnitude, &exact);
    m.magnitude = vec_max_abs(magnitude);
    if (p->has_velocity) {
        m.speed = p->x1;
        m.fastest = vec_max_abs(p->x1);
    } else {
        double length = p->t1 - p->t0;
        tact_vec3 change = vec_sub(p->x1, p->x0);
        m.speed = vec_make(change.x / length, change.y / length, change.z / length);
        m.fastest = (vec_max_abs(p->x0) + vec_max_abs(p->x1)) / length;
    }
    return m;
}

static point_motion motion_in_jump(const path_pair *pair, int i, double fraction)
{
    point_motion m;
    tact_vec3 magnitude[2];
    bool exact;
    tact_vec3 from = path_position(&pair->path[i], pair->time, &magnitude[0], &exact),
              to = path_position(&pair->to[i], pair->time, &magnitude[1], &exact);
    m.speed = vec_sub(to, from);
    m.at = vec_mul_add(from, fraction, m.speed);
    m.magnitude = m.fastest = vec_max_abs(magnitude[0]) + vec_max_abs(magnitude[1]);
    return m;
}

/* A position has an error of at most 4 units of 2^-53 of its magnitude; in a jump 4 of the sum of both, 2 for their
 * difference and 2 for the interpolation. A difference of two has at most 18, and CCD_DIFFERENCE_ERROR is 32. */
static bool fill_in_doubles(const path_pair *pair, const path_bracket *bracket, tact_ccd *contact)
{
    double time = bracket->lower + 0.5 * (bracket->upper - bracket->lower);
    contact_motion motion = {.width = bracket->upper - bracket->lower};
    point_motion m[4];
    double magnitude = 0.0, fastest = 0.0;
    for (int i = 0; i < 4; ++i) {
        m[i] = pair->to != NULL ? motion_in_jump(pair, i, time) : motion_on_path(&pair->path[i], time);
        magnitude = m[i].magnitude > magnitude ? m[i].magnitude : magnitude;
        fastest = m[i].fastest > fastest ? m[i].fastest : fastest;
    }
    if (!(magnitude >= CCD_CONTACT_MIN_COORDINATE && fastest < INFINITY))
        return false;
    for (int i = 0; i < 3; ++i) {
        motion.at.d[i] = vec_sub(m[i + 1].at, m[0].at);
        motion.speeds.d[i] = vec_sub(m[i + 1].speed, m[0].speed);
    }
    motion.error = CCD_DIFFERENCE_ERROR * magnitude;
    motion.speed_error = 8.0 * CCD_DIFFERENCE_ERROR * fastest;
    return tact_ccd_contact_in_doubles(pair->kind, &motion, contact);
}

static TACT_NOINLINE void fill_in_integers(const path_pair *pair, const path_bracket *bracket, tact_ccd *contact)
{
    uint64_t words[CONTACT_WORKSPACE_WORDS];
    wide_workspace workspace = WIDE_WORKSPACE(words);
    ccd_fractions points;
    ccd_polynomials polynomials;
    double origin = pair->to != NULL ? 0.0 : bracket->lower;
    tact_path_fractions(&workspace, pair, origin, &points);
    tact_ccd_polynomials_init_fractions(&polynomials, &workspace, pair->kind, &points, true);
    tact_ccd_contact_in_integers(&polynomials, bracket->lower - origin, bracket->upper - origin, contact);
}

void tact_path_fill_contact(const path_pair *pair, const path_bracket *bracket, tact_ccd *contact)
{
    bool jump = pair->to != NULL;
    *contact = (tact_ccd){.status = TACT_OK,
                          .state = TACT_HIT,
                          .lower = jump ? pair->time : bracket->lower,
                          .upper = jump ? pair->time : bracket->upper,
                          .degenerate = bracket->degenerate};
    if (bracket->degenerate || !fill_in_doubles(pair, bracket, contact))
        fill_in_integers(pair, bracket, contact);
    contact->normal = vec_add(contact->normal, vec_make(0.0, 0.0, 0.0)); /* no -0 */
}
