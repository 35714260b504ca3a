/*
 * ODE 0.16 with discrete detection, in double precision as packaged by Debian: geoms without bodies in a hash space or
 * in a sweep and prune space. Each frame sets all transforms, and dSpaceCollide calls dCollide for each pair of
 * overlapping AABBs. Rings are triangle meshes, hulls are convex geoms. Up to 8 contacts are requested: with one
 * (CONTACTS_UNIMPORTANT) ODE loses contacts of boxes.
 */
#ifdef TACT_HAVE_ODE

#include <ode/ode.h>
#include <stdlib.h>

#include "frames.h"
#include "math/vec.h"

/* A shape in ODE's format; ODE stores pointers to these arrays. */
typedef struct ode_shape {
    dReal *points;       /* 3 per vertex */
    dReal *planes;       /* hull: 4 per face, normal and offset */
    unsigned *polygons;  /* hull: per face the number 3 and the vertex indices */
    dTriIndex *vertices; /* ring: indices */
    dTriMeshDataID mesh; /* ring */
} ode_shape;

typedef struct ode_state {
    const frames_scene *s;
    dSpaceID space;
    dGeomID *geoms;
    ode_shape shapes[FRAMES_SHAPES];
    frames_pairs *pairs;
} ode_state;

static void finish(void *opaque)
{
    ode_state *o = opaque;
    if (o->space != NULL)
        dSpaceDestroy(o->space); /* with its geoms */
    for (int i = 0; i < FRAMES_SHAPES; i++) {
        ode_shape *f = &o->shapes[i];
        if (f->mesh != NULL)
            dGeomTriMeshDataDestroy(f->mesh);
        free(f->points);
        free(f->planes);
        free(f->polygons);
        free(f->vertices);
    }
    free(o->geoms);
    free(o);
    dCloseODE();
}

static bool make_shape(const frames_shape *shape, ode_shape *f)
{
    const size_t vertices = (size_t)shape->vertex_count, faces = (size_t)shape->face_count;
    if (vertices == 0)
        return true;
    f->points = malloc(3 * vertices * sizeof *f->points);
    f->planes = malloc(4 * faces * sizeof *f->planes);
    f->polygons = malloc(4 * faces * sizeof *f->polygons);
    f->vertices = malloc(3 * faces * sizeof *f->vertices);
    if (f->points == NULL || f->planes == NULL || f->polygons == NULL || f->vertices == NULL)
        return false;
    for (size_t i = 0; i < vertices; i++) {
        f->points[3 * i] = shape->vertices[i].x;
        f->points[3 * i + 1] = shape->vertices[i].y;
        f->points[3 * i + 2] = shape->vertices[i].z;
    }
    for (size_t i = 0; i < faces; i++) {
        const int *c = shape->faces[i];
        const tact_vec3 a = shape->vertices[c[0]], b = shape->vertices[c[1]], d = shape->vertices[c[2]];
        const tact_vec3 n = vec_normalize(vec_cross(vec_sub(b, a), vec_sub(d, a)));
        f->planes[4 * i] = n.x;
        f->planes[4 * i + 1] = n.y;
        f->planes[4 * i + 2] = n.z;
        f->planes[4 * i + 3] = vec_dot(n, a);
        f->polygons[4 * i] = 3;
        for (size_t k = 0; k < 3; k++) {
            f->polygons[4 * i + 1 + k] = (unsigned)c[k];
            f->vertices[3 * i + k] = (dTriIndex)c[k];
        }
    }
    if (shape->kind != FRAMES_RING)
        return true;
    f->mesh = dGeomTriMeshDataCreate();
    if (f->mesh == NULL)
        return false;
    dGeomTriMeshDataBuildDouble(f->mesh, f->points, 3 * sizeof *f->points, shape->vertex_count, f->vertices,
                                3 * shape->face_count, 3 * sizeof *f->vertices);
    /* ODE requires this for convex-mesh contacts */
    return dGeomTriMeshDataPreprocess2(f->mesh, 1u << dTRIDATAPREPROCESS_BUILD_FACE_ANGLES, NULL) != 0;
}

static dGeomID make_geom(const ode_state *o, int i)
{
    const frames_shape *shape = frames_shape_of(o->s, i);
    const ode_shape *f = &o->shapes[o->s->shape_of[i]];
    switch (shape->kind) {
    case FRAMES_SPHERE:
        return dCreateSphere(o->space, shape->radius);
    case FRAMES_BOX:
        return dCreateBox(o->space, 2.0 * shape->half.x, 2.0 * shape->half.y, 2.0 * shape->half.z);
    case FRAMES_HULL:
        return dCreateConvex(o->space, f->planes, (unsigned)shape->face_count, f->points, (unsigned)shape->vertex_count,
                             f->polygons);
    default:
        return dCreateTriMesh(o->space, f->mesh, NULL, NULL, NULL);
    }
}

static void *create(const frames_scene *s, bool sweep)
{
    ode_state *o = calloc(1, sizeof *o);
    if (o == NULL)
        return NULL;
    if (!dInitODE2(0)) {
        free(o);
        return NULL;
    }
    o->s = s;
    o->space = sweep ? dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XZY) : dHashSpaceCreate(NULL);
    o->geoms = malloc((size_t)s->count * sizeof *o->geoms);
    bool done = o->space != NULL && o->geoms != NULL;
    if (done && !sweep)
        dHashSpaceSetLevels(o->space, -2, 2); /* cells of size 1/4 to 4; a body has size 1 */
    for (int i = 0; done && i < FRAMES_SHAPES; i++)
        done = make_shape(&s->shapes[i], &o->shapes[i]);
    for (int i = 0; done && i < s->count; i++) {
        o->geoms[i] = make_geom(o, i);
        done = o->geoms[i] != NULL;
        if (done)
            dGeomSetData(o->geoms[i], (void *)(uintptr_t)i);
    }
    if (done)
        return o;
    finish(o);
    return NULL;
}

static void *create_hash(const frames_scene *s, double hz)
{
    (void)hz;
    return create(s, false);
}

static void *create_sweep(const frames_scene *s, double hz)
{
    (void)hz;
    return create(s, true);
}

static void collide_pair(void *opaque, dGeomID one, dGeomID other)
{
    const ode_state *o = opaque;
    dContactGeom contact[8];
    if (dCollide(one, other, 8, contact, sizeof contact[0]) > 0)
        tact_frames_pairs_add(o->pairs, (int)(uintptr_t)dGeomGetData(one), (int)(uintptr_t)dGeomGetData(other));
}

static void play(void *opaque, long frame, const tact_transform *transforms, frames_pairs *pairs)
{
    ode_state *o = opaque;
    (void)frame;
    o->pairs = pairs;
    for (int i = 0; i < o->s->count; i++) {
        const tact_transform *p = &transforms[i];
        const dMatrix3 turn = {p->x_axis.x, p->y_axis.x, p->z_axis.x, 0.0,         p->x_axis.y, p->y_axis.y,
                               p->z_axis.y, 0.0,         p->x_axis.z, p->y_axis.z, p->z_axis.z, 0.0};
        dGeomSetPosition(o->geoms[i], p->origin.x, p->origin.y, p->origin.z);
        dGeomSetRotation(o->geoms[i], turn);
    }
    dSpaceCollide(o->space, o, collide_pair);
}

const frames_runner tact_frames_ode_hash = {"ODE, hash space", false, create_hash, play, finish};
const frames_runner tact_frames_ode_sweep = {"ODE, sweep and prune", false, create_sweep, play, finish};

#else
typedef int tact_bench_without_ode; /* a translation unit needs a declaration */
#endif
