/* The scenes of the frames race: small fast bodies. */
#include <math.h>
#include <stdlib.h>
#include <tact/mesh.h>

#include "frames.h"
#include "math/vec.h"
#include "solid.h"
#include "support/random.h"

#define RADIUS 0.5
#define DENSITY 0.05 /* of bounding spheres of that radius */
#define MIN_SPEED 20.0
#define MAX_SPEED 60.0
#define MAX_SPIN 20.0 /* radians per second */
#define SECONDS 0.5

enum { HULL_VERTICES = 20, RING_SEGMENTS = 8, RING_SECTION = 4 };
#define RING_THICKNESS 0.2
#define TURN 6.28318530717958647692

static bool make_hull(frames_shape *h, random_source *random)
{
    solid s;
    if (!tact_solid_hull(&s, HULL_VERTICES, random))
        return false;
    h->kind = FRAMES_HULL;
    h->bounding_radius = RADIUS;
    h->vertex_count = s.vertex_count;
    h->face_count = s.face_count;
    h->vertices = s.vertices; /* takes ownership */
    h->faces = s.faces;
    for (int i = 0; i < h->vertex_count; i++)
        h->vertices[i] = vec_scale(h->vertices[i], RADIUS);
    h->shape = tact_hull(h->vertices, (size_t)h->vertex_count);
    return h->shape != NULL;
}

/* The ring of rings.c, scaled to RADIUS. */
static bool make_ring(frames_shape *r)
{
    uint32_t vertices[2 * RING_SEGMENTS * RING_SECTION][3];
    *r = (frames_shape){.kind = FRAMES_RING, .bounding_radius = RADIUS};
    r->vertex_count = RING_SEGMENTS * RING_SECTION;
    r->face_count = 2 * RING_SEGMENTS * RING_SECTION;
    r->vertices = malloc((size_t)r->vertex_count * sizeof *r->vertices);
    r->faces = malloc((size_t)r->face_count * sizeof *r->faces);
    if (r->vertices == NULL || r->faces == NULL)
        return false;
    for (int i = 0; i < RING_SEGMENTS; i++) {
        for (int k = 0; k < RING_SECTION; k++) {
            const double a = TURN * i / RING_SEGMENTS, b = TURN * k / RING_SECTION,
                         scale = RADIUS / (1.0 + RING_THICKNESS);
            const double far = 1.0 + RING_THICKNESS * cos(b);
            r->vertices[i * RING_SECTION + k] =
                vec_scale(vec_make(far * cos(a), far * sin(a), RING_THICKNESS * sin(b)), scale);
            const int here = i * RING_SECTION, next = (i + 1) % RING_SEGMENTS * RING_SECTION,
                      after = (k + 1) % RING_SECTION;
            const int faces[2][3] = {{here + k, next + k, next + after}, {here + k, next + after, here + after}};
            for (int f = 0; f < 2; f++)
                for (int c = 0; c < 3; c++)
                    vertices[2 * (here + k) + f][c] = (uint32_t)(r->faces[2 * (here + k) + f][c] = faces[f][c]);
        }
    }
    r->shape = tact_mesh(r->vertices, (size_t)r->vertex_count, &vertices[0][0], (size_t)r->face_count);
    return r->shape != NULL;
}

static bool make_shapes(frames_scene *s, random_source *random)
{
    s->shapes[FRAMES_SPHERE] = (frames_shape){.kind = FRAMES_SPHERE, .radius = RADIUS, .bounding_radius = RADIUS};
    s->shapes[FRAMES_SPHERE].shape = tact_sphere(RADIUS);
    const tact_vec3 half =
        vec_scale(vec_make(0.8, 0.48, 0.36), RADIUS); /* vertices on the sphere: 0.64 + 0.2304 + 0.1296 = 1 */
    s->shapes[FRAMES_BOX] = (frames_shape){.kind = FRAMES_BOX, .half = half, .bounding_radius = RADIUS};
    s->shapes[FRAMES_BOX].shape = tact_box(2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
    bool done = s->shapes[FRAMES_SPHERE].shape != NULL && s->shapes[FRAMES_BOX].shape != NULL;
    for (int i = 0; done && i < FRAMES_HULLS; i++)
        done = make_hull(&s->shapes[FRAMES_HULL + i], random);
    return done && make_ring(&s->shapes[FRAMES_SHAPES - 1]);
}

static int random_shape(unsigned kinds, random_source *random)
{
    int kind;
    do
        kind = random_between(random, 0, FRAMES_KINDS - 1);
    while (!(kinds >> kind & 1));
    return kind == FRAMES_HULL   ? FRAMES_HULL + random_between(random, 0, FRAMES_HULLS - 1)
           : kind == FRAMES_RING ? FRAMES_SHAPES - 1
                                 : kind;
}

static tact_transform random_transform(double side, random_source *random)
{
    const tact_vec3 axis = random_direction(random);
    const double half = random_range(random, 0.0, 0.5 * TURN), sine = sin(half);
    const tact_vec3 at = {random_range(random, 0.0, side), random_range(random, 0.0, side),
                          random_range(random, 0.0, side)};
    return tact_transform_make(at, (tact_quat){sine * axis.x, sine * axis.y, sine * axis.z, cos(half)},
                               vec_make(1.0, 1.0, 1.0));
}

bool tact_frames_create(frames_scene *s, int count, unsigned kinds, uint64_t seed)
{
    random_source random = random_seed(seed);
    const double side = cbrt((double)count * (2.0 / 3.0 * TURN) * RADIUS * RADIUS * RADIUS / DENSITY);
    *s = (frames_scene){.count = count, .end = SECONDS};
    s->shape_of = malloc((size_t)count * sizeof *s->shape_of);
    s->transforms = malloc((size_t)count * sizeof *s->transforms);
    s->motions = malloc((size_t)count * sizeof *s->motions);
    if (s->shape_of == NULL || s->transforms == NULL || s->motions == NULL || !make_shapes(s, &random)) {
        tact_frames_release(s);
        return false;
    }
    for (int i = 0; i < count; i++) {
        s->shape_of[i] = random_shape(kinds, &random);
        for (int k = -1; k < i;) { /* until it overlaps no earlier body */
            if (k < 0)
                s->transforms[i] = random_transform(side, &random);
            ++k;
            if (k < i &&
                vec_length_squared(vec_sub(s->transforms[i].origin, s->transforms[k].origin)) <= 4.0 * RADIUS * RADIUS)
                k = -1;
        }
        s->motions[i] =
            (tact_motion){.velocity = vec_scale(random_direction(&random), random_range(&random, MIN_SPEED, MAX_SPEED)),
                          .spin = vec_scale(random_direction(&random), random_range(&random, 0.0, MAX_SPIN))};
        if (s->shapes[s->shape_of[i]].kind == FRAMES_SPHERE) { /* rotation has no effect */
            const tact_vec3 at = s->transforms[i].origin;
            s->transforms[i] = tact_at(at.x, at.y, at.z);
            s->motions[i].spin = vec_make(0.0, 0.0, 0.0);
        }
    }
    return true;
}

void tact_frames_release(frames_scene *s)
{
    for (int i = 0; i < FRAMES_SHAPES; i++) {
        free(s->shapes[i].vertices);
        free(s->shapes[i].faces);
        tact_shape_release(s->shapes[i].shape);
    }
    free(s->shape_of);
    free(s->transforms);
    free(s->motions);
    *s = (frames_scene){0};
}

void tact_frames_pairs_add(frames_pairs *pairs, int a, int b)
{
    if (pairs->count == pairs->capacity) {
        const size_t capacity = 2 * pairs->capacity + 256;
        uint64_t *items = realloc(pairs->items, capacity * sizeof *items);
        if (items == NULL) {
            pairs->failed = true;
            return;
        }
        pairs->items = items;
        pairs->capacity = capacity;
    }
    pairs->items[pairs->count++] = a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}
