/*
 * `tact export`. Trajectories are compared with the states that the world itself gives (--states), glTF animations with
 * these trajectories, by the tool's own reader of glTF and by Assimp. Damaged runs are rejected or read.
 */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <math.h>
#include <tact/math.h>

#include "frames.h"
#include "mesh_file.h"
#include "run_data.h"
#include "support/random.h"
#include "tool/folder.h"

/* Of a run: floats of velocities over the longest motion, as in test_view_command. */
#define POSITION_ERROR 3e-5
#define ROTATION_ERROR 1e-5

static char *text_of(const char *path)
{
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    bytes all = file_read_all(file);
    (void)close(file);
    return all.data;
}

static void tool_good(const char *const *words, const char *input)
{
    outcome o = tool_run(words, input, strlen(input));
    if (o.status != 0 || o.err.size != 0)
        fail_msg("tact %s: status %d, %s", words[0], o.status, o.err.data);
    outcome_free(&o);
}

/* Runs a scene of the examples; leaves scene.run, states.jsonl and events.jsonl. */
static void scene_run(const char *name, const char *every)
{
    char path[1000];
    (void)snprintf(path, sizeof path, "%s/examples/scenes/%s.json", TACT_REPOSITORY, name);
    tool_good((const char *const[]){"run", path, "--save", "scene.run", "--states", "states.jsonl", "--every", every,
                                    "--out", "events.jsonl", NULL},
              "");
}

static void scene_remove(void)
{
    assert_int_equal(unlink("scene.run") + unlink("states.jsonl") + unlink("events.jsonl"), 0);
}

static double item(const json_t *array, size_t i) { return json_number_value(json_array_get(array, i)); }

static json_t *json_of(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return root;
}

/* Compares the trajectories of out.json with the lines of states.jsonl. */
static size_t states_compare(const json_t *bodies)
{
    size_t compared = 0, row = 0;
    char *states = text_of("states.jsonl"), *rest = states;
    for (char *line; (line = strtok_r(NULL, "\n", &rest)) != NULL; row++) {
        json_t *state = json_loads(line, 0, NULL);
        const json_t *list = json_object_get(state, "bodies");
        assert_int_equal(json_array_size(list), json_array_size(bodies));
        for (size_t b = 0; b < json_array_size(list); b++, compared++) {
            const json_t *expected = json_array_get(list, b), *body = json_array_get(bodies, b),
                         *p = json_object_get(expected, "translate"), *q = json_object_get(expected, "rotate"),
                         *sample = json_array_get(json_object_get(body, "trajectory"), row);
            assert_string_equal(json_string_value(json_object_get(body, "name")),
                                json_string_value(json_object_get(expected, "name")));
            assert_int_equal(json_array_size(sample), 8);
            assert_true(item(sample, 0) == json_number_value(json_object_get(state, "t")));
            double dot = 0.0;
            for (size_t k = 0; k < 3; k++)
                assert_true(fabs(item(sample, 1 + k) - item(p, k)) <= POSITION_ERROR);
            for (size_t k = 0; k < 4; k++)
                dot += item(sample, 4 + k) * item(q, k);
            assert_true(fabs(dot) > 1.0 - ROTATION_ERROR * ROTATION_ERROR);
            assert_true(item(sample, 7) >= 0.0);
        }
        json_decref(state);
    }
    assert_int_equal(json_array_size(json_object_get(json_array_get(bodies, 0), "trajectory")), row);
    free(states);
    return compared;
}

static void events_compare(const json_t *events)
{
    size_t count = 0;
    char *lines = text_of("events.jsonl"), *rest = lines;
    for (char *line; (line = strtok_r(NULL, "\n", &rest)) != NULL; count++) {
        json_t *expected = json_loads(line, 0, NULL);
        const json_t *event = json_array_get(events, count);
        static const char *const names[] = {"kind", "a", "b"};
        assert_true(json_number_value(json_object_get(event, "t")) ==
                    json_number_value(json_object_get(expected, "t")));
        for (int k = 0; k < 3; k++) {
            const char *a = json_string_value(json_object_get(event, names[k])),
                       *b = json_string_value(json_object_get(expected, names[k]));
            assert_true((!a && !b) || strcmp(a, b) == 0);
        }
        const json_t *point = json_object_get(event, "point"), *wanted = json_object_get(expected, "point");
        assert_int_equal(json_array_size(point), json_array_size(wanted));
        for (size_t k = 0; k < json_array_size(point); k++)
            assert_true(fabs(item(point, k) - item(wanted, k)) <= 1e-6 * (1.0 + fabs(item(wanted, k))));
        json_decref(expected);
    }
    assert_int_equal(json_array_size(events), count);
    free(lines);
}

/* CSV has the numbers of JSON. */
static void csv_compare(const json_t *bodies, size_t event_count)
{
    char *csv = text_of("out.csv"), *rest = csv, *line = strtok_r(NULL, "\n", &rest);
    assert_string_equal(line, "body,time,x,y,z,qx,qy,qz,qw");
    for (size_t b = 0; b < json_array_size(bodies); b++) {
        const json_t *body = json_array_get(bodies, b), *samples = json_object_get(body, "trajectory");
        const char *name = json_string_value(json_object_get(body, "name"));
        for (size_t i = 0; i < json_array_size(samples); i++) {
            line = strtok_r(NULL, "\n", &rest);
            assert_non_null(line);
            assert_memory_equal(line, name, strlen(name));
            char *at = line + strlen(name);
            for (size_t k = 0; k < 8; k++) {
                assert_int_equal(*at, ',');
                assert_true(strtod(at + 1, &at) == item(json_array_get(samples, i), k));
            }
            assert_int_equal(*at, '\0');
        }
    }
    assert_null(strtok_r(NULL, "\n", &rest));
    free(csv);
    csv = text_of("events.csv");
    assert_int_equal(count_lines(csv), event_count + 1);
    free(csv);
}

static void trajectories_are_the_states_of_the_world(void **state)
{
    (void)state;
    static const char *const scenes[] = {"billiards", "stack", "ground", "mixed"};
    size_t compared = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        scene_run(scenes[i], "0.0371");
        tool_good((const char *const[]){"export", "scene.run", "-o", "out.json", "--every", "0.0371", NULL}, "");
        tool_good((const char *const[]){"export", "scene.run", "-o", "out.csv", "--every", "0.0371", NULL}, "");
        tool_good((const char *const[]){"export", "scene.run", "-o", "events.csv", "--events", NULL}, "");
        json_t *root = json_of("out.json");
        const json_t *bodies = json_object_get(root, "bodies"), *events = json_object_get(root, "events");
        compared += states_compare(bodies);
        events_compare(events);
        csv_compare(bodies, json_array_size(events));
        json_decref(root);
        scene_remove();
        assert_int_equal(unlink("out.json") + unlink("out.csv") + unlink("events.csv"), 0);
    }
    assert_true(compared > 3000);
}

/* ---- glTF ---- */

/* The distance from a point to the nearest of some points. */
static double nearest(tact_vec3 x, const tact_vec3 *points, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        least = fmin(least, tact_vec_distance(x, points[i]));
    return least;
}

/* Compares vertices of a glTF animation, as the tool's reader gives them at a time, with those of the run. */
static size_t vertices_compare(const run_data *run, double time, const tact_vec3 *found, size_t count, double tolerance)
{
    size_t compared = 0;
    for (size_t b = 0; b < run->bodies.count; b++) {
        const run_data_shape *shape = &run->shapes.items[run->bodies.items[b].shape];
        const tact_transform at = tact_run_data_pose(run, b, run->start + time);
        for (size_t i = 0; i < shape->vertex_count && shape->triangle_count > 0; i++, compared++) {
            const tact_vec3 x = tact_transform_point(at, tact_run_data_vertex(shape->positions, i));
            const double distance = nearest(x, found, count);
            if (!(distance <= tolerance))
                fail_msg("t = %.9g: vertex %zu of %s is %g from the animation, more than %g", time, i,
                         run->bodies.items[b].name, distance, tolerance);
        }
    }
    return compared;
}

/* Writes scene.run as `name` and compares all its frames, and the middles between them. */
static void animation_compare(const char *name, const char *tolerance, size_t frames, size_t stride)
{
    run_data run;
    frame_source source;
    char error[FRAMES_ERROR];
    tool_good((const char *const[]){"export", "scene.run", "-o", name, "--tolerance", tolerance, NULL}, "");
    assert_true(tact_run_data_open(&run, "scene.run"));
    const frames_def def = {.path = name};
    if (!tact_frames_open(&source, &def, error, sizeof error))
        fail_msg("%s", error);
    assert_true(source.frame_count >= frames);
    assert_true(fabs(tact_frames_time(&source, source.frame_count - 1) - (run.end - run.start)) < 1e-6);
    tact_vec3 *found = calloc(source.vertex_count, sizeof *found);
    assert_non_null(found);
    size_t compared = 0;
    for (size_t i = 0; i < source.frame_count; i += stride) {
        /* times are floats: 2e-7 at speeds of 60; and positions are floats */
        const double slack = 3e-5, time = tact_frames_time(&source, i);
        assert_true(tact_frames_read(&source, i, found, error, sizeof error));
        compared += vertices_compare(&run, time, found, source.vertex_count, strtod(tolerance, NULL) + slack);
        if (i + 1 < source.frame_count) {
            assert_true(tact_frames_read_middle(&source, i, found, error, sizeof error));
            compared += vertices_compare(&run, 0.5 * (time + tact_frames_time(&source, i + 1)), found,
                                         source.vertex_count, strtod(tolerance, NULL) + slack);
        }
    }
    assert_true(compared > 500);
    free(found);
    tact_frames_close(&source);
    tact_run_data_close(&run);
}

/* The number of triangles of a file, read as a mesh through Assimp; and `tact check` reads its bodies. */
static void assimp_reads(const char *name, size_t triangles)
{
    char error[MESH_FILE_ERROR];
    mesh_file mesh;
    outcome o = tool_run((const char *const[]){"doctor", "--json", NULL}, "", 0);
    const bool has_assimp = strstr(o.out.data, "through Assimp") != NULL;
    outcome_free(&o);
    if (!has_assimp)
        return;
    if (!tact_mesh_file_read(name, &mesh, error, sizeof error))
        fail_msg("%s", error);
    assert_int_equal(mesh.face_count, triangles);
    tact_mesh_file_release(&mesh);
    tool_good((const char *const[]){"check", name, NULL}, "");
}

/* Boxes that spin about pivots, fall, are scaled, reflected and sheared, and jump. */
static void an_animation_follows_the_motions(void **state)
{
    (void)state;
    static const char scene[] =
        "{\"end\":4,\"bodies\":["
        "{\"shape\":{\"type\":\"box\",\"size\":[1,2,3]},\"place\":{\"translate\":[1,2,3],\"rotate\":[1,2,3,4],"
        "\"scale\":[2,0.5,3]},\"motion\":{\"velocity\":[1,0,-1],\"acceleration\":[0.1,0.2,0],\"spin\":[1,2,0.5],"
        "\"pivot\":[0.5,-1,2]},\"motion_plan\":[{\"at\":1.5,\"motion\":{\"spin\":[0,1,0]}},"
        "{\"at\":3,\"motion\":{\"velocity\":[0,5,0],\"pivot\":[1,0,0],\"spin\":[0,0,-7]}}]},"
        "{\"shape\":{\"type\":\"tetrahedron\",\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]},"
        "\"place\":{\"matrix\":[1,0,0,0, 0.5,1,0,0, 0,0.3,-2,0, 20,0,0,1]},"
        "\"motion\":{\"velocity\":[0,1,0],\"spin\":[9,0.1,0.1],\"pivot\":[0,0,3]}},"
        "{\"shape\":{\"type\":\"box\",\"size\":[1,1,1]},\"place\":{\"translate\":[-9,0,0],\"scale\":[-1,2,1]}},"
        "{\"shape\":{\"type\":\"box\",\"size\":[1,1,1]},\"place\":{\"translate\":[-20,0,0]},\"mass\":1,"
        "\"motion\":{\"velocity\":[0,9,0],\"acceleration\":[0,-9.81,0]}},"
        "{\"shape\":{\"type\":\"segment\",\"points\":[[50,0,0],[51,0,0]]},\"motion\":{\"spin\":[0,1,0]}}]}";
    file_put("scene.json", scene, sizeof scene - 1);
    tool_good((const char *const[]){"run", "scene.json", "--save", "scene.run", NULL}, "");
    animation_compare("out.glb", "0.003", 40, 1);
    assimp_reads("out.glb", 3 * 12 + 4);
    animation_compare("out.gltf", "0.0003", 120, 5);
    assimp_reads("out.gltf", 3 * 12 + 4);
    assert_int_equal(unlink("scene.json") + unlink("scene.run") + unlink("out.glb") + unlink("out.gltf"), 0);
    scene_run("stack", "1"); /* impacts, contact steps, rest */
    animation_compare("out.glb", "0.001", 100, 37);
    scene_remove();
    assert_int_equal(unlink("out.glb"), 0);
}

/* Two frames of a mesh: contacts of the animation are those of the frames. */
static void key_frames_are_morph_targets(void **state)
{
    (void)state;
    static const char first[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.25 1 0.25\nv 0.5 1 0.25\nv 0.25 1 0.5\n"
                                "f 1 2 3\nf 4 5 6\n",
                      second[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.25 -1 0.25\nv 0.5 -3 0.25\nv 0.25 -1 0.5\n"
                                 "f 1 2 3\nf 4 5 6\n";
    file_put("f1.obj", first, sizeof first - 1);
    file_put("f2.obj", second, sizeof second - 1);
    file_put("f3.obj", first, sizeof first - 1);
    tool_good((const char *const[]){"play", "f1.obj", "f*.obj", "--pairs", "pairs.txt", "--save", "scene.run", NULL},
              "");
    tool_good((const char *const[]){"export", "scene.run", "-o", "out.glb", NULL}, "");
    tool_good((const char *const[]){"play", "out.glb", "--pairs", "again.txt", NULL}, "");
    char *pairs = text_of("pairs.txt"), *again = text_of("again.txt");
    assert_true(count_lines(pairs) >= 6);
    assert_string_equal(pairs, again);
    free(pairs);
    free(again);
    assimp_reads("out.glb", 2);
    assert_int_equal(unlink("f1.obj") + unlink("f2.obj") + unlink("f3.obj") + unlink("pairs.txt") +
                         unlink("again.txt") + unlink("scene.run") + unlink("out.glb"),
                     0);
}

/* A half-space becomes a square, names are quoted, an empty world is a scene without nodes. */
static void unusual_scenes_are_written(void **state)
{
    (void)state;
    static const char scene[] =
        "{\"end\":1,\"bodies\":[{\"name\":\"a,\\\"b\",\"shape\":{\"type\":\"halfspace\",\"normal\":[0,2,0],"
        "\"offset\":1}},{\"shape\":{\"type\":\"point\",\"points\":[[0,2,0]]}}]}";
    tool_good((const char *const[]){"run", "-", "--save", "scene.run", NULL}, scene);
    tool_good((const char *const[]){"export", "scene.run", "-o", "out.csv", NULL}, "");
    tool_good((const char *const[]){"export", "scene.run", "-o", "out.gltf", NULL}, "");
    char *csv = text_of("out.csv");
    assert_string_equal(csv, "body,time,x,y,z,qx,qy,qz,qw\n\"a,\"\"b\",0,0,0,0,0,0,0,1\n\"a,\"\"b\",1,0,0,0,0,0,0,1\n"
                             "1,0,0,0,0,0,0,0,1\n1,1,0,0,0,0,0,0,1\n");
    free(csv);
    assimp_reads("out.gltf", 2);
    tool_good((const char *const[]){"run", "-", "--save", "scene.run", NULL}, "{\"end\":1,\"bodies\":[]}");
    static const char *const outputs[] = {"out.gltf", "out.glb", "out.json", "out.csv"};
    for (size_t i = 0; i < 4; i++)
        tool_good((const char *const[]){"export", "scene.run", "-o", outputs[i], NULL}, "");
    json_decref(json_of("out.gltf"));
    json_t *root = json_of("out.json");
    assert_int_equal(json_array_size(json_object_get(root, "bodies")), 0);
    json_decref(root);
    assert_int_equal(
        unlink("scene.run") + unlink("out.csv") + unlink("out.gltf") + unlink("out.glb") + unlink("out.json"), 0);
}

/* ---- damage ---- */

/* Opens a run of these bytes; what can be opened can be evaluated. */
static bool bytes_open(const char *data, size_t size)
{
    run_data run;
    file_put("damaged.run", data, size);
    if (!tact_run_data_open(&run, "damaged.run"))
        return false;
    for (size_t b = 0; b < run.bodies.count; b++)
        for (int k = 0; k < 3; k++)
            (void)tact_run_data_pose(&run, b, run.start + 0.5 * k * (run.end - run.start));
    tact_run_data_close(&run);
    return true;
}

static void damaged_runs_are_rejected_or_read(void **state)
{
    (void)state;
    scene_run("billiards", "1");
    const int file = open("scene.run", O_RDONLY), silent = open("/dev/null", O_WRONLY), errors = dup(STDERR_FILENO);
    bytes run = file_read_all(file);
    (void)close(file);
    (void)fflush(stderr);
    assert_true(dup2(silent, STDERR_FILENO) >= 0);
    size_t opened = 0, rejected = 0, truncated = 0;
    for (size_t size = 0; size < run.size; size += 1 + run.size / 97)
        truncated += !bytes_open(run.data, size);
    random_source random = random_seed(7);
    for (int i = 0; i < 1500; i++) {
        const size_t at = (size_t)random_below(&random, run.size - 4);
        char before[4];
        memcpy(before, run.data + at, 4);
        for (int k = 0; k < (i % 2 ? 1 : 4); k++)
            run.data[at + (size_t)k] = (char)(i % 3 == 0 ? 0xFF : (int)random_below(&random, 256));
        if (bytes_open(run.data, run.size))
            opened++;
        else
            rejected++;
        memcpy(run.data + at, before, 4);
    }
    const bool good = bytes_open(run.data, run.size);
    (void)fflush(stderr);
    assert_true(dup2(errors, STDERR_FILENO) >= 0);
    (void)close(silent);
    (void)close(errors);
    assert_true(good);
    assert_true(truncated >= 90);
    assert_true(opened > 200 && rejected > 200);
    bytes_free(&run);
    scene_remove();
    assert_int_equal(unlink("damaged.run"), 0);
}

static void fails(const char *const *words, int status, const char *error)
{
    outcome o = tool_run(words, "", 0);
    assert_int_equal(o.status, status);
    assert_string_equal(o.err.data, error);
    assert_string_equal(o.out.data, "");
    outcome_free(&o);
}

static void errors_are_reported(void **state)
{
    (void)state;
#define TRY ". Try: tact help export\n"
#define EXPORT(...) ((const char *const[]){"export", __VA_ARGS__, NULL})
    file_put("a.run", "not a run", 9);
    fails((const char *const[]){"export", NULL}, 2, "tact export: a run is missing: tact export RUN -o FILE.glb" TRY);
    fails(EXPORT("a.run"), 2, "tact export: the name of the output is missing: -o FILE.glb, .gltf, .csv or .json" TRY);
    fails(EXPORT("a.run", "-o", "a.obj"), 2, "tact export: a.obj must end in .glb, .gltf, .csv or .json" TRY);
    fails(EXPORT("a.run", "b.run", "-o", "a.glb"), 2,
          "tact export: there must be one run, not both a.run and b.run" TRY);
    fails(EXPORT("a.run", "-o", "a.glb", "--every", "1"), 2,
          "tact export: --every is for .csv and .json; glTF has --tolerance" TRY);
    fails(EXPORT("a.run", "-o", "a.csv", "--tolerance", "1"), 2,
          "tact export: --tolerance is for .glb and .gltf; the others have --every" TRY);
    fails(EXPORT("a.run", "-o", "a.json", "--events"), 2,
          "tact export: --events is for .csv; a .json file has trajectories and events" TRY);
    fails(EXPORT("a.run", "-o", "a.csv", "--every", "-1"), 2,
          "tact export: --every needs a positive time, not \"-1\"" TRY);
    fails(EXPORT("a.run", "-o", "a.csv"), 1,
          "a.run: is not a run: tact run, play, ccd and check write one with --save\n");
    fails(EXPORT("gone.run", "-o", "a.csv"), 1, "gone.run: cannot be opened: No such file or directory\n");
    assert_int_equal(unlink("a.run"), 0);
    /* an output that fails leaves the file as it was */
    tool_good(
        (const char *const[]){"run", "-", "--save", "a.run", NULL},
        "{\"end\":1,\"bodies\":[{\"shape\":{\"type\":\"sphere\",\"radius\":1},\"motion\":{\"spin\":[0,1e9,0]}}]}");
    file_put("a.glb", "before", 6);
    fails(EXPORT("a.run", "-o", "a.glb"), 1,
          "a.run: a glTF animation of it has more than 20000000 samples: give a larger --tolerance\n");
    char *kept = text_of("a.glb");
    assert_string_equal(kept, "before");
    free(kept);
    fails(EXPORT("a.run", "-o", "a.csv", "--every", "1e-12"), 1,
          "a.run: --every 1e-12 gives more than 1e+09 samples\n");
    assert_int_equal(unlink("a.run") + unlink("a.glb"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trajectories_are_the_states_of_the_world),
        cmocka_unit_test(an_animation_follows_the_motions),
        cmocka_unit_test(key_frames_are_morph_targets),
        cmocka_unit_test(unusual_scenes_are_written),
        cmocka_unit_test(damaged_runs_are_rejected_or_read),
        cmocka_unit_test(errors_are_reported),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
