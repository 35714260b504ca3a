/*
 * Every allocation fails once: shapes, their queries, mass properties, single pairs of features, and the functions of
 * plain values. With test_out_of_memory_worlds.c this calls every public function.
 */
#include "support/every_failure.h"
#include "support/nurbs_bodies.h"
#include <math.h>

/* ---- shapes to query, created once ---- */

static tact_shape *ball, *box, *cone, *hull, *drop, *mesh, *soup, *compound, *field, *space, *surface, *rounded_mesh,
    *can;
static nurbs_body dome;

static const tact_vec3 corners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                     {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1.25, 1.5}};
static const uint32_t sides[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const tact_vec3 plate[7] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {1, 1, 0}, {1, 2, 0}, {2, 1, 0}};
static const uint32_t loops[7] = {0, 1, 2, 3, 4, 5, 6}, loop_sizes[2] = {4, 3}, loops_of_face[1] = {2},
                      part_sizes[1] = {8};
static const uint32_t part[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static const double heights[9] = {0, 1, 0, 1, 2, 1, 0, 1, 0.5};

static tact_mesh_def mesh_def(void)
{
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){.data = corners, .count = 8};
    def.indices = sides;
    def.index_count = 36;
    def.solid = true;
    def.allocator = failing_memory();
    return def;
}

static tact_mesh_def soup_def(void)
{
    tact_mesh_def def = mesh_def();
    def.indices = part;
    def.index_count = 8;
    def.loop_sizes = part_sizes;
    def.loop_count = 1;
    return def;
}

static tact_shape_def shape_def(tact_shape_type type)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = type;
    def.radius = 1.0;
    def.height = 2.0;
    def.size = (tact_vec3){1.0, 2.0, 1.5};
    def.points = corners;
    def.point_count = 8;
    def.parts[0] = ball;
    def.parts[1] = box;
    def.transform = tact_identity();
    def.normal = (tact_vec3){0.0, 1.0, 0.0};
    def.allocator = failing_memory();
    return def;
}

static tact_vec3 egg(void *context, tact_vec3 direction)
{
    (void)context;
    return tact_vec_scale(tact_vec_normalize(direction), 0.75);
}

static int make_shapes(void **state)
{
    (void)state;
    dome = nurbs_body_sheet(2, 4, 4, 0.05);
    for (size_t i = 0; i < dome.point_count; i++)
        dome.points[i].z = sin(3.0 * dome.points[i].x) * cos(2.0 * dome.points[i].y);
    dome.defs[0].allocator = failing_memory();
    tact_shape_def def = shape_def(TACT_SPHERE);
    ball = tact_shape_create(&def, NULL);
    def = shape_def(TACT_BOX);
    box = tact_shape_create(&def, NULL);
    def = shape_def(TACT_CONE);
    cone = tact_shape_create(&def, NULL);
    def = shape_def(TACT_HULL);
    hull = tact_shape_create(&def, NULL);
    def = shape_def(TACT_CYLINDER);
    can = tact_shape_create(&def, NULL);
    def = shape_def(TACT_MINKOWSKI_SUM);
    def.margin = 0.125;
    drop = tact_shape_create(&def, NULL);
    def = shape_def(TACT_HALFSPACE);
    space = tact_shape_create(&def, NULL);
    tact_mesh_def faces = mesh_def(), parts = soup_def();
    mesh = tact_mesh_create(&faces, NULL);
    faces.solid = false;
    faces.margin = 0.25;
    rounded_mesh = tact_mesh_create(&faces, NULL);
    soup = tact_soup_create(&parts, NULL);
    const tact_shape *all[] = {mesh, ball, hull};
    const tact_transform places[] = {tact_identity(), tact_at(2, 0, 0), tact_at(0, 3, 0)};
    compound = tact_compound_create(all, places, 3, &faces.allocator, NULL);
    const tact_heightfield_def ground = {
        .counts = {3, 3}, .spacing = {1, 1}, .heights = heights, .allocator = faces.allocator};
    field = tact_heightfield_create(&ground, NULL);
    surface = tact_nurbs_create(dome.defs, 1, NULL);
    return ball != NULL && box != NULL && cone != NULL && hull != NULL && drop != NULL && space != NULL &&
                   mesh != NULL && rounded_mesh != NULL && soup != NULL && compound != NULL && field != NULL &&
                   surface != NULL && can != NULL
               ? 0
               : -1;
}

static int free_shapes(void **state)
{
    (void)state;
    tact_shape *const all[] = {ball,     box,   cone,  hull,    drop,         mesh, soup,
                               compound, field, space, surface, rounded_mesh, can};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tact_shape_release(all[i]);
    nurbs_body_free(&dome);
    return failures.held == 0 ? 0 : -1;
}

/* ---- creation ---- */

/* A shape that was just created, or not for lack of memory. */
static tact_status made(tact_shape *shape)
{
    if (shape == NULL)
        return TACT_OUT_OF_MEMORY;
    tact_bounds bounds = {{0, 0, 0}, {0, 0, 0}};
    const tact_status status = tact_shape_bounds(shape, tact_identity(), &bounds);
    note_vec(bounds.min);
    note_vec(bounds.max);
    tact_shape_release(shape);
    return status;
}

/* The same, with a report that says so. */
static tact_status reported(tact_shape *shape, const tact_report *report)
{
    if (shape == NULL && (report->status != TACT_OUT_OF_MEMORY || report->text[0] == '\0')) {
        print_message("%s\n", report->text);
        return TACT_BAD_ARGUMENT;
    }
    return made(shape);
}

static tact_status create_types(void *fixture)
{
    (void)fixture;
    for (int type = TACT_POINT; type <= TACT_HALFSPACE; type++) {
        if (type == TACT_MESH || type == TACT_SOUP || type == TACT_COMPOUND || type == TACT_NURBS)
            continue;
        tact_shape_def def = shape_def((tact_shape_type)type);
        if (type <= TACT_TETRAHEDRON)
            def.point_count = (size_t)(type == TACT_TETRAHEDRON ? 4 : type);
        if (type == TACT_POLYGON)
            def.point_count = 4;
        def.support = egg;
        def.support_radius = 1.0;
        def.margin = 0.5;
        tact_report report;
        TRY(reported(tact_shape_create(&def, &report), &report));
    }
    return TACT_OK;
}

static tact_status short_forms(void *fixture)
{
    (void)fixture;
    const tact_vec3 *p = corners;
    TRY(made(tact_sphere(1)));
    TRY(made(tact_box(1, 2, 3)));
    TRY(made(tact_capsule(1, 2)));
    TRY(made(tact_cylinder(1, 2)));
    TRY(made(tact_cone(1, 2)));
    TRY(made(tact_ellipsoid(1, 2, 3)));
    TRY(made(tact_point(p[0])));
    TRY(made(tact_segment(p[0], p[1])));
    TRY(made(tact_triangle(p[0], p[1], p[2])));
    TRY(made(tact_tetrahedron(p[0], p[1], p[2], p[4])));
    TRY(made(tact_polygon(p, 4)));
    TRY(made(tact_hull(p, 8)));
    TRY(made(tact_minkowski_sum(ball, box)));
    TRY(made(tact_convex_hull_of(ball, hull)));
    TRY(made(tact_transformed(box, tact_at(1, 2, 3))));
    TRY(made(tact_custom(egg, NULL, 1)));
    TRY(made(tact_halfspace(p[1], 1)));
    TRY(made(tact_rounded(compound, 0.5)));
    TRY(made(tact_rounded(ball, 0.5)));
    TRY(made(tact_mesh(p, 8, sides, 12)));
    const tact_shape *parts[] = {ball, mesh};
    TRY(made(tact_compound(parts, NULL, 2)));
    TRY(made(tact_heightfield(3, 3, 1, 1, heights)));
    return made(tact_nurbs(dome.defs));
}

static tact_status create_meshes(void *fixture)
{
    (void)fixture;
    tact_report report;
    tact_mesh_def def = mesh_def();
    TRY(reported(tact_mesh_create(&def, &report), &report));
    def.indices = loops;
    def.index_count = 7;
    def.loop_sizes = loop_sizes;
    def.loop_count = 2;
    def.solid = false;
    def.vertices = (tact_vertices){.data = plate, .count = 7};
    TRY(reported(tact_mesh_create(&def, &report), &report));
    def.loops_per_face = loops_of_face; /* one face with a hole */
    def.face_count = 1;
    TRY(reported(tact_mesh_create(&def, &report), &report));
    def = soup_def();
    TRY(reported(tact_soup_create(&def, &report), &report));
    const tact_shape *parts[] = {compound, mesh, surface};
    const tact_transform places[] = {tact_at(1, 0, 0), tact_identity(), tact_identity()};
    const tact_allocator memory = failing_memory();
    TRY(reported(tact_compound_create(parts, places, 3, &memory, &report), &report));
    tact_heightfield_def ground = tact_heightfield_def_default();
    ground.counts[0] = ground.counts[1] = 3;
    ground.spacing[0] = ground.spacing[1] = 1.0;
    ground.heights = heights;
    ground.allocator = memory;
    return reported(tact_heightfield_create(&ground, &report), &report);
}

static tact_status create_nurbs(void *fixture)
{
    (void)fixture;
    tact_report report;
    TRY(reported(tact_nurbs_create(dome.defs, 1, &report), &report));
    /* a triangle is cut out; the other surface shares a side */
    const double knots[4] = {0, 0, 1, 1},
                 ends[3][2][2] = {{{0.4, 0.4}, {1.4, 0.5}}, {{1.4, 0.5}, {0.5, 1.4}}, {{0.5, 1.4}, {0.4, 0.4}}};
    tact_nurbs_curve curves[3];
    for (int i = 0; i < 3; i++)
        curves[i] = (tact_nurbs_curve){.degree = 1, .count = 2, .knots = knots, .points = ends[i]};
    const tact_nurbs_loop loop = {curves, 3};
    tact_nurbs_def trimmed = dome.defs[0];
    trimmed.trims = &loop;
    trimmed.trim_count = 1;
    TRY(reported(tact_nurbs_create(&trimmed, 1, &report), &report));
    tact_vec3 mirrored[16];
    for (size_t i = 0; i < 16; i++)
        mirrored[(3 - i / 4) * 4 + i % 4] = (tact_vec3){-dome.points[i].x, dome.points[i].y, dome.points[i].z};
    const tact_nurbs_edge edge = {{0, 1}, {0, 0}, {3, 1}};
    tact_nurbs_def both[2] = {dome.defs[0], dome.defs[0]};
    both[1].points = mirrored;
    both[0].edges = &edge;
    both[0].edge_count = 1;
    return reported(tact_nurbs_create(both, 2, &report), &report);
}

static tact_status shape_properties(void *fixture)
{
    (void)fixture;
    note(tact_shape_get_type(mesh));
    note(tact_shape_get_margin(rounded_mesh));
    tact_shape_release(tact_shape_retain(mesh));
    tact_vec3 points[16], p;
    note((double)tact_shape_get_points(hull, points, 16));
    note((double)tact_shape_get_points(soup, points, 16));
    TRY(tact_shape_support(compound, tact_identity(), tact_vec(1, 1, 1), &p));
    note_vec(p);
    TRY(tact_shape_support(surface, tact_identity(), tact_vec(1, 1, 1), &p));
    note((double)tact_mesh_get_size(mesh).triangles);
    const tact_mesh_findings findings = tact_mesh_check(mesh);
    TRY(noted(findings.status, findings.volume));
    return noted(tact_mesh_check(surface).status, 0.0);
}

/* ---- queries ---- */

static const tact_shape *first_of[14], *second_of[14];
static tact_transform second_at[14];
static size_t pair_count;

static void add_pair(const tact_shape *a, const tact_shape *b, double x, double y, double z)
{
    first_of[pair_count] = a;
    second_of[pair_count] = b;
    second_at[pair_count++] = tact_at(x, y, z);
}

static void choose_pairs(void *fixture)
{
    (void)fixture;
    pair_count = 0;
    add_pair(ball, cone, 0.25, 0.5, 0.125);
    add_pair(hull, cone, 0.5, 0.75, 0.25);
    add_pair(drop, hull, 1.0, 0.5, 0.25);
    add_pair(mesh, hull, 0.5, 0.25, 0.125);
    add_pair(mesh, soup, 0.75, 0.5, 0.25);
    add_pair(compound, mesh, 0.75, 0.5, 0.25);
    add_pair(field, box, 1.0, 1.5, 1.0);
    add_pair(surface, ball, 0.5, 0.5, 1.5);
    add_pair(surface, mesh, 0.5, 0.5, 0.5);
    add_pair(rounded_mesh, cone, 0.5, 2.5, 0.25);
    add_pair(can, can, 0.125, 0.0625, 0.03125); /* a depth that takes many facets */
    add_pair(surface, surface, 0.5, 0.25, 0.0625);
    add_pair(ball, box, 4.0, 1.0, 0.0);
    add_pair(mesh, compound, 6.0, 1.0, 0.0);
}

/* Polytopes and meshes of them, without margins. */
static void choose_flat_pairs(void *fixture)
{
    (void)fixture;
    pair_count = 0;
    add_pair(mesh, hull, 0.5, 0.25, 0.125);
    add_pair(mesh, soup, 0.75, 0.5, 0.25);
    add_pair(mesh, mesh, 0.75, 0.5, 0.25);
    add_pair(hull, box, 0.75, 0.5, 0.25);
}

#define PAIR first_of[i], tact_identity(), second_of[i], second_at[i]

static tact_status distances(void *fixture)
{
    (void)fixture;
    tact_distance_def def = tact_distance_def_default();
    for (size_t i = 0; i < pair_count; i++) {
        const tact_distance one = tact_shapes_distance(PAIR), two = tact_shapes_distance_with(PAIR, &def);
        TRY(noted(one.status, one.distance));
        TRY(noted(two.status, two.distance));
    }
    return TACT_OK;
}

static tact_status counted_distances(void *fixture)
{
    TRY(tact_work_begin((tact_progress){.work_limit = 1000000000}));
    const tact_status status = distances(fixture);
    return tact_work_end().cancelled ? TACT_CANCELLED : status;
}

static tact_status overlaps(void *fixture)
{
    (void)fixture;
    for (size_t i = 0; i < pair_count; i++) {
        const tact_overlap one = tact_shapes_overlap(PAIR, NULL), two = tact_shapes_within(PAIR, 0.5, NULL);
        const tact_common_point point = tact_shapes_common_point(PAIR, NULL);
        TRY(noted(one.status, one.state));
        TRY(noted(two.status, two.state));
        TRY(noted(point.status, point.point.x));
    }
    return TACT_OK;
}

static tact_status depths(void *fixture)
{
    (void)fixture;
    for (size_t i = 0; i < pair_count; i++) {
        const tact_penetration one = tact_shapes_penetration(PAIR);
        TRY(noted(one.status, one.depth));
        const tact_manifold two = tact_shapes_manifold(PAIR, 0.25);
        TRY(noted(two.status, two.depth));
        static tact_contact_point points[1000];
        const tact_contacts three = tact_shapes_contacts(PAIR, 0.25, points, 1000);
        TRY(noted(three.status, (double)three.count));
    }
    return TACT_OK;
}

static tact_status intersections(void *fixture)
{
    (void)fixture;
    static tact_intersection segments[200];
    for (size_t i = 0; i < pair_count; i++) {
        const tact_intersections found = tact_shapes_intersections(PAIR, segments, 200);
        TRY(noted(found.status, (double)found.count));
    }
    return TACT_OK;
}

static tact_status points_and_rays(void *fixture)
{
    (void)fixture;
    const tact_shape *const all[] = {ball, cone, hull, drop, mesh, soup, compound, field, surface, rounded_mesh};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const tact_ray_hit hit =
            tact_shape_ray(all[i], tact_identity(), tact_vec(0.5, 5, 0.5), tact_vec(0, -1, 0.125), INFINITY);
        TRY(noted(hit.status, hit.t));
        const tact_closest closest = tact_shape_closest(all[i], tact_identity(), tact_vec(0.25, 0.5, 0.125));
        TRY(noted(closest.status, closest.distance));
        const tact_overlap inside = tact_shape_contains(all[i], tact_identity(), tact_vec(0.25, 0.5, 0.125));
        TRY(noted(inside.status, inside.state));
    }
    return TACT_OK;
}

static tact_motion turning(double x)
{
    return (tact_motion){.velocity = {x, 0.5, 0}, .spin = {0.5, 0, 1}, .pivot = {0.25, 0.5, 0}};
}

static tact_status times(void *fixture)
{
    (void)fixture;
    tact_toi_def def = tact_toi_def_default();
    for (size_t i = 0; i < pair_count; i++) {
        const tact_transform start = tact_transform_translate(second_at[i], tact_vec(6, 0, 0));
        const tact_toi one = tact_shapes_time_of_impact(first_of[i], tact_identity(), tact_motion_still(), second_of[i],
                                                        start, tact_motion_linear(-6, 0, 0), 1.0);
        TRY(noted(one.status, one.time));
        const tact_toi two = tact_shapes_time_of_impact_with(first_of[i], tact_identity(), turning(0.5), second_of[i],
                                                             start, turning(-6), &def);
        TRY(noted(two.status, two.time));
        const tact_toi three = tact_shapes_cast(first_of[i], tact_identity(), tact_vec(6, 0, 0), second_of[i], start);
        TRY(noted(three.status, three.time));
    }
    return TACT_OK;
}

/* One thread: then the allocations come in the same order. */
static const tact_parallel alone = {.threads = 1};
enum { BATCH = 4, ROOM = 64 };
static tact_pair batch_pairs[BATCH];
static tact_moving_pair moving_pairs[BATCH];

static void choose_batch(void *fixture)
{
    choose_flat_pairs(fixture);
    for (size_t i = 0; i < BATCH; i++) {
        batch_pairs[i] = (tact_pair){first_of[i], second_of[i], tact_identity(), second_at[i]};
        moving_pairs[i] = (tact_moving_pair){batch_pairs[i], turning(0.5), tact_motion_linear(-6, 0, 0)};
        moving_pairs[i].pair.transform_b.origin.x += 6.0;
    }
}

/* The status of a batch, or of its first item that failed. */
#define BATCH_RESULTS(call, results, field)                                                                            \
    do {                                                                                                               \
        TRY(call);                                                                                                     \
        for (int i = 0; i < BATCH; i++)                                                                                \
            TRY(noted((results)[i].status, (double)(results)[i].field));                                               \
    } while (0)

static tact_status batches(void *fixture)
{
    (void)fixture;
    tact_distance distance[BATCH];
    tact_overlap overlap[BATCH];
    tact_common_point common[BATCH];
    tact_penetration depth[BATCH];
    tact_manifold manifold[BATCH];
    tact_contacts contacts[BATCH];
    tact_intersections crossings[BATCH];
    tact_toi toi[BATCH];
    static tact_contact_point points[BATCH * ROOM];
    static tact_intersection segments[BATCH * ROOM];
    const tact_vec3 paths[BATCH] = {{6, 0, 0}, {6, 0, 0}, {6, 0, 0}, {6, 0, 0}};
    const tact_pair *p = batch_pairs;
    BATCH_RESULTS(tact_distance_batch(p, BATCH, distance, &alone), distance, distance);
    BATCH_RESULTS(tact_overlap_batch(p, BATCH, NULL, overlap, &alone), overlap, state);
    BATCH_RESULTS(tact_within_batch(p, BATCH, 0.5, NULL, overlap, &alone), overlap, state);
    BATCH_RESULTS(tact_common_point_batch(p, BATCH, NULL, common, &alone), common, point.x);
    BATCH_RESULTS(tact_penetration_batch(p, BATCH, depth, &alone), depth, depth);
    BATCH_RESULTS(tact_manifold_batch(p, BATCH, 0.25, manifold, &alone), manifold, depth);
    BATCH_RESULTS(tact_contacts_batch(p, BATCH, 0.25, points, ROOM, contacts, &alone), contacts, count);
    BATCH_RESULTS(tact_intersections_batch(p, BATCH, segments, ROOM, crossings, &alone), crossings, count);
    BATCH_RESULTS(tact_toi_batch(moving_pairs, BATCH, NULL, toi, &alone), toi, time);
    BATCH_RESULTS(tact_cast_batch(p, paths, BATCH, toi, &alone), toi, time);
    return TACT_OK;
}

static tact_status point_batches(void *fixture)
{
    (void)fixture;
    tact_ray rays[BATCH];
    tact_vec3 points[BATCH];
    tact_ray_hit hits[BATCH];
    tact_closest closest[BATCH];
    tact_overlap inside[BATCH];
    for (int i = 0; i < BATCH; i++) {
        rays[i] = (tact_ray){{0.25 * i, 5, 0.125}, {0, -1, 0}, INFINITY};
        points[i] = (tact_vec3){0.25 * i, 0.5, 0.125};
    }
    BATCH_RESULTS(tact_ray_batch(mesh, tact_identity(), rays, BATCH, hits, &alone), hits, t);
    BATCH_RESULTS(tact_closest_batch(mesh, tact_identity(), points, BATCH, closest, &alone), closest, distance);
    BATCH_RESULTS(tact_contains_batch(mesh, tact_identity(), points, BATCH, inside, &alone), inside, state);
    return TACT_OK;
}

static tact_status masses(void *fixture)
{
    (void)fixture;
    const tact_shape *const all[] = {ball, cone, hull, drop, mesh, soup, compound, surface};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const tact_mass one = tact_mass_from_density(all[i], tact_identity(), 2.0);
        TRY(noted(one.status == TACT_NOT_CONVERGED ? TACT_OK : one.status, one.mass));
        const tact_mass two = tact_mass_from_total(all[i], tact_at(1, 2, 3), 2.0);
        TRY(noted(two.status == TACT_NOT_CONVERGED ? TACT_OK : two.status, two.inertia.xx));
    }
    const tact_mass a = tact_mass_from_density(ball, tact_identity(), 2.0);
    const tact_mass b = tact_mass_from_density(box, tact_at(4, 0, 0), 2.0), sum = tact_mass_add(a, b);
    TRY(noted(sum.status, sum.mass));
    TRY(noted(tact_mass_remove(sum, b).status, 0.0));
    TRY(noted(tact_mass_transform(sum, tact_at(1, 0, 0)).status, 0.0));
    note(tact_mass_inertia_about(sum, tact_vec(1, 2, 3)).xx);
    return TACT_OK;
}

/* ---- NURBS surfaces ---- */

static tact_status nurbs_surfaces(void *fixture)
{
    (void)fixture;
    tact_nurbs_def view;
    tact_vec3 value[4], points[144];
    double knots[2][32], weights[144];
    tact_report report;
    note((double)tact_nurbs_get_surface_count(surface));
    note((double)tact_nurbs_get_edges(surface, NULL, 0));
    note(tact_nurbs_get_error(surface));
    TRY(tact_nurbs_get_surface(surface, 0, &view));
    TRY(tact_nurbs_evaluate(&view, 0.5, 0.75, 1, value));
    note_vec(value[1]);
    const tact_nurbs_arrays arrays = {{knots[0], knots[1]}, {32, 32}, points, weights, 144};
    const double middle[1] = {0.25};
    tact_nurbs_def result;
    note((double)tact_nurbs_insert_knots_size(&view, 0, 1).point_count);
    TRY(tact_nurbs_insert_knots(&view, 0, middle, 1, &arrays, &result, &report));
    note((double)tact_nurbs_elevate_degree_size(&view, 1, 1).point_count);
    TRY(tact_nurbs_elevate_degree(&view, 1, 1, &arrays, &result, &report));
    note((double)tact_nurbs_extract_bezier_size(&view).point_count);
    return tact_nurbs_extract_bezier(&view, &arrays, &report);
}

static tact_status nurbs_pairs(void *fixture)
{
    (void)fixture;
    const tact_nurbs_distance_def rough = {.accuracy = 1e-3};
    const tact_transform above = tact_at(0.25, 0.125, 2.5), across = tact_at(0.25, 0.125, 0.25);
    const tact_nurbs_separation apart = tact_nurbs_distance(surface, tact_identity(), surface, above, &rough);
    TRY(noted(apart.status, apart.upper));
    const tact_nurbs_separation near = tact_nurbs_distance(surface, tact_identity(), mesh, tact_at(0, 0, 4), &rough);
    TRY(noted(near.status, near.upper));
    static tact_nurbs_intersection curves[16];
    static tact_nurbs_node nodes[1000];
    const tact_transform turned =
        tact_transform_rotate(across, tact_quat_from_axis_angle(tact_vec(0.0, 1.0, 0.0), 0.5));
    const tact_nurbs_intersect_result found =
        tact_nurbs_intersect(surface, tact_identity(), surface, turned, &(tact_nurbs_intersect_def){.accuracy = 1e-3},
                             curves, 16, nodes, 1000);
    TRY(noted(found.status, (double)found.node_count));
    tact_contact_point contacts[ROOM];
    const tact_transform place = tact_at(0.5, 0.5, 1.5);
    const tact_contacts points = tact_shapes_contacts(surface, tact_identity(), ball, place, 0.25, contacts, ROOM);
    TRY(noted(points.status, (double)points.count));
    const tact_nurbs_contact refined = tact_nurbs_refine_contact(surface, tact_identity(), ball, place, contacts);
    return noted(refined.status, refined.contact.depth);
}

/* ---- pairs of features ---- */

static tact_status features(void *fixture)
{
    (void)fixture;
    const tact_vec3 from[4] = {{0.25, 1, 0.25}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    const tact_vec3 to[4] = {{0.25, -1, 0.25}, {0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    const tact_vec3 edges[4] = {{-1, 1, 0.25}, {1, 1, 0.25}, {0, 0, -1}, {0, 0, 1}};
    const tact_vec3 lower[4] = {{-1, -1, 0.25}, {1, -1, 0.25}, {0, 0, -1}, {0, 0, 1}};
    tact_ccd_def def = tact_ccd_def_default();
    const tact_ccd one = tact_ccd_vertex_face(from, to, &def), two = tact_ccd_edge_edge(edges, lower, NULL);
    TRY(noted(one.status, one.lower));
    TRY(noted(two.status, two.lower));
    def.separation = 0.125;
    TRY(noted(tact_ccd_vertex_face(from, to, &def).status, 0.0));
    tact_ccd_points points;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++) {
            points.start[k][c] = &from[k].x + c;
            points.end[k][c] = &to[k].x + c;
        }
    tact_ccd results[1];
    size_t which;
    TRY(tact_ccd_batch(TACT_VERTEX_FACE, &points, 1, NULL, results, &alone));
    const tact_ccd first = tact_ccd_earliest(TACT_VERTEX_FACE, &points, 1, NULL, &which, &alone);
    return noted(first.status, first.lower);
}

static tact_status predicates(void *fixture)
{
    (void)fixture;
    const tact_vec3 *p = corners;
    const double a[2] = {0, 0}, b[2] = {1, 0}, c[2] = {0, 1};
    note(tact_orient2d(a, b, c));
    note(tact_orient3d(p[0], p[1], p[2], p[4]));
    note(tact_collinear(p[0], p[1], p[2]));
    note(tact_dot_sign(p[0], p[1], p[2]));
    note(tact_is_between(p[0], p[1], p[2]));
    note(tact_compare_distance(p[0], p[1], p[2]));
    note(tact_insphere(p[0], p[1], p[2], p[4], p[7]));
    return TACT_OK;
}

static tact_status transforms(void *fixture)
{
    (void)fixture;
    const tact_quat turn = tact_quat_from_axis_angle(tact_vec(0, 1, 0), 1.0);
    tact_transform t = tact_transform_make(tact_vec(1, 2, 3), turn, tact_vec(1, 1, 1)), u;
    double matrix[16];
    float single[16];
    tact_transform_to_matrix(t, matrix);
    tact_transform_to_matrixf(t, single);
    note_vec(tact_transform_from_matrix(matrix).origin);
    note_vec(tact_transform_from_matrixf(single).origin);
    TRY(tact_transform_invert(t, &u));
    TRY(tact_transform_relative(u, t, &u));
    u = tact_transform_compose(t, u);
    u = tact_transform_scale(tact_transform_rotate(u, turn), tact_vec(2, 2, 2));
    note_vec(tact_transform_point(u, tact_vec(1, 1, 1)));
    note_vec(tact_transform_vector(u, tact_vec(1, 1, 1)));
    note(tact_transform_determinant(u));
    TRY(tact_transform_check(&u, NULL));
    tact_motion motion;
    TRY(tact_motion_between(tact_identity(), t, 1.0, &motion));
    TRY(tact_motion_screw_between(tact_identity(), t, 1.0, &motion));
    note_vec(tact_motion_at(motion, tact_identity(), 0.5).origin);
    note_vec(tact_motion_after(motion, tact_identity(), 0.5).velocity);
    note(tact_status_text(TACT_OK)[0]);
    return TACT_OK;
}

static const failure_case cases[] = {
    {"shapes of every type", create_types, NULL, false},
    {"short forms", short_forms, NULL, false},
    {"meshes, soups, compounds, heightfields", create_meshes, NULL, false},
    {"NURBS shapes", create_nurbs, NULL, false},
    {"properties of shapes", shape_properties, NULL, false},
    {"distances", distances, choose_pairs, false},
    {"distances with a limit", counted_distances, choose_pairs, false},
    {"overlaps", overlaps, choose_pairs, false},
    {"depths and contacts", depths, choose_pairs, false},
    {"intersections", intersections, choose_flat_pairs, false},
    {"rays and points", points_and_rays, NULL, false},
    {"times of impact", times, choose_pairs, false},
    {"batches", batches, choose_batch, false},
    {"batches of rays and points", point_batches, NULL, false},
    {"mass properties", masses, NULL, false},
    {"operations on NURBS surfaces", nurbs_surfaces, NULL, false},
    {"pairs of NURBS shapes", nurbs_pairs, NULL, false},
    {"pairs of features", features, NULL, false},
    {"predicates", predicates, NULL, false},
    {"transforms and motions", transforms, NULL, false},
};

static void every_allocation_of_shapes_and_queries_fails(void **state)
{
    (void)state;
    const failure_fixture none = {NULL, NULL, NULL, NULL};
    const long count = every_failure(&none, cases, sizeof cases / sizeof *cases);
    assert_true(count > (quick_form() ? 150 : 250));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_of_shapes_and_queries_fails, make_shapes, free_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
