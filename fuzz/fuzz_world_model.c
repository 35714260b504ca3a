/*
 * A world against a slow model of it: arrays, and brute force over all pairs. The first byte selects
 * - a sequence of calls: bodies come, go, move and change filters; tests find the pairs that overlap one by one, rays
 * and overlap queries what the shapes give one by one, and the getters return what was set; old handles are refused;
 * - balls of piecewise constant velocity: the touches are the roots of the quadratic equations of all pairs, in order.
 */
#include <stdlib.h>

#include "values.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* Equal numbers; 0 equals -0. */
static bool same_numbers(const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* ---- a sequence of calls ---- */

enum { SHAPES = 4, BODIES = 10, CALLS = 48 };

typedef struct model_body {
    tact_body handle;
    bool exists;
    const tact_shape *shape;
    tact_transform transform;
    tact_motion motion;
    uint64_t category, mask;
    uint32_t class_id;
} model_body;

typedef struct model {
    tact_world *world;
    tact_shape *shapes[SHAPES];
    model_body bodies[BODIES];
    bool touches[BODIES][BODIES]; /* as tests report them, by user pointers */
} model;

static bool collide(const model_body *a, const model_body *b)
{
    return a->exists && b->exists && (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

static size_t number_of(const model *m, const void *user) { return (size_t)((const model_body *)user - m->bodies); }

static void on_contact(void *context, const tact_contact *contact)
{
    model *m = context;
    const size_t a = number_of(m, contact->user_a), b = number_of(m, contact->user_b);
    require(a < BODIES && b < BODIES && a != b && !m->touches[a][b]); /* each pair once */
    m->touches[a][b] = m->touches[b][a] = true;
}

/* Whether rounding may decide: the signed distance is small against the coordinates, or is not known. */
static bool is_marginal(const model_body *a, const model_body *b)
{
    tact_bounds box[2];
    if (tact_shape_bounds(a->shape, a->transform, &box[0]) != TACT_OK ||
        tact_shape_bounds(b->shape, b->transform, &box[1]) != TACT_OK)
        return true;
    double size = 0.0;
    for (int i = 0; i < 2; i++)
        size = fmax(size, fmax(fmax(fabs(box[i].min.x), fabs(box[i].max.x)),
                               fmax(fmax(fabs(box[i].min.y), fabs(box[i].max.y)),
                                    fmax(fabs(box[i].min.z), fabs(box[i].max.z)))));
    const tact_penetration depth = tact_shapes_penetration(a->shape, a->transform, b->shape, b->transform);
    return depth.status != TACT_OK || !(fabs(depth.depth) > 1e-9 * size);
}

static void test(model *m)
{
    memset(m->touches, 0, sizeof m->touches);
    const tact_count count = tact_world_test(m->world);
    if (count.status != TACT_OK)
        return;
    size_t found = 0;
    for (size_t i = 0; i < BODIES; i++)
        for (size_t j = 0; j < i; j++) {
            const model_body *a = &m->bodies[i], *b = &m->bodies[j];
            found += m->touches[i][j];
            if (!collide(a, b)) {
                require(!m->touches[i][j]);
                continue;
            }
            const tact_overlap one = tact_shapes_overlap(a->shape, a->transform, b->shape, b->transform, NULL);
            if (one.status == TACT_OK && (one.state == TACT_HIT) != m->touches[i][j])
                require(is_marginal(a, b));
        }
    require(found == count.count);
}

static void check_getters(const model *m)
{
    size_t count = 0;
    for (size_t i = 0; i < BODIES; i++) {
        const model_body *b = &m->bodies[i];
        require(tact_body_exists(m->world, b->handle) == b->exists);
        if (!b->exists) {
            require(tact_body_get_shape(m->world, b->handle) == NULL);
            require(tact_body_set_class(m->world, b->handle, 1) == TACT_BAD_ARGUMENT);
            continue;
        }
        count++;
        const tact_transform at = tact_body_get_transform(m->world, b->handle);
        const tact_motion motion = tact_body_get_motion(m->world, b->handle);
        require(same_numbers(&at.x_axis.x, &b->transform.x_axis.x, sizeof at / sizeof(double)));
        require(same_numbers(&motion.velocity.x, &b->motion.velocity.x, sizeof motion / sizeof(double)));
        require(tact_body_get_shape(m->world, b->handle) == b->shape && tact_body_get_user(m->world, b->handle) == b);
        require(tact_body_get_category(m->world, b->handle) == b->category);
        require(tact_body_get_mask(m->world, b->handle) == b->mask);
        require(tact_body_get_class(m->world, b->handle) == b->class_id);
    }
    require(tact_world_body_count(m->world) == count);
    for (tact_body b = tact_world_next_body(m->world, (tact_body){0, 0}); b.generation != 0;
         b = tact_world_next_body(m->world, b))
        count--;
    require(count == 0);
}

/* The first body that a ray hits, and all bodies that a shape overlaps. */
static void query(const model *m, values *v)
{
    const tact_vec3 from = take_vec(v), direction = take_vec(v);
    const tact_hit hit = tact_world_ray(m->world, from, direction, INFINITY, NULL);
    double first = INFINITY;
    bool decided = hit.status == TACT_OK;
    for (size_t i = 0; i < BODIES && decided; i++) {
        const model_body *b = &m->bodies[i];
        if (!b->exists)
            continue;
        const tact_ray_hit one = tact_shape_ray(b->shape, b->transform, from, direction, INFINITY);
        decided = one.status == TACT_OK;
        if (one.state == TACT_HIT)
            first = fmin(first, one.t);
    }
    if (decided)
        require(first < INFINITY ? hit.state == TACT_HIT && hit.t == first : hit.state == TACT_MISS);

    const model_body probe = {.shape = m->shapes[take_below(v, SHAPES)], .transform = take_transform(v)};
    const tact_query q = {.type = TACT_QUERY_OVERLAP, .shape = probe.shape, .transform = probe.transform};
    tact_hit hits[BODIES];
    const tact_count all = tact_world_query_all(m->world, &q, hits, BODIES);
    if (all.status != TACT_OK)
        return;
    require(all.count <= BODIES);
    for (size_t i = 0; i < BODIES; i++) {
        const model_body *b = &m->bodies[i];
        bool listed = false;
        for (size_t k = 0; k < all.count; k++)
            listed = listed || hits[k].user == b;
        if (!b->exists) {
            require(!listed);
            continue;
        }
        const tact_overlap one = tact_shapes_overlap(probe.shape, probe.transform, b->shape, b->transform, NULL);
        if (one.status == TACT_OK && (one.state == TACT_HIT) != listed)
            require(is_marginal(&probe, b));
    }
}

static void create(model *m, model_body *b, values *v)
{
    static const double none[12]; /* a transform of zeros is the identity */
    if (b->exists)
        require(tact_body_remove(m->world, b->handle) == TACT_OK);
    const tact_body_def def = {.shape = m->shapes[take_below(v, SHAPES)],
                               .transform = take_transform(v),
                               .motion = take_motion(v),
                               .user = b,
                               .class_id = take_below(v, 3),
                               .category = take_below(v, 4),
                               .mask = take_below(v, 4)};
    const tact_body handle = tact_body_create(m->world, &def);
    b->exists = handle.generation != 0;
    if (!b->exists)
        return; /* the old handle stays, and is refused */
    *b = (model_body){
        .handle = handle, .exists = true, .shape = def.shape, .motion = def.motion, .class_id = def.class_id};
    b->transform = def.transform;
    if (same_numbers(&def.transform.x_axis.x, none, sizeof none / sizeof *none))
        b->transform = tact_identity();
    b->category = def.category != 0 ? def.category : UINT64_MAX;
    b->mask = def.mask != 0 ? def.mask : UINT64_MAX;
}

static void call(model *m, values *v)
{
    const unsigned kind = take_below(v, 10);
    model_body *b = &m->bodies[take_below(v, BODIES)];
    const tact_status missing = b->exists ? TACT_OK : TACT_BAD_ARGUMENT;
    if (kind < 3) {
        create(m, b, v);
    } else if (kind == 3) {
        require(tact_body_remove(m->world, b->handle) == missing);
        b->exists = false;
    } else if (kind == 4) {
        const tact_transform at = take_transform(v);
        if (tact_body_set_transform(m->world, b->handle, at) == TACT_OK) {
            require(b->exists);
            b->transform = at;
        }
    } else if (kind == 5) {
        const uint64_t category = take_below(v, 4), mask = take_below(v, 4);
        require(tact_body_set_filter(m->world, b->handle, category, mask) == missing);
        b->category = category != 0 ? category : UINT64_MAX;
        b->mask = mask != 0 ? mask : UINT64_MAX;
    } else if (kind == 6) {
        const tact_shape *shape = m->shapes[take_below(v, SHAPES)];
        if (tact_body_set_shape(m->world, b->handle, shape) == TACT_OK) {
            require(b->exists);
            b->shape = shape;
        }
    } else if (kind == 7) {
        query(m, v);
    } else if (kind == 8) {
        require(tact_world_set_broad_phase(m->world, (tact_broad_phase)take_below(v, 3)) == TACT_OK);
    } else {
        test(m);
    }
}

static void run_calls(values *v)
{
    static model m; /* bodies are user pointers */
    const tact_world_def def = {.parallel = {.threads = 1}};
    memset(&m, 0, sizeof m);
    m.world = tact_world_create(&def);
    for (int i = 0; i < SHAPES; i++)
        m.shapes[i] = take_shape(v, 2);
    require(m.world != NULL);
    require(tact_world_set_contact_callback(m.world, (tact_response){.callback = on_contact, .context = &m}) ==
            TACT_OK);
    for (int i = 0; i < CALLS && values_left(v); i++)
        call(&m, v);
    test(&m);
    check_getters(&m);
    tact_world_release(m.world);
    for (int i = 0; i < SHAPES; i++)
        tact_shape_release(m.shapes[i]);
}

/* ---- balls ---- */

enum { BALLS = 6, CHANGES = 4, TOUCHES = BALLS * BALLS * (CHANGES + 1) };

/* Inputs with touches that are closer to a miss, to the start or to each other than this, in units of length and of
 * time, are left out. Coordinates and velocities are below 20. */
#define MARGIN 1e-6

typedef struct touch {
    double time;
    int a, b;
} touch;

static int compare_touches(const void *one, const void *other)
{
    const double a = ((const touch *)one)->time, b = ((const touch *)other)->time;
    return (a > b) - (a < b);
}

typedef struct ball {
    tact_body handle;
    double radius;
    tact_vec3 at, velocity; /* at the start of the piece */
} ball;

static double dot(tact_vec3 a, tact_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Adds the touch of a pair within the piece [begin, end), if there is one. Returns false if it is marginal. */
static bool add_touch(const ball *balls, int i, int j, double begin, double end, touch *touches, size_t *count)
{
    const ball *a = &balls[i], *b = &balls[j];
    const tact_vec3 p = {b->at.x - a->at.x, b->at.y - a->at.y, b->at.z - a->at.z};
    const tact_vec3 u = {b->velocity.x - a->velocity.x, b->velocity.y - a->velocity.y, b->velocity.z - a->velocity.z};
    const double r = a->radius + b->radius, gap = sqrt(dot(p, p)) - r, closing = -dot(p, u), speed = dot(u, u);
    if (fabs(gap) < MARGIN)
        return false;
    if (gap < 0.0 || closing <= 0.0)
        return true;
    /* the closest approach is at closing / speed */
    const double nearest = sqrt(fmax(dot(p, p) - closing * closing / speed, 0.0));
    if (fabs(nearest - r) < MARGIN)
        return false;
    if (nearest > r)
        return true;
    const double root = sqrt((r - nearest) * (r + nearest) / speed), time = begin + closing / speed - root;
    if (fabs(time - end) < MARGIN)
        return false;
    if (time < end)
        touches[(*count)++] = (touch){time, i, j};
    return true;
}

/* Touches of the world until a time, compared with those of the model. */
static void advance(tact_world *world, double until, const ball *balls, const touch *touches, size_t count)
{
    tact_event event;
    for (size_t i = 0; i < count; i++) {
        require(tact_world_next_event(world, until, &event) == TACT_EVENT_TOUCH);
        const touch *t = &touches[i];
        require(fabs(event.time - t->time) < 1e-9 && event.a.index == balls[t->a].handle.index &&
                event.b.index == balls[t->b].handle.index);
    }
    require(tact_world_next_event(world, until, &event) == TACT_EVENT_NONE && event.status == TACT_OK);
}

static void run_balls(values *v)
{
    ball balls[BALLS];
    const tact_world_def def = {.kinetic = (tact_kinetic)take_below(v, 3), .parallel = {.threads = 1}};
    tact_world *world = tact_world_create(&def);
    require(world != NULL);
    const int count = 2 + (int)take_below(v, BALLS - 1);
    for (int i = 0; i < count; i++) {
        balls[i].radius = (1.0 + take_below(v, 16)) / 8.0;
        balls[i].at = take_vec(v);
        balls[i].velocity = take_vec(v);
        tact_shape *shape = tact_sphere(balls[i].radius);
        const tact_body_def body = {.shape = shape,
                                    .transform = tact_at(balls[i].at.x, balls[i].at.y, balls[i].at.z),
                                    .motion = {.velocity = balls[i].velocity}};
        balls[i].handle = tact_body_create(world, &body);
        require(balls[i].handle.generation != 0);
        tact_shape_release(shape);
    }
    double time = 0.0;
    for (int piece = 0; piece <= CHANGES; piece++) {
        const double end = time + (1.0 + take_below(v, 32)) / 8.0;
        touch touches[BALLS * BALLS];
        size_t found = 0;
        bool decided = true;
        for (int i = 0; i < count; i++)
            for (int j = i + 1; j < count; j++) {
                decided = decided && add_touch(balls, i, j, time, end, touches, &found);
                const tact_vec3 p = {balls[j].at.x - balls[i].at.x, balls[j].at.y - balls[i].at.y,
                                     balls[j].at.z - balls[i].at.z};
                /* overlapping at the start: its touch is reported at the first time one of them moves */
                if (piece == 0 && sqrt(dot(p, p)) < balls[i].radius + balls[j].radius)
                    decided = false;
            }
        qsort(touches, found, sizeof *touches, compare_touches);
        for (size_t i = 1; i < found; i++)
            decided = decided && touches[i].time - touches[i - 1].time > MARGIN;
        if (!decided)
            break;
        advance(world, end, balls, touches, found);
        for (int i = 0; i < count; i++)
            balls[i].at = (tact_vec3){balls[i].at.x + (end - time) * balls[i].velocity.x,
                                      balls[i].at.y + (end - time) * balls[i].velocity.y,
                                      balls[i].at.z + (end - time) * balls[i].velocity.z};
        time = end;
        ball *changed = &balls[take_below(v, (unsigned)count)];
        changed->velocity = take_vec(v);
        require(tact_body_set_motion(world, changed->handle, (tact_motion){.velocity = changed->velocity}) == TACT_OK);
    }
    tact_world_release(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    values v = {.at = data, .end = data + size, .plain = true, .no_solids = true};
    if (take_byte(&v) % 2 == 0)
        run_calls(&v);
    else
        run_balls(&v);
    return 0;
}
