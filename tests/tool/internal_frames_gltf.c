/* Frames of glTF animations: nodes, skins, morph targets against closed forms; damage; memory that runs out. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "frames.h"
#include "support/failing_allocator.h"
#include "support/long_form.h"
#include "support/random.h"
#include "tool/animation.h"

static const double pi = 3.14159265358979323846;

#define MOST_VERTICES 16

static frame_source open_gltf(const char *path, double fps, size_t animation, failing_allocator *memory)
{
    frame_source source;
    char error[FRAMES_ERROR];
    const tact_allocator allocator = failing_allocator_make(memory);
    const frames_def def = {.path = path, .fps = fps, .animation = animation, .allocator = &allocator};
    if (!tact_frames_open(&source, &def, error, sizeof error))
        fail_msg("%s", error);
    assert_string_equal(source.reader->format, "glTF");
    assert_true(source.vertex_count <= MOST_VERTICES);
    assert_true(tact_frames_is_sampled(&source) && tact_frames_has_time(&source));
    return source;
}

static void close_gltf(frame_source *source, const failing_allocator *memory)
{
    tact_frames_close(source);
    assert_int_equal(memory->held, 0);
}

/* Checks frame `index`, or the middle of the interval after it, against a closed form of vertex and time. */
static void expect_pose(frame_source *source, size_t index, bool middle, tact_vec3 (*form)(size_t vertex, double time))
{
    tact_vec3 got[MOST_VERTICES];
    char error[FRAMES_ERROR];
    double time = tact_frames_time(source, index);
    if (middle)
        time = 0.5 * (time + tact_frames_time(source, index + 1));
    if (!(middle ? tact_frames_read_middle(source, index, got, error, sizeof error)
                 : tact_frames_read(source, index, got, error, sizeof error)))
        fail_msg("%s", error);
    for (size_t v = 0; v < source->vertex_count; v++) {
        const tact_vec3 expected = form(v, time);
        const double distance = fabs(got[v].x - expected.x) + fabs(got[v].y - expected.y) + fabs(got[v].z - expected.z);
        if (!(distance <= 1e-14 * (10.0 + fabs(expected.x) + fabs(expected.y) + fabs(expected.z))))
            fail_msg("t = %g, vertex %zu: (%.17g %.17g %.17g) instead of (%.17g %.17g %.17g)", time, v, got[v].x,
                     got[v].y, got[v].z, expected.x, expected.y, expected.z);
    }
}

static void expect_all_poses(frame_source *source, tact_vec3 (*form)(size_t vertex, double time))
{
    for (size_t i = 0; i < source->frame_count; i++) {
        expect_pose(source, i, false, form);
        if (i + 1 < source->frame_count)
            expect_pose(source, i, true, form);
    }
}

static void expect_faces(const frame_source *source, const char *expected)
{
    char text[400] = "";
    const mesh_file *mesh = source->mesh;
    assert_int_equal(mesh->vertex_count, source->vertex_count);
    for (size_t f = 0; f < mesh->face_count; f++) {
        const uint32_t *t = &mesh->indices[mesh->face_start[f]];
        const size_t used = strlen(text);
        assert_int_equal(mesh->face_start[f + 1], mesh->face_start[f] + 3);
        (void)snprintf(text + used, sizeof text - used, "%lu %lu %lu,", (unsigned long)t[0], (unsigned long)t[1],
                       (unsigned long)t[2]);
    }
    assert_string_equal(text, expected);
}

/* ---- nodes ---- */

static const float triangle_xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0.5f};

/* The root turns about z by 90 degrees in a second from t = 2 on, its child is 2 away and scaled by (1 2 -1); its
 * sibling has a matrix that swaps x and y, and moves by 5 along x. */
static tact_vec3 node_form(size_t vertex, double time)
{
    const float *p = &triangle_xyz[3 * (vertex % 3)];
    if (vertex >= 3)
        return (tact_vec3){(double)p[1] + 5.0, (double)p[0], (double)p[2]};
    const double angle = 0.5 * pi * (time - 2.0), x = (double)p[0] + 2.0, y = 2.0 * (double)p[1], z = -(double)p[2];
    return (tact_vec3){x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle), z};
}

static bytes nodes_glb(void)
{
    gltf_maker m = {.count = 0};
    static const float times[2] = {2, 3}, other_times[3] = {0, 1, 7};
    const float rotations[8] = {0, 0, 0, -1, 0, 0, (float)sin(0.25 * pi), (float)cos(0.25 * pi)}; /* -q is q */
    static const float steps[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    (void)gltf_floats(&m, triangle_xyz, 3, 3, "VEC3");
    (void)gltf_floats(&m, times, 2, 1, "SCALAR");
    (void)gltf_floats(&m, rotations, 2, 4, "VEC4");
    (void)gltf_floats(&m, other_times, 3, 1, "SCALAR");
    (void)gltf_floats(&m, steps, 3, 3, "VEC3");
    (void)gltf_floats(&m, steps, 0, 3, "VEC3"); /* a primitive without vertices adds nothing */
    bytes glb =
        glb_make(&m, "\"scene\":1,\"scenes\":[{\"nodes\":[3]},{\"nodes\":[1,2]}],"
                     "\"nodes\":[{\"mesh\":0,\"translation\":[2,0,0],\"scale\":[1,2,-1]},{\"children\":[0]},"
                     "{\"mesh\":0,\"matrix\":[0,1,0,0, 1,0,0,0, 0,0,1,0, 5,0,0,1]},{\"mesh\":0}],"
                     "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":5}},{\"attributes\":{\"POSITION\":0}},"
                     "{\"mode\":0,\"attributes\":{\"POSITION\":0}}"
                     ",{\"mode\":6,\"attributes\":{\"POSITION\":0}}]}],"
                     "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}},"
                     "{\"sampler\":0,\"target\":{\"path\":\"rotation\"}},"
                     "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"pointer\"}}],"
                     "\"samplers\":[{\"input\":1,\"output\":2,\"interpolation\":\"LINEAR\"}]},"
                     "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}}],"
                     "\"samplers\":[{\"input\":3,\"output\":4,\"interpolation\":\"STEP\"}]}]");
    gltf_maker_free(&m);
    return glb;
}

static tact_vec3 step_form(size_t vertex, double time)
{
    const float *p = &triangle_xyz[3 * (vertex % 3)];
    if (vertex >= 3)
        return node_form(vertex, time);
    const double add = time < 1.0 ? 0.0 : time < 7.0 ? 3.0 : 6.0;
    return (tact_vec3){(double)p[0] + 2.0 + 1.0 + add, 2.0 * (double)p[1] + 2.0 + add, -(double)p[2] + 3.0 + add};
}

static void nodes_move(void **state)
{
    (void)state;
    failing_allocator memory = {0};
    bytes glb = nodes_glb();
    bytes_put("a.glb", &glb);
    frame_source source = open_gltf("a.glb", 0.0, 0, &memory);
    assert_int_equal(source.frame_count, 2);
    assert_int_equal(source.vertex_count, 6);
    expect_faces(&source, "0 1 2,0 1 2,3 4 5,3 4 5,");
    close_gltf(&source, &memory);
    const struct {
        double fps;
        size_t frames;
    } rates[] = {{1.0, 2}, {1.1, 3}, {4.0, 5}, {4.5, 6}, {1000.0, 1001}};
    for (size_t i = 0; i < 5; i++) {
        source = open_gltf("a.glb", rates[i].fps, 0, &memory);
        assert_int_equal(source.frame_count, rates[i].frames);
        assert_true(tact_frames_time(&source, 0) == 2.0 && tact_frames_time(&source, source.frame_count - 1) == 3.0);
        /* the file has the rotation as floats: the last frame is off by their rounding, others are slerp of it */
        tact_vec3 got[MOST_VERTICES];
        char error[FRAMES_ERROR];
        for (size_t f = 0; f < source.frame_count; f++) {
            assert_true(tact_frames_read(&source, f, got, error, sizeof error));
            for (size_t v = 0; v < 6; v++) {
                const tact_vec3 e = node_form(v, tact_frames_time(&source, f));
                assert_true(fabs(got[v].x - e.x) + fabs(got[v].y - e.y) + fabs(got[v].z - e.z) < 1e-6);
            }
        }
        close_gltf(&source, &memory);
    }
    /* the other animation: steps */
    source = open_gltf("a.glb", 1.0, 1, &memory);
    assert_int_equal(source.frame_count, 8);
    expect_all_poses(&source, step_form);
    close_gltf(&source, &memory);
    bytes_free(&glb);
    assert_int_equal(unlink("a.glb"), 0);
}

/* ---- skins ---- */

static const float arm_xyz[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 1, 2, 0.5f};
static const unsigned char arm_joints[16] = {0, 7, 7, 7, 0, 1, 7, 7, 1, 0, 7, 7, 1, 7, 7, 7};
static const unsigned char arm_weights[16] = {255, 0, 0, 0, 200, 55, 0, 0, 191, 64, 0, 0, 255, 0, 0, 0};

/* Joint 1 is at (0 1 0), turns about z at half a turn a second and moves along z by t. */
static tact_vec3 skin_form(size_t vertex, double time)
{
    tact_vec3 sum = {0.0, 0.0, 0.0};
    const double x = (double)arm_xyz[3 * vertex], y = (double)arm_xyz[3 * vertex + 1],
                 z = (double)arm_xyz[3 * vertex + 2], angle = pi * time;
    for (size_t k = 0; k < 4; k++) {
        const double w = (double)arm_weights[4 * vertex + k] / 255.0;
        const bool bent = arm_joints[4 * vertex + k] == 1;
        if (w == 0.0)
            continue;
        sum.x += w * (bent ? x * cos(angle) - (y - 1.0) * sin(angle) : x);
        sum.y += w * (bent ? x * sin(angle) + (y - 1.0) * cos(angle) + 1.0 : y);
        sum.z += w * (bent ? z + time : z);
    }
    return sum;
}

static bytes skin_glb(void)
{
    gltf_maker m = {.count = 0};
    static const float times[3] = {0, 0.5f, 1}, z[6] = {0, 1, 0, 0, 1, 1}, z_times[2] = {0, 1};
    static const unsigned short indices[4] = {0, 1, 2, 3};
    /* half turns: exact in floats */
    static const float rotations[12] = {0, 0, 0, 1, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0}; /* the second is not normalised */
    static const float inverse_bind[32] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                                           1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1};
    (void)gltf_floats(&m, arm_xyz, 4, 3, "VEC3");
    (void)gltf_bytes(&m, arm_joints, 16, 5121, "VEC4", 4, "");
    (void)gltf_bytes(&m, arm_weights, 16, 5121, "VEC4", 4, ",\"normalised\":true");
    (void)gltf_bytes(&m, indices, 8, 5123, "SCALAR", 4, "");
    (void)gltf_floats(&m, times, 3, 1, "SCALAR");
    (void)gltf_floats(&m, rotations, 3, 4, "VEC4");
    (void)gltf_floats(&m, z, 2, 3, "VEC3");
    (void)gltf_floats(&m, inverse_bind, 2, 16, "MAT4");
    (void)gltf_floats(&m, z_times, 2, 1, "SCALAR");
    /* the transform of the skinned node itself does not count */
    bytes glb =
        glb_make(&m, "\"nodes\":[{\"mesh\":0,\"skin\":0,\"translation\":[9,9,9]},{\"children\":[2]},"
                     "{\"translation\":[0,1,0]}],"
                     "\"meshes\":[{\"primitives\":[{\"mode\":5,\"indices\":3,\"attributes\":{\"POSITION\":0,"
                     "\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}],"
                     "\"skins\":[{\"joints\":[1,2],\"inverseBindMatrices\":7}],"
                     "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},"
                     "{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"translation\"}}],"
                     "\"samplers\":[{\"input\":4,\"output\":5},{\"input\":8,\"output\":6}]}]");
    gltf_maker_free(&m);
    return glb;
}

static void skins_bend(void **state)
{
    (void)state;
    failing_allocator memory = {0};
    bytes glb = skin_glb();
    bytes_put("a.glb", &glb);
    const double rates[] = {0.0, 2.0, 7.0, 24.0};
    const size_t frames[] = {3, 3, 9, 25};
    for (size_t i = 0; i < 4; i++) {
        frame_source source = open_gltf("a.glb", rates[i], 0, &memory);
        assert_true(source.frame_count == frames[i]);
        expect_faces(&source, "0 1 2,1 3 2,");
        expect_all_poses(&source, skin_form);
        close_gltf(&source, &memory);
    }
    bytes_free(&glb);
    assert_int_equal(unlink("a.glb"), 0);
}

/* ---- morph targets ---- */

#define MORPH_VERTICES 5
static const float base_xyz[3 * MORPH_VERTICES] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0};
static const float delta_xyz[3 * MORPH_VERTICES] = {1, 2, 3, 0.5f, 0, 0, 0, 0, 1, 0.5f, 0, 0, 0, 0, 2};
/* in-tangent, value, out-tangent of two weights at t = 0 and t = 2 */
static const float spline[12] = {9, 9, 0, 1, 1, -2, 0.5f, 3, 2, -1, 9, 9};
static const size_t original[4] = {0, 1, 2, 4}; /* vertex 3 equals vertex 1; vertex 4 equals 2 but for its delta */

static tact_vec3 morph_form(size_t vertex, double time)
{
    const size_t v = original[vertex];
    const long double s = (long double)time / 2, s2 = s * s, s3 = s2 * s;
    double weights[2];
    for (size_t k = 0; k < 2; k++)
        weights[k] = (double)((2 * s3 - 3 * s2 + 1) * spline[2 + k] + 2 * (s3 - 2 * s2 + s) * spline[4 + k] +
                              (3 * s2 - 2 * s3) * spline[8 + k] + 2 * (s3 - s2) * spline[6 + k]);
    const double sparse = v == 4 ? 8.0 : 0.0; /* the second target moves vertex 4 along y */
    return (tact_vec3){(double)base_xyz[3 * v] + weights[0] * (double)delta_xyz[3 * v],
                       (double)base_xyz[3 * v + 1] + weights[0] * (double)delta_xyz[3 * v + 1] + weights[1] * sparse,
                       (double)base_xyz[3 * v + 2] + weights[0] * (double)delta_xyz[3 * v + 2]};
}

static bytes morph_gltf(const char *uri, bytes *binary)
{
    gltf_maker m = {.count = 0};
    static const float times[2] = {0, 2}, sparse[3] = {0, 8, 0};
    static const unsigned char sparse_index[1] = {4}, indices[6] = {0, 1, 2, 0, 3, 4};
    (void)gltf_floats(&m, base_xyz, MORPH_VERTICES, 3, "VEC3");
    (void)gltf_floats(&m, delta_xyz, MORPH_VERTICES, 3, "VEC3");
    (void)gltf_bytes(&m, indices, 6, 5121, "SCALAR", 6, "");
    (void)gltf_floats(&m, times, 2, 1, "SCALAR");
    (void)gltf_floats(&m, spline, 12, 1, "SCALAR");
    (void)gltf_bytes(&m, sparse_index, 1, 5121, "SCALAR", 1, "");
    (void)gltf_floats(&m, sparse, 1, 3, "VEC3");
    bytes_say(&m.accessors, ",{\"componentType\":5126,\"count\":5,\"type\":\"VEC3\",\"sparse\":{\"count\":1,"
                            "\"indices\":{\"bufferView\":5,\"componentType\":5121},\"values\":{\"bufferView\":6}}}");
    static const char rest[] =
        "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"weights\":[0,0],\"primitives\":[{\"indices\":2,\"attributes\":"
        "{\"POSITION\":0},\"targets\":[{\"POSITION\":1},{\"POSITION\":7}]}]}],"
        "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}}],"
        "\"samplers\":[{\"input\":3,\"output\":4,\"interpolation\":\"CUBICSPLINE\"}]}]";
    bytes made = uri ? gltf_json(&m, rest, uri) : glb_make(&m, rest);
    if (binary)
        bytes_add(binary, m.binary.data, m.binary.size);
    gltf_maker_free(&m);
    return made;
}

static void targets_morph(void **state)
{
    (void)state;
    failing_allocator memory = {0};
    assert_int_equal(mkdir("models", 0700), 0);
    /* in a GLB, with a file beside it, and in base64 */
    for (int way = 0; way < 3; way++) {
        bytes binary = {NULL, 0, 0}, uri = {NULL, 0, 0};
        bytes glb = morph_gltf(NULL, &binary);
        if (way == 1) {
            bytes_say(&uri, "a%20b.bin");
        } else if (way == 2) {
            static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            bytes_say(&uri, "data:application/octet-stream;base64,");
            for (size_t i = 0; i < binary.size; i += 3) {
                unsigned char three[3] = {0, 0, 0};
                memcpy(three, binary.data + i, binary.size - i < 3 ? binary.size - i : 3);
                const unsigned word = (unsigned)three[0] << 16 | (unsigned)three[1] << 8 | three[2];
                const char four[4] = {digits[word >> 18], digits[word >> 12 & 63],
                                      i + 1 < binary.size ? digits[word >> 6 & 63] : '=',
                                      i + 2 < binary.size ? digits[word & 63] : '='};
                bytes_add(&uri, four, 4);
            }
        }
        bytes text = way > 0 ? morph_gltf(uri.data, NULL) : glb;
        bytes_put("models/a.gltf", &text);
        if (way == 1)
            bytes_put("models/a b.bin", &binary);
        frame_source source = open_gltf("models/a.gltf", 5.0, 0, &memory);
        assert_int_equal(source.frame_count, 11);
        assert_int_equal(source.vertex_count, 4);
        expect_faces(&source, "0 1 2,0 1 3,");
        expect_all_poses(&source, morph_form);
        close_gltf(&source, &memory);
        if (way > 0)
            bytes_free(&text);
        bytes_free(&glb);
        bytes_free(&binary);
        bytes_free(&uri);
    }
    assert_int_equal(unlink("models/a.gltf") | unlink("models/a b.bin") | rmdir("models"), 0);
}

/* ---- damage ---- */

/* Tries to read everything. Returns true if all frames are good; then they are finite. */
static bool survive(const char *name, const bytes *data, char error[FRAMES_ERROR])
{
    failing_allocator memory = {0};
    const tact_allocator allocator = failing_allocator_make(&memory);
    const frames_def def = {.path = name, .fps = 3.0, .allocator = &allocator};
    frame_source source;
    bytes_put(name, data);
    memset(error, 'x', FRAMES_ERROR);
    bool good = tact_frames_open(&source, &def, error, FRAMES_ERROR);
    if (good) {
        tact_vec3 *positions = malloc((source.vertex_count + 1) * sizeof *positions);
        assert_non_null(positions);
        for (size_t i = 0; good && i < source.frame_count && i < 20; i++) {
            good = tact_frames_read(&source, i, positions, error, FRAMES_ERROR);
            for (size_t v = 0; good && v < source.vertex_count; v++)
                assert_true(isfinite(positions[v].x) && isfinite(positions[v].y) && isfinite(positions[v].z));
        }
        for (size_t i = 0; i < source.mesh->index_count; i++)
            assert_true(source.mesh->indices[i] < source.vertex_count);
        free(positions);
        tact_frames_close(&source);
    }
    assert_int_equal(memory.held, 0);
    assert_int_equal(unlink(name), 0); /* to overwrite a file takes longer */
    if (!good && (strncmp(error, name, strlen(name)) != 0 || error[strlen(name)] != ':' || strchr(error, '\n')))
        fail_msg("said %s", error);
    return good;
}

static void damaged_files_are_rejected(void **state)
{
    (void)state;
    char error[FRAMES_ERROR];
    bytes (*const makers[])(void) = {nodes_glb, skin_glb};
    random_source r = random_seed(11);
    size_t counts[2] = {0, 0};
    const size_t enough = quick_form() ? 100 : 500;
    for (int m = 0; m < 3; m++) {
        bytes glb = m < 2 ? makers[m]() : morph_gltf(NULL, NULL);
        assert_true(survive("a.glb", &glb, error));
        for (size_t size = 0; size < glb.size; size += quick_form() ? 4 : 1) {
            bytes cut = {NULL, 0, 0};
            bytes_add(&cut, glb.data, size);
            assert_false(survive("a.glb", &cut, error));
            bytes_free(&cut);
        }
        for (size_t at = 0; at < glb.size; at += quick_form() ? 4 : 1) {
            const char kept = glb.data[at];
            glb.data[at] = (char)random_below(&r, 256);
            if (at % 3 == 0) /* a digit: indices and counts */
                glb.data[at] = (char)('0' + random_below(&r, 10));
            counts[survive("a.glb", &glb, error)]++;
            glb.data[at] = kept;
        }
        bytes_free(&glb);
    }
    if (counts[0] < enough || counts[1] < enough)
        fail_msg("%zu errors, %zu readable files", counts[0], counts[1]);
}

/* Replaces a text in the JSON of a file, and expects this error. */
static void expect_error_after(bytes (*make)(void), const char *from, const char *to, const char *expected)
{
    char error[FRAMES_ERROR];
    bytes glb = make ? make() : morph_gltf(NULL, NULL), changed = {NULL, 0, 0};
    const size_t json = 20 + ((size_t)(unsigned char)glb.data[12] | (size_t)(unsigned char)glb.data[13] << 8);
    const char *found = NULL;
    for (const char *at = glb.data + 20; !found && at < glb.data + json; at++)
        if (strncmp(at, from, strlen(from)) == 0)
            found = at;
    if (!found)
        fail_msg("there is no %s", from);
    const size_t before = (size_t)(found - glb.data), old_size = strlen(from), new_size = strlen(to);
    const uint32_t size = (uint32_t)(json - 20 + new_size - old_size), padded = (size + 3) / 4 * 4;
    bytes_add(&changed, glb.data, 8);
    word_add(&changed, (uint32_t)glb.size + padded - (uint32_t)(json - 20), false);
    word_add(&changed, padded, false);
    bytes_add(&changed, glb.data + 16, before - 16);
    bytes_say(&changed, to);
    bytes_add(&changed, glb.data + before + old_size, json - before - old_size);
    bytes_add(&changed, "   ", padded - size);
    bytes_add(&changed, glb.data + json, glb.size - json);
    if (survive("a.glb", &changed, error))
        fail_msg("%s instead of %s is accepted", to, from);
    if (strcmp(error, expected) != 0)
        fail_msg("said     %s\nexpected %s", error, expected);
    bytes_free(&glb);
    bytes_free(&changed);
}

static void errors_say_where(void **state)
{
    (void)state;
    static const struct {
        bytes (*make)(void); /* NULL: morph_gltf */
        const char *from, *to, *expected;
    } cases[] = {
        {nodes_glb, "\"2.0\"", "\"1.0\"", "a.glb: has version 1.0 of glTF; only version 2 is known"},
        {nodes_glb, "\"asset\"", "\"other\"", "a.glb: is not a glTF file: it has no asset"},
        {nodes_glb, "\"scene\":1", "\"scene\":2", "a.glb: scene must be a whole number less than 2"},
        {nodes_glb, "\"scene\":1", "\"scene\":0.5", "a.glb: scene must be a whole number less than 2"},
        {nodes_glb, "{\"nodes\":[1,2]}", "{\"nodes\":[1,4]}", "a.glb: its scene refers to a node that is not there"},
        {nodes_glb, "\"children\":[0]", "\"children\":[9]", "a.glb: nodes[1].children[0] must be a node less than 4"},
        {nodes_glb, "\"children\":[0]", "\"children\":[1]", "a.glb: nodes form a cycle"},
        {nodes_glb, "\"children\":[0]", "\"children\":[0,0]",
         "a.glb: nodes[1].children[1] is node 0, which has another parent"},
        {nodes_glb, "\"mesh\":0", "\"mesh\":1", "a.glb: nodes[0].mesh must be a whole number less than 1"},
        {nodes_glb, "\"scale\":[1,2,-1]", "\"rotation\":[0,0,0,0]", "a.glb: nodes[0] has the rotation zero"},
        {nodes_glb, "\"node\":1", "\"node\":2",
         "a.glb: animations[0].channels[0].target is node 2, which has a matrix and cannot be animated"},
        {nodes_glb, "\"animations\"", "\"animationz\"", "a.glb: has no animation"},
        {nodes_glb, "\"channels\"", "\"channelz\"", "a.glb: animations[0] moves nothing"},
        {nodes_glb, "\"LINEAR\"", "\"LINEAL\"",
         "a.glb: animations[0].samplers[0] has the unknown interpolation LINEAL"},
        {nodes_glb, "\"LINEAR\"", "\"CUBICSPLINE\"", "a.glb: accessors[2] has 2 elements instead of 6"},
        {nodes_glb, "\"input\":1", "\"input\":0", "a.glb: accessors[0] has 3 components instead of 1"},
        {nodes_glb, "\"input\":1", "\"input\":77", "a.glb: accessors[77] is missing"},
        {nodes_glb, "\"count\":3,\"type\":\"VEC3\"", "\"count\":4,\"type\":\"VEC3\"",
         "a.glb: bufferViews[0] is too short for 4 elements of an accessor"},
        {nodes_glb, "\"count\":3,\"type\":\"VEC3\"", "\"count\":4000000000,\"type\":\"VEC3\"",
         "a.glb: bufferViews[0] is too short for 4000000000 elements of an accessor"},
        /* without elements, too, an accessor is inside its view: the address would overflow */
        {nodes_glb, "\"bufferView\":5,", "\"bufferView\":5,\"byteOffset\":1.8e19,",
         "a.glb: bufferViews[5] is too short for 0 elements of an accessor"},
        {nodes_glb, "\"bufferView\":0,", "", "a.glb: accessors[0] has no buffer view"},
        {nodes_glb, "\"componentType\":5126", "\"componentType\":5124", "a.glb: accessors[0] has an unknown type"},
        {nodes_glb, "\"byteLength\":36", "\"byteLength\":9999", "a.glb: bufferViews[0] exceeds its buffer"},
        {nodes_glb, "\"buffers\":[{\"byteLength\":", "\"buffers\":[{\"byteLength\":1",
         "a.glb: buffers[0] is truncated: it has 124 of 1124 bytes"},
        {nodes_glb, "\"buffers\":[{", "\"buffers\":[{\"uri\":\"gone.bin\",",
         "a.glb: gone.bin: cannot be opened: No such file or directory"},
        {nodes_glb, "\"buffers\":[{", "\"buffers\":[{\"uri\":\"data:;base64,A!\",",
         "a.glb: buffers[0] has a data URI that is not in base64"},
        {nodes_glb, "\"scene\":1", "\"extensionsRequired\":[\"KHR_materials_unlit\",\"KHR_draco_mesh_compression\"]",
         "a.glb: needs the extension KHR_draco_mesh_compression, which tact does not know"},
        {skin_glb, "\"joints\":[1,2]", "\"joints\":[1,3]", "a.glb: skins[0].joints[1] must be a node less than 3"},
        {skin_glb, "\"joints\":[1,2]", "\"joints\":[1]", "a.glb: accessors[7] has 2 elements instead of 1"},
        {skin_glb, "\"JOINTS_0\"", "\"JOINTS_1\"",
         "a.glb: meshes[0].primitives[0] has no JOINTS_0, but its node has a skin"},
        {skin_glb, "\"WEIGHTS_0\"", "\"WEIGHTS_1\"",
         "a.glb: meshes[0].primitives[0] vertex 0 has no positive sum of weights"},
        {skin_glb, "\"WEIGHTS_0\":2", "\"WEIGHTS_0\":1",
         "a.glb: meshes[0].primitives[0] vertex 0 refers to joint 7 of 2"},
        {skin_glb, "\"indices\":3", "\"indices\":4", "a.glb: meshes[0].primitives[0].indices refer to vertex 0 of 4"},
        {NULL, "\"weights\":[0,0]", "\"weights\":[0]",
         "a.glb: meshes[0].weights must be an array of 2 numbers, not of 1"},
        {NULL, "\"POSITION\":1", "\"POSITION\":6", "a.glb: accessors[6] has 1 elements instead of 5"},
        {NULL, "\"sparse\":{\"count\":1", "\"sparse\":{\"count\":6",
         "a.glb: accessors[7].sparse.count must be a whole number less than 6"},
        {NULL, "\"count\":5,\"type\":\"VEC3\",\"sparse\"", "\"count\":4,\"type\":\"VEC3\",\"sparse\"",
         "a.glb: accessors[7] has 4 elements instead of 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_error_after(cases[i].make, cases[i].from, cases[i].to, cases[i].expected);
    /* options */
    bytes glb = nodes_glb();
    bytes_put("a.glb", &glb);
    bytes_free(&glb);
    frame_source source;
    char error[FRAMES_ERROR];
    frames_def def = {.path = "a.glb", .animation = 2};
    assert_false(tact_frames_open(&source, &def, error, sizeof error));
    assert_string_equal(error, "a.glb: has 2 animations: there is no animation 2");
    def = (frames_def){.path = "a.glb", .fps = 1e9};
    assert_false(tact_frames_open(&source, &def, error, sizeof error));
    assert_string_equal(error, "a.glb: would have more than 10000000 frames: --fps 1e+09 is too large");
    assert_int_equal(unlink("a.glb"), 0);
}

static void a_mesh_must_have_the_same_faces(void **state)
{
    (void)state;
    bytes glb = skin_glb();
    bytes_put("a.glb", &glb);
    bytes_free(&glb);
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\nf 2 4 3\n", NULL},
        {"v 0 0 0\nv 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\nf 2 3 4\n",
         "a.glb: face 1 differs from that of m.obj: both frames must have the same faces in the same order"},
        {"v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\nf 2 1 3\n",
         "a.glb: 4 vertices and 2 faces, but m.obj has 3 and 2: the frames are not of the same mesh"},
    };
    for (size_t i = 0; i < 3; i++) {
        mesh_file mesh;
        frame_source source;
        char error[FRAMES_ERROR] = "";
        text_put("m.obj", cases[i].text);
        assert_true(tact_mesh_file_read("m.obj", &mesh, error, sizeof error));
        const frames_def def = {.path = "a.glb", .mesh = &mesh, .mesh_path = "m.obj"};
        const bool good = tact_frames_open(&source, &def, error, sizeof error);
        assert_true(good == (cases[i].expected == NULL));
        if (!good)
            assert_string_equal(error, cases[i].expected);
        else
            tact_frames_close(&source);
        tact_mesh_file_release(&mesh);
    }
    assert_int_equal(unlink("a.glb") | unlink("m.obj"), 0);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    bytes glb = skin_glb();
    bytes_put("a.glb", &glb);
    bytes_free(&glb);
    long failures = 0;
    for (bool good = false; !good; failures += !good) {
        frame_source source;
        char error[FRAMES_ERROR];
        failing_allocator memory = {.fail_at = failures + 1};
        const tact_allocator allocator = failing_allocator_make(&memory);
        const frames_def def = {.path = "a.glb", .allocator = &allocator};
        good = tact_frames_open(&source, &def, error, sizeof error);
        if (good)
            tact_frames_close(&source);
        else
            assert_string_equal(error, "a.glb: there is not enough memory to read it");
        assert_int_equal(memory.held, 0);
    }
    assert_true(failures >= 30);
    assert_int_equal(unlink("a.glb"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_move),         cmocka_unit_test(skins_bend),
        cmocka_unit_test(targets_morph),      cmocka_unit_test(damaged_files_are_rejected),
        cmocka_unit_test(errors_say_where),   cmocka_unit_test(a_mesh_must_have_the_same_faces),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
