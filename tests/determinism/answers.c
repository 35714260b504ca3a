/*
 * Digests of answers, which must be the same on every platform: processor, system, compiler, options, number of
 * threads. It needs nothing but the library, so that it is easily built for another system.
 * Random numbers are drawn one expression at a time: the order in which arguments are evaluated differs between
 * compilers.
 *
 *     answers                  prints a line for each kind of answer: its name and the digest of its bits
 *     answers FILE             compares with such lines; exit status 1 if one differs or is missing
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#include "support/digest.h"
#include "support/random.h"

static uint64_t digest;

static void add_word(uint64_t word) { digest = digest_add(digest, word); }

static void add(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    add_word(bits);
}

static void add_vec(tact_vec3 v)
{
    add(v.x);
    add(v.y);
    add(v.z);
}

static void add_transform(tact_transform t)
{
    add_vec(t.x_axis);
    add_vec(t.y_axis);
    add_vec(t.z_axis);
    add_vec(t.origin);
}

static void add_part(tact_part p)
{
    add_word(p.leaf);
    add_word(p.face);
}

static tact_vec3 any_vec(random_source *r, double size)
{
    const double x = random_range(r, -size, size), y = random_range(r, -size, size);
    return tact_vec(x, y, random_range(r, -size, size));
}

static tact_transform any_place(random_source *r, double size)
{
    const tact_vec3 at = any_vec(r, size), axis = any_vec(r, 1.0);
    return tact_transform_make(at, tact_quat_from_axis_angle(axis, random_range(r, -9.0, 9.0)), tact_vec(1, 1, 1));
}

/* ---- shapes ---- */

enum { SHAPES = 13 };

/* A surface of the height field z = f(x, y), as a mesh. */
static tact_shape *sheet(int side, double bump)
{
    tact_vec3 *points = malloc(sizeof *points * (size_t)(side * side));
    uint32_t *indices = malloc(sizeof *indices * (size_t)(6 * side * side)), n = 0;
    if (points == NULL || indices == NULL)
        exit(2);
    for (int i = 0; i < side * side; i++) {
        const double x = 3.0 * (i % side) / (side - 1) - 1.5, z = 3.0 * (i / side) / (side - 1) - 1.5;
        points[i] = tact_vec(x, bump * (x * x * z - z * z * x + 0.3 * x), z);
        if (i % side == side - 1 || i / side == side - 1)
            continue;
        const uint32_t k = (uint32_t)i, s = (uint32_t)side, corners[6] = {k, k + s, k + 1, k + 1, k + s, k + s + 1};
        memcpy(&indices[n], corners, sizeof corners);
        n += 6;
    }
    tact_shape *mesh = tact_mesh(points, (size_t)(side * side), indices, n / 3);
    free(points);
    free(indices);
    return mesh;
}

static tact_shape *paraboloid(void)
{
    static const double knots[6] = {0, 0, 0, 1, 1, 1};
    tact_vec3 points[9];
    for (int i = 0; i < 9; i++) {
        const double x = i % 3 - 1.0, y = i / 3 - 1.0;
        points[i] = tact_vec(x, (x == 0 ? -0.7 : 0.7) + (y == 0 ? -0.6 : 0.6), y);
    }
    return tact_nurbs(&(tact_nurbs_def){
        .degree = {2, 2}, .counts = {3, 3}, .knots = {knots, knots}, .points = points, .tolerance = 1e-3});
}

static void make_shapes(tact_shape *shapes[SHAPES])
{
    random_source r = random_seed(1);
    tact_vec3 cloud[40];
    for (int i = 0; i < 40; i++)
        cloud[i] = any_vec(&r, 1.0);
    shapes[0] = tact_sphere(0.8);
    shapes[1] = tact_box(1.0, 1.3, 0.7);
    shapes[2] = tact_capsule(0.4, 1.1);
    shapes[3] = tact_cylinder(0.6, 1.2);
    shapes[4] = tact_cone(0.7, 1.4);
    shapes[5] = tact_ellipsoid(0.5, 0.9, 0.7);
    shapes[6] = tact_hull(cloud, 40);
    shapes[7] = tact_rounded(shapes[1], 0.1);
    shapes[8] = tact_minkowski_sum(shapes[6], shapes[4]);
    shapes[9] = tact_convex_hull_of(shapes[5], shapes[1]);
    shapes[10] = sheet(17, 0.2);
    shapes[11] = tact_compound((const tact_shape *[]){shapes[1], shapes[2]},
                               (tact_transform[]){tact_at(0.5, 0, 0), tact_at(-0.6, 0.2, 0)}, 2);
    shapes[12] = paraboloid();
    for (int i = 0; i < SHAPES; i++)
        if (shapes[i] == NULL)
            exit(2);
}

static void release_shapes(tact_shape *shapes[SHAPES])
{
    for (int i = 0; i < SHAPES; i++)
        tact_shape_release(shapes[i]);
}

/* ---- answers: each function adds its own to the digest ---- */

static void functions(void)
{
    random_source r = random_seed(2);
    for (int i = 0; i < 5000; i++) {
        const double size = ldexp(1.0, (int)random_below(&r, 60) - 20);
        const tact_vec3 axis = any_vec(&r, 1.0), spin = any_vec(&r, size), velocity = any_vec(&r, 1.0);
        const tact_quat q = tact_quat_from_axis_angle(axis, random_range(&r, -size, size));
        add(q.x);
        add(q.w);
        const tact_motion spinning = {.spin = spin, .velocity = velocity};
        add_transform(tact_motion_at(spinning, tact_identity(), random_unit(&r)));
        const tact_transform from = any_place(&r, 1.0), to = any_place(&r, 1.0);
        tact_motion between;
        if (tact_motion_screw_between(from, to, 0.5, &between) == TACT_OK) {
            add_vec(between.spin);
            add_vec(between.pivot);
        }
    }
}

static void queries(void)
{
    tact_shape *s[SHAPES];
    make_shapes(s);
    random_source r = random_seed(3);
    for (int i = 0; i < 150; i++) {
        const tact_shape *a = s[random_below(&r, SHAPES)], *b = s[random_below(&r, SHAPES)];
        const double reach = random_chance(&r, 0.5) ? 1.0 : 3.0;
        const tact_transform at = any_place(&r, reach), bt = any_place(&r, reach);
        const tact_distance d = tact_shapes_distance(a, at, b, bt);
        add_word((uint64_t)d.status);
        add(d.distance);
        add_vec(d.on_a);
        add_vec(d.normal);
        add_part(d.part_b);
        const tact_penetration p = tact_shapes_penetration(a, at, b, bt);
        add_word((uint64_t)p.status);
        add(p.depth);
        add_vec(p.normal);
        const tact_manifold m = tact_shapes_manifold(a, at, b, bt, 0.05);
        add_word((uint64_t)m.count);
        for (int k = 0; k < m.count; k++) {
            add_vec(m.points[k].on_a);
            add_word(m.points[k].feature_b);
        }
        const tact_vec3 eye = any_vec(&r, 4.0), along = any_vec(&r, 1.0);
        const tact_ray_hit hit = tact_shape_ray(a, at, eye, along, 10.0);
        add(hit.t);
        add_vec(hit.normal);
        const tact_closest c = tact_shape_closest(b, bt, any_vec(&r, 3.0));
        add(c.distance);
        add_vec(c.point);
    }
    release_shapes(s);
}

static void masses(void)
{
    tact_shape *s[SHAPES];
    make_shapes(s);
    random_source r = random_seed(4);
    for (int i = 0; i < SHAPES; i++) {
        const tact_transform at =
            tact_transform_compose(any_place(&r, 1.0), tact_transform_make(tact_vec(0, 0, 0), tact_quat_identity(),
                                                                           tact_vec(1.0, 1.7, i % 2 ? 1.0 : 0.6)));
        const tact_mass m = tact_mass_from_density(s[i], at, 3.0);
        add(m.mass);
        add_vec(m.centre);
        add_vec(m.principal_moments);
    }
    release_shapes(s);
}

static void impacts(void)
{
    tact_shape *s[SHAPES];
    make_shapes(s);
    random_source r = random_seed(5);
    for (int i = 0; i < 300; i++) {
        const tact_shape *a = s[random_below(&r, SHAPES)], *b = s[random_below(&r, SHAPES)];
        const tact_vec3 velocity = any_vec(&r, 4.0), spin = any_vec(&r, 6.0);
        const tact_transform at = any_place(&r, 3.0), bt = any_place(&r, 3.0);
        tact_motion move = {.velocity = velocity, .spin = spin};
        if (random_chance(&r, 0.5))
            move.acceleration = any_vec(&r, 5.0);
        const tact_toi t = tact_shapes_time_of_impact(a, at, move, b, bt, tact_motion_still(), 1.0);
        add_word((uint64_t)t.state);
        add(t.time);
        add_vec(t.point);
        add_vec(t.normal);
    }
    release_shapes(s);
}

static void exact(void)
{
    random_source r = random_seed(6);
    for (int i = 0; i < 20000; i++) {
        tact_vec3 from[4], to[4];
        const double grid = random_chance(&r, 0.3) ? 4.0 : 0x1p30; /* coarse: many ties */
        for (int k = 0; k < 4; k++) {
            from[k] = any_vec(&r, 1.0);
            to[k] = any_vec(&r, 1.0);
            from[k] = tact_vec(floor(from[k].x * grid) / grid, floor(from[k].y * grid) / grid,
                               floor(from[k].z * grid) / grid);
        }
        add_word((uint64_t)tact_orient3d(from[0], from[1], from[2], from[3]));
        const tact_ccd vf = tact_ccd_vertex_face(from, to, NULL), ee = tact_ccd_edge_edge(from, to, NULL);
        add(vf.lower);
        add(vf.upper);
        add(vf.weights[1]);
        add_vec(vf.normal);
        add(ee.lower);
        add(ee.weights[2]);
    }
}

static void intersections(void)
{
    tact_shape *wave = sheet(33, 0.3), *other = sheet(29, -0.25);
    static tact_intersection segments[20000];
    random_source r = random_seed(7);
    for (int i = 0; i < 40; i++) {
        const tact_transform at = any_place(&r, 0.3), bt = any_place(&r, 0.3);
        const tact_intersections n = tact_shapes_intersections(wave, at, other, bt, segments, 20000);
        add_word(n.count);
        for (size_t k = 0; k < n.count; k++) {
            add_vec(segments[k].from);
            add_vec(segments[k].to);
            add_word(segments[k].part_b.face);
        }
    }
    tact_shape_release(wave);
    tact_shape_release(other);
}

static void touched(void *context, const tact_contact *c)
{
    (void)context;
    add_word((uint64_t)c->a.index << 32 | c->b.index);
    add(c->depth);
    add_vec(c->point);
}

static void world_tests(void)
{
    tact_shape *s[SHAPES];
    make_shapes(s);
    random_source r = random_seed(8);
    tact_world *world = tact_world_create(NULL);
    tact_world_set_contact_callback(world, (tact_response){.want = TACT_WITNESS, .callback = touched});
    tact_body bodies[120];
    for (int i = 0; i < 120; i++)
        bodies[i] = tact_body_create(world, &(tact_body_def){.shape = s[i % SHAPES], .transform = any_place(&r, 6.0)});
    for (int frame = 0; frame < 8; frame++) {
        for (int i = frame % 3; i < 120; i += 3)
            (void)tact_body_set_transform(world, bodies[i], any_place(&r, 6.0));
        add_word(tact_world_test(world).count);
    }
    tact_world_release(world);
    release_shapes(s);
}

static void events(void)
{
    tact_shape *s[SHAPES];
    make_shapes(s);
    random_source r = random_seed(9);
    tact_world *world = tact_world_create(NULL);
    for (int i = 0; i < 40; i++) {
        const tact_vec3 velocity = any_vec(&r, 4.0), spin = any_vec(&r, 3.0);
        const tact_transform at = any_place(&r, 6.0);
        const tact_motion motion = {.velocity = velocity, .spin = spin};
        (void)tact_body_create(world,
                               &(tact_body_def){.shape = s[i % 10], .transform = at, .motion = motion, .density = 1.0});
    }
    tact_event e;
    for (int n = 0; n < 50 && tact_world_next_event(world, 2.0, &e) == TACT_EVENT_TOUCH; n++) {
        add(e.time);
        add_word((uint64_t)e.a.index << 32 | e.b.index);
        add_vec(e.point);
        add_vec(e.normal);
        (void)tact_world_bounce(world, &e, 1.0);
    }
    tact_world_release(world);
    release_shapes(s);
}

static void piles(void)
{
    tact_shape *s[SHAPES];
    make_shapes(s);
    random_source r = random_seed(10);
    tact_world *world = tact_world_create(&(tact_world_def){.gravity = {0, -9.81, 0}});
    const tact_material rough = {.friction = 0.5, .restitution = 0.2};
    tact_shape *ground = tact_halfspace(tact_vec(0, 1, 0), 0);
    (void)tact_body_create(world, &(tact_body_def){.shape = ground, .material = rough});
    tact_body bodies[12];
    for (int i = 0; i < 12; i++) {
        tact_transform at = any_place(&r, 0.6);
        at.origin.y = 2.0 + 1.8 * i;
        bodies[i] = tact_body_create(
            world, &(tact_body_def){.shape = s[i % 8], .transform = at, .density = 500.0, .material = rough});
    }
    for (int frame = 0; frame < 150; frame++)
        (void)tact_world_step(world, 1.0 / 60.0);
    for (int i = 0; i < 12; i++)
        add_transform(tact_body_get_transform(world, bodies[i]));
    tact_bytes saved = {0};
    add_word((uint64_t)tact_world_save(world, tact_bytes_sink(&saved), NULL, NULL));
    for (size_t i = 0; i < saved.size; i++)
        add_word(saved.data[i]);
    tact_bytes_release(&saved);
    tact_world_release(world);
    tact_shape_release(ground);
    release_shapes(s);
}

enum { SIDE = 17, VERTICES = SIDE * SIDE };

static void cloth_steps(void)
{
    static tact_vec3 from[VERTICES], to[VERTICES];
    tact_shape *cloth_shape = sheet(SIDE, 0.0), *ball = tact_sphere(0.6), *floor_shape = tact_box(9.0, 0.2, 9.0);
    tact_world *world = tact_world_create(NULL);
    const tact_body cloth =
        tact_body_create(world, &(tact_body_def){.shape = cloth_shape, .deformable = true, .self_collision = true});
    (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(0.1, -0.7, 0.05)});
    (void)tact_body_create(world, &(tact_body_def){.shape = floor_shape, .transform = tact_at(0, -1.6, 0)});
    (void)tact_body_get_vertices(world, cloth, from, VERTICES);
    tact_step_def step = tact_step_def_default();
    step.duration = 0.05;
    step.thickness = 1e-3;
    step.friction = 0.3;
    tact_vec3 velocity[VERTICES] = {{0}};
    for (int n = 0; n < 20; n++) {
        for (int i = 0; i < VERTICES; i++) {
            velocity[i].y -= 9.81 * step.duration;
            to[i] = tact_vec_mul_add(from[i], step.duration, velocity[i]);
        }
        add_word((uint64_t)tact_body_set_step_positions(world, cloth, from, to));
        add(tact_step_find_limit(world, &step).time);
        const tact_step_result done = tact_step_resolve(world, &step);
        add_word((uint64_t)done.status);
        add_word(done.contacts);
        for (int i = 0; i < VERTICES; i++) {
            velocity[i] = tact_vec_scale(tact_vec_sub(to[i], from[i]), 1.0 / step.duration);
            from[i] = to[i];
            add_vec(to[i]);
        }
    }
    tact_world_release(world);
    tact_shape_release(cloth_shape);
    tact_shape_release(ball);
    tact_shape_release(floor_shape);
}

static void animations(void)
{
    enum { FRAMES = 3 };
    static tact_vec3 frames[FRAMES][VERTICES];
    tact_shape *mesh = sheet(SIDE, 0.0), *ball = tact_sphere(0.3);
    random_source r = random_seed(11);
    for (int f = 0; f < FRAMES; f++)
        for (int i = 0; i < VERTICES; i++)
            frames[f][i] = any_vec(&r, f == 0 ? 2.0 : 1.5);
    tact_animation *animation = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = frames, .count = VERTICES}, .frame_count = FRAMES}, NULL);
    for (int engine = 0; engine < 2; engine++) {
        tact_world *world = tact_world_create(NULL);
        (void)tact_world_set_deforming_engine(world, engine ? TACT_DEFORMING_LIST : TACT_DEFORMING_WINDOWS);
        const tact_body body =
            tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true, .self_collision = true});
        (void)tact_body_create(world, &(tact_body_def){.shape = ball, .motion = tact_motion_linear(0.2, 0.1, 0.0)});
        (void)tact_body_play(world, body, animation, NULL);
        (void)tact_body_set_feature_events(world, body, true);
        tact_event e;
        for (int n = 0; n < 3000 && tact_world_next_event(world, 2.0, &e) != TACT_EVENT_NONE; n++) {
            add_word((uint64_t)e.kind);
            add(e.time);
            add_word((uint64_t)e.features.a << 32 | e.features.b);
        }
        tact_world_release(world);
    }
    tact_animation_release(animation);
    tact_shape_release(mesh);
    tact_shape_release(ball);
}

static void nurbs(void)
{
    tact_shape *bowl = paraboloid();
    random_source r = random_seed(12);
    for (int i = 0; i < 40; i++) {
        const tact_transform at = any_place(&r, 0.5), bt = any_place(&r, 1.5);
        const tact_nurbs_separation d = tact_nurbs_distance(bowl, at, bowl, bt, NULL);
        add(d.lower);
        add(d.upper);
        add(d.location_a.u);
        tact_nurbs_intersection curves[8];
        static tact_nurbs_node nodes[4000];
        const tact_nurbs_intersect_result n = tact_nurbs_intersect(bowl, at, bowl, bt, NULL, curves, 8, nodes, 4000);
        add_word(n.curve_count);
        for (size_t k = 0; k < n.node_count && k < 4000; k++)
            add_vec(nodes[k].point);
    }
    tact_shape_release(bowl);
}

static const struct {
    const char *name;
    void (*run)(void);
} kinds[] = {{"functions", functions},     {"queries", queries},       {"masses", masses},
             {"impacts", impacts},         {"exact", exact},           {"intersections", intersections},
             {"world-tests", world_tests}, {"events", events},         {"piles", piles},
             {"cloth-steps", cloth_steps}, {"animations", animations}, {"nurbs", nurbs}};

/* Looks for "NAME DIGEST" in a file; 0 if there is none. */
static uint64_t read_digest(FILE *file, const char *name)
{
    char found[64];
    uint64_t value = 0;
    rewind(file);
    while (fscanf(file, "%63s %" SCNx64, found, &value) == 2)
        if (strcmp(found, name) == 0)
            return value;
    return 0;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    int good = 0, bad = 0;
    if (argc > 1 && file == NULL) {
        (void)fprintf(stderr, "%s cannot be read\n", argv[1]);
        return 2;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        digest = 0;
        kinds[i].run();
        if (file == NULL) {
            printf("%s %016" PRIx64 "\n", kinds[i].name, digest);
        } else if (read_digest(file, kinds[i].name) == digest) {
            good++;
        } else {
            printf("%s has the digest %016" PRIx64 " here, %016" PRIx64 " in %s\n", kinds[i].name, digest,
                   read_digest(file, kinds[i].name), argv[1]);
            bad++;
        }
    }
    if (file == NULL)
        return 0;
    (void)fclose(file);
    printf("[  PASSED  ] %d test(s).\n", good); /* as cmocka does: scripts/test counts these */
    if (bad > 0)
        printf("[  FAILED  ] %d test(s)\n", bad);
    return bad > 0;
}
