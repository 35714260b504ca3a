/*
 * The parts of a touch: which face of a mesh, and which leaf of a compound, the search has found. Random bodies fly
 * towards each other, spinning or not; at the touch, the parts alone must be as near as the bodies. The features of two
 * meshes, or leaves that are meshes, must be as near, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <tact/tact.h>

#include "support/random.h"
#include "support/seeded_cases.h"

#define RINGS 6u
#define SECTORS 8u
#define VERTICES (RINGS * SECTORS)
#define FACES (2u * (RINGS - 1) * SECTORS)

typedef enum body_kind { KIND_MESH, KIND_COMPOUND, KIND_BOX, KIND_SPHERE, KINDS } body_kind;

/* A tube with a bumpy wall; the compound has three of them. */
typedef struct any_shape {
    body_kind kind;
    tact_shape *shape;
    tact_vec3 vertices[VERTICES];
    uint32_t faces[FACES][3];
    tact_transform leaves[3];
} any_shape;

static void make_shape(any_shape *s, random_source *r, body_kind kind)
{
    s->kind = kind;
    uint32_t count = 0;
    for (uint32_t i = 0; i < RINGS; ++i)
        for (uint32_t j = 0; j < SECTORS; ++j) {
            const double angle = 6.283185307179586 * j / SECTORS, radius = random_range(r, 0.5, 0.8);
            s->vertices[i * SECTORS + j] =
                (tact_vec3){radius * cos(angle), radius * sin(angle), 0.4 * i - 1.0 + random_range(r, -0.1, 0.1)};
            const uint32_t a = i * SECTORS + j, b = i * SECTORS + (j + 1) % SECTORS;
            if (i + 1 == RINGS)
                continue;
            memcpy(s->faces[count++], (const uint32_t[3]){a, b, a + SECTORS}, sizeof *s->faces);
            memcpy(s->faces[count++], (const uint32_t[3]){b, b + SECTORS, a + SECTORS}, sizeof *s->faces);
        }
    tact_shape *mesh = tact_mesh(s->vertices, VERTICES, s->faces[0], FACES);
    const tact_shape *const parts[3] = {mesh, mesh, mesh};
    for (int i = 0; i < 3; ++i)
        s->leaves[i] =
            tact_transform_make((tact_vec3){0.5 * i, 0.3 * i, 0.0}, random_rotation(r), (tact_vec3){0.5, 0.5, 0.5});
    s->shape = kind == KIND_MESH       ? tact_shape_retain(mesh)
               : kind == KIND_COMPOUND ? tact_compound(parts, s->leaves, 3)
               : kind == KIND_BOX      ? tact_box(0.5, 0.4, 0.6)
                                       : tact_sphere(0.5);
    tact_shape_release(mesh);
    assert_non_null(s->shape);
}

/* A part alone, and where it is. */
static tact_shape *part_shape(const any_shape *s, tact_part part, tact_transform body, tact_transform *at)
{
    *at = s->kind == KIND_COMPOUND ? tact_transform_compose(body, s->leaves[part.leaf]) : body;
    if (s->kind != KIND_MESH && s->kind != KIND_COMPOUND) {
        assert_true(part.leaf == 0 && part.face == 0);
        return tact_shape_retain(s->shape);
    }
    assert_in_range(part.leaf, 0, s->kind == KIND_COMPOUND ? 2 : 0);
    assert_in_range(part.face, 0, FACES - 1);
    const uint32_t *f = s->faces[part.face];
    return tact_triangle(s->vertices[f[0]], s->vertices[f[1]], s->vertices[f[2]]);
}

static struct {
    int touches[KINDS][KINDS], spinning, other_face, other_leaf;
    int vertex_face, face_vertex, edge_edge; /* features of two meshes; face_vertex: the vertex is of B */
} met;

/* The features of a touch of two meshes: their closest points are in contact, at the point of the event. */
static void check_features(const tact_world *world, const any_shape s[2], const tact_event *e, uint64_t seed)
{
    const tact_event_features *f = &e->features;
    const tact_ccd *c = &f->ccd;
    CHECK(c->status == TACT_OK && c->state == TACT_HIT && c->lower == e->time && c->upper == e->time, "no features");
    const double sign = c->normal.x * e->normal.x + c->normal.y * e->normal.y + c->normal.z * e->normal.z;
    CHECK(fabs(fabs(sign) - 1.0) < 1e-9, "the normals differ: %g", sign);
    const bool swapped = sign < 0.0, edges = f->kind == TACT_EDGE_EDGE;
    CHECK(!(swapped && edges), "the first edge is of A");
    const tact_body bodies[2] = {e->a, e->b};
    tact_vec3 points[2] = {{0, 0, 0}, {0, 0, 0}};
    double sums[2] = {0.0, 0.0};
    for (int i = 0; i < 4; ++i) {
        const int side = i < (edges ? 2 : 1) ? 0 : 1, body = swapped ? 1 - side : side;
        CHECK(f->vertices[i] < VERTICES && c->weights[i] >= 0.0, "vertex %d", i);
        tact_transform at = tact_body_get_transform(world, bodies[body]);
        if (s[body].kind == KIND_COMPOUND)
            at = tact_transform_compose(at, s[body].leaves[body == 0 ? f->part_a.leaf : f->part_b.leaf]);
        const tact_vec3 p = tact_transform_point(at, s[body].vertices[f->vertices[i]]);
        sums[side] += c->weights[i];
        points[side].x += c->weights[i] * p.x;
        points[side].y += c->weights[i] * p.y;
        points[side].z += c->weights[i] * p.z;
    }
    const double apart = hypot(hypot(points[0].x - points[1].x, points[0].y - points[1].y), points[0].z - points[1].z);
    const double off = hypot(hypot(points[0].x - e->point.x, points[0].y - e->point.y), points[0].z - e->point.z);
    CHECK(fabs(sums[0] - 1.0) < 1e-12 && fabs(sums[1] - 1.0) < 1e-12, "weights");
    CHECK(apart < 1e-8 && off < 1e-6, "the features are %g apart, %g from the point", apart, off);
    CHECK(f->a == f->vertices[0] && (!edges || (f->b == f->vertices[2] && f->vertices[0] < f->vertices[1])), "indices");
    if (!edges) {
        const uint32_t face = swapped ? f->part_a.face : f->part_b.face;
        CHECK(f->b == face && memcmp(s[swapped ? 0 : 1].faces[face], f->vertices + 1, 3 * sizeof(uint32_t)) == 0,
              "face %u", face);
    }
    ++*(edges ? &met.edge_edge : swapped ? &met.face_vertex : &met.vertex_face);
}

static void check_touch(tact_world *world, const any_shape s[2], const tact_event *e, uint64_t seed)
{
    assert_int_equal(tact_world_sync_transforms(world), TACT_OK);
    const tact_part parts[2] = {e->features.part_a, e->features.part_b};
    const tact_body bodies[2] = {e->a, e->b};
    tact_transform at[2];
    tact_shape *alone[2];
    for (int i = 0; i < 2; ++i)
        alone[i] = part_shape(&s[i], parts[i], tact_body_get_transform(world, bodies[i]), &at[i]);
    const tact_distance d = tact_shapes_distance(alone[0], at[0], alone[1], at[1]);
    CHECK(d.status == TACT_OK && d.distance < 1e-8, "the parts are %g apart", d.distance);
    if (s[0].kind <= KIND_COMPOUND && s[1].kind <= KIND_COMPOUND)
        check_features(world, s, e, seed);
    else
        CHECK(e->features.ccd.state != TACT_HIT && e->features.ccd.lower == 0.0, "features");
    for (int i = 0; i < 2; ++i) {
        met.other_face += parts[i].face > 0;
        met.other_leaf += parts[i].leaf > 0;
        tact_shape_release(alone[i]);
    }
    ++met.touches[s[0].kind][s[1].kind];
}

static void the_parts_of_a_touch_are_in_contact(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(320, 4000); ++seed) {
        random_source r = random_seed(seed);
        any_shape s[2];
        const body_kind kinds[2] = {(body_kind)(seed % KINDS), (body_kind)(seed / KINDS % KINDS)};
        tact_world *world = tact_world_create(NULL);
        const bool spins = seed % 3 > 0;
        for (int i = 0; i < 2; ++i) {
            make_shape(&s[i], &r, kinds[i]);
            const tact_vec3 spin = random_direction(&r);
            const tact_motion motion = {
                .velocity = {i == 0 ? 1.0 : -1.0, random_range(&r, -0.1, 0.1), random_range(&r, -0.1, 0.1)},
                .spin = spins ? (tact_vec3){spin.x, spin.y, spin.z} : (tact_vec3){0.0, 0.0, 0.0}};
            const tact_body body = tact_body_create(
                world, &(tact_body_def){.shape = s[i].shape,
                                        .transform = tact_transform_make((tact_vec3){i == 0 ? -3.0 : 3.0, 0.0, 0.0},
                                                                         random_rotation(&r), (tact_vec3){1, 1, 1}),
                                        .motion = motion});
            assert_int_not_equal(body.generation, 0);
        }
        tact_event e = {0};
        if (tact_world_next_event(world, 6.0, &e) == TACT_EVENT_TOUCH) {
            check_touch(world, s, &e, seed);
            met.spinning += spins;
        }
        CHECK(e.status == TACT_OK, "status %d", (int)e.status);
        tact_world_release(world);
        for (int i = 0; i < 2; ++i)
            tact_shape_release(s[i].shape);
    }
    for (int a = 0; a < KINDS && !few_cases(); ++a)
        for (int b = 0; b < KINDS; ++b)
            assert_true(met.touches[a][b] > 2);
    print_message("%d spinning, %d other faces, %d other leaves\n", met.spinning, met.other_face, met.other_leaf);
    print_message("features of meshes: %d vertex-face, %d face-vertex, %d edge-edge\n", met.vertex_face,
                  met.face_vertex, met.edge_edge);
    assert_true(few_cases() || (met.vertex_face > 2 && met.face_vertex > 2 && met.edge_edge > 4));
    assert_true(few_cases() || (met.spinning > 60 && met.other_face > 100 && met.other_leaf > 30));
}

/* A box that falls on the second triangle of a deforming sheet: by features, and by shape if it spins. */
static void touches_of_deforming_bodies_have_parts(void **state)
{
    (void)state;
    const tact_vec3 sheet[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
    const uint32_t faces[2][3] = {{0, 1, 2}, {3, 4, 5}};
    tact_vec3 velocities[6];
    for (int i = 0; i < 6; ++i)
        velocities[i] = (tact_vec3){0.0, 0.0, 0.25};
    for (int kind = 0; kind < 3; ++kind) {
        tact_world *world = tact_world_create(NULL);
        tact_shape *shape = tact_mesh(sheet, 6, faces[0], 2), *box = tact_box(0.2, 0.2, 0.2);
        const tact_vec3 at = {5.3, 0.3, kind == 2 ? 0.1 : 3.0}; /* 2: it overlaps at the start */
        const tact_motion motion = {.velocity = {0.0, 0.0, -1.0}, .spin = {0.0, 0.0, kind == 1 ? 1.0 : 0.0}};
        const tact_body crate = tact_body_create(
            world, &(tact_body_def){.shape = box, .transform = tact_at(at.x, at.y, at.z), .motion = motion});
        const tact_body cloth = tact_body_create(world, &(tact_body_def){.shape = shape, .deformable = true});
        assert_int_equal(tact_body_set_vertex_motion(world, cloth, &(tact_vertex_motion){.velocities = velocities}),
                         TACT_OK);
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 10.0, &e), TACT_EVENT_TOUCH);
        assert_int_equal(e.a.index, crate.index);
        assert_int_equal(e.features.part_b.face, 1);
        assert_int_equal(e.features.part_a.face, 0);
        tact_world_release(world);
        tact_shape_release(shape);
        tact_shape_release(box);
    }
}

/* A mesh of one polygon with many vertices on the unit circle, in the plane z = 0. */
static tact_shape *make_disc(uint32_t corners)
{
    tact_vec3 vertices[80];
    uint32_t indices[80];
    assert_in_range(corners, 3, 80);
    for (uint32_t i = 0; i < corners; ++i) {
        const double angle = 6.283185307179586 * i / corners;
        vertices[i] = (tact_vec3){cos(angle), sin(angle), 0.0};
        indices[i] = i;
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = vertices, .count = corners};
    def.indices = indices;
    def.index_count = corners;
    def.loop_sizes = &corners;
    def.loop_count = 1;
    def.face_count = 1;
    tact_shape *disc = tact_mesh_create(&def, NULL);
    assert_non_null(disc);
    return disc;
}

/* Two polygons touch: with up to 4,096 pairs of triangles (64 each: 66 vertices) the event has features. */
static void features_of_polygons_are_limited(void **state)
{
    (void)state;
    const uint32_t corners[] = {65, 66, 67, 80};
    for (int i = 0; i < 4; ++i) {
        tact_world *world = tact_world_create(NULL);
        tact_shape *disc = make_disc(corners[i]);
        const tact_quat upright = tact_quat_from_axis_angle(tact_vec(1, 0, 0), 1.5707963267948966);
        const tact_body_def lower = {.shape = disc},
                            upper = {.shape = disc, /* its lowest vertex meets the middle of the other disc */
                                     .transform =
                                         tact_transform_make(tact_vec(0.1, 0.2, 3), upright, tact_vec(1, 1, 1)),
                                     .motion = tact_motion_linear(0, 0, -1)};
        (void)tact_body_create(world, &lower);
        (void)tact_body_create(world, &upper);
        tact_event e;
        assert_int_equal(tact_world_next_event(world, 10.0, &e), TACT_EVENT_TOUCH);
        assert_true(fabs(e.time - 2.0) < 0.01);
        assert_int_equal(e.features.ccd.state, corners[i] <= 66 ? TACT_HIT : TACT_UNKNOWN);
        tact_world_release(world);
        tact_shape_release(disc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_parts_of_a_touch_are_in_contact),
        cmocka_unit_test(touches_of_deforming_bodies_have_parts),
        cmocka_unit_test(features_of_polygons_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
