/* The bodies of the race of frames: small and fast. */
#include <math.h>
#include <stdlib.h>
#include <tact/mesh.h>

#include "frames.h"
#include "math/vec.h"
#include "solid.h"
#include "support/random.h"

#define RADIUS 0.5
#define DENSITY 0.05 /* of bounding spheres of that radius */
#define SPEED_LEAST 20.0
#define SPEED_MOST 60.0
#define SPIN_MOST 20.0 /* radians a second */
#define SECONDS 0.5

enum { CORNERS = 20, AROUND = 8, ACROSS = 4 };
#define THICK 0.2
#define TURN 6.28318530717958647692

static bool make_hull(frames_shape *h, random_source *random)
{
    solid s;
    if (!tact_solid_hull(&s, CORNERS, random))
        return false;
    h->kind = FRAMES_HULL;
    h->reach = RADIUS;
    h->corner_count = s.corner_count;
    h->face_count = s.face_count;
    h->corners = s.corners; /* taken over */
    h->faces = s.faces;
    for (int i = 0; i < h->corner_count; i++)
        h->corners[i] = vec_scale(h->corners[i], RADIUS);
    h->shape = tact_hull(h->corners, (size_t)h->corner_count);
    return h->shape != NULL;
}

/* As that of rings.c, of RADIUS. */
static bool make_ring(frames_shape *r)
{
    uint32_t corners[2 * AROUND * ACROSS][3];
    *r = (frames_shape){.kind = FRAMES_RING, .reach = RADIUS};
    r->corner_count = AROUND * ACROSS;
    r->face_count = 2 * AROUND * ACROSS;
    r->corners = malloc((size_t)r->corner_count * sizeof *r->corners);
    r->faces = malloc((size_t)r->face_count * sizeof *r->faces);
    if (r->corners == NULL || r->faces == NULL)
        return false;
    for (int i = 0; i < AROUND; i++) {
        for (int k = 0; k < ACROSS; k++) {
            const double a = TURN * i / AROUND, b = TURN * k / ACROSS, scale = RADIUS / (1.0 + THICK);
            const double far = 1.0 + THICK * cos(b);
            r->corners[i * ACROSS + k] = vec_scale(vec_make(far * cos(a), far * sin(a), THICK * sin(b)), scale);
            const int here = i * ACROSS, next = (i + 1) % AROUND * ACROSS, after = (k + 1) % ACROSS;
            const int two[2][3] = {{here + k, next + k, next + after}, {here + k, next + after, here + after}};
            for (int f = 0; f < 2; f++)
                for (int c = 0; c < 3; c++)
                    corners[2 * (here + k) + f][c] = (uint32_t)(r->faces[2 * (here + k) + f][c] = two[f][c]);
        }
    }
    r->shape = tact_mesh(r->corners, (size_t)r->corner_count, &corners[0][0], (size_t)r->face_count);
    return r->shape != NULL;
}

static bool make_shapes(frames_scene *s, random_source *random)
{
    s->shapes[FRAMES_SPHERE] = (frames_shape){.kind = FRAMES_SPHERE, .radius = RADIUS, .reach = RADIUS};
    s->shapes[FRAMES_SPHERE].shape = tact_sphere(RADIUS);
    const tact_vec3 half = vec_scale(vec_make(0.8, 0.48, 0.36), RADIUS); /* on the sphere: 64 + 23.04 + 12.96 = 100 */
    s->shapes[FRAMES_BOX] = (frames_shape){.kind = FRAMES_BOX, .half = half, .reach = RADIUS};
    s->shapes[FRAMES_BOX].shape = tact_box(2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
    bool done = s->shapes[FRAMES_SPHERE].shape != NULL && s->shapes[FRAMES_BOX].shape != NULL;
    for (int i = 0; done && i < FRAMES_HULLS; i++)
        done = make_hull(&s->shapes[FRAMES_HULL + i], random);
    return done && make_ring(&s->shapes[FRAMES_SHAPES - 1]);
}

static int roll_shape(unsigned kinds, random_source *random)
{
    int kind;
    do
        kind = random_between(random, 0, FRAMES_KINDS - 1);
    while (!(kinds >> kind & 1));
    return kind == FRAMES_HULL   ? FRAMES_HULL + random_between(random, 0, FRAMES_HULLS - 1)
           : kind == FRAMES_RING ? FRAMES_SHAPES - 1
                                 : kind;
}

static tact_transform roll_place(double side, random_source *random)
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
    s->places = malloc((size_t)count * sizeof *s->places);
    s->motions = malloc((size_t)count * sizeof *s->motions);
    if (s->shape_of == NULL || s->places == NULL || s->motions == NULL || !make_shapes(s, &random)) {
        tact_frames_release(s);
        return false;
    }
    for (int i = 0; i < count; i++) {
        s->shape_of[i] = roll_shape(kinds, &random);
        for (int k = -1; k < i;) { /* until it is free of all before it */
            if (k < 0)
                s->places[i] = roll_place(side, &random);
            ++k;
            if (k < i && vec_length_squared(vec_sub(s->places[i].origin, s->places[k].origin)) <= 4.0 * RADIUS * RADIUS)
                k = -1;
        }
        s->motions[i] = (tact_motion){
            .velocity = vec_scale(random_direction(&random), random_range(&random, SPEED_LEAST, SPEED_MOST)),
            .spin = vec_scale(random_direction(&random), random_range(&random, 0.0, SPIN_MOST))};
        if (s->shapes[s->shape_of[i]].kind == FRAMES_SPHERE) { /* nobody could tell */
            const tact_vec3 at = s->places[i].origin;
            s->places[i] = tact_at(at.x, at.y, at.z);
            s->motions[i].spin = vec_make(0.0, 0.0, 0.0);
        }
    }
    return true;
}

void tact_frames_release(frames_scene *s)
{
    for (int i = 0; i < FRAMES_SHAPES; i++) {
        free(s->shapes[i].corners);
        free(s->shapes[i].faces);
        tact_shape_release(s->shapes[i].shape);
    }
    free(s->shape_of);
    free(s->places);
    free(s->motions);
    *s = (frames_scene){0};
}

void tact_frames_tell(frames_pairs *pairs, int a, int b)
{
    if (pairs->count == pairs->room) {
        const size_t room = 2 * pairs->room + 256;
        uint64_t *items = realloc(pairs->items, room * sizeof *items);
        if (items == NULL) {
            pairs->failed = true;
            return;
        }
        pairs->items = items;
        pairs->room = room;
    }
    pairs->items[pairs->count++] = a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}
