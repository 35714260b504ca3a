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

static TACT_NOINLINE tact_ccd solve(tact_ccd_kind kind, const tact_vec3 *start, const tact_vec3 *end,
                                    const tact_ccd_def *def)
{
    tact_ccd_def default_def = tact_ccd_def_default();
    def = def != NULL ? def : &default_def;
    if (start == NULL || end == NULL || !tact_ccd_def_valid(def))
        return (tact_ccd){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    if (!def->velocities && def->separation == 0.0 && tact_ccd_points_finite(start, end) &&
        ccd_separated_on_axis(kind, start, end))
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
