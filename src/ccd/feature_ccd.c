/*
 * Continuous collision detection of one pair. Arguments are checked, the floating-point environment is set to the
 * default, and the filter (ccd_filter.c) or else the exact solver (ccd_exact.c) answers; with a separation,
 * ccd_separation.c.
 */
#include <math.h>

#include "ccd/ccd_constants.h"
#include "ccd/ccd_filter.h"
#include "math/fp_environment.h"

tact_ccd_def tact_ccd_def_default(void)
{
    return (tact_ccd_def){
        .enter = 0.0, .exit = 1.0, .bracket_width = CCD_DEFAULT_BRACKET_WIDTH, .separation = 0.0, .velocities = false};
}

bool tact_ccd_def_valid(const tact_ccd_def *def)
{
    bool window = def->enter >= 0.0 && def->exit >= def->enter && def->exit < INFINITY;
    bool widths = def->bracket_width >= 0.0 && def->bracket_width < INFINITY && def->separation >= 0.0 &&
                  def->separation < INFINITY;
    return window && widths && (def->velocities || def->exit <= 1.0);
}

/* x - x is 0 for a finite number, and NaN otherwise. */
static double nan_if_not_finite(tact_vec3 p) { return (p.x - p.x) + (p.y - p.y) + (p.z - p.z); }

bool tact_ccd_points_finite(const tact_vec3 start[4], const tact_vec3 end[4])
{
    double any = 0.0;
    for (int i = 0; i < 4; i++)
        any += nan_if_not_finite(start[i]) + nan_if_not_finite(end[i]);
    return any == 0.0;
}

tact_ccd tact_ccd_solve(tact_ccd_kind kind, const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def)
{
    tact_ccd solve = {.status = TACT_OK, .state = TACT_MISS};
    if (!tact_ccd_points_finite(start, end))
        return (tact_ccd){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    if (def->separation > 0.0)
        return tact_ccd_separation(kind, start, end, def);
    double bracket[2];
    ccd_filter_result filtered = tact_ccd_filter(kind, start, end, def, bracket);
    if (filtered == CCD_FILTER_UNDECIDED)
        return tact_ccd_exact(kind, start, end, def);
    if (filtered == CCD_FILTER_HIT) {
        solve.state = TACT_HIT;
        solve.lower = bracket[0];
        solve.upper = bracket[1];
        tact_ccd_fill_contact(kind, start, end, def, &solve);
    }
    return solve;
}

static double smaller(double a, double b) { return a < b ? a : b; }
static double max_double(double a, double b) { return a > b ? a : b; }

/* The side of A relative to B on an axis, given the coordinates there: -1 all of A below B, 1 all above, 0 overlapping.
 */
static int side(tact_ccd_kind kind, double a, double b, double c, double d)
{
    bool edges = kind == TACT_EDGE_EDGE;
    double a_low = edges ? smaller(a, b) : a, a_high = edges ? max_double(a, b) : a;
    double b_low = smaller(c, d), b_high = max_double(c, d);
    if (!edges) {
        b_low = smaller(b_low, b);
        b_high = max_double(b_high, b);
    }
    return (a_low > b_high) - (a_high < b_low);
}

/* Are they on the same sides of each other on one axis at both ends, and so at all times between? This alone separates
 * three of four pairs of swept boxes, without rounding. */
static bool separated_on_axis(tact_ccd_kind kind, const tact_vec3 s[4], const tact_vec3 e[4])
{
    int x = side(kind, s[0].x, s[1].x, s[2].x, s[3].x) * side(kind, e[0].x, e[1].x, e[2].x, e[3].x);
    int y = side(kind, s[0].y, s[1].y, s[2].y, s[3].y) * side(kind, e[0].y, e[1].y, e[2].y, e[3].y);
    int z = side(kind, s[0].z, s[1].z, s[2].z, s[3].z) * side(kind, e[0].z, e[1].z, e[2].z, e[3].z);
    return x > 0 || y > 0 || z > 0;
}

static TACT_NOINLINE tact_ccd solve(tact_ccd_kind kind, const tact_vec3 *start, const tact_vec3 *end,
                                    const tact_ccd_def *def)
{
    tact_ccd_def default_def = tact_ccd_def_default();
    def = def != NULL ? def : &default_def;
    if (start == NULL || end == NULL || !tact_ccd_def_valid(def))
        return (tact_ccd){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    if (!def->velocities && def->separation == 0.0 && tact_ccd_points_finite(start, end) &&
        separated_on_axis(kind, start, end))
        return (tact_ccd){.status = TACT_OK, .state = TACT_MISS};
    return tact_ccd_solve(kind, start, end, def);
}

tact_ccd tact_ccd_vertex_face(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def)
{
    fp_environment before = fp_environment_enter();
    tact_ccd result = solve(TACT_VERTEX_FACE, start, end, def);
    fp_environment_leave(before);
    return result;
}

tact_ccd tact_ccd_edge_edge(const tact_vec3 start[4], const tact_vec3 end[4], const tact_ccd_def *def)
{
    fp_environment before = fp_environment_enter();
    tact_ccd result = solve(TACT_EDGE_EDGE, start, end, def);
    fp_environment_leave(before);
    return result;
}
