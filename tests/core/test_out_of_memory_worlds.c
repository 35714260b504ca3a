/*
 * Every allocation fails once: worlds, their bodies, tests, queries, events, contact steps, animations, cloth steps,
 * saves, recordings and replays. The last test shows that this program and test_out_of_memory_shapes.c call every
 * function of the public headers.
 */
#include "support/every_failure.h"
#include "support/nurbs_bodies.h"
#include <dirent.h>
#include <math.h>

enum { SIDE = 5, VERTICES = SIDE * SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1), POINTS = 16 };

typedef struct scene {
    tact_world *world;
    tact_body floor, ball, crate, block, cloth, sheet, lump;
    tact_shape *sphere, *cube, *slab, *mesh, *grid, *nurbs, *soup;
    tact_animation *wave;
    nurbs_body dome;
    tact_vec3 cloth_points[VERTICES], wave_points[2][VERTICES], to[VERTICES];
    uint32_t grid_indices[3 * FACES];
    tact_event event; /* the first touch */
    tact_record *record;
    tact_bytes bytes; /* of a record or a saved world */
    long calls;       /* of the contact callback */
    double seen;      /* sum of the points that it was given */
} scene;

static void on_contact(void *context, const tact_contact *contact)
{
    scene *s = context;
    s->calls++;
    s->seen += contact->point.x + 3.0 * contact->point.y + contact->depth;
}

static const tact_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const uint32_t sides[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, parts[8] = {0, 1, 2, 3, 0, 1, 2, 3};
static const uint32_t part_sizes[2] = {4, 4};

static tact_shape *simple_shape(tact_shape_type type, tact_vec3 size)
{
    tact_shape_def def = tact_shape_def_default();
    def.type = type;
    def.radius = size.x;
    def.size = size;
    def.allocator = failing_memory();
    return tact_shape_create(&def, NULL);
}

static void make_scene_shapes(scene *s)
{
    s->sphere = simple_shape(TACT_SPHERE, tact_vec(0.5, 0, 0));
    s->cube = simple_shape(TACT_BOX, tact_vec(1, 1, 1));
    s->slab = simple_shape(TACT_BOX, tact_vec(20, 1, 20));
    tact_mesh_def def = tact_mesh_def_default();
    def.allocator = failing_memory();
    def.vertices = (tact_vertices){.data = corners, .count = 4};
    def.indices = sides;
    def.index_count = 12;
    def.solid = true;
    s->mesh = tact_mesh_create(&def, NULL);
    def.indices = parts;
    def.index_count = 8;
    def.loop_sizes = part_sizes;
    def.loop_count = 2;
    s->soup = tact_soup_create(&def, NULL);
    size_t n = 0;
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++) {
            const uint32_t v = i * SIDE + j;
            s->cloth_points[v] = (tact_vec3){4.0 + 0.5 * i, 1.0 + 0.0625 * ((i * 7 + j * 3) % 5), 0.5 * j};
            s->wave_points[0][v] = s->wave_points[1][v] = s->to[v] = s->cloth_points[v];
            s->wave_points[1][v].y -= 2.0;
            s->to[v].y -= 0.75 + 0.0625 * (i * 5 % 3);
            if (i + 1 < SIDE && j + 1 < SIDE) {
                const uint32_t quad[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
                memcpy(s->grid_indices + n, quad, sizeof quad);
                n += 6;
            }
        }
    def = tact_mesh_def_default();
    def.allocator = failing_memory();
    def.vertices = (tact_vertices){.data = s->cloth_points, .count = VERTICES};
    def.indices = s->grid_indices;
    def.index_count = n;
    s->grid = tact_mesh_create(&def, NULL);
    s->dome = nurbs_body_sheet(2, 4, 4, 0.05);
    for (size_t i = 0; i < s->dome.point_count; i++)
        s->dome.points[i] = (tact_vec3){-6.0 + 2.0 * s->dome.points[i].x, 1.5, 2.0 * s->dome.points[i].y};
    s->dome.defs[0].allocator = failing_memory();
    s->nurbs = tact_nurbs_create(s->dome.defs, 1, NULL);
    const tact_animation_def wave = {
        .vertices = {.data = s->wave_points, .count = VERTICES}, .frame_count = 2, .allocator = failing_memory()};
    s->wave = tact_animation_create(&wave, NULL);
}

static tact_body add(scene *s, const tact_shape *shape, tact_transform at, double density, bool deformable)
{
    const tact_body_def def = {.shape = shape,
                               .transform = at,
                               .density = density,
                               .deformable = deformable,
                               .material = {.friction = 0.5, .restitution = 0.25}};
    return tact_body_create(s->world, &def);
}

static tact_response response_of(scene *s, tact_want want)
{
    return (tact_response){.want = want, .callback = on_contact, .context = s, .report_end = true};
}

static void set_up_timeless(void *data)
{
    scene *s = data;
    memset(s, 0, sizeof *s);
    make_scene_shapes(s);
    const tact_world_def def = {.gravity = {0, -10, 0}, .allocator = failing_memory(), .parallel = {.threads = 1}};
    s->world = tact_world_create(&def);
    assert_non_null(s->world);
    s->floor = add(s, s->slab, tact_at(0, -0.5, 0), 0, false);
    s->ball = add(s, s->sphere, tact_at(0, 2, 0), 1, false);
    s->crate = add(s, s->cube, tact_at(0.25, 0.75, 0.25), 2, false);
    s->block = add(s, s->mesh, tact_at(2, 0.5, 0), 0, false);
    s->cloth = add(s, s->grid, tact_identity(), 0, true);
    s->sheet = add(s, s->nurbs, tact_identity(), 0, true);
    s->lump = add(s, s->soup, tact_at(2.25, 0.75, 0.25), 0, false);
    assert_true(tact_body_exists(s->world, s->lump));
    assert_int_equal(tact_world_set_contact_callback(s->world, response_of(s, TACT_NOTHING)), TACT_OK);
}

static void require(tact_status status) { assert_int_equal(status, TACT_OK); }

/* The first call in continuous time allocates state that a saved world contains. */
static void set_up(void *data)
{
    set_up_timeless(data);
    require(tact_world_advance(((scene *)data)->world, 0.0).status);
}

static void tear_down(void *data)
{
    scene *s = data;
    if (s->record != NULL)
        (void)tact_record_end(s->record, NULL);
    tact_world_release(s->world);
    tact_shape *const shapes[] = {s->sphere, s->cube, s->slab, s->mesh, s->grid, s->nurbs, s->soup};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        tact_shape_release(shapes[i]);
    tact_animation_release(s->wave);
    tact_bytes_release(&s->bytes);
    nurbs_body_free(&s->dome);
}

/* An action on the scene: a function of failure_case whose body uses `s` and `w`. */
#define ACTION(name)                                                                                                   \
    static tact_status name##_in(scene *s, tact_world *w);                                                             \
    static tact_status name(void *data) { return name##_in(data, ((scene *)data)->world); }                            \
    static tact_status name##_in(scene *s, tact_world *w)

/* What is done before it, with memory. */
#define PREPARE(name)                                                                                                  \
    static void name##_in(scene *s, tact_world *w);                                                                    \
    static void name(void *data) { name##_in(data, ((scene *)data)->world); }                                          \
    static void name##_in(scene *s, tact_world *w)

/* ---- worlds and bodies ---- */

ACTION(create_world)
{
    (void)s;
    (void)w;
    const tact_world_def def = {.allocator = failing_memory()};
    tact_world *one = tact_world_create(&def), *two = one != NULL ? tact_world_create(NULL) : NULL;
    tact_world_release(one);
    tact_world_release(two);
    return two != NULL ? TACT_OK : TACT_OUT_OF_MEMORY;
}

ACTION(create_body)
{
    const tact_body body = add(s, s->mesh, tact_at(5, 5, 5), 3, false);
    return tact_body_exists(w, body) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

/* 40 bodies: the arrays of the world grow. */
ACTION(create_many)
{
    tact_body_def defs[40];
    tact_body bodies[40];
    for (int i = 0; i < 40; i++)
        defs[i] = (tact_body_def){.shape = i % 2 ? s->grid : s->cube, .deformable = i % 2, .class_id = 3};
    tact_report report;
    const tact_status status = tact_body_create_many(w, defs, 40, bodies, &report);
    return status == report.status && (status == TACT_OK || report.text[0] != '\0') ? status : TACT_BAD_ARGUMENT;
}

ACTION(create_deformable)
{
    const tact_body_def def = {.shape = s->nurbs, .deformable = true, .self_collision = true};
    return tact_body_exists(w, tact_body_create(w, &def)) ? TACT_OK : TACT_OUT_OF_MEMORY;
}

ACTION(remove_body) { return tact_body_remove(w, s->block); }

ACTION(remove_many)
{
    const tact_body both[] = {s->ball, s->lump};
    return tact_body_remove_many(w, both, 2);
}

ACTION(set_properties)
{
    TRY(tact_body_set_transform(w, s->block, tact_at(2, 1, 0)));
    TRY(tact_body_set_motion(w, s->block, tact_motion_linear(1, 0, 0)));
    TRY(tact_body_set_filter(w, s->block, 3, 5));
    TRY(tact_body_set_reach(w, s->block, 0.25));
    TRY(tact_body_set_class(w, s->block, 4));
    TRY(tact_body_set_user(w, s->block, s));
    TRY(tact_body_set_material(w, s->block, (tact_material){.friction = 1}));
    TRY(tact_body_set_poll_interval(w, s->block, 0.125));
    TRY(tact_body_set_feature_events(w, s->cloth, true));
    TRY(tact_body_set_self_collision(w, s->cloth, true));
    TRY(tact_body_apply_impulse(w, s->ball, tact_vec(1, 2, 3), tact_vec(0, 2, 0)));
    return tact_body_wake(w, s->ball);
}

ACTION(set_shape) { return tact_body_set_shape(w, s->cloth, s->mesh); }
ACTION(set_mass) { return tact_body_set_mass(w, s->block, 2); }

ACTION(set_mass_with)
{
    const tact_mass mass = tact_mass_from_total(s->cube, tact_identity(), 4.0);
    TRY(mass.status);
    return tact_body_set_mass_with(w, s->crate, &mass);
}

ACTION(read_properties)
{
    note((double)tact_world_body_count(w));
    for (tact_body b = tact_world_next_body(w, (tact_body){0, 0}); b.generation != 0; b = tact_world_next_body(w, b)) {
        tact_vec3 points[VERTICES];
        uint32_t faces[FACES][3];
        note_vec(tact_body_get_transform(w, b).origin);
        note_vec(tact_body_get_previous_transform(w, b).origin);
        note_vec(tact_body_get_motion(w, b).velocity);
        note(tact_shape_get_type(tact_body_get_shape(w, b)));
        note(tact_shape_get_type(tact_body_get_current_shape(w, b)));
        note(tact_body_get_user(w, b) != NULL);
        note(tact_body_get_class(w, b));
        note((double)tact_body_get_category(w, b));
        note((double)tact_body_get_mask(w, b));
        note(tact_body_get_reach(w, b));
        note_vec(tact_body_get_bounds(w, b).max);
        note(tact_body_get_mass(w, b));
        note(tact_body_get_material(w, b).friction);
        note(tact_body_get_poll_interval(w, b));
        note(tact_body_get_motion_plan(w, b).until);
        note(tact_body_is_deformable(w, b));
        note(tact_body_get_self_collision(w, b));
        note(tact_body_is_asleep(w, b));
        note(tact_body_has_vertex_motion(w, b));
        note(tact_body_get_feature_events(w, b));
        note((double)tact_body_get_vertices(w, b, points, VERTICES));
        note((double)tact_body_get_faces(w, b, faces, FACES));
        note((double)tact_body_get_control_points(w, b, points, VERTICES));
        note((double)tact_body_get_contacts(w, b, NULL, 0));
        note_vec(tact_body_get_vertex_position(w, b, 0, NULL));
        note(tact_pair_get_contact_callback(w, b, s->ball).want);
    }
    note(tact_world_get_time(w));
    note(tact_world_get_gravity(w).y);
    note(tact_world_get_contact_step(w));
    note(tact_world_get_sleeping(w));
    note(tact_world_get_contact_events(w));
    note(tact_world_get_caching(w));
    note(tact_world_get_broad_phase(w));
    note(tact_world_get_kinetic(w));
    note(tact_world_get_deforming_engine(w));
    return TACT_OK;
}

/* ---- deformation ---- */

ACTION(make_deformable) { return tact_body_make_deformable(w, s->block); }
PREPARE(make_lump_deformable) { require(tact_body_make_deformable(w, s->lump)); }

ACTION(deform) { return tact_body_deform(w, s->cloth, (tact_vertices){.data = s->wave_points[1], .count = VERTICES}); }

ACTION(deform_soup)
{
    const tact_vec3 moved[4] = {{0, 0, 0}, {1, 0, 0.25}, {0, 1, 0}, {0.125, 0, 1}};
    return tact_body_deform(w, s->lump, (tact_vertices){.data = moved, .count = 4});
}

PREPARE(deform_before) { require(deform_in(s, w)); }

ACTION(deform_range)
{
    s->wave_points[1][3].y = 0.25;
    return tact_body_deform_range(w, s->cloth, 3, 2);
}

ACTION(change_faces)
{
    const uint32_t faces[2] = {1, FACES}, indices[2][3] = {{TACT_NO_VERTEX, 0, 0}, {0, 7, 12}};
    return tact_body_change_faces(w, s->cloth, faces, indices, 2);
}

ACTION(add_vertices)
{
    const tact_vec3 more[2] = {{4, 2, 0}, {4.5, 2, 0}};
    return tact_body_add_vertices(w, s->cloth, more, 2);
}

ACTION(move_control_points)
{
    const tact_vec3 two[2] = {{-5.5, 1.75, 0.5}, {-5.5, 1.25, 1}};
    return tact_body_move_control_points(w, s->sheet, 5, 2, two);
}

ACTION(play)
{
    const tact_animation_def def = {
        .vertices = {.data = s->wave_points, .count = VERTICES}, .frame_count = 2, .allocator = failing_memory()};
    tact_report report;
    tact_animation *animation = tact_animation_create(&def, &report);
    if (animation == NULL)
        return report.status;
    note((double)tact_animation_get_frame_count(animation));
    note((double)tact_animation_get_vertex_count(animation));
    note(tact_animation_get_time(animation, 1));
    tact_animation_release(tact_animation_retain(animation));
    const tact_status status = tact_body_play(w, s->cloth, animation, NULL);
    tact_animation_release(animation);
    return status;
}

PREPARE(play_before) { require(tact_body_play(w, s->cloth, s->wave, &(tact_play_def){.loop = true})); }

ACTION(set_vertex_motion)
{
    const tact_vec3 down[3] = {{0, -1, 0}, {0, -1, 0}, {0.25, -1, 0}};
    return tact_body_set_vertex_motion(w, s->cloth, &(tact_vertex_motion){.first = 4, .count = 3, .velocities = down});
}

ACTION(set_point_motion)
{
    const tact_vec3 down[POINTS] = {{0, -1, 0}, {0, -1, 0}};
    return tact_body_set_vertex_motion(w, s->sheet, &(tact_vertex_motion){.count = POINTS, .velocities = down});
}

ACTION(stop_vertices) { return tact_body_stop_vertices(w, s->cloth); }

/* ---- responses ---- */

ACTION(set_responses)
{
    TRY(tact_world_set_contact_callback(w, response_of(s, TACT_WITNESS)));
    return tact_body_set_contact_callback(w, s->ball, response_of(s, TACT_CONTACTS));
}

ACTION(set_class_response) { return tact_class_set_contact_callback(w, 7, response_of(s, TACT_CONTACTS)); }
ACTION(set_classes_response) { return tact_classes_set_contact_callback(w, 7, 8, response_of(s, TACT_CONTACTS)); }
ACTION(set_pair_response)
{
    return tact_pair_set_contact_callback(w, s->ball, s->crate, response_of(s, TACT_CONTACTS));
}

PREPARE(responses_before)
{
    require(set_responses_in(s, w));
    require(set_class_response_in(s, w));
    require(set_classes_response_in(s, w));
    require(set_pair_response_in(s, w));
}

ACTION(reset_responses)
{
    TRY(tact_class_reset_contact_callback(w, 7));
    TRY(tact_classes_reset_contact_callback(w, 7, 8));
    TRY(tact_body_reset_contact_callback(w, s->ball));
    return tact_pair_reset_contact_callback(w, s->ball, s->crate);
}

/* ---- tests and queries ---- */

ACTION(set_options)
{
    (void)s;
    TRY(tact_world_set_progress(w, (tact_progress){.work_limit = 1000000}));
    TRY(tact_world_set_gravity(w, tact_vec(0, -5, 0)));
    TRY(tact_world_set_contact_step(w, 0.0625));
    TRY(tact_world_set_sleeping(w, false));
    TRY(tact_world_set_contact_events(w, true));
    TRY(tact_world_set_caching(w, false));
    TRY(tact_world_set_deforming_engine(w, TACT_DEFORMING_LIST));
    return TACT_OK;
}

ACTION(choose_sweep)
{
    (void)s;
    return tact_world_set_broad_phase(w, TACT_BROAD_SWEEP_AND_PRUNE);
}

ACTION(choose_kinetic)
{
    (void)s;
    return tact_world_set_kinetic(w, TACT_KINETIC_SWEEP_AND_PRUNE);
}

ACTION(test)
{
    s->calls = 0;
    s->seen = 0.0;
    const tact_count count = tact_world_test(w);
    note((double)s->calls);
    note(s->seen);
    return noted(count.status, (double)count.count);
}

PREPARE(want_intersections)
{
    require(tact_world_set_contact_callback(w, response_of(s, TACT_INTERSECTIONS)));
    require(tact_body_set_transform(w, s->cloth, tact_identity()));
    require(tact_body_set_self_collision(w, s->cloth, true));
    require(tact_body_remove(w, s->ball)); /* it has no intersection segments */
}

PREPARE(want_points)
{
    require(tact_world_set_contact_callback(w, response_of(s, TACT_CONTACT_POINTS)));
    require(tact_body_set_self_collision(w, s->sheet, true));
    for (int i = 0; i < 20; i++)
        (void)add(s, s->cube, tact_at(0.125 * i, 0, 0), 1, false);
}

PREPARE(sweep_before)
{
    want_points_in(s, w);
    require(tact_world_set_broad_phase(w, TACT_BROAD_SWEEP_AND_PRUNE));
}

/* A test again, after the bodies have moved and parted. */
PREPARE(test_before)
{
    want_points_in(s, w);
    require(tact_world_test(w).status);
    require(tact_world_store_previous(w));
    require(tact_body_set_transform(w, s->crate, tact_at(3, 0.5, 0)));
    require(tact_body_set_transform(w, s->block, tact_at(0, 0.25, 0)));
    require(tact_world_set_contact_callback(w, response_of(s, TACT_PREVIOUS)));
}

ACTION(store_previous)
{
    (void)s;
    return tact_world_store_previous(w);
}

ACTION(queries)
{
    const tact_filter filter = {.mask = 1};
    tact_query query = {.type = TACT_QUERY_RAY, .from = {0, 5, 0}, .direction = {0, -1, 0}};
    tact_hit hits[8];
    tact_count counts[1];
    const tact_parallel alone = {.threads = 1};
    const tact_hit one = tact_world_query(w, &query);
    TRY(noted(one.status, one.t));
    const tact_count all = tact_world_query_all(w, &query, hits, 8);
    TRY(noted(all.status, (double)all.count));
    TRY(tact_world_query_batch(w, &query, 1, hits, &alone));
    TRY(hits[0].status);
    TRY(tact_world_query_all_batch(w, &query, 1, hits, 8, counts, &alone));
    TRY(counts[0].status);
    const tact_hit ray = tact_world_ray(w, tact_vec(0, 5, 0), tact_vec(0, -1, 0.0625), 10, &filter);
    TRY(noted(ray.status, ray.t));
    const tact_hit cast = tact_world_cast(w, s->mesh, tact_at(2, 4, 0), tact_vec(0, -4, 0), NULL);
    TRY(noted(cast.status, cast.t));
    const tact_hit overlap = tact_world_overlap(w, s->nurbs, tact_at(5, 0, 0), NULL);
    TRY(noted(overlap.status, overlap.distance));
    const tact_hit point = tact_world_closest_point(w, tact_vec(0, 1, 0), 10, NULL);
    TRY(noted(point.status, point.distance));
    const tact_hit shape = tact_world_closest_shape(w, s->mesh, tact_at(0, 8, 0), 10, NULL);
    return noted(shape.status, shape.distance);
}

/* ---- continuous time ---- */

/* All events until 0.75: impacts, contact steps, touches of moving vertices. */
ACTION(events)
{
    tact_event event;
    for (;;) {
        const tact_event_kind kind = tact_world_next_event(w, 0.75, &event);
        if (kind == TACT_EVENT_NONE)
            return event.status;
        s->calls++;
        s->seen += event.time + event.point.x;
        if (kind == TACT_EVENT_TOUCH && tact_world_bounce(w, &event, 0.5) != TACT_OK) /* the event is not repeated */
            TRY(tact_world_bounce(w, &event, 0.5));
    }
}

static void on_plan(void *context, double time, tact_transform *transform, tact_motion_plan *plan)
{
    (void)context;
    *transform = tact_at(2, 0.75 + 0.25 * sin(time), 0);
    plan->until = time + 0.25;
}

static const tact_motion_plan path = {
    .until = 0.125, .max_deviation_speed = 0.25, .min_interval = 0.01, .callback = on_plan};

ACTION(set_plan) { return tact_body_set_motion_plan(w, s->block, &path); }

PREPARE(everything_moves)
{
    require(tact_body_set_motion(w, s->lump, (tact_motion){.velocity = {-1, 0, 0}, .spin = {0, 1, 0.5}}));
    require(tact_body_set_feature_events(w, s->cloth, true));
    require(tact_body_play(w, s->cloth, s->wave, NULL));
    require(set_point_motion_in(s, w));
    require(set_plan_in(s, w));
    (void)add(s, s->cube, tact_at(4.5, 1.75, 0.5), 1, false);
    (void)add(s, s->sphere, tact_at(-5, 2.25, 0.5), 1, false);
}

PREPARE(everything_in_lists)
{
    everything_moves_in(s, w);
    require(tact_world_set_kinetic(w, TACT_KINETIC_SWEEP_AND_PRUNE));
    require(tact_world_set_deforming_engine(w, TACT_DEFORMING_LIST));
    require(tact_world_set_contact_events(w, true));
}

ACTION(advance)
{
    const tact_count count = tact_world_advance(w, 0.5);
    (void)s;
    note(tact_world_get_next_time(w));
    return count.status;
}

ACTION(step)
{
    (void)s;
    for (int i = 0; i < 10; i++)
        TRY(tact_world_step(w, fmax(0.0, 0.0625 * (i + 1) - tact_world_get_time(w))));
    return TACT_OK;
}

PREPARE(until_touch)
{
    require(tact_body_set_transform(w, s->block, tact_at(3, 4, 0)));
    assert_int_equal(tact_world_next_event(w, 5.0, &s->event), TACT_EVENT_TOUCH);
    assert_true(tact_body_exists(w, s->event.b));
}

ACTION(bounce)
{
    note(tact_event_get_closing_speed(w, &s->event));
    return tact_world_bounce(w, &s->event, 0.5);
}

ACTION(bounce_with)
{
    tact_bounce_def def = tact_bounce_def_default();
    def.friction = 0.5;
    def.restitution = 0.0;
    return tact_world_bounce_with(w, &s->event, &def);
}

PREPARE(some_time)
{
    (void)s;
    require(tact_world_advance(w, 0.0625).status);
}

ACTION(sync_transforms)
{
    (void)s;
    return tact_world_sync_transforms(w);
}

/* ---- cloth steps ---- */

PREPARE(step_positions)
{
    require(tact_body_set_step_positions(w, s->cloth, s->cloth_points, s->to));
    (void)add(s, s->sphere, tact_at(4.75, 0.5, 0.75), 0, false);
}

ACTION(set_step_positions)
{
    double inverse_masses[VERTICES];
    for (int i = 0; i < VERTICES; i++)
        inverse_masses[i] = i == 0 ? 0.0 : 1.0;
    return tact_body_set_step_positions(w, s->cloth, s->cloth_points, s->to) == TACT_OK
               ? tact_body_set_inverse_vertex_masses(w, s->cloth, inverse_masses)
               : TACT_OUT_OF_MEMORY;
}

ACTION(set_sheet_positions)
{
    tact_vec3 to[POINTS];
    memcpy(to, s->dome.points, sizeof to);
    return tact_body_set_step_positions(w, s->sheet, s->dome.points, to);
}

ACTION(step_searches)
{
    (void)s;
    const tact_step_def def = tact_step_def_default();
    const tact_feature_contacts contacts = tact_step_find_contacts(w, &def);
    TRY(noted(contacts.status, (double)contacts.count));
    const tact_feature_contacts near = tact_step_find_proximities(w, 0.25, &def);
    TRY(noted(near.status, (double)near.count));
    const tact_step_limit limit = tact_step_find_limit(w, &def);
    return noted(limit.status, limit.time);
}

ACTION(resolve)
{
    tact_step_def def = tact_step_def_default();
    def.thickness = 0.01;
    const tact_step_result result = tact_step_resolve(w, &def);
    for (int i = 0; result.status == TACT_OK && i < VERTICES; i++)
        note_vec(s->to[i]);
    return noted(result.status, result.iterations);
}

/* ---- saves, recordings, replays ---- */

PREPARE(save_before)
{
    some_time_in(s, w);
    everything_moves_in(s, w);
    require(tact_world_save(w, tact_bytes_sink(&s->bytes), NULL, NULL));
}

static const tact_record_def *record_def(void)
{
    static tact_record_def def;
    def.allocator = failing_memory();
    def.parallel.threads = 1;
    return &def;
}

ACTION(save)
{
    (void)s;
    tact_bytes bytes = {.allocator = failing_memory()};
    const tact_status status = tact_world_save(w, tact_bytes_sink(&bytes), record_def(), NULL);
    note(status == TACT_OK ? (double)bytes.size : 0.0);
    tact_bytes_release(&bytes);
    return status;
}

ACTION(restore)
{
    (void)w;
    tact_report report;
    tact_world *world = tact_world_restore(s->bytes.data, s->bytes.size, record_def(), &report);
    if (world == NULL)
        return report.status;
    note((double)tact_world_body_count(world));
    tact_world_release(world);
    return TACT_OK;
}

ACTION(begin_record)
{
    tact_report report;
    tact_bytes_release(&s->bytes);
    s->record = tact_record_begin(w, tact_bytes_sink(&s->bytes), record_def(), &report);
    return s->record != NULL ? TACT_OK : report.status;
}

/* Calls of a recorded world do not fail if the recording has no memory; the recording does. */
ACTION(record_calls)
{
    TRY(tact_body_set_transform(w, s->block, tact_at(2, 1, 0)));
    for (int i = 0; i < 100; i++) /* the record grows */
        TRY(tact_body_set_shape(w, s->block, i % 2 ? s->cube : s->soup));
    for (int i = 0; i < 100; i++)
        TRY(deform_in(s, w));
    const tact_status status = tact_record_check(s->record, NULL);
    if (status == TACT_OUT_OF_MEMORY) {
        (void)tact_record_end(s->record, NULL);
        s->record = NULL;
        failures_armed = false;
        require(begin_record_in(s, w));
    }
    return status;
}

PREPARE(record_before)
{
    everything_moves_in(s, w);
    require(begin_record_in(s, w));
}

PREPARE(record_a_run)
{
    everything_moves_in(s, w);
    require(begin_record_in(s, w));
    require(test_in(s, w));
    require(tact_world_step(w, 0.125));
    require(tact_body_remove(w, s->ball));
    require(tact_record_end(s->record, NULL));
    s->record = NULL;
}

/* Replays the record as a whole, and once more step by step, and takes the world. */
ACTION(replay)
{
    (void)w;
    tact_report report;
    tact_replay *replay = tact_replay_begin(s->bytes.data, s->bytes.size, record_def(), &report);
    if (replay == NULL)
        return report.status;
    const tact_replay_state state = tact_replay_run(replay, &report);
    note((double)tact_replay_get_call_count(replay));
    note((double)tact_world_body_count(tact_replay_get_world(replay)));
    tact_replay_release(replay);
    if (state != TACT_REPLAY_END)
        return state == TACT_REPLAY_FAILED ? report.status : TACT_BAD_ARGUMENT;
    replay = tact_replay_begin(s->bytes.data, s->bytes.size, record_def(), &report);
    if (replay == NULL)
        return report.status;
    if (tact_replay_step(replay, &report) != TACT_REPLAY_CALL) {
        tact_replay_release(replay);
        return report.status;
    }
    tact_event event;
    note(tact_replay_get_call(replay)[5]);
    note(tact_replay_get_event(replay, &event));
    tact_world_release(tact_replay_take_world(replay));
    return TACT_OK;
}

/* A file of the repository into bytes and back into a file. */
ACTION(files)
{
    (void)s;
    (void)w;
    tact_bytes bytes = {.allocator = failing_memory()};
    tact_report report;
    const tact_status status = tact_bytes_load(&bytes, TACT_REPOSITORY "/README.md", &report);
    if (status != TACT_OK) {
        tact_bytes_release(&bytes);
        return status;
    }
    FILE *file = fopen("/dev/null", "wb");
    const tact_sink sink = tact_file_sink(file);
    const bool written = file != NULL && sink.write(sink.context, bytes.data, bytes.size);
    if (file != NULL)
        (void)fclose(file);
    tact_bytes_release(&bytes);
    return written ? TACT_OK : TACT_BAD_ARGUMENT;
}

static const failure_case cases[] = {
    {"create a world", create_world, NULL, false},
    {"create a body", create_body, NULL, false},
    {"create bodies", create_many, NULL, false},
    {"create a deformable body", create_deformable, NULL, false},
    {"remove a body", remove_body, NULL, false},
    {"remove bodies", remove_many, NULL, false},
    {"set properties", set_properties, NULL, false},
    {"set a shape", set_shape, NULL, false},
    {"set a mass", set_mass, NULL, false},
    {"set mass properties", set_mass_with, NULL, false},
    {"read properties", read_properties, play_before, false},
    {"make a body deformable", make_deformable, NULL, false},
    {"deform", deform, NULL, false},
    {"deform a soup", deform_soup, make_lump_deformable, false},
    {"deform a range", deform_range, deform_before, false},
    {"change faces", change_faces, NULL, false},
    {"add vertices", add_vertices, NULL, false},
    {"move control points", move_control_points, NULL, false},
    {"play an animation", play, NULL, false},
    {"set a vertex motion", set_vertex_motion, play_before, false},
    {"set a motion of control points", set_point_motion, NULL, false},
    {"stop vertices", stop_vertices, play_before, false},
    {"set responses", set_responses, NULL, true},
    {"set a response of a class", set_class_response, NULL, false},
    {"set a response of classes", set_classes_response, NULL, false},
    {"set a response of a pair", set_pair_response, NULL, false},
    {"reset responses", reset_responses, responses_before, false},
    {"set options", set_options, NULL, false},
    {"choose the broad phase", choose_sweep, NULL, false},
    {"choose the kinetic broad phase", choose_kinetic, some_time, false},
    {"test", test, NULL, false},
    {"test with contact points", test, want_points, true},
    {"test with sweep and prune", test, sweep_before, true},
    {"test with intersections", test, want_intersections, true},
    {"test again", test, test_before, true},
    {"store the previous frame", store_previous, deform_before, false},
    {"queries", queries, NULL, false},
    {"events", events, everything_moves, true},
    {"events with lists", events, everything_in_lists, true},
    {"advance", advance, everything_moves, true},
    {"step", step, everything_moves, true},
    {"set a motion plan", set_plan, NULL, false},
    {"bounce", bounce, until_touch, false},
    {"bounce with friction", bounce_with, until_touch, false},
    {"sync transforms", sync_transforms, some_time, false},
    {"set step positions", set_step_positions, NULL, true},
    {"set step positions of control points", set_sheet_positions, NULL, false},
    {"search a cloth step", step_searches, step_positions, false},
    {"resolve a cloth step", resolve, step_positions, false},
    {"save", save, everything_moves, false},
    {"restore", restore, save_before, false},
    {"begin a recording", begin_record, NULL, false},
    {"begin a recording of moving vertices", begin_record, everything_moves, true}, /* predicted anew: record.h */
    {"replay", replay, record_a_run, false},
    {"files", files, NULL, false},
};

/* Calls that begin continuous time. What they have allocated for it before the failure stays. */
static const failure_case first_cases[] = {
    {"play an animation first", play, NULL, true},
    {"set a motion of control points first", set_point_motion, NULL, true},
    {"set a motion plan first", set_plan, NULL, true},
    {"choose the kinetic broad phase first", choose_kinetic, NULL, true},
    {"advance first", advance, NULL, true},
    {"begin a recording first", begin_record, NULL, true},
    {"stop vertices first", stop_vertices, play_before, true},
};

/* A recording that fails while its world goes on, so that repeating the calls gives another world. */
static const failure_case other_cases[] = {{"record", record_calls, record_before, true}};

static void every_allocation_of_worlds_fails(void **state)
{
    (void)state;
    static scene s;
    const failure_fixture fixture = {&s, set_up, tear_down, &s.world};
    const long count = every_failure(&fixture, cases, sizeof cases / sizeof *cases);
    const failure_fixture uncompared = {&s, set_up, tear_down, NULL};
    (void)every_failure(&uncompared, other_cases, sizeof other_cases / sizeof *other_cases);
    const failure_fixture timeless = {&s, set_up_timeless, tear_down, &s.world};
    (void)every_failure(&timeless, first_cases, sizeof first_cases / sizeof *first_cases);
    assert_true(count > (quick_form() ? 300 : 600));
}

/* ---- every public function is called ---- */

static char *read_text(const char *folder, const char *name)
{
    char file_name[1000];
    (void)snprintf(file_name, sizeof file_name, "%s/%s/%s", TACT_REPOSITORY, folder, name);
    FILE *file = fopen(file_name, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    (void)fclose(file);
    return text;
}

/* Whether the text contains a call of the function; `name` ends with "(". */
static bool is_called(const char *text, const char *name)
{
    for (const char *at = strstr(text, name); at != NULL; at = strstr(at + 1, name))
        if (strchr(" ()!\t\n", at[-1]) != NULL)
            return true;
    return false;
}

static void every_public_function_is_called(void **state)
{
    (void)state;
    char *shapes = read_text("tests/core", "test_out_of_memory_shapes.c");
    char *worlds = read_text("tests/core", "test_out_of_memory_worlds.c");
    DIR *folder = opendir(TACT_REPOSITORY "/include/tact");
    assert_non_null(folder);
    int functions = 0, missing = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (strstr(entry->d_name, ".h") == NULL)
            continue;
        char *header = read_text("include/tact", entry->d_name);
        /* a declaration: TACT_API type name(parameters); */
        for (const char *at = strstr(header, "TACT_API "); at != NULL; at = strstr(at + 1, "TACT_API ")) {
            const char *open = strchr(at, '('), *begin = open;
            while (begin > at && strchr(" *\n", begin[-1]) == NULL)
                begin--;
            char name[100];
            (void)snprintf(name, sizeof name, "%.*s(", (int)(open - begin), begin);
            if (strncmp(name, "tact_", 5) != 0)
                continue; /* the definition of TACT_API itself */
            functions++;
            if (!is_called(shapes, name) && !is_called(worlds, name)) {
                print_message("not called: %s)\n", name);
                missing++;
            }
        }
        free(header);
    }
    (void)closedir(folder);
    free(shapes);
    free(worlds);
    assert_true(functions > 150);
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_of_worlds_fails),
        cmocka_unit_test(every_public_function_is_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
