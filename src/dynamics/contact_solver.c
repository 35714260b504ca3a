/* Projected Gauss-Seidel over contact points: see contact_solver.h. */
#include "dynamics/contact_solver.h"

#include <math.h>

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

static double row_velocity(const solver_row *row, const solver_body *a, const solver_body *b)
{
    return vec_dot(row->direction, vec_sub(b->velocity, a->velocity)) +
           (vec_dot(row->torque[1], b->spin) - vec_dot(row->torque[0], a->spin));
}

double tact_solver_point_velocity(const solver_point *p, const solver_body *bodies, int k)
{
    return row_velocity(&p->rows[k], &bodies[p->body[0]], &bodies[p->body[1]]);
}

static void apply_row(const solver_row *row, double impulse, solver_body *a, solver_body *b)
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

/* Follows the search directions of all points, scaled by `factor`. */
static void follow_search(solver_point *points, size_t count, solver_body *bodies, double factor)
{
    for (size_t i = 0; i < count; ++i) {
        solver_point *p = &points[i];
        const int rows = p->friction > 0.0 ? 3 : 1;
        for (int k = 0; k < rows; ++k) {
            const double step = factor * p->rows[k].search;
            p->rows[k].impulse += step;
            apply_row(&p->rows[k], step, &bodies[p->body[0]], &bodies[p->body[1]]);
        }
    }
}

double tact_solver_solve(solver_point *points, size_t count, solver_body *bodies, double tolerance,
                         uint32_t max_iterations)
{
    double change = 0.0, last_norm = 0.0;
    for (uint32_t iteration = 0; iteration < max_iterations; ++iteration) {
        for (size_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k)
                points[i].rows[k].last = points[i].rows[k].impulse;
        change = tact_solver_iterate(points, count, bodies);
        if (change <= tolerance || iteration + 1 == max_iterations)
            break;
        double norm = 0.0; /* of the gradient, as an energy */
        for (size_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k) {
                const double step = points[i].rows[k].impulse - points[i].rows[k].last;
                norm += step * step * points[i].rows[k].inverse_effective_mass;
            }
        const double factor = last_norm > 0.0 ? norm / last_norm : 2.0;
        const bool follow = factor <= 1.0;
        if (follow)
            follow_search(points, count, bodies, factor);
        for (size_t i = 0; i < count; ++i)
            for (int k = 0; k < 3; ++k) {
                solver_row *row = &points[i].rows[k];
                const double step = row->impulse - row->last; /* already with the search direction, if followed */
                row->search = follow ? step : 0.0;
            }
        if (!follow) /* begin with the gradient itself */
            for (size_t i = 0; i < count; ++i)
                for (int k = 0; k < 3; ++k)
                    points[i].rows[k].search = points[i].rows[k].impulse - points[i].rows[k].last;
        last_norm = norm;
    }
    return change;
}
