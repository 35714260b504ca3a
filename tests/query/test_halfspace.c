/*
 * Half-spaces against every other shape: distance, depth, contacts, rays, points and time of impact.
 *
 * The oracle starts from a plane in the world, N . x <= D, and writes it in the local coordinates of a random affine
 * transform x -> M x + o: (M^t N) . x <= D - N . o. No inverse is involved. The least height of a shape above the plane
 * comes from its vertices, or from the formula of its kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <stdio.h>
#include <string.h>
#include <tact/tact.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/vec.h"

/* ---- planes and shapes with their oracles ---- */

typedef struct plane {
    tact_vec3 n;
    double d;
} plane;

static tact_vec3 random_point(random_source *r, double size)
{
    return vec_make(random_range(r, -size, size), random_range(r, -size, size), random_range(r, -size, size));
}

/* Rotation, nonuniform scale, reflection, and a shear for good measure. */
static tact_transform random_affine(random_source *r, double size)
{
    const tact_vec3 scale = {random_size(r, -2, 1), random_size(r, -2, 1), random_size(r, -2, 1)};
    tact_transform t = tact_transform_make(random_point(r, size), random_rotation(r), scale);
    if (random_chance(r, 0.3))
        t.y_axis = vec_mul_add(t.y_axis, random_range(r, -0.5, 0.5), t.x_axis);
    return t;
}

static tact_vec3 transposed(const tact_transform *m, tact_vec3 n)
{
    return vec_make(vec_dot(m->x_axis, n), vec_dot(m->y_axis, n), vec_dot(m->z_axis, n));
}

/* The half-space whose image under `at` is the plane. */
static tact_shape *halfspace_of(const plane *p, const tact_transform *at, double factor, double margin)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_HALFSPACE;
    def.normal = vec_scale(transposed(at, p->n), factor);
    def.offset = (p->d - vec_dot(p->n, at->origin)) * factor;
    def.margin = margin;
    return tact_shape_create(&def, NULL);
}

enum { KIND_SPHERE, KIND_CAPSULE, KIND_CYLINDER, KIND_CONE, KIND_ELLIPSOID, KIND_POINTS, KIND_COUNT };
enum { SHAPES = 14, MAX_POINTS = 64 };

typedef struct subject {
    const char *name;
    tact_shape *shape;
    int kind;
    double radius, height;
    tact_vec3 radii;
    tact_vec3 points[MAX_POINTS]; /* KIND_POINTS: all vertices */
    int count;
    double margin;
} subject;

/* The least height of the local shape along g = M^t N, margin left out. */
static double least_height(const subject *s, tact_vec3 g)
{
    const double half = 0.5 * s->height, flat = hypot(g.x, g.z), whole = hypot(flat, g.y);
    double least = INFINITY;
    switch (s->kind) {
    case KIND_SPHERE:
        return -s->radius * whole;
    case KIND_CAPSULE:
        return -half * fabs(g.y) - s->radius * whole;
    case KIND_CYLINDER:
        return -half * fabs(g.y) - s->radius * flat;
    case KIND_CONE:
        return fmin(half * g.y, -half * g.y - s->radius * flat);
    case KIND_ELLIPSOID:
        return -hypot(hypot(s->radii.x * g.x, s->radii.y * g.y), s->radii.z * g.z);
    default:
        for (int i = 0; i < s->count; i++)
            least = fmin(least, vec_dot(g, s->points[i]));
        return least;
    }
}

static void add_points(subject *s, const tact_vec3 *points, int count)
{
    s->kind = KIND_POINTS;
    for (int i = 0; i < count; i++)
        s->points[s->count++] = points[i];
}

static void box_points(subject *s, tact_vec3 half)
{
    for (int i = 0; i < 8; i++) {
        const tact_vec3 p = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
        add_points(s, &p, 1);
    }
}

static tact_vec3 box_support(void *context, tact_vec3 n)
{
    (void)context;
    return vec_make(n.x < 0 ? -1.0 : 1.0, n.y < 0 ? -2.0 : 2.0, n.z < 0 ? -0.5 : 0.5);
}

static tact_shape *solid_mesh(const tact_vec3 *points, const uint32_t *indices, size_t triangles, size_t count)
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){points, count, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 3 * triangles;
    def.solid = true;
    return tact_mesh_create(&def, NULL);
}

static const uint32_t tetrahedron_faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

static void make_subject(random_source *r, int which, subject *s)
{
    tact_vec3 points[12];
    *s = (subject){.name = "?"};
    s->radius = random_range(r, 0.2, 2.0);
    s->height = random_range(r, 0.2, 2.0);
    s->radii = vec_make(random_range(r, 0.2, 2.0), random_range(r, 0.2, 2.0), random_range(r, 0.2, 2.0));
    for (int i = 0; i < 12; i++)
        points[i] = random_point(r, 1.5);
    switch (which) {
    case 0:
        s->shape = tact_sphere(s->radius);
        s->kind = KIND_SPHERE;
        s->name = "sphere";
        break;
    case 1:
        s->shape = tact_capsule(s->radius, s->height);
        s->kind = KIND_CAPSULE;
        s->name = "capsule";
        break;
    case 2:
        s->shape = tact_cylinder(s->radius, s->height);
        s->kind = KIND_CYLINDER;
        s->name = "cylinder";
        break;
    case 3:
        s->shape = tact_cone(s->radius, s->height);
        s->kind = KIND_CONE;
        s->name = "cone";
        break;
    case 4:
        s->shape = tact_ellipsoid(s->radii.x, s->radii.y, s->radii.z);
        s->kind = KIND_ELLIPSOID;
        s->name = "ellipsoid";
        break;
    case 5:
        s->shape = tact_box(2.0 * s->radii.x, 2.0 * s->radii.y, 2.0 * s->radii.z);
        box_points(s, s->radii);
        s->name = "box";
        break;
    case 6:
        s->shape = tact_hull(points, 12);
        add_points(s, points, 12);
        s->name = "hull";
        break;
    case 7:
        s->shape = tact_triangle(points[0], points[1], points[2]);
        add_points(s, points, 3);
        s->name = "triangle";
        break;
    case 8:
        s->shape = tact_point(points[0]);
        add_points(s, points, 1);
        s->name = "point";
        break;
    case 9:
        s->shape = tact_mesh(points, 4, tetrahedron_faces, 4);
        add_points(s, points, 4);
        s->name = "mesh";
        break;
    case 10:
        s->shape = solid_mesh(points, tetrahedron_faces, 4, 4);
        add_points(s, points, 4);
        s->name = "solid mesh";
        break;
    case 11: {
        const uint32_t sizes[2] = {4, 8}, indices[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
        tact_mesh_def def = tact_mesh_def_default();
        def.vertices = (tact_vertices){points, 12, 0, TACT_SCALAR_DOUBLE};
        def.indices = indices;
        def.index_count = 12;
        def.loop_sizes = sizes;
        def.loop_count = 2;
        s->shape = tact_soup_create(&def, NULL);
        add_points(s, points, 12);
        s->name = "soup";
        break;
    }
    case 12: {
        tact_shape *parts[2] = {tact_hull(points, 6), tact_mesh(points + 6, 4, tetrahedron_faces, 4)};
        tact_transform places[2] = {random_affine(r, 1.0), random_affine(r, 1.0)};
        s->shape = tact_compound((const tact_shape *const *)parts, places, 2);
        for (int i = 0; i < 10; i++) {
            const tact_vec3 p = tact_transform_point(places[i < 6 ? 0 : 1], points[i]);
            add_points(s, &p, 1);
        }
        tact_shape_release(parts[0]);
        tact_shape_release(parts[1]);
        s->name = "compound";
        break;
    }
    default:
        s->shape = tact_custom(box_support, NULL, 3.0);
        box_points(s, vec_make(1.0, 2.0, 0.5));
        s->name = "custom";
        break;
    }
    if (random_chance(r, 0.3) && which != 12) {
        s->margin = random_range(r, 0.01, 0.3);
        tact_shape *rounded = tact_rounded(s->shape, s->margin);
        tact_shape_release(s->shape);
        s->shape = rounded;
    }
    assert_non_null(s->shape);
}

static double off(tact_vec3 a, tact_vec3 b) { return vec_max_abs(vec_sub(a, b)); }

/* ---- one instant ---- */

typedef struct scene {
    subject s;
    plane p;
    tact_transform at_plane, at;
    tact_shape *halfspace;
    double height; /* the true least height */
    double margin; /* of the half-space */
} scene;

static void make_scene(random_source *r, int which, scene *c)
{
    make_subject(r, which, &c->s);
    c->p = (plane){random_direction(r), random_range(r, -3.0, 3.0)};
    if (random_chance(r, 0.2))
        c->p.n = vec_make(0.0, 1.0, 0.0);
    c->at_plane = random_affine(r, 5.0);
    c->margin = random_chance(r, 0.3) ? random_range(r, 0.0, 0.5) : 0.0;
    c->halfspace = halfspace_of(&c->p, &c->at_plane, random_range(r, 0.1, 9.0), c->margin);
    c->at = random_affine(r, 3.0);
    c->height = vec_dot(c->p.n, c->at.origin) + least_height(&c->s, transposed(&c->at, c->p.n)) - c->s.margin -
                (c->p.d + c->margin);
    assert_non_null(c->halfspace);
}

static void release_scene(scene *c)
{
    tact_shape_release(c->s.shape);
    tact_shape_release(c->halfspace);
}

static double height_of(const scene *c, tact_vec3 point) { return vec_dot(c->p.n, point) - (c->p.d + c->margin); }

static void distance_and_depth_are_those_of_the_lowest_point(void **state)
{
    (void)state;
    int overlapping = 0, apart = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(2800); seed++) {
        random_source r = random_seed(seed);
        scene c;
        make_scene(&r, (int)(seed % SHAPES), &c);
        const double slack = 1e-12;
        const tact_shape *h = c.halfspace, *s = c.s.shape;
        const tact_penetration p = tact_shapes_penetration(h, c.at_plane, s, c.at);
        CHECK(p.status == TACT_OK && fabs(p.depth + c.height) <= slack, "%s: depth %g, height %g", c.s.name, p.depth,
              c.height);
        CHECK(off(p.normal, c.p.n) <= slack, "%s: normal", c.s.name);
        CHECK(fabs(height_of(&c, p.on_a)) <= slack, "%s: on_a is %g off the plane", c.s.name, height_of(&c, p.on_a));
        CHECK(fabs(height_of(&c, p.on_b) - c.height) <= slack, "%s: on_b", c.s.name);
        CHECK(off(vec_sub(p.on_a, p.on_b), vec_scale(p.normal, p.depth)) <= slack, "%s: points", c.s.name);
        const tact_distance d = tact_shapes_distance(h, c.at_plane, s, c.at);
        CHECK(d.status == TACT_OK && fabs(d.distance - fmax(c.height, 0.0)) <= slack, "%s: distance %g", c.s.name,
              d.distance);
        const tact_overlap o = tact_shapes_overlap(h, c.at_plane, s, c.at, NULL);
        CHECK(fabs(c.height) <= slack || o.state == (c.height > 0.0 ? TACT_MISS : TACT_HIT), "%s: overlap", c.s.name);
        const double reach = fabs(c.height) * random_range(&r, 0.5, 1.5);
        const tact_overlap w = tact_shapes_within(h, c.at_plane, s, c.at, reach, NULL);
        CHECK(fabs(c.height - reach) <= slack || w.state == (c.height > reach ? TACT_MISS : TACT_HIT), "%s: within",
              c.s.name);
        const tact_common_point q = tact_shapes_common_point(h, c.at_plane, s, c.at, NULL);
        CHECK(q.state == o.state && (q.state == TACT_MISS || height_of(&c, q.point) <= slack), "%s: common", c.s.name);
        /* the translation by depth * normal makes them just touch */
        const tact_transform out = tact_transform_translate(c.at, vec_scale(p.normal, p.depth));
        CHECK(fabs(tact_shapes_penetration(h, c.at_plane, s, out).depth) <= 2.0 * slack, "%s: pushed out", c.s.name);
        /* swapped */
        const tact_penetration m = tact_shapes_penetration(s, c.at, h, c.at_plane);
        CHECK(m.depth == p.depth && vec_equal(m.normal, vec_negate(p.normal)) && vec_equal(m.on_a, p.on_b) &&
                  vec_equal(m.on_b, p.on_a) && m.part_a.leaf == p.part_b.leaf && m.part_a.face == p.part_b.face,
              "%s: swapped", c.s.name);
        const tact_distance e = tact_shapes_distance(s, c.at, h, c.at_plane);
        CHECK(e.distance == d.distance && vec_equal(e.on_a, d.on_b) && vec_equal(e.on_b, d.on_a), "%s: swapped",
              c.s.name);
        overlapping += c.height < 0.0;
        apart += c.height > 0.0;
        release_scene(&c);
    }
    assert_true(few_cases() || (overlapping > 600 && apart > 600));
}

/* ---- contact points ---- */

static void contacts_are_the_points_within_reach(void **state)
{
    (void)state;
    int hits = 0, misses = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(1400); seed++) {
        random_source r = random_seed(seed);
        scene c;
        make_scene(&r, (int)(seed % SHAPES), &c);
        const double reach = random_chance(&r, 0.5) ? 0.0 : random_range(&r, 0.0, 1.0), slack = 1e-12;
        tact_contact_point points[64];
        const tact_contacts n = tact_shapes_contacts(c.halfspace, c.at_plane, c.s.shape, c.at, reach, points, 64);
        const tact_manifold m = tact_shapes_manifold(c.halfspace, c.at_plane, c.s.shape, c.at, reach);
        CHECK(n.status == TACT_OK && m.status == TACT_OK, "%s: status", c.s.name);
        CHECK(fabs(c.height - reach) <= slack || (n.state == TACT_HIT) == (c.height <= reach), "%s: state", c.s.name);
        CHECK(fabs(c.height - reach) <= slack || (m.state == TACT_HIT) == (c.height <= reach), "%s: state", c.s.name);
        CHECK((m.count > 0) == (m.state == TACT_HIT) && (n.count > 0) == (n.state == TACT_HIT), "%s: count", c.s.name);
        for (size_t i = 0; i < n.count; i++) {
            const tact_contact_point *p = &points[i];
            CHECK(p->depth >= -reach - slack && p->depth <= -c.height + slack, "%s: depth %g", c.s.name, p->depth);
            CHECK(fabs(height_of(&c, p->on_a)) <= slack && fabs(height_of(&c, p->on_b) + p->depth) <= slack,
                  "%s: point %zu", c.s.name, i);
            CHECK(p->depth <= points[0].depth + slack, "%s: the deepest is first", c.s.name);
            CHECK(off(p->normal, c.p.n) <= slack, "%s: normal", c.s.name);
        }
        for (int i = 0; i < m.count; i++)
            CHECK(fabs(height_of(&c, m.points[i].on_b) + m.points[i].depth) <= slack &&
                      m.points[i].depth <= m.points[0].depth + slack && m.points[i].depth >= -reach - slack,
                  "%s: manifold point %d", c.s.name, i);
        CHECK(m.count == 0 || fabs(m.points[0].depth + c.height) <= slack, "%s: the deepest is first", c.s.name);
        tact_contact_point swapped[64];
        const tact_contacts k = tact_shapes_contacts(c.s.shape, c.at, c.halfspace, c.at_plane, reach, swapped, 64);
        CHECK(k.count == n.count, "%s: swapped", c.s.name);
        for (size_t i = 0; i < n.count; i++)
            CHECK(vec_equal(swapped[i].on_a, points[i].on_b) && vec_equal(swapped[i].on_b, points[i].on_a) &&
                      vec_equal(swapped[i].normal, vec_negate(points[i].normal)),
                  "%s: swapped", c.s.name);
        hits += n.state == TACT_HIT;
        misses += n.state == TACT_MISS;
        release_scene(&c);
    }
    assert_true(few_cases() || (hits > 300 && misses > 200));
}

/* Every vertex of a mesh within reach is a contact, and no other point is. */
static void resting_meshes_have_all_their_contacts(void **state)
{
    (void)state;
    size_t total = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(300); seed++) {
        random_source r = random_seed(seed);
        scene c;
        make_scene(&r, 9 + (int)(seed % 2), &c);
        const double reach = random_range(&r, 0.0, 2.0);
        tact_contact_point points[16];
        size_t expected = 0;
        for (int i = 0; i < c.s.count; i++)
            expected += height_of(&c, tact_transform_point(c.at, c.s.points[i])) - c.s.margin <= reach;
        const tact_contacts n = tact_shapes_contacts(c.halfspace, c.at_plane, c.s.shape, c.at, reach, points, 16);
        CHECK(n.count == expected, "%s: %zu of %zu", c.s.name, n.count, expected);
        const tact_contacts few = tact_shapes_contacts(c.halfspace, c.at_plane, c.s.shape, c.at, reach, points, 1);
        CHECK(few.count >= expected && (expected == 0 || fabs(points[0].depth + c.height) < 1e-12), "the deepest");
        /* put on the plane, up to rounding: the lowest vertex is a contact where it is not above the reach */
        const tact_penetration deep = tact_shapes_penetration(c.halfspace, c.at_plane, c.s.shape, c.at);
        const tact_transform on = tact_transform_translate(c.at, vec_scale(deep.normal, deep.depth));
        const double gap = -tact_shapes_penetration(c.halfspace, c.at_plane, c.s.shape, on).depth;
        CHECK(fabs(gap) < 1e-13, "%g off the plane", gap);
        CHECK(tact_shapes_contacts(c.halfspace, c.at_plane, c.s.shape, on, fmax(gap, 0.0), points, 16).count > 0 ||
                  c.s.margin > 0.0,
              "no contact at a gap of %g", gap);
        total += expected;
        release_scene(&c);
    }
    assert_true(few_cases() || total > 300);
}

/* The points of the manifold of a mesh are vertices with their ids, the deepest one too, and none comes twice. */
static void manifolds_of_meshes_name_their_vertices(void **state)
{
    (void)state;
    static const tact_vec3 corners[4] = {{0, 0, 0}, {1, 0.1, 0}, {0, 1, 0.2}, {0.1, 0, 1}};
    static const uint32_t indices[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    tact_shape *mesh = tact_mesh(corners, 4, indices, 4), *ground = tact_halfspace(vec_make(0.1, 1, 0.3), 0.7);
    size_t total = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(400); seed++) {
        random_source r = random_seed(seed);
        const tact_transform ground_at =
                                 tact_transform_make(random_point(&r, 9), random_rotation(&r), vec_make(1, 1, 1)),
                             at = tact_transform_make(random_point(&r, 9), random_rotation(&r), vec_make(1, 1, 1));
        const tact_manifold m = tact_shapes_manifold(ground, ground_at, mesh, at, 1.0);
        for (int i = 0; i < m.count; i++) {
            int found = -1;
            for (int k = 0; k < 4; k++)
                if (vec_max_abs(vec_sub(m.points[i].on_b, tact_transform_point(at, corners[k]))) < 1e-12)
                    found = k;
            CHECK(found >= 0 && fabs(m.points[0].depth - m.depth) < 1e-12, "point %d is no vertex", i);
            for (int k = 0; k < i; k++)
                CHECK(m.points[i].feature_b != m.points[k].feature_b, "points %d and %d are one", i, k);
            CHECK(m.points[i].feature_b != 0 && m.points[i].feature_a != 0, "point %d has no id", i);
            total++;
        }
    }
    assert_true(few_cases() || total > 300);
    tact_shape_release(mesh);
    tact_shape_release(ground);
}

/* All vertices of a square that lies in the plane, each off by rounding. */
static void flat_meshes_rest_on_all_their_vertices(void **state)
{
    (void)state;
    static const tact_vec3 corners[4] = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}};
    static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    tact_shape *square = tact_mesh(corners, 4, indices, 2), *ground = tact_halfspace(vec_make(0, 1, 0), 0);
    for (uint64_t seed = first_seed(); seed <= last_seed(200); seed++) {
        random_source r = random_seed(seed);
        const tact_quat turn = random_rotation(&r);
        const tact_transform ground_at = tact_transform_make(random_point(&r, 100.0), turn, vec_make(1, 1, 1)),
                             at = tact_transform_compose(ground_at,
                                                         tact_at(random_range(&r, -5, 5), 0, random_range(&r, -5, 5)));
        double reach = 0.0;
        for (int i = 0; i < 4; i++)
            reach = fmax(reach, tact_shape_closest(ground, ground_at, tact_transform_point(at, corners[i])).distance);
        tact_contact_point points[8];
        const tact_contacts n = tact_shapes_contacts(ground, ground_at, square, at, reach, points, 8);
        CHECK(n.status == TACT_OK && n.count == 4, "%zu contacts within %g", n.count, reach);
    }
    tact_shape_release(square);
    tact_shape_release(ground);
}

static void a_box_rests_on_four_points(void **state)
{
    (void)state;
    tact_shape *h = tact_halfspace(vec_make(0, 0, 5), 10), *box = tact_box(2, 4, 6), *ball = tact_sphere(1);
    const tact_manifold m = tact_shapes_manifold(box, tact_at(7, 8, 5), h, tact_identity(), 0.01);
    assert_int_equal(m.state, TACT_HIT);
    assert_int_equal(m.count, 4);
    assert_true(m.normal.z == -1.0 && fabs(m.depth) <= 1e-15);
    for (int i = 0; i < 4; i++) {
        const tact_vec3 p = m.points[i].on_a;
        assert_true(fabs(fabs(p.x - 7) - 1) < 1e-14 && fabs(fabs(p.y - 8) - 2) < 1e-14 && fabs(p.z - 2) < 1e-14);
    }
    assert_int_equal(tact_shapes_manifold(ball, tact_at(0, 0, 3), h, tact_identity(), 0.0).count, 1);
    assert_int_equal(tact_shapes_manifold(ball, tact_at(0, 0, 3.5), h, tact_identity(), 0.1).count, 0);
    /* a large flat mesh: the manifold spans it */
    enum { N = 21 };
    static tact_vec3 grid[N * N];
    static uint32_t indices[6 * (N - 1) * (N - 1)];
    size_t k = 0;
    for (uint32_t i = 0; i < N * N; i++)
        grid[i] = vec_make(i / N, i % N, 0);
    for (uint32_t i = 0; i + 1 < N; i++)
        for (uint32_t j = 0; j + 1 < N; j++) {
            const uint32_t a = i * N + j, quad[6] = {a, a + N, a + N + 1, a, a + N + 1, a + 1};
            memcpy(indices + k, quad, sizeof quad);
            k += 6;
        }
    tact_shape *sheet = tact_mesh(grid, N * N, indices, k / 3);
    const tact_manifold flat = tact_shapes_manifold(h, tact_identity(), sheet, tact_at(0, 0, 2), 1e-6);
    double area = 0.0; /* of the triangle of three outermost points, doubled */
    for (int i = 0; i < flat.count; i++)
        for (int j = 0; j < flat.count; j++)
            area = fmax(area, vec_length(vec_cross(vec_sub(flat.points[i].on_b, flat.points[0].on_b),
                                                   vec_sub(flat.points[j].on_b, flat.points[0].on_b))));
    assert_true(flat.count >= 4 && area >= 0.5 * 400.0);
    assert_int_equal(tact_shapes_contacts(h, tact_identity(), sheet, tact_at(0, 0, 2), 1e-6, NULL, 0).status, TACT_OK);
    tact_shape_release(h);
    tact_shape_release(box);
    tact_shape_release(ball);
    tact_shape_release(sheet);
}

/* ---- rays and points ---- */

static void rays_and_points_meet_the_plane(void **state)
{
    (void)state;
    int kinds[4] = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed(2000); seed++) {
        random_source r = random_seed(seed);
        scene c;
        make_scene(&r, 0, &c);
        const tact_vec3 from = random_point(&r, 8.0),
                        along = vec_scale(random_direction(&r), random_range(&r, 0.1, 5.0));
        const double height = height_of(&c, from), slope = vec_dot(c.p.n, along), max = random_range(&r, 0.0, 9.0);
        const tact_ray_hit hit = tact_shape_ray(c.halfspace, c.at_plane, from, along, max);
        const double t = height <= 0.0 ? 0.0 : slope < 0.0 ? height / -slope : INFINITY;
        CHECK(hit.status == TACT_OK, "status");
        CHECK(fabs(t - max) < 1e-10 || fabs(height) < 1e-12 || (hit.state == TACT_HIT) == (t <= max), "t %g, max %g", t,
              max);
        if (hit.state == TACT_HIT && fabs(height) > 1e-12) {
            CHECK(fabs(hit.t - t) <= 1e-12 * (1.0 + t) * (1.0 + 1.0 / fabs(slope)), "t %g instead of %g", hit.t, t);
            CHECK(off(hit.point, vec_mul_add(from, hit.t, along)) <= 1e-12, "point");
            CHECK(t > 0.0 ? off(hit.normal, c.p.n) <= 1e-12 : vec_max_abs(hit.normal) == 0.0, "normal");
        }
        const tact_closest closest = tact_shape_closest(c.halfspace, c.at_plane, from);
        CHECK(closest.status == TACT_OK && fabs(closest.distance - height) <= 1e-12, "distance %g", closest.distance);
        CHECK(fabs(height_of(&c, closest.point)) <= 1e-12 && off(closest.normal, c.p.n) <= 1e-12, "closest point");
        const tact_overlap in = tact_shape_contains(c.halfspace, c.at_plane, from);
        CHECK(fabs(height) < 1e-12 || in.state == (height < 0.0 ? TACT_HIT : TACT_MISS), "containment");
        kinds[height <= 0.0 ? 0 : slope >= 0.0 ? 1 : t <= max ? 2 : 3]++;
        release_scene(&c);
    }
    for (int i = 0; i < 4; i++)
        assert_true(few_cases() || kinds[i] > 100);
}

/* ---- time ---- */

/* The position at t of a point x of a body, by Rodrigues' formula. */
static tact_vec3 moved_point(const tact_motion *m, const tact_transform *at, tact_vec3 x, double t)
{
    tact_vec3 p = vec_transform(at, x);
    const double rate = vec_length(m->spin), angle = rate * t;
    if (rate > 0.0) {
        const tact_vec3 k = vec_scale(m->spin, 1.0 / rate), kp = vec_cross(k, p), kkp = vec_cross(k, kp);
        p = vec_add(p, vec_add(vec_scale(kp, sin(angle)), vec_scale(kkp, 1.0 - cos(angle))));
    }
    return vec_add(vec_add(at->origin, p), vec_add(vec_scale(m->velocity, t), vec_scale(m->acceleration, 0.5 * t * t)));
}

/* The height of the lowest vertex at t above the moving plane through `on` with the normal n. */
static double height_at(const scene *c, const tact_motion motion[2], double t)
{
    const tact_transform turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, c->at_plane.origin};
    const tact_vec3 foot =
        vec_mul_add(c->at_plane.origin, c->p.d + c->margin - vec_dot(c->p.n, c->at_plane.origin), c->p.n);
    const tact_vec3 on = moved_point(&motion[0], &turn, vec_sub(foot, c->at_plane.origin), t);
    const tact_vec3 n =
        vec_sub(moved_point(&motion[0], &turn, c->p.n, t), moved_point(&motion[0], &turn, vec_make(0, 0, 0), t));
    double least = INFINITY;
    for (int i = 0; i < c->s.count; i++)
        least = fmin(least, vec_dot(n, vec_sub(moved_point(&motion[1], &c->at, c->s.points[i], t), on)));
    return least - c->s.margin;
}

static void times_of_impact_are_never_late(void **state)
{
    (void)state;
    int hits = 0, misses = 0, starts = 0, spinning_planes = 0;
    static const int subjects[8] = {5, 6, 7, 8, 9, 10, 11, 12};
    for (uint64_t seed = first_seed(); seed <= last_seed(1600); seed++) {
        random_source r = random_seed(seed);
        scene c;
        make_scene(&r, subjects[seed % 8], &c);
        tact_motion motion[2] = {tact_motion_still(), tact_motion_still()};
        for (int i = 0; i < 2; i++) {
            if (random_chance(&r, i == 0 ? 0.5 : 0.9))
                motion[i].velocity = random_point(&r, 3.0);
            if (random_chance(&r, i == 0 ? 0.2 : 0.5))
                motion[i].acceleration = random_point(&r, 2.0);
            if (random_chance(&r, i == 0 ? 0.15 : 0.7))
                motion[i].spin = random_point(&r, 4.0);
        }
        if (random_chance(&r, 0.6)) { /* above the plane */
            c.at.origin = vec_mul_add(c.at.origin, random_range(&r, 0.0, 3.0) - c.height, c.p.n);
        }
        const double end = random_range(&r, 0.5, 4.0), start = height_at(&c, motion, 0.0), tolerance = 1e-7;
        const bool swap = random_chance(&r, 0.5);
        const tact_toi_def def = {end, tolerance};
        const tact_toi hit =
            swap
                ? tact_shapes_time_of_impact_with(c.s.shape, c.at, motion[1], c.halfspace, c.at_plane, motion[0], &def)
                : tact_shapes_time_of_impact_with(c.halfspace, c.at_plane, motion[0], c.s.shape, c.at, motion[1], &def);
        CHECK(hit.status == TACT_OK, "%s: status %d", c.s.name, (int)hit.status);
        if (start < -tolerance) {
            CHECK(hit.state == TACT_HIT && hit.time == 0.0, "%s: deep at the start", c.s.name);
            starts++;
        } else if (start > tolerance) {
            const double until = hit.state == TACT_HIT ? hit.time : end;
            double least = INFINITY;
            for (int i = 0; i <= 400; i++)
                least = fmin(least, height_at(&c, motion, until * i / 400));
            CHECK(least >= -1e-12, "%s: a contact before %g was missed: height %g", c.s.name, until, least);
            if (hit.state == TACT_HIT) {
                const double there = height_at(&c, motion, hit.time);
                CHECK(there <= tolerance, "%s: %g apart at the hit", c.s.name, there);
                CHECK(fabs(vec_length(hit.normal) - 1.0) < 1e-12, "%s: normal", c.s.name);
            }
            hits += hit.state == TACT_HIT;
            misses += hit.state == TACT_MISS;
            spinning_planes += vec_max_abs(motion[0].spin) > 0.0;
        }
        const tact_toi other =
            swap
                ? tact_shapes_time_of_impact_with(c.halfspace, c.at_plane, motion[0], c.s.shape, c.at, motion[1], &def)
                : tact_shapes_time_of_impact_with(c.s.shape, c.at, motion[1], c.halfspace, c.at_plane, motion[0], &def);
        CHECK(other.time == hit.time && other.state == hit.state &&
                  vec_equal(other.normal, hit.state == TACT_HIT ? vec_negate(hit.normal) : hit.normal),
              "%s: swapped", c.s.name);
        release_scene(&c);
    }
    if (!few_cases() && !(hits > 300 && misses > 200 && starts > 200 && spinning_planes > 50))
        fail_msg("%d hits, %d misses, %d deep, %d spinning planes", hits, misses, starts, spinning_planes);
}

static void contacts_at_the_start_count_if_closing(void **state)
{
    (void)state;
    tact_shape *h = tact_halfspace(vec_make(0, 1, 0), 0), *box = tact_box(2, 2, 2);
    const tact_motion still = tact_motion_still();
    tact_motion m = tact_motion_linear(1, -1, 0);
    tact_toi t = tact_shapes_time_of_impact(h, tact_identity(), still, box, tact_at(0, 1, 0), m, 1);
    assert_true(t.state == TACT_HIT && t.time == 0.0 && t.normal.y == 1.0);
    m = tact_motion_linear(1, 0, 0); /* slides */
    t = tact_shapes_time_of_impact(h, tact_identity(), still, box, tact_at(0, 1, 0), m, 5);
    assert_int_equal(t.state, TACT_MISS);
    m = tact_motion_linear(0, 3, 0); /* leaves and falls back: 3 t - 5 t^2 = 0 */
    m.acceleration.y = -10;
    t = tact_shapes_time_of_impact(h, tact_identity(), still, box, tact_at(0, 1, 0), m, 5);
    assert_true(t.state == TACT_HIT && fabs(t.time - 0.6) < 1e-8 && t.time <= 0.6);
    m = still; /* spins up on an edge */
    m.spin.z = 1;
    t = tact_shapes_time_of_impact(h, tact_identity(), still, box, tact_at(0, 1, 0), m, 1);
    assert_true(t.state == TACT_HIT && t.time == 0.0);
    m.spin.z = 0;
    m.acceleration.y = -1; /* at rest, accelerated into it */
    t = tact_shapes_time_of_impact(h, tact_identity(), still, box, tact_at(0, 1, 0), m, 1);
    assert_true(t.state == TACT_HIT && t.time == 0.0);
    t = tact_shapes_cast(box, tact_at(0, 3, 0), vec_make(5, -4, 0), h, tact_identity());
    assert_true(t.state == TACT_HIT && fabs(t.time - 0.5) < 1e-8 && t.time <= 0.5 && t.normal.y == -1.0);
    tact_shape_release(h);
    tact_shape_release(box);
}

/* ---- two half-spaces ---- */

static void two_halfspaces_are_disjoint_only_if_opposite(void **state)
{
    (void)state;
    tact_shape *up = tact_halfspace(vec_make(0, 1, 0), 1), *down = tact_halfspace(vec_make(0, -2, 0), -8),
               *side = tact_halfspace(vec_make(1, 0, 0), 0), *rounded = tact_rounded(up, 0.5);
    const tact_transform at = tact_identity(),
                         turned =
                             tact_transform_make(vec_make(1, 2, 3), (tact_quat){0.1, 0.2, 0.3, 0.9}, vec_make(1, 1, 1));
    tact_distance d = tact_shapes_distance(up, at, down, at);
    assert_true(d.status == TACT_OK && d.distance == 3.0 && d.normal.y == 1.0 && d.on_a.y == 1.0 && d.on_b.y == 4.0);
    assert_true(tact_shapes_distance(rounded, at, down, at).distance == 2.5);
    d = tact_shapes_distance(down, at, up, at);
    assert_true(d.distance == 3.0 && d.normal.y == -1.0 && d.on_a.y == 4.0);
    assert_int_equal(tact_shapes_overlap(up, at, down, at, NULL).state, TACT_MISS);
    d = tact_shapes_distance(up, turned, down, turned); /* the same rotation of both */
    assert_true(d.status == TACT_OK && fabs(d.distance - 3.0) < 1e-14);
    for (uint64_t seed = first_seed(); seed <= last_seed(50); seed++) { /* opposite up to rounding */
        random_source r = random_seed(seed);
        const tact_transform turn = tact_transform_make(vec_make(0, 0, 0), random_rotation(&r), vec_make(1, 1, 1));
        tact_shape *other = tact_halfspace(vec_negate(turn.y_axis), -4.0);
        d = tact_shapes_distance(up, turn, other, at);
        CHECK(d.status == TACT_OK && fabs(d.distance - 3.0) < 1e-13, "distance %g", d.distance);
        const tact_toi apart =
            tact_shapes_time_of_impact(up, turn, tact_motion_still(), other, at, tact_motion_still(), 1);
        CHECK(apart.state == TACT_MISS, "time of impact");
        tact_shape_release(other);
    }
    /* a slab */
    const tact_transform low = tact_at(0, -5, 0);
    const tact_penetration p = tact_shapes_penetration(up, at, down, low);
    assert_true(p.status == TACT_OK && p.depth == 2.0 && p.normal.y == 1.0);
    assert_int_equal(tact_shapes_manifold(up, at, down, low, 0.0).count, 1);
    /* everything else overlaps without bound */
    const tact_shape *shapes[3] = {up, down, side};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const tact_transform there =
                i + k == 1 ? tact_transform_make(vec_make(1, 2, 3), (tact_quat){0.1, 0, 0, 0.9}, vec_make(1, 1, 1))
                           : tact_at(3, 4, 5);
            const tact_common_point c = tact_shapes_common_point(shapes[i], at, shapes[k], there, NULL);
            assert_true(c.status == TACT_OK && c.state == TACT_HIT);
            assert_true(tact_shape_closest(shapes[i], at, c.point).distance <= 1e-12);
            assert_true(tact_shape_closest(shapes[k], there, c.point).distance <= 1e-12);
            assert_int_equal(tact_shapes_penetration(shapes[i], at, shapes[k], there).status, TACT_BAD_ARGUMENT);
            assert_int_equal(tact_shapes_manifold(shapes[i], at, shapes[k], there, 0).status, TACT_BAD_ARGUMENT);
            const tact_toi t = tact_shapes_time_of_impact(shapes[i], at, tact_motion_still(), shapes[k], there,
                                                          tact_motion_still(), 1);
            assert_true(t.status == TACT_OK && t.state == TACT_HIT && t.time == 0.0);
        }
    tact_toi t = tact_shapes_time_of_impact(up, at, tact_motion_still(), down, at, tact_motion_linear(9, -2, 0), 4);
    assert_true(t.state == TACT_HIT && t.time <= 1.5 && t.time > 1.5 - 1e-12 && t.normal.y == 1.0);
    t = tact_shapes_time_of_impact(up, at, tact_motion_still(), down, at, tact_motion_linear(9, 2, 0), 4);
    assert_int_equal(t.state, TACT_MISS);
    tact_shape_release(up);
    tact_shape_release(down);
    tact_shape_release(side);
    tact_shape_release(rounded);
}

static bool points_swap(tact_vec3 a, tact_vec3 b, tact_vec3 other_a, tact_vec3 other_b)
{
    return vec_equal(a, other_b) && vec_equal(b, other_a);
}

/* Two half-spaces are alike: which of them comes first must not depend on which is A, also if only their rotations
 * tell them apart. */
static void two_halfspaces_swap_like_other_pairs(void **state)
{
    (void)state;
    tact_shape *ground = tact_halfspace(vec_make(0.3, 1, 0.2), 1), *pit = tact_halfspace(vec_make(0.3, 1, 0.2), -1);
    int opposite = 0, hits = 0, cases = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(400); seed++, cases++) {
        random_source r = random_seed(seed);
        const tact_shape *shape = random_chance(&r, 0.5) ? ground : pit;
        const tact_vec3 at = random_chance(&r, 0.5) ? random_point(&r, 2) : vec_make(1, 2, 3);
        const tact_quat q = random_rotation(&r);
        const tact_vec3 scale = vec_make(1, 1, 1), up = vec_normalize(vec_make(0.3, 1, 0.2));
        const tact_transform one = tact_transform_make(vec_make(1, 2, 3), q, scale);
        tact_transform two = tact_transform_make(at, random_rotation(&r), scale);
        if (random_chance(&r, 0.5)) { /* half a turn about a direction in the plane */
            const tact_vec3 along = vec_normalize(vec_cross(up, vec_make(1, 0, 0)));
            two = tact_transform_make(at, tact_quat_multiply(q, (tact_quat){along.x, along.y, along.z, 0}), scale);
            opposite++;
        }
        const tact_common_point c = tact_shapes_common_point(shape, one, shape, two, NULL),
                                d = tact_shapes_common_point(shape, two, shape, one, NULL);
        CHECK(c.state == d.state && vec_equal(c.point, d.point), "common point");
        hits += c.state == TACT_HIT;
        const tact_distance e = tact_shapes_distance(shape, one, shape, two),
                            f = tact_shapes_distance(shape, two, shape, one);
        CHECK(e.distance == f.distance && points_swap(e.on_a, e.on_b, f.on_a, f.on_b), "distance");
        const tact_manifold m = tact_shapes_manifold(shape, one, shape, two, 9),
                            n = tact_shapes_manifold(shape, two, shape, one, 9);
        CHECK(m.status == n.status && m.count == n.count && m.depth == n.depth, "manifold");
        for (int i = 0; i < m.count; i++)
            CHECK(points_swap(m.points[i].on_a, m.points[i].on_b, n.points[i].on_a, n.points[i].on_b), "manifold");
        const tact_motion fall = tact_motion_linear(random_range(&r, -3, 3), random_range(&r, -3, 3), 1);
        const tact_toi t = tact_shapes_time_of_impact(shape, one, fall, shape, two, tact_motion_still(), 4),
                       u = tact_shapes_time_of_impact(shape, two, tact_motion_still(), shape, one, fall, 4);
        CHECK(t.status == u.status && t.state == u.state && t.time == u.time && vec_equal(t.point, u.point) &&
                  vec_equal(t.normal, vec_negate(u.normal)),
              "time of impact %.17g and %.17g", t.time, u.time);
    }
    assert_true(3 * opposite > cases && 3 * opposite < 2 * cases);
    assert_true(2 * hits > cases && hits < cases);
    tact_shape_release(ground);
    tact_shape_release(pit);
}

/* ---- limits ---- */

static void an_unbounded_shape_says_so(void **state)
{
    (void)state;
    tact_shape *h = tact_halfspace(vec_make(0, 4, 0), 8), *box = tact_box(1, 1, 1);
    tact_bounds b;
    tact_vec3 p;
    assert_int_equal(tact_shape_get_type(h), TACT_HALFSPACE);
    assert_int_equal(tact_shape_support(h, tact_identity(), vec_make(0, 1, 0), &p), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shape_bounds(h, tact_identity(), &b), TACT_OK);
    assert_true(b.max.y >= 2.0 && b.max.y < 2.0 + 1e-12 && b.min.y == -1e150 && b.min.x == -1e150 && b.max.z == 1e150);
    assert_int_equal(
        tact_shape_bounds(h, tact_transform_make(vec_make(0, 0, 0), (tact_quat){1, 0, 0, 0}, vec_make(1, 1, 1)), &b),
        TACT_OK);
    assert_true(b.min.y <= -2.0 && b.min.y > -2.0 - 1e-12 && b.max.y == 1e150);
    const tact_shape *parts[1] = {h};
    tact_report report;
    assert_null(tact_compound_create(parts, NULL, 1, NULL, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_null(tact_minkowski_sum(h, box));
    assert_null(tact_convex_hull_of(box, h));
    assert_null(tact_transformed(h, tact_identity()));
    assert_int_equal(tact_mass_from_density(h, tact_identity(), 1.0).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_intersections(h, tact_identity(), box, tact_identity(), NULL, 0).status,
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_intersections(h, tact_identity(), box, tact_at(0, 9, 0), NULL, 0).state, TACT_MISS);
    assert_int_equal((int)tact_mesh_get_size(h).bytes, 0);
    assert_int_equal(tact_mesh_check(h).status, TACT_BAD_ARGUMENT);
    assert_int_equal((int)tact_shape_get_points(h, NULL, 0), 0);
    tact_shape_release(h);
    tact_shape_release(box);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    static const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_null(tact_halfspace(vec_make(bad[i], 1, 0), 0));
        assert_null(tact_halfspace(vec_make(0, 1, bad[i]), 0));
        assert_null(tact_halfspace(vec_make(0, 1, 0), bad[i]));
    }
    assert_null(tact_halfspace(vec_make(0, 0, 0), 0));
    assert_null(tact_halfspace(vec_make(0, 1e-200, 0), 1));
    assert_null(tact_halfspace(vec_make(0, 1, 0), 1e151));
    tact_shape *h = tact_halfspace(vec_make(1e-300, 0, 0), 1e-300), *ball = tact_sphere(1),
               *none = tact_mesh(NULL, 0, NULL, 0);
    assert_true(fabs(tact_shape_closest(h, tact_identity(), vec_make(3, 0, 0)).distance - 2.0) < 1e-14);
    /* far out: an answer or a status, never a NaN */
    for (int e = -300; e <= 300; e += 12) {
        const double x = ldexp(1.0, e);
        tact_transform at = tact_at(x, -x, x), tall = tact_identity();
        tall.y_axis.y = x;
        const tact_transform *places[2] = {&at, &tall};
        for (int k = 0; k < 4; k++) {
            const tact_penetration p = tact_shapes_penetration(h, *places[k % 2], ball, k < 2 ? tact_identity() : at);
            assert_true(isfinite(p.depth) && vec_finite(p.normal) && vec_finite(p.on_a) && vec_finite(p.on_b));
            const tact_toi t = tact_shapes_time_of_impact(h, *places[k % 2], tact_motion_linear(x, 0, 0), ball, at,
                                                          tact_motion_linear(-x, x, 0), 1);
            assert_true(isfinite(t.time) && vec_finite(t.point) && vec_finite(t.normal));
        }
    }
    assert_int_equal(tact_shapes_overlap(h, tact_identity(), none, tact_identity(), NULL).state, TACT_MISS);
    assert_int_equal(tact_shapes_distance(h, tact_identity(), none, tact_identity()).status, TACT_BAD_ARGUMENT);
    assert_int_equal(tact_shapes_contacts(h, tact_identity(), none, tact_identity(), 1, NULL, 0).state, TACT_MISS);
    assert_int_equal(tact_shapes_time_of_impact(h, tact_identity(), tact_motion_still(), none, tact_identity(),
                                                tact_motion_still(), 1)
                         .state,
                     TACT_MISS);
    failing_allocator memory = {.fail_at = 1};
    tact_shape_def def = tact_shape_def_default();
    def.type = TACT_HALFSPACE;
    def.normal.y = 1;
    def.allocator = failing_allocator_make(&memory);
    tact_report report;
    assert_null(tact_shape_create(&def, &report));
    assert_int_equal(report.status, TACT_OUT_OF_MEMORY);
    tact_shape_release(h);
    tact_shape_release(ball);
    tact_shape_release(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_and_depth_are_those_of_the_lowest_point),
        cmocka_unit_test(contacts_are_the_points_within_reach),
        cmocka_unit_test(resting_meshes_have_all_their_contacts),
        cmocka_unit_test(manifolds_of_meshes_name_their_vertices),
        cmocka_unit_test(flat_meshes_rest_on_all_their_vertices),
        cmocka_unit_test(a_box_rests_on_four_points),
        cmocka_unit_test(rays_and_points_meet_the_plane),
        cmocka_unit_test(times_of_impact_are_never_late),
        cmocka_unit_test(contacts_at_the_start_count_if_closing),
        cmocka_unit_test(two_halfspaces_are_disjoint_only_if_opposite),
        cmocka_unit_test(two_halfspaces_swap_like_other_pairs),
        cmocka_unit_test(an_unbounded_shape_says_so),
        cmocka_unit_test(bad_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
