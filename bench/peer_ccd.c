/*
 * libccd's Minkowski portal refinement (MPR), in double precision as packaged by Debian. Its support functions are the
 * user's. These are written with care: one rotation of the direction into the body frame, a loop over the vertices or a
 * choice of signs, one transformation of the result into the world.
 */
#ifdef TACT_HAVE_CCD

#include <ccd/ccd.h>
#include <math.h>
#include <stdlib.h>

#include "convex_runner.h"

typedef struct ccd_body {
    const solid *solid;
    const tact_transform *at;
} ccd_body;

static tact_vec3 to_local(const tact_transform *m, const ccd_vec3_t *d)
{
    const double *v = d->v;
    return (tact_vec3){m->x_axis.x * v[0] + m->x_axis.y * v[1] + m->x_axis.z * v[2],
                       m->y_axis.x * v[0] + m->y_axis.y * v[1] + m->y_axis.z * v[2],
                       m->z_axis.x * v[0] + m->z_axis.y * v[1] + m->z_axis.z * v[2]};
}

static void to_world(const tact_transform *m, tact_vec3 p, ccd_vec3_t *out)
{
    out->v[0] = m->x_axis.x * p.x + m->y_axis.x * p.y + m->z_axis.x * p.z + m->origin.x;
    out->v[1] = m->x_axis.y * p.x + m->y_axis.y * p.y + m->z_axis.y * p.z + m->origin.y;
    out->v[2] = m->x_axis.z * p.x + m->y_axis.z * p.y + m->z_axis.z * p.z + m->origin.z;
}

static void support_box(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const ccd_body *body = object;
    tact_vec3 d = to_local(body->at, direction), h = body->solid->half;
    to_world(body->at, (tact_vec3){copysign(h.x, d.x), copysign(h.y, d.y), copysign(h.z, d.z)}, out);
}

static void support_hull(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const ccd_body *body = object;
    tact_vec3 d = to_local(body->at, direction);
    const tact_vec3 *p = body->solid->vertices;
    int best = 0, count = body->solid->vertex_count;
    double most = p[0].x * d.x + p[0].y * d.y + p[0].z * d.z;
    for (int i = 1; i < count; i++) {
        double along = p[i].x * d.x + p[i].y * d.y + p[i].z * d.z;
        if (along > most) {
            most = along;
            best = i;
        }
    }
    to_world(body->at, p[best], out);
}

static void support_sphere(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const ccd_body *body = object;
    const double *v = direction->v;
    double s = body->solid->radius / sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    out->v[0] = body->at->origin.x + s * v[0];
    out->v[1] = body->at->origin.y + s * v[1];
    out->v[2] = body->at->origin.z + s * v[2];
}

static void support_capsule(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const ccd_body *body = object;
    tact_vec3 y = body->at->y_axis;
    const double *v = direction->v;
    double half = copysign(0.5 * body->solid->height, y.x * v[0] + y.y * v[1] + y.z * v[2]);
    support_sphere(object, direction, out);
    out->v[0] += half * y.x;
    out->v[1] += half * y.y;
    out->v[2] += half * y.z;
}

static void center(const void *object, ccd_vec3_t *out)
{
    const ccd_body *body = object;
    ccdVec3Set(out, body->at->origin.x, body->at->origin.y, body->at->origin.z);
}

static ccd_support_fn support_of(const solid *s)
{
    switch (s->kind) {
    case SOLID_BOX:
        return support_box;
    case SOLID_SPHERE:
        return support_sphere;
    case SOLID_CAPSULE:
        return support_capsule;
    default:
        return support_hull;
    }
}

static ccd_t settings(const solid *a, const solid *b)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = support_of(a);
    ccd.support2 = support_of(b);
    ccd.center1 = center;
    ccd.center2 = center;
    ccd.max_iterations = 1000; /* the default is unlimited */
    return ccd;
}

bool tact_libccd_mpr_overlap(const solid *a, const tact_transform *transform_a, const solid *b,
                             const tact_transform *transform_b)
{
    ccd_body body_a = {a, transform_a}, body_b = {b, transform_b};
    ccd_t ccd = settings(a, b);
    return ccdMPRIntersect(&body_a, &body_b, &ccd) != 0;
}

typedef struct mpr_state {
    const convex_pair_set *set;
    const convex_pair *pairs;
    ccd_t ccd;
} mpr_state;

static void *mpr_prepare(const convex_pair_set *set, pair_situation situation)
{
    mpr_state *state = malloc(sizeof *state);
    if (state) /* all A's have one kind, and all B's */
        *state = (mpr_state){set, set->pairs[situation], settings(&set->solids[0], &set->solids[set->side])};
    return state;
}

static void mpr_run(void *opaque, int begin, int end, double *answers)
{
    mpr_state *state = opaque;
    for (int i = begin; i < end; i++) {
        const convex_pair *p = &state->pairs[i];
        ccd_body a = {&state->set->solids[p->a], &p->transform_a}, b = {&state->set->solids[p->b], &p->transform_b};
        answers[i] = ccdMPRIntersect(&a, &b, &state->ccd) ? 1.0 : 0.0;
    }
}

const convex_runner tact_convex_runner_libccd_mpr = {"libccd MPR", mpr_prepare, mpr_run, free};

#else
typedef int tact_bench_without_ccd; /* a translation unit needs a declaration */
#endif
