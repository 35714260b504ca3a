/*
 * Writes seeds for fuzz_record into a folder: small worlds of every kind of shape, saved and recorded while they are
 * tested, deformed and advanced. Usage: make_record_seeds FOLDER
 */
#include <stdio.h>
#include <tact/tact.h>

enum { SHAPES = 8 };

static tact_shape *shape_make(int i)
{
    static const tact_vec3 points[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    static const uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    switch (i) {
    case 0:
        return tact_sphere(0.5);
    case 1:
        return tact_box(1, 1, 1);
    case 2:
        return tact_capsule(0.25, 1);
    case 3:
        return tact_hull(points, 5);
    case 4:
        return tact_mesh(points, 4, triangles, 4);
    case 5: {
        tact_shape *a = tact_sphere(0.5), *b = tact_box(1, 2, 1);
        const tact_shape *parts[2] = {a, b};
        const tact_transform transforms[2] = {tact_at(0, 1, 0), tact_at(0, -1, 0)};
        tact_shape *compound = tact_compound(parts, transforms, 2);
        tact_shape_release(a);
        tact_shape_release(b);
        return compound;
    }
    case 6: {
        static const double knots[2][6] = {{0, 0, 0, 1, 1, 1}, {0, 0, 1, 1}}, weights[6] = {1, 1, 0.5, 0.5, 1, 1};
        static const tact_vec3 control[6] = {{0, 0, 0}, {0, 0, 1}, {0.5, 1, 0}, {0.5, 1, 1}, {1, 0, 0}, {1, 0, 1}};
        return tact_nurbs(&(tact_nurbs_def){.degree = {2, 1},
                                            .counts = {3, 2},
                                            .knots = {knots[0], knots[1]},
                                            .points = control,
                                            .weights = weights,
                                            .tolerance = 0.2});
    }
    default: {
        tact_shape *a = tact_cone(0.5, 1), *b = tact_cylinder(0.5, 0.5), *sum = tact_minkowski_sum(a, b);
        tact_shape_release(a);
        tact_shape_release(b);
        return sum;
    }
    }
}

static bool file_write(const char *folder, const char *name, int number, const tact_bytes *bytes)
{
    char path[1000];
    (void)snprintf(path, sizeof path, "%s/%s%d", folder, name, number);
    FILE *file = fopen(path, "wb");
    const bool good = file != NULL && fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    return (file == NULL || fclose(file) == 0) && good;
}

/* Bodies of the shapes `first` and `second` that fall on each other. */
static bool seed_make(const char *folder, int number, int first, int second)
{
    tact_bytes saved = {0}, recorded = {0};
    tact_shape *shapes[2] = {shape_make(first), shape_make(second)};
    tact_world *world = tact_world_create(NULL);
    tact_body bodies[4];
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&recorded), NULL, NULL);
    for (int i = 0; i < 4; i++) {
        tact_body_def def = {.shape = shapes[i % 2], .transform = tact_at(1.5 * i, 0.25 * i, 0)};
        def.motion = tact_motion_linear(-0.5 * i, 0, 0);
        const tact_shape_type type = tact_shape_get_type(def.shape);
        def.deformable = i == 3 && (type == TACT_MESH || type == TACT_NURBS);
        bodies[i] = tact_body_create(world, &def);
    }
    (void)tact_body_set_mass(world, bodies[0], 1);
    (void)tact_body_set_mass(world, bodies[1], 2);
    (void)tact_world_test(world);
    tact_event event;
    for (int i = 0; i < 5 && tact_world_next_event(world, 2.0, &event) == TACT_EVENT_TOUCH; i++)
        (void)tact_world_bounce(world, &event, 0.5);
    (void)tact_world_sync_transforms(world);
    (void)tact_world_store_previous(world);
    (void)tact_body_set_transform(world, bodies[2], tact_at(0, 3, 0));
    (void)tact_body_move_control_points(world, bodies[3], 2, 1, &(tact_vec3){0.5, 2, 0}); /* if it is NURBS */
    (void)tact_body_remove(world, bodies[1]);
    (void)tact_world_test(world);
    (void)tact_record_end(record, NULL);
    const bool good = tact_world_save(world, tact_bytes_sink(&saved), NULL, NULL) == TACT_OK &&
                      file_write(folder, "saved", number, &saved) && file_write(folder, "recorded", number, &recorded);
    tact_world_release(world);
    tact_shape_release(shapes[0]);
    tact_shape_release(shapes[1]);
    tact_bytes_release(&saved);
    tact_bytes_release(&recorded);
    return good;
}

/* Deformable meshes that play an animation and get other vertex motions. */
static bool animated_seed_make(const char *folder, int number)
{
    static const tact_vec3 keys[2][4] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, 1}},
                                         {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25, 0.25, -1}}};
    static const uint32_t triangles[6] = {0, 1, 2, 0, 1, 3};
    tact_bytes saved = {0}, recorded = {0};
    tact_world *world = tact_world_create(NULL);
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&recorded), NULL, NULL);
    tact_shape *mesh = tact_mesh(keys[0], 4, triangles, 2), *box = tact_box(1, 1, 1);
    tact_animation *animation =
        tact_animation_create(&(tact_animation_def){.vertices = {.data = keys, .count = 4}, .frame_count = 2}, NULL);
    tact_body bodies[2];
    for (int i = 0; i < 2; i++) {
        bodies[i] =
            tact_body_create(world, &(tact_body_def){.shape = mesh, .deformable = true, .self_collision = true});
        (void)tact_body_play(world, bodies[i], animation, &(tact_play_def){.loop = true, .speed = 1.0 + i});
        (void)tact_body_set_feature_events(world, bodies[i], i == 0);
    }
    (void)tact_body_create(world, &(tact_body_def){.shape = box, .motion = tact_motion_linear(0.1, 0, 0)});
    tact_event event;
    for (int i = 0; i < 9 && tact_world_next_event(world, 0.75, &event) != TACT_EVENT_NONE;)
        i++;
    (void)tact_body_set_vertex_motion(world, bodies[0],
                                      &(tact_vertex_motion){.first = 1, .count = 2, .velocities = keys[0] + 1});
    (void)tact_body_set_vertex_motion(world, bodies[0],
                                      &(tact_vertex_motion){.first = 3, .targets = keys[1] + 3, .end_time = 2.0});
    (void)tact_body_play(world, bodies[1], animation, NULL);
    bool good = tact_world_save(world, tact_bytes_sink(&saved), NULL, NULL) == TACT_OK;
    (void)tact_world_next_event(world, 0.875, &event);
    (void)tact_body_stop_vertices(world, bodies[1]);
    (void)tact_record_end(record, NULL);
    good = good && file_write(folder, "saved", number, &saved) && file_write(folder, "recorded", number, &recorded);
    tact_world_release(world);
    tact_animation_release(animation);
    tact_shape_release(mesh);
    tact_shape_release(box);
    tact_bytes_release(&saved);
    tact_bytes_release(&recorded);
    return good;
}

static void ignore(void *context, const tact_contact *contact)
{
    (void)context;
    (void)contact;
}

/* Bodies that fall on a half-space or a heightfield and stay there, and a platform that turns about a pivot; saved at
 * different times. */
static bool resting_seed_make(const char *folder, int number, bool field, int steps)
{
    static const double heights[9] = {0, 0.125, 0, 0, 0, 0.25, 0, 0, 0};
    tact_bytes saved = {0}, recorded = {0};
    tact_world *world = tact_world_create(&(tact_world_def){.gravity = {0, -10, 0}});
    tact_record *record = tact_record_begin(world, tact_bytes_sink(&recorded), NULL, NULL);
    tact_shape *ground = field ? tact_heightfield(3, 3, 4, 4, heights) : tact_halfspace(tact_vec(0, 1, 0), 0),
               *box = tact_box(1, 1, 1), *ball = tact_sphere(0.5);
    const tact_material rough = {.friction = 0.5, .restitution = 0.25, .rolling_friction = 0.01};
    (void)tact_world_set_contact_callback(
        world,
        (tact_response){.want = TACT_CONTACT_POINTS, .callback = ignore, .max_separation = 0.25, .report_end = true});
    (void)tact_world_set_contact_events(world, true);
    (void)tact_body_create(world, &(tact_body_def){.shape = ground, .material = rough});
    for (int i = 0; i < 3; i++)
        (void)tact_body_create(world, &(tact_body_def){.shape = i == 2 ? ball : box,
                                                       .transform = tact_at(3 + 0.25 * i, 0.75 + 1.25 * i, 3),
                                                       .density = 1,
                                                       .material = rough,
                                                       .reach = 0.125});
    const tact_body platform = tact_body_create(
        world, &(tact_body_def){
                   .shape = box, .transform = tact_at(6, 3, 3), .motion = {.spin = {0, 0.5, 0}, .pivot = {1, 0, 0}}});
    tact_event event;
    for (int i = 0; i < steps; i++) {
        const double until = (i + 1) / 30.0;
        while (tact_world_next_event(world, until, &event) != TACT_EVENT_NONE)
            if (event.kind == TACT_EVENT_TOUCH)
                (void)tact_world_bounce_with(world, &event, &(tact_bounce_def){.restitution = 0.25, .friction = 0.5});
    }
    (void)tact_world_test(world);
    (void)tact_body_set_motion(world, platform, (tact_motion){.spin = {0, -1, 0}, .pivot = {0, 0, 1}});
    (void)tact_record_end(record, NULL);
    const bool good = tact_world_save(world, tact_bytes_sink(&saved), NULL, NULL) == TACT_OK &&
                      file_write(folder, "saved", number, &saved) && file_write(folder, "recorded", number, &recorded);
    tact_world_release(world);
    tact_shape_release(ground);
    tact_shape_release(box);
    tact_shape_release(ball);
    tact_bytes_release(&saved);
    tact_bytes_release(&recorded);
    return good;
}

int main(int argc, char **argv)
{
    bool good = argc == 2;
    for (int i = 0; good && i < SHAPES; i++)
        good = seed_make(argv[1], i, i, (i + 3) % SHAPES);
    good = good && animated_seed_make(argv[1], SHAPES);
    for (int i = 0; good && i < 4; i++)
        good = resting_seed_make(argv[1], SHAPES + 1 + i, i % 2 == 1, i < 2 ? 5 : 45);
    if (!good)
        (void)fprintf(stderr, "make_record_seeds: no folder given, or it cannot be written\n");
    return good ? 0 : 1;
}
