/*
 * All contacts of a pair of features on linear paths: see the header. A filter in doubles answers, or else the exact
 * solver; then each contact gets its weights and normal. The three stages do not use stack at the same time.
 */
#include "ccd/path_ccd.h"

#include <assert.h>
#include <math.h>

#include "ccd/path_pair.h"
#include "core/inline.h"
#include "math/fp_environment.h"

static bool valid_paths(const linear_path path[4])
{
    for (int i = 0; i < 4; ++i) {
        const linear_path *p = &path[i];
        bool times = isfinite(p->t0) && (p->has_velocity || (isfinite(p->t1) && p->t0 < p->t1));
        if (!times || !vec_finite(p->x0) || !vec_finite(p->x1))
            return false;
    }
    return true;
}

/* Subnormal times are compared as they are: in the default environment only. */
static bool valid(const path_pair *pair)
{
    bool window = isfinite(pair->enter) && isfinite(pair->exit) && pair->enter <= pair->exit && isfinite(pair->time);
    return window && valid_paths(pair->path) && (pair->to == NULL || valid_paths(pair->to));
}

static TACT_NOINLINE void solve(path_pair *pair, path_ccd *result)
{
    path_contacts contacts;
    bool ok = valid(pair);
    assert(ok);
    (void)ok;
    pair->time += 0.0; /* -0 becomes 0 */
    pair->enter += 0.0;
    pair->exit += 0.0;
    if (!tact_path_filter(pair, &contacts))
        tact_path_exact(pair, &contacts);
    result->count = contacts.count;
    result->at_enter = contacts.at_enter;
    result->at_exit = contacts.at_exit;
    for (int i = 0; i < contacts.count; ++i)
        tact_path_fill_contact(pair, &contacts.at[i], &result->contact[i]);
}

void tact_path_ccd(tact_ccd_kind kind, const linear_path path[4], double enter, double exit, path_ccd *result)
{
    fp_environment before = fp_environment_enter();
    path_pair pair = {.kind = kind, .path = path, .enter = enter, .exit = exit};
    solve(&pair, result);
    fp_environment_leave(before);
}

void tact_path_ccd_jump(tact_ccd_kind kind, const linear_path from[4], const linear_path to[4], double time,
                        path_ccd *result)
{
    fp_environment before = fp_environment_enter();
    path_pair pair = {.kind = kind, .path = from, .to = to, .time = time, .enter = 0.0, .exit = 1.0};
    solve(&pair, result);
    fp_environment_leave(before);
}
