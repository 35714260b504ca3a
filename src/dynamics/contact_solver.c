/* Projected Gauss-Seidel over contact points: see contact_solver.h. */
#include "dynamics/contact_solver.h"

#include <math.h>

#include "core/inline.h"
#include "core/number.h"
#include "dynamics/dynamics_constants.h"

static void init_row(solver_row *row, const solver_body *a, const solver_body *b, const tact_vec3 arms[2],
                     tact_vec3 direction)
{
    row->direction = direction;
    row->torque[0] = vec_cross(arms[0], direction);
    row->torque[1] = vec_cross(arms[1], direction);
    row->spin_change[0] = sym3_mul(&a->inverse_inertia, row->torque[0]);
    row->spin_change[1] = sym3_mul(&b->inverse_inertia, row->torque[1]);
    row->inverse_effective_mass = a->inverse_mass + b->inverse_mass + vec_dot(row->torque[0], row->spin_change[0]) +
                                  vec_dot(row->torque[1], row->spin_change[1]);
}

void tact_solver_point_init(solver_point *p, const solver_body *bodies, const tact_vec3 centres[2], tact_vec3 point,
                            tact_vec3 normal)
{
    const tact_vec3 arms[2] = {vec_sub(point, centres[0]), vec_sub(point, centres[1])};
    tact_vec3 tangents[2];
    vec_tangent_basis(normal, &tangents[0], &tangents[1]);
    const solver_body *a = &bodies[p->body[0]], *b = &bodies[p->body[1]];
    init_row(&p->rows[0], a, b, arms, normal);
    init_row(&p->rows[1], a, b, arms, tangents[0]);
    init_row(&p->rows[2], a, b, arms, tangents[1]);
}

TACT_FORCE_INLINE double row_velocity(const solver_row *row, const solver_body *a, const solver_body *b)
{
    return vec_dot(row->direction, vec_sub(b->velocity, a->velocity)) +
           (vec_dot(row->torque[1], b->spin) - vec_dot(row->torque[0], a->spin));
}

double tact_solver_point_velocity(const solver_point *p, const solver_body *bodies, int k)
{
    return row_velocity(&p->rows[k], &bodies[p->body[0]], &bodies[p->body[1]]);
}

TACT_FORCE_INLINE void apply_row(const solver_row *row, double impulse, solver_body *a, solver_body *b)
{
    a->velocity = vec_mul_add(a->velocity, -impulse * a->inverse_mass, row->direction);
    b->velocity = vec_mul_add(b->velocity, impulse * b->inverse_mass, row->direction);
    a->spin = vec_mul_add(a->spin, -impulse, row->spin_change[0]);
    b->spin = vec_mul_add(b->spin, impulse, row->spin_change[1]);
}

static void apply_roll(tact_vec3 change, solver_body *a, solver_body *b)
{
    a->spin = vec_sub(a->spin, sym3_mul(&a->inverse_inertia, change));
    b->spin = vec_add(b->spin, sym3_mul(&b->inverse_inertia, change));
}

void tact_solver_apply(const solver_point *points, size_t count, solver_body *bodies)
{
    for (size_t i = 0; i < count; ++i) {
        const solver_point *p = &points[i];
        for (int k = 0; k < 3; ++k)
            if (p->rows[k].impulse != 0.0)
                apply_row(&p->rows[k], p->rows[k].impulse, &bodies[p->body[0]], &bodies[p->body[1]]);
        if (p->rolling > 0.0)
            apply_roll(p->roll, &bodies[p->body[0]], &bodies[p->body[1]]);
    }
}

/* Both tangents: the impulse that stops the sliding, projected onto the disc of radius `most`. */
static double relax_friction(solver_point *p, solver_body *a, solver_body *b)
{
    const double most = p->friction * p->rows[0].impulse;
    double wanted[2], length = 0.0, change = 0.0;
    for (int k = 0; k < 2; ++k) {
        const solver_row *row = &p->rows[k + 1];
        wanted[k] = row->impulse;
        if (row->inverse_effective_mass > 0.0)
            wanted[k] -= row_velocity(row, a, b) / row->inverse_effective_mass;
        length += wanted[k] * wanted[k];
    }
    length = sqrt(length);
    const double part = length > most ? most / length : 1.0;
    for (int k = 0; k < 2; ++k) {
        solver_row *row = &p->rows[k + 1];
        const double step = part * wanted[k] - row->impulse;
        row->impulse += step;
        apply_row(row, step, a, b);
        change = max_double(change, fabs(step) * row->inverse_effective_mass);
    }
    return change;
}

/* Rolling friction: a step along the relative spin, with the largest inverse inertia as its scale. */
static double relax_rolling(solver_point *p, solver_body *a, solver_body *b)
{
    const double inverse = a->inverse_inertia.xx + a->inverse_inertia.yy + a->inverse_inertia.zz +
                           b->inverse_inertia.xx + b->inverse_inertia.yy + b->inverse_inertia.zz;
    if (!(inverse > 0.0))
        return 0.0;
    const tact_vec3 spin = vec_sub(b->spin, a->spin);
    tact_vec3 wanted = vec_mul_add(p->roll, -1.0 / inverse, spin);
    const double length = vec_length_safe(wanted), most = p->rolling * p->rows[0].impulse;
    if (length > most)
        wanted = vec_scale(wanted, most / length);
    const tact_vec3 step = vec_sub(wanted, p->roll);
    p->roll = wanted;
    apply_roll(step, a, b);
    return vec_length_safe(step) * inverse * p->rolling;
}

double tact_solver_iterate(solver_point *points, size_t count, solver_body *bodies)
{
    double change = 0.0;
    for (size_t i = 0; i < count; ++i) {
        solver_point *p = &points[i];
        solver_row *normal = &p->rows[0];
        solver_body *a = &bodies[p->body[0]], *b = &bodies[p->body[1]];
        if (p->ignored || !(normal->inverse_effective_mass > 0.0))
            continue;
        /* the change itself, not a difference of impulses: velocities are then right to the last digit */
        const double step =
            max_double((p->target - row_velocity(normal, a, b)) / normal->inverse_effective_mass, -normal->impulse);
        normal->impulse += step;
        apply_row(normal, step, a, b);
        change = max_double(change, fabs(step) * normal->inverse_effective_mass);
        if (p->friction > 0.0)
            change = max_double(change, relax_friction(p, a, b));
        if (p->rolling > 0.0)
            change = max_double(change, relax_rolling(p, a, b));
    }
    return change;
}

/* The least velocity of a point along its normal, when its gap has changed by `change`: within dt it may close to twice
 * the rest gap. */
static double closing_target(const solver_point *p, double change, double dt)
{
    return -max_double((p->gap + change - 2.0 * p->rest_gap) / dt, 0.0);
}

static double normal_change(const solver_point *p, const solver_body *moved)
{
    return row_velocity(&p->rows[0], &moved[p->body[0]], &moved[p->body[1]]);
}

/* The sum of impulses times velocities beyond the targets. */
static double impulse_power(const solver_point *points, size_t count, const solver_body *bodies)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const solver_point *p = &points[i];
        for (int k = 0; k < 3; ++k)
            if (p->rows[k].impulse != 0.0)
                sum += p->rows[k].impulse * (tact_solver_point_velocity(p, bodies, k) - (k == 0 ? p->target : 0.0));
    }
    return sum;
}

void tact_solver_warm_start(solver_point *points, size_t count, solver_body *bodies)
{
    const double before = impulse_power(points, count, bodies);
    tact_solver_apply(points, count, bodies);
    const double square = impulse_power(points, count, bodies) - before;
    const double scale = square > 0.0 ? max_double(-before / square, 0.0) : 1.0;
    if (!(scale < 0.5))
        return; /* they add no energy */
    for (size_t i = 0; i < count; ++i) {
        solver_point *p = &points[i];
        for (int k = 0; k < 3; ++k) {
            const double impulse = p->rows[k].impulse;
            p->rows[k].impulse = scale * impulse;
            apply_row(&p->rows[k], (scale - 1.0) * impulse, &bodies[p->body[0]], &bodies[p->body[1]]);
        }
        if (p->rolling > 0.0) {
            apply_roll(vec_scale(p->roll, scale - 1.0), &bodies[p->body[0]], &bodies[p->body[1]]);
            p->roll = vec_scale(p->roll, scale);
        }
    }
}

void tact_solver_set_targets(solver_point *points, size_t count, double dt)
{
    for (size_t i = 0; i < count; ++i)
        points[i].target = closing_target(&points[i], 0.0, dt);
}

void tact_solver_substeps(solver_point *points, size_t point_count, solver_body *bodies, size_t body_count,
                          const tact_vec3 *accelerations, double dt, int count, bool guarded, solver_body *moved)
{
    for (size_t i = 0; i < body_count; ++i)
        moved[i] = (solver_body){0};
    for (size_t i = 0; i < point_count; ++i)
        points[i].total = 0.0;
    for (int step = 0; step < count; ++step) {
        for (size_t i = 0; i < body_count; ++i)
            bodies[i].velocity = vec_mul_add(bodies[i].velocity, dt, accelerations[i]);
        for (size_t i = 0; i < point_count; ++i)
            points[i].target = closing_target(&points[i], normal_change(&points[i], moved), dt);
        if (guarded)
            tact_solver_warm_start(points, point_count, bodies);
        else
            tact_solver_apply(points, point_count, bodies);
        (void)tact_solver_iterate(points, point_count, bodies);
        for (size_t i = 0; i < point_count; ++i)
            points[i].total += points[i].rows[0].impulse;
        for (size_t i = 0; i < body_count; ++i) {
            moved[i].velocity = vec_mul_add(moved[i].velocity, dt, bodies[i].velocity);
            moved[i].spin = vec_mul_add(moved[i].spin, dt, bodies[i].spin);
        }
    }
    /* the impulses of the step, for the next one: of an impact only its part of a sub-step */
    for (size_t i = 0; i < point_count; ++i) {
        solver_point *p = &points[i];
        const double last = p->rows[0].impulse, scale = last > 0.0 ? number_min(count, p->total / last) : 0.0;
        for (int k = 0; k < 3; ++k)
            p->rows[k].impulse *= scale;
        p->roll = vec_scale(p->roll, scale);
    }
}

/* Targets of the push. Returns whether there is something to correct. */
static bool set_push_targets(solver_point *points, size_t count, double dt, double part, const solver_body *moved)
{
    double most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        solver_point *p = &points[i];
        const double gap = p->gap + normal_change(p, moved), missing = p->rest_gap - gap;
        p->touches = p->rows[0].impulse > 0.0 && gap <= 2.0 * p->rest_gap;
        p->push = 0.0;
        p->target = p->touches || missing > 0.0 ? number_min(part * missing / dt, p->push_speed) : missing / dt;
        if (p->touches || missing > 0.0)
            most = max_double(most, fabs(p->target) * dt / p->rest_gap);
    }
    return most > MIN_PUSH;
}

/* Sets the level of each body: contacts between it and the next kinematic body. Returns the largest; bodies that are
 * connected to none have the next one. */
static uint32_t set_levels(const solver_point *points, size_t count, solver_body *push, size_t body_count)
{
    uint32_t highest = 0;
    for (size_t i = 0; i < body_count; ++i)
        push[i].level = push[i].inverse_mass == 0.0 ? 0 : UINT32_MAX;
    for (bool changed = true; changed; highest += changed) {
        changed = false;
        for (size_t i = 0; i < count; ++i) {
            solver_body *a = &push[points[i].body[0]], *b = &push[points[i].body[1]];
            solver_body *low = a->level < b->level ? a : b, *high = low == a ? b : a;
            if (low->level == highest && high->level == UINT32_MAX) {
                high->level = highest + 1;
                changed = true;
            }
        }
    }
    for (size_t i = 0; i < body_count; ++i)
        push[i].level = push[i].level == UINT32_MAX ? highest + 1 : push[i].level;
    return highest + 1;
}

/* Lists the points by the lower level of their bodies: `first` of body number k is the first point of level k. There
 * are fewer levels than bodies, as each level up to the highest has one. */
static void list_by_level(solver_point *points, size_t count, solver_body *push, size_t body_count)
{
    for (size_t i = 0; i < body_count; ++i)
        push[i].first = UINT32_MAX;
    for (size_t i = count; i-- > 0;) {
        const uint32_t a = push[points[i].body[0]].level, b = push[points[i].body[1]].level;
        solver_body *head = &push[a < b ? a : b];
        points[i].next = head->first;
        head->first = (uint32_t)i;
    }
}

/* Corrects a point. The body of the lower level does not move. */
static void push_point(solver_point *p, solver_body *push)
{
    const solver_row *row = &p->rows[0];
    solver_body *body[2] = {&push[p->body[0]], &push[p->body[1]]};
    double inverse = 0.0;
    for (int k = 0; k < 2; ++k)
        if (body[k]->level >= body[1 - k]->level)
            inverse += body[k]->inverse_mass + vec_dot(row->torque[k], row->spin_change[k]);
    if (p->ignored || !(inverse > 0.0))
        return;
    const double wanted = (p->target - row_velocity(row, body[0], body[1])) / inverse;
    const double step = p->touches ? wanted : max_double(wanted, -p->push);
    p->push += step;
    for (int k = 0; k < 2; ++k) {
        if (body[k]->level < body[1 - k]->level)
            continue;
        const double signed_step = k == 0 ? -step : step;
        body[k]->velocity = vec_mul_add(body[k]->velocity, signed_step * body[k]->inverse_mass, row->direction);
        body[k]->spin = vec_mul_add(body[k]->spin, signed_step, row->spin_change[k]);
    }
}

/* Corrections of all bodies alike, such that no gap ends below half the rest gap: where levels meet, the push of one
 * level may close gaps of another. A gap that starts smaller opens with push_speed at most. */
static void keep_apart(solver_point *points, size_t count, double dt, int iterations, const solver_body *moved,
                       solver_body *push)
{
    double most = INFINITY; /* rest gaps by which the last iteration has moved a point */
    for (size_t i = 0; i < count; ++i) {
        solver_point *p = &points[i];
        const double missing = 0.5 * p->rest_gap - (p->gap + normal_change(p, moved));
        p->push = 0.0;
        p->target = number_min(missing / dt, p->push_speed);
    }
    for (int iteration = 0; iteration < iterations && most > MIN_PUSH; ++iteration) {
        most = 0.0;
        for (size_t i = 0; i < count; ++i) {
            solver_point *p = &points[i];
            const solver_row *row = &p->rows[0];
            if (p->ignored || !(row->inverse_effective_mass > 0.0))
                continue;
            solver_body *a = &push[p->body[0]], *b = &push[p->body[1]];
            const double step =
                max_double((p->target - row_velocity(row, a, b)) / row->inverse_effective_mass, -p->push);
            if (step == 0.0)
                continue;
            p->push += step;
            apply_row(row, step, a, b);
            most = max_double(most, fabs(step) * row->inverse_effective_mass * dt / p->rest_gap);
        }
    }
}

void tact_solver_push(solver_point *points, size_t count, const solver_body *bodies, double dt, double part,
                      int iterations, solver_body *moved, solver_body *push, size_t body_count)
{
    if (!set_push_targets(points, count, dt, part, moved))
        return;
    for (size_t i = 0; i < body_count; ++i) {
        push[i] = bodies[i];
        push[i].velocity = push[i].spin = vec_make(0.0, 0.0, 0.0);
    }
    const uint32_t levels = set_levels(points, count, push, body_count);
    list_by_level(points, count, push, body_count);
    for (uint32_t level = 0; level <= levels && level < body_count; ++level)
        for (int iteration = 0; iteration < iterations; ++iteration)
            for (uint32_t i = push[level].first; i != UINT32_MAX; i = points[i].next)
                push_point(&points[i], push);
    keep_apart(points, count, dt, KEEP_APART_ITERATIONS, moved, push);
    for (size_t i = 0; i < body_count; ++i) {
        moved[i].velocity = vec_mul_add(moved[i].velocity, dt, push[i].velocity);
        moved[i].spin = vec_mul_add(moved[i].spin, dt, push[i].spin);
    }
}
