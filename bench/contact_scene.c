/* The scenes of the contact race, and what is measured in them. See contact_scene.h. */
#include "contact_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/mass.h>
#include <tact/mesh.h>
#include <tact/query.h>

#include "math/vec.h"
#include "support/random.h"

#define DENSITY 1000.0
#define TURN 6.28318530717958647692

/* Bodies of a structure start this far apart, so that no engine sees them overlap. */
#define START_GAP 1e-4

/* CONTACT_STANDS: the largest displacement from the start, as a fraction of the extent of a body. Settling of 20 boxes
 * in engines that allow overlap is below it; the fall of a card or of a wedge is far above it. */
#define STANDING_DISPLACEMENT 0.5

/* CONTACT_TOPPLES: cosine of the least inclination of a fallen domino. */
#define FALLEN_COSINE 0.9

static void add_body(contact_scene *s, contact_shape shape, tact_transform transform, double density)
{
    tact_bounds bounds;
    contact_body body = {.shape = shape, .transform = transform};
    if (shape.shape == NULL || tact_shape_bounds(shape.shape, tact_identity(), &bounds) != TACT_OK)
        s->failed = true;
    else
        body.shape.extent = 0.5 * vec_max_abs(vec_sub(bounds.max, bounds.min));
    if (density > 0.0 && shape.shape != NULL) {
        const tact_mass m = tact_mass_from_density(shape.shape, tact_identity(), density);
        body.mass = m.mass;
        body.moments = vec_make(m.inertia.xx, m.inertia.yy, m.inertia.zz);
        s->failed = s->failed || m.status != TACT_OK;
    }
    if (s->body_count == s->capacity) {
        const int capacity = 2 * s->capacity + 64;
        contact_body *bodies = realloc(s->bodies, (size_t)capacity * sizeof *bodies);
        if (bodies == NULL) {
            s->failed = true;
            tact_shape_release(shape.shape);
            free(shape.vertices);
            free(shape.faces);
            return;
        }
        s->bodies = bodies;
        s->capacity = capacity;
    }
    s->bodies[s->body_count++] = body;
}

static contact_shape make_sphere(double radius)
{
    return (contact_shape){.kind = CONTACT_SPHERE, .radius = radius, .shape = tact_sphere(radius)};
}

static contact_shape make_box(double x, double y, double z)
{
    return (contact_shape){.kind = CONTACT_BOX, .size = {x, y, z}, .shape = tact_box(x, y, z)};
}

static contact_shape make_capsule(double radius, double height)
{
    return (contact_shape){
        .kind = CONTACT_CAPSULE, .radius = radius, .height = height, .shape = tact_capsule(radius, height)};
}

/* Adds the hull of points, in its own frame of centre of mass and principal axes. */
static void add_hull(contact_scene *s, const tact_vec3 *points, int count, tact_transform transform)
{
    contact_shape hull = {.kind = CONTACT_HULL, .vertex_count = count};
    tact_shape *as_given = tact_hull(points, (size_t)count);
    const tact_mass m = tact_mass_from_density(as_given, tact_identity(), DENSITY);
    const tact_transform frame = tact_transform_make(m.centre, m.principal_axes, vec_make(1.0, 1.0, 1.0));
    tact_transform inverse;
    hull.vertices = malloc((size_t)count * sizeof *hull.vertices);
    if (hull.vertices == NULL || m.status != TACT_OK || tact_transform_invert(frame, &inverse) != TACT_OK) {
        s->failed = true;
        free(hull.vertices);
    } else {
        for (int i = 0; i < count; i++)
            hull.vertices[i] = tact_transform_point(inverse, points[i]);
        hull.shape = tact_hull(hull.vertices, (size_t)count);
        add_body(s, hull, tact_transform_compose(transform, frame), DENSITY);
    }
    tact_shape_release(as_given);
}

static void add_floor(contact_scene *s) { add_body(s, make_box(40.0, 1.0, 40.0), tact_at(0.0, -0.5, 0.0), 0.0); }

static tact_transform rotated(double x, double y, double z, tact_vec3 axis, double angle)
{
    const tact_vec3 v = vec_scale(axis, sin(0.5 * angle));
    return tact_transform_make(vec_make(x, y, z), (tact_quat){v.x, v.y, v.z, cos(0.5 * angle)},
                               vec_make(1.0, 1.0, 1.0));
}

/* ---- structures ---- */

static void make_stack(contact_scene *s, int size)
{
    s->seconds = 10.0;
    add_floor(s);
    for (int i = 0; i < size; i++)
        add_body(s, make_box(1.0, 1.0, 1.0), tact_at(0.0, 0.5 + i * (1.0 + START_GAP), 0.0), DENSITY);
}

static void make_pyramid(contact_scene *s, int size)
{
    add_floor(s);
    for (int row = 0; row < size; row++)
        for (int i = 0; i < size - row; i++)
            add_body(s, make_box(1.0, 1.0, 1.0),
                     tact_at(1.1 * (i - 0.5 * (size - 1 - row)), 0.5 + row * (1.0 + START_GAP), 0.0), DENSITY);
}

static void make_dominoes(contact_scene *s, int size)
{
    const double thickness = 0.2, height = 1.0, distance = 0.6, spin = 2.0;
    s->goal = CONTACT_TOPPLES;
    add_floor(s);
    for (int i = 0; i < size; i++)
        add_body(s, make_box(thickness, height, 0.5), tact_at(distance * (i - 0.5 * size), 0.5 * height, 0.0), DENSITY);
    if (s->failed)
        return;
    /* the first turns about its lower edge */
    s->bodies[1].spin = vec_make(0.0, 0.0, -spin);
    s->bodies[1].velocity = vec_make(0.5 * spin * height, 0.5 * spin * thickness, 0.0);
}

/* Two cards that lean on each other, on the height y. */
static void add_tent(contact_scene *s, tact_vec3 card, double lean, double x, double y)
{
    const double down = 0.5 * card.y * cos(lean) + 0.5 * card.x * sin(lean);
    const double out = 0.5 * card.y * sin(lean) + 0.5 * card.x * cos(lean) + 0.5 * START_GAP;
    const tact_vec3 z = {0.0, 0.0, 1.0};
    add_body(s, make_box(card.x, card.y, card.z), rotated(x - out, y + down, 0.0, z, -lean), DENSITY);
    add_body(s, make_box(card.x, card.y, card.z), rotated(x + out, y + down, 0.0, z, lean), DENSITY);
}

static void make_cards(contact_scene *s)
{
    const tact_vec3 card = {0.04, 1.0, 0.7};
    const double lean = TURN / 24.0, storey = card.y * cos(lean) + card.x * sin(lean);
    add_floor(s);
    add_tent(s, card, lean, -0.3, START_GAP);
    add_tent(s, card, lean, 0.3, START_GAP);
    add_body(s, make_box(card.y, card.x, card.z), tact_at(0.0, storey + 0.5 * card.x + 2.0 * START_GAP, 0.0), DENSITY);
    add_tent(s, card, lean, 0.0, storey + card.x + 3.0 * START_GAP);
}

static void make_arch(contact_scene *s, int size)
{
    const double inner = 2.0, outer = 2.6, depth = 1.0, middle = 0.5 * (inner + outer);
    s->friction = 0.7;
    add_body(s, make_box(2.0, 1.0, 2.0), tact_at(-middle, -0.5, 0.0), 0.0);
    add_body(s, make_box(2.0, 1.0, 2.0), tact_at(middle, -0.5, 0.0), 0.0);
    for (int i = 0; i < size; i++) {
        tact_vec3 points[8];
        for (int k = 0; k < 8; k++) {
            const double angle = 0.5 * TURN * (i + (k & 1)) / size, radius = (k & 2) != 0 ? outer : inner;
            points[k] = vec_make(radius * cos(angle), radius * sin(angle), (k & 4) != 0 ? 0.5 * depth : -0.5 * depth);
        }
        add_hull(s, points, 8, tact_identity());
    }
}

/* ---- piles ---- */

/* A floor and four walls. */
static void add_shaft(contact_scene *s, double width)
{
    const double wall = 0.5, tall = 200.0, at = 0.5 * (width + wall);
    s->goal = CONTACT_CONTAINED;
    s->half_width = 0.5 * width;
    add_floor(s);
    for (int side = -1; side <= 1; side += 2) {
        add_body(s, make_box(wall, tall, width + 2.0 * wall), tact_at(side * at, 0.5 * tall, 0.0), 0.0);
        add_body(s, make_box(width, tall, wall), tact_at(0.0, 0.5 * tall, side * at), 0.0);
    }
}

/* Position of body i of a column of layers: cells x cells bodies each, apart by more than the diameter of a body. */
static tact_vec3 in_column(int i, int cells, random_source *random)
{
    const double cell = 0.57, jitter = 0.02;
    const int layer = i / (cells * cells), x = i / cells % cells, z = i % cells;
    const double middle = 0.5 * (cells - 1);
    return vec_make(cell * (x - middle) + random_range(random, -jitter, jitter),
                    1.0 + cell * layer + random_range(random, -jitter, jitter),
                    cell * (z - middle) + random_range(random, -jitter, jitter));
}

static void make_silo(contact_scene *s, int size, random_source *random)
{
    add_shaft(s, 2.0);
    for (int i = 0; i < size; i++) {
        const tact_vec3 at = in_column(i, 3, random);
        add_body(s, make_sphere(random_range(random, 0.2, 0.25)), tact_at(at.x, at.y, at.z), DENSITY);
    }
}

static void add_random_body(contact_scene *s, tact_transform transform, random_source *random)
{
    enum { POINTS = 12 };
    tact_vec3 points[POINTS];
    double radius;
    switch (random_below(random, 4)) {
    case 0:
        add_body(s, make_sphere(random_range(random, 0.1, 0.25)), transform, DENSITY);
        break;
    case 1: {
        const double x = random_range(random, 0.2, 0.3), y = random_range(random, 0.2, 0.3);
        add_body(s, make_box(x, y, random_range(random, 0.2, 0.3)), transform, DENSITY);
        break;
    }
    case 2:
        radius = random_range(random, 0.08, 0.12);
        add_body(s, make_capsule(radius, random_range(random, 0.1, 0.5 - 2.0 * radius)), transform, DENSITY);
        break;
    default:
        radius = random_range(random, 0.15, 0.25);
        for (int i = 0; i < POINTS; i++)
            points[i] = vec_scale(random_direction(random), radius);
        add_hull(s, points, POINTS, transform);
        break;
    }
}

static void make_pour(contact_scene *s, int size, random_source *random)
{
    const bool wide = size > 500;
    add_shaft(s, wide ? 3.4 : 2.0);
    for (int i = 0; i < size; i++) {
        const tact_vec3 at = in_column(i, wide ? 5 : 3, random);
        add_random_body(s, tact_transform_make(at, random_rotation(random), vec_make(1.0, 1.0, 1.0)), random);
    }
}

/* A flat square mesh at the height 0. */
static void add_terrain(contact_scene *s, int cells, double side)
{
    contact_shape mesh = {
        .kind = CONTACT_MESH, .vertex_count = (cells + 1) * (cells + 1), .face_count = 2 * cells * cells};
    mesh.vertices = malloc((size_t)mesh.vertex_count * sizeof *mesh.vertices);
    mesh.faces = malloc((size_t)mesh.face_count * sizeof *mesh.faces);
    uint32_t *indices = malloc(3 * (size_t)mesh.face_count * sizeof *indices);
    if (mesh.vertices != NULL && mesh.faces != NULL && indices != NULL) {
        int face = 0;
        for (int i = 0; i <= cells; i++)
            for (int j = 0; j <= cells; j++)
                mesh.vertices[i * (cells + 1) + j] =
                    vec_make(side * ((double)i / cells - 0.5), 0.0, side * ((double)j / cells - 0.5));
        for (int i = 0; i < cells; i++) {
            for (int j = 0; j < cells; j++) {
                const int a = i * (cells + 1) + j, b = a + cells + 1;
                memcpy(mesh.faces[face++], (int[3]){a, a + 1, b + 1}, sizeof mesh.faces[0]);
                memcpy(mesh.faces[face++], (int[3]){a, b + 1, b}, sizeof mesh.faces[0]);
            }
        }
        for (int k = 0; k < 3 * mesh.face_count; k++)
            indices[k] = (uint32_t)mesh.faces[k / 3][k % 3];
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = (tact_vertices){.data = mesh.vertices, .count = (size_t)mesh.vertex_count};
        def.indices = indices;
        def.index_count = 3 * (size_t)mesh.face_count;
        mesh.shape = tact_mesh_create(&def, NULL);
    }
    free(indices);
    add_body(s, mesh, tact_identity(), 0.0);
}

static void make_terrain(contact_scene *s, int size, random_source *random)
{
    const int row = (int)ceil(sqrt(size));
    s->goal = CONTACT_CONTAINED;
    s->half_width = 15.0;
    add_terrain(s, 300, 30.0);
    for (int i = 0; i < size; i++) {
        const double x = 2.0 * (i % row - 0.5 * (row - 1)), z = 2.0 * (i / row - 0.5 * (row - 1));
        add_body(s, make_box(1.0, 1.0, 1.0),
                 tact_transform_make(vec_make(x, 1.5, z), random_rotation(random), vec_make(1.0, 1.0, 1.0)), DENSITY);
    }
}

bool tact_contact_scene_create(contact_scene *s, contact_scene_kind kind, int size, uint64_t seed)
{
    random_source random = random_seed(seed);
    *s = (contact_scene){.goal = CONTACT_STANDS, .seconds = 5.0, .friction = 0.5};
    switch (kind) {
    case CONTACT_STACK:
        make_stack(s, size);
        break;
    case CONTACT_PYRAMID:
        make_pyramid(s, size);
        break;
    case CONTACT_DOMINOES:
        make_dominoes(s, size);
        break;
    case CONTACT_CARDS:
        make_cards(s);
        break;
    case CONTACT_ARCH:
        make_arch(s, size);
        break;
    case CONTACT_SILO:
        make_silo(s, size, &random);
        break;
    case CONTACT_POUR:
        make_pour(s, size, &random);
        break;
    default:
        make_terrain(s, size, &random);
        break;
    }
    if (s->failed)
        tact_contact_scene_release(s);
    return s->bodies != NULL;
}

void tact_contact_scene_release(contact_scene *s)
{
    for (int i = 0; i < s->body_count; i++) {
        tact_shape_release(s->bodies[i].shape.shape);
        free(s->bodies[i].shape.vertices);
        free(s->bodies[i].shape.faces);
    }
    free(s->bodies);
    *s = (contact_scene){0};
}

/* ---- measurements ---- */

double tact_contact_energy(const contact_scene *s, const contact_state *states)
{
    double energy = 0.0;
    for (int i = 0; i < s->body_count; i++) {
        const contact_body *b = &s->bodies[i];
        const tact_transform *t = &states[i].transform;
        const double x = vec_dot(states[i].spin, t->x_axis), y = vec_dot(states[i].spin, t->y_axis),
                     z = vec_dot(states[i].spin, t->z_axis);
        energy += b->mass * (CONTACT_GRAVITY * t->origin.y + 0.5 * vec_length_squared(states[i].velocity));
        energy += 0.5 * (b->moments.x * x * x + b->moments.y * y * y + b->moments.z * z * z);
    }
    return energy;
}

static bool boxes_overlap(const tact_bounds *a, const tact_bounds *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

contact_overlap tact_contact_overlap(const contact_scene *s, const contact_state *states)
{
    contact_overlap deepest = {0};
    tact_bounds *bounds = malloc((size_t)s->body_count * sizeof *bounds);
    deepest.failed = bounds == NULL;
    for (int i = 0; !deepest.failed && i < s->body_count; i++)
        deepest.failed = tact_shape_bounds(s->bodies[i].shape.shape, states[i].transform, &bounds[i]) != TACT_OK;
    for (int i = 0; !deepest.failed && i < s->body_count; i++) {
        for (int k = i + 1; k < s->body_count; k++) {
            const contact_body *a = &s->bodies[i], *b = &s->bodies[k];
            if ((a->mass == 0.0 && b->mass == 0.0) || !boxes_overlap(&bounds[i], &bounds[k]))
                continue;
            const tact_penetration p =
                tact_shapes_penetration(a->shape.shape, states[i].transform, b->shape.shape, states[k].transform);
            const double relative = p.depth / fmin(a->shape.extent, b->shape.extent);
            deepest.failed = deepest.failed || p.status != TACT_OK;
            if (relative > deepest.relative) {
                deepest.relative = relative;
                deepest.a = i;
                deepest.b = k;
            }
        }
    }
    free(bounds);
    return deepest;
}

int tact_contact_misses(const contact_scene *s, const contact_state *states)
{
    int misses = 0;
    for (int i = 0; i < s->body_count; i++) {
        const contact_body *b = &s->bodies[i];
        const tact_vec3 at = states[i].transform.origin;
        if (b->mass == 0.0)
            continue;
        if (s->goal == CONTACT_STANDS)
            misses += !(vec_length(vec_sub(at, b->transform.origin)) <= STANDING_DISPLACEMENT * b->shape.extent);
        else if (s->goal == CONTACT_TOPPLES)
            misses += !(states[i].transform.y_axis.y <= FALLEN_COSINE);
        else
            misses += !(at.y >= 0.0 && fabs(at.x) <= s->half_width && fabs(at.z) <= s->half_width);
    }
    return misses;
}
