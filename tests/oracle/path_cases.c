#include "oracle/path_cases.h"

#include <math.h>
#include <string.h>

#include "oracle/path_contacts.h"
#include "support/random.h"

const char *const path_clock_names[PATH_CLOCKS] = {"unit", "velocity", "long", "mixed", "uneven", "far", "end at key"};

/* ccd/path_ccd.h allows coordinates of up to 1e150. */
#define LIMIT 0x1p498

static double limited(double x) { return x > LIMIT ? LIMIT : x < -LIMIT ? -LIMIT : x; }

static double line_at(double a, double b, double t) { return limited(a + limited(t * limited(b - a))); }

static tact_vec3 point_on(tact_vec3 a, tact_vec3 b, double t)
{
    return (tact_vec3){line_at(a.x, b.x, t), line_at(a.y, b.y, t), line_at(a.z, b.z, t)};
}

static tact_vec3 difference(tact_vec3 b, tact_vec3 a)
{
    return (tact_vec3){limited(b.x - a.x), limited(b.y - a.y), limited(b.z - a.z)};
}

static double key_time(random_source *dice, int sign)
{
    return random_chance(dice, 0.3) ? 0.0 : sign * ldexp(1.0, random_between(dice, -1, 3));
}

/* The line from a at 0 to b at 1, shifted in time. */
static linear_path path_of(random_source *dice, path_clock clock, tact_vec3 a, tact_vec3 b, double shift)
{
    if (clock == PATH_MIXED)
        clock = (path_clock[]){PATH_UNIT, PATH_VELOCITY, PATH_LONG}[random_between(dice, 0, 2)];
    double t0 = 0.0, t1 = 1.0;
    if (clock == PATH_VELOCITY) {
        t0 = random_chance(dice, 0.5) ? 0.0 : random_between(dice, -3, 3);
        return (linear_path){.t0 = shift + t0, .x0 = point_on(a, b, t0), .x1 = difference(b, a), .has_velocity = true};
    }
    if (clock == PATH_LONG || clock == PATH_END_AT_KEY) {
        t0 = key_time(dice, -1);
        t1 = key_time(dice, 1);
        if (t0 == t1)
            t1 = 1.0;
    } else if (clock == PATH_UNEVEN) {
        t0 = random_chance(dice, 0.4) ? 0.0 : random_range(dice, -1.0, 0.25);
        t1 = random_chance(dice, 0.3) ? 3.0 : random_chance(dice, 0.3) ? 0.1 + t0 : t0 + random_range(dice, 0.01, 9.0);
    }
    const bool as_is = clock == PATH_UNEVEN || (t0 == 0.0 && t1 == 1.0);
    return (linear_path){
        .t0 = shift + t0, .t1 = shift + t1, .x0 = as_is ? a : point_on(a, b, t0), .x1 = as_is ? b : point_on(a, b, t1)};
}

static double step_from(random_source *dice, double at, int most)
{
    for (int steps = random_between(dice, 0, most); steps > 0; steps--)
        at = nextafter(at, INFINITY);
    return at;
}

static void window_make(random_source *dice, path_clock clock, path_case *query, double shift)
{
    double enter = 0.0, exit = 1.0;
    if (clock == PATH_UNIT) {
        if (random_chance(dice, 0.3))
            enter = random_between(dice, 0, 4) / 8.0;
        if (random_chance(dice, 0.3))
            exit = enter + (1.0 - enter) * random_unit(dice);
    } else {
        enter = random_chance(dice, 0.2) ? random_range(dice, -4.0, 0.0) : random_between(dice, -4, 0);
        exit = random_chance(dice, 0.2) ? random_range(dice, 0.0, 4.0) : random_between(dice, 0, 4);
    }
    query->enter = shift + enter;
    query->exit = shift + exit;
    if (clock == PATH_FAR)
        query->exit = step_from(dice, query->exit, 3);
    if (clock == PATH_END_AT_KEY) {
        const linear_path *p = &query->path[random_between(dice, 0, 3)], *q = &query->path[random_between(dice, 0, 3)];
        query->enter = random_chance(dice, 0.5) ? p->t0 : p->t1;
        query->exit = random_chance(dice, 0.5) ? q->t0 : q->t1;
    }
    if (query->exit < query->enter) {
        const double swap = query->enter;
        query->enter = query->exit;
        query->exit = swap;
    }
}

static tact_vec3 shifted(random_source *dice, tact_vec3 x, int how)
{
    double c[3] = {x.x, x.y, x.z};
    for (int i = 0; i < 3; i++)
        if (how == 0) /* by a rounding */
            c[i] = random_chance(dice, 0.5) ? c[i] : nextafter(c[i], random_chance(dice, 0.5) ? 1e300 : -1e300);
        else if (how == 1)
            c[i] += random_between(dice, -2, 2);
        else
            c[i] = limited(c[i] * random_range(dice, -2.0, 2.0));
    return (tact_vec3){limited(c[0]), limited(c[1]), limited(c[2])};
}

/* Where the vertices are after a jump: on the same paths, on those of the end, or a little aside. */
static void jump_make(random_source *dice, path_case *query, const ccd_case *geometry, double shift)
{
    memcpy(query->to, query->path, sizeof query->to);
    const int how = random_between(dice, 0, 6), which = random_between(dice, 1, 15);
    for (int k = 0; k < 4 && how > 4; k++) { /* in no time what it does in the window */
        query->to[k].t0 -= query->exit - query->enter;
        query->to[k].t1 -= query->exit - query->enter;
        if (!(query->to[k].has_velocity || query->to[k].t0 < query->to[k].t1))
            query->to[k] = query->path[k];
    }
    for (int k = 0; k < 4 && how <= 4; k++) {
        if (((which >> k) & 1) == 0)
            continue;
        linear_path *p = &query->to[k];
        if (how < 3) {
            p->x0 = shifted(dice, p->x0, how);
            if (!p->has_velocity)
                p->x1 = shifted(dice, p->x1, how);
        } else if (how == 3) { /* to a place where it may be later */
            p->t0 -= 1.0;
            p->t1 -= 1.0;
        } else
            *p = (linear_path){.t0 = shift - 4.0, .t1 = shift + 4.0, .x0 = geometry->end[k], .x1 = geometry->end[k]};
        if (!p->has_velocity && !(p->t0 < p->t1))
            *p = query->path[k];
    }
}

/* Makes the largest coordinates small enough to leave some room below the limit. */
static ccd_case within_limits(ccd_case geometry)
{
    double most = 0.0;
    for (int k = 0; k < 8; k++) {
        const tact_vec3 x = k < 4 ? geometry.start[k] : geometry.end[k - 4];
        most = fmax(most, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    const int exponent = most > 0x1p480 ? 480 - ilogb(most) : 0;
    for (int k = 0; k < 8; k++) {
        tact_vec3 *x = k < 4 ? &geometry.start[k] : &geometry.end[k - 4];
        *x = (tact_vec3){ldexp(x->x, exponent), ldexp(x->y, exponent), ldexp(x->z, exponent)};
    }
    return geometry;
}

path_case path_case_make(ccd_case_type type, path_clock clock, tact_ccd_kind kind, uint64_t number)
{
    const ccd_case geometry = within_limits(ccd_case_make(type, kind, number * PATH_CLOCKS + (uint64_t)clock));
    random_source dice = random_seed(((number * PATH_CLOCKS + (uint64_t)clock) * CCD_CASE_TYPES + (uint64_t)type) * 2 +
                                     (uint64_t)kind + UINT64_C(0x70617468) * 0x100000000);
    path_case query = {.kind = kind};
    double shift = 0.0;
    if (clock == PATH_MIXED || clock == PATH_UNEVEN)
        shift = random_between(&dice, -1000, 1000);
    else if (clock == PATH_FAR)
        shift = random_chance(&dice, 0.5) ? ldexp(1.0, random_between(&dice, 40, 50)) : -ldexp(1.0, 49);
    path_clock each = clock;
    if (clock == PATH_FAR)
        each = random_chance(&dice, 0.5) ? PATH_LONG : PATH_VELOCITY;
    for (int k = 0; k < 4; k++)
        query.path[k] = path_of(&dice, each, geometry.start[k], geometry.end[k], shift);
    for (int k = 0; k < 4; k++) /* the gap between doubles may have swallowed the interval */
        if (!query.path[k].has_velocity && !(query.path[k].t0 < query.path[k].t1))
            query.path[k].t1 = nextafter(query.path[k].t0, INFINITY);
    window_make(&dice, clock, &query, shift);
    jump_make(&dice, &query, &geometry, shift);
    return query;
}

path_case path_case_several(tact_ccd_kind kind, uint64_t number)
{
    /* positions at 0 and velocities in the plane; found by a random search for four intervals */
    static const int found[2][3][4][4] = {{{{-2, 4, -2, -2}, {-4, -4, -3, 4}, {4, -4, -2, -3}, {2, 3, 3, -4}},
                                           {{-3, -2, 1, 1}, {0, 0, 1, 0}, {-4, 2, 2, 5}, {-2, -4, -4, 3}},
                                           {{-4, -2, 1, -2}, {-4, 3, 4, -3}, {-2, -5, -4, 4}, {4, 1, -4, -4}}},
                                          {{{5, -4, -2, 3}, {4, 6, 3, -3}, {6, 5, -2, -2}, {-4, 6, 1, 0}},
                                           {{-2, -1, -3, 3}, {1, 0, -3, -2}, {0, 0, 4, 6}, {2, -2, -4, -2}},
                                           {{5, -4, -2, 3}, {4, 6, 3, -3}, {6, 5, -2, -2}, {-4, 6, 1, 0}}}};
    random_source dice = random_seed(number * 2 + (uint64_t)kind + UINT64_C(0x73657665) * 0x100000000);
    const int which = random_between(&dice, 0, 2), scale = 1 << random_between(&dice, 0, 4);
    const int slope_x = random_between(&dice, -2, 2), slope_y = random_between(&dice, -2, 2);
    const int before = random_between(&dice, 1, 64), after = random_between(&dice, 1, 64);
    path_case query = {.kind = kind, .enter = -before, .exit = after};
    for (int k = 0; k < 4; k++) {
        int x[4];
        for (int c = 0; c < 4; c++)
            x[c] = found[kind][which][k][c] * scale + random_between(&dice, -1, 1);
        const tact_vec3 at = {x[0], x[1], slope_x * x[0] + slope_y * x[1]};
        const tact_vec3 velocity = {x[2], x[3], slope_x * x[2] + slope_y * x[3]};
        const tact_vec3 later = {at.x + velocity.x, at.y + velocity.y, at.z + velocity.z};
        query.path[k] = path_of(&dice, PATH_MIXED, at, later, 0.0);
    }
    const ccd_case geometry = {.kind = kind};
    jump_make(&dice, &query, &geometry, 0.0);
    return query;
}

void path_case_print(FILE *file, const path_case *query, bool jump)
{
    const char *kind = query->kind == TACT_VERTEX_FACE ? "TACT_VERTEX_FACE" : "TACT_EDGE_EDGE";
    (void)fputs("const linear_path path[4] = {", file);
    path_print(file, query->path, 4);
    if (jump) {
        (void)fputs("}, to[4] = {", file);
        path_print(file, query->to, 4);
        (void)fprintf(file, "};\ntact_path_ccd_jump(%s, path, to, %a, &result);\n", kind, query->enter);
    } else
        (void)fprintf(file, "};\ntact_path_ccd(%s, path, %a, %a, &result);\n", kind, query->enter, query->exit);
}
