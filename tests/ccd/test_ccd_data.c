/*
 * Continuous collision detection against data with known answers: real and contrived queries of published benchmarks, a
 * line each, and pairs of frames of deforming meshes whose truth was computed symbolically. Every state must be the
 * known one, of the library and of the oracle, and every bracket must contain the exact time. TACT_TEST_LONG=1 checks
 * all brackets with the oracle, not only those of every few lines.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tact/ccd.h>

#include "oracle/ccd.h"
#include "support/shared_data.h"
#include "tool/folder.h"

static const struct {
    const char *name;
    int lines, hits; /* as in the files, so that none is skipped */
} files[] = {
    {"armadillo-rollers.vf", 4652, 4650},
    {"cloth-funnel.ee", 263, 107},
    {"cloth-funnel.vf", 92, 27},
    {"erleben-cube-cliff-edges.ee", 250, 38},
    {"erleben-cube-cliff-edges.vf", 250, 22},
    {"erleben-sliding-spike.ee", 250, 0},
    {"erleben-sliding-spike.vf", 250, 4},
    {"erleben-spike-crack.ee", 250, 0},
    {"erleben-spike-crack.vf", 250, 6},
    {"erleben-spikes.ee", 250, 16},
    {"erleben-spikes.vf", 250, 22},
    {"erleben-wedges.ee", 250, 20},
    {"erleben-wedges.vf", 250, 14},
    {"unit-tests.ee", 74, 36},
    {"unit-tests.vf", 250, 124},
};

#define FILES (sizeof files / sizeof files[0])

typedef struct known {
    bool hit;
    tact_vec3 start[4], end[4];
} known;

static bool line_read(FILE *file, known *k)
{
    char line[4096];
    if (!fgets(line, sizeof line, file))
        return false;
    char *at;
    k->hit = strtol(line, &at, 10) != 0;
    double x[24];
    for (int i = 0; i < 24; i++) {
        char *begin = at;
        x[i] = strtod(begin, &at);
        assert_ptr_not_equal(begin, at);
    }
    for (int i = 0; i < 4; i++) {
        k->start[i] = (tact_vec3){x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        k->end[i] = (tact_vec3){x[12 + 3 * i], x[13 + 3 * i], x[14 + 3 * i]};
    }
    return true;
}

/* The bracket of a hit is checked with the oracle. */
static tact_ccd check_line(const char *name, int line, const known *k, tact_ccd_kind kind, const tact_ccd_def *def,
                           ccd_truth *truth)
{
    tact_ccd answer = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(k->start, k->end, def)
                                               : tact_ccd_edge_edge(k->start, k->end, def);
    if (answer.status != TACT_OK || answer.state != (k->hit ? TACT_HIT : TACT_MISS))
        fail_msg("%s.txt:%d: a %s is reported as %d", name, line, k->hit ? "hit" : "miss", answer.state);
    if (!truth)
        return answer;
    ccd_truth_find(truth, kind, k->start, k->end, false, 0.0, 1.0);
    if (truth->hit != k->hit)
        fail_msg("%s.txt:%d: the oracle errs", name, line);
    if (!truth->hit)
        return answer;
    if (!(0.0 <= answer.lower && answer.lower <= answer.upper && answer.upper <= 1.0) ||
        ccd_truth_compare(truth, answer.lower) < 0 || ccd_truth_compare(truth, answer.upper) > 0)
        fail_msg("%s.txt:%d: [%a, %a] is without the contact", name, line, answer.lower, answer.upper);
    if (answer.upper - answer.lower > def->bracket_width && answer.upper > nextafter(answer.lower, 2.0))
        fail_msg("%s.txt:%d: [%a, %a] is wider than %a", name, line, answer.lower, answer.upper, def->bracket_width);
    if (answer.degenerate != truth->degenerate)
        fail_msg("%s.txt:%d: degenerate is reported as %d", name, line, answer.degenerate);
    return answer;
}

static void known_answers_are_given(void **state)
{
    (void)state;
    const char *data = shared_data();
    ccd_truth truth;
    ccd_truth_init(&truth);
    tact_ccd_def usual = tact_ccd_def_default(), sharp = usual;
    sharp.bracket_width = 0.0;
    for (size_t f = 0; f < FILES; f++) {
        char path[4200];
        (void)snprintf(path, sizeof path, "%s/ccd-queries/%s.txt", data, files[f].name);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        tact_ccd_kind kind = strstr(files[f].name, ".vf") ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
        int line = 0, hits = 0;
        known k;
        while (line_read(file, &k)) {
            line++;
            hits += k.hit;
            /* the large file has many alike */
            bool judge = f > 0 || line % 8 == 0 || getenv("TACT_TEST_LONG") != NULL;
            (void)check_line(files[f].name, line, &k, kind, &usual, judge ? &truth : NULL);
            (void)check_line(files[f].name, line, &k, kind, &sharp, judge ? &truth : NULL);
        }
        (void)fclose(file);
        assert_int_equal(line, files[f].lines);
        assert_int_equal(hits, files[f].hits);
    }
    ccd_truth_clear(&truth);
}

/* ---- two frames of a mesh ---- */

typedef struct frame {
    bytes file;
    bool big, wide; /* big-endian doubles */
    const unsigned char *vertices, *faces;
    long vertex_count, face_count;
} frame;

/* The number that `size` bytes hold, in the order of the file. */
static uint64_t bits_take(const frame *f, const unsigned char *at, int size)
{
    uint64_t bits = 0;
    for (int i = 0; i < size; i++)
        bits = bits << 8 | at[f->big ? i : size - 1 - i];
    return bits;
}

/* Binary PLY with three coordinates a vertex and three vertices a face, nothing else. */
static frame frame_read(const char *path)
{
    int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    frame f = {.file = file_read_all(file)};
    (void)close(file);
    char *end = strstr(f.file.data, "end_header\n");
    assert_non_null(end);
    *end = '\0';
    f.big = strstr(f.file.data, "binary_big_endian") != NULL;
    f.wide = strstr(f.file.data, "property double x") != NULL;
    assert_int_equal(sscanf(strstr(f.file.data, "element vertex"), "element vertex %ld", &f.vertex_count), 1);
    assert_int_equal(sscanf(strstr(f.file.data, "element face"), "element face %ld", &f.face_count), 1);
    f.vertices = (const unsigned char *)end + strlen("end_header\n");
    f.faces = f.vertices + f.vertex_count * (f.wide ? 24 : 12);
    assert_ptr_equal(f.faces + 13 * f.face_count, f.file.data + f.file.size);
    return f;
}

static tact_vec3 frame_vertex(const frame *f, long index)
{
    assert_true(index >= 0 && index < f->vertex_count);
    double x[3];
    int size = f->wide ? 8 : 4;
    for (int c = 0; c < 3; c++) {
        uint64_t bits = bits_take(f, f->vertices + (3 * index + c) * size, size);
        uint32_t few = (uint32_t)bits;
        float narrow;
        memcpy(&narrow, &few, sizeof narrow);
        memcpy(&x[c], &bits, sizeof x[c]);
        if (!f->wide)
            x[c] = (double)narrow;
    }
    return (tact_vec3){x[0], x[1], x[2]};
}

static void frame_face(const frame *f, long index, long corners[3])
{
    assert_true(index >= 0 && index < f->face_count);
    const unsigned char *at = f->faces + 13 * index;
    assert_int_equal(at[0], 3);
    for (int i = 0; i < 3; i++)
        corners[i] = (long)bits_take(f, at + 1 + 4 * i, 4);
}

static const struct {
    const char *name;
    int pairs[2], hits[2]; /* vertex-face, edge-edge */
    double first;          /* the first of all contacts, to six digits */
} scenes[] = {
    {"cloth-ball", {19034, 94825}, {19032, 94822}, 7.49207e-6},
    {"armadillo-rollers", {4652, 19313}, {4650, 19308}, 3.98582e-5},
    {"cloth-funnel", {92, 263}, {27, 107}, 0.0452322},
};

/* All pairs of a kind; the earliest bracket into first[2]. */
static void check_pairs(const char *data, int scene, tact_ccd_kind kind, const frame frames[2], ccd_truth *truth,
                        double first[2])
{
    char path[4200], name[100];
    (void)snprintf(name, sizeof name, "%s/pairs.%s", scenes[scene].name, kind == TACT_VERTEX_FACE ? "vf" : "ee");
    (void)snprintf(path, sizeof path, "%s/scenes/%s.txt", data, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const tact_ccd_def def = tact_ccd_def_default();
    int line = 0, hits = 0, every = getenv("TACT_TEST_LONG") != NULL ? 1 : 100;
    for (int hit; fscanf(file, "%d", &hit) == 1;) {
        long v[4];
        assert_int_equal(fscanf(file, "%ld%ld", &v[0], &v[1]), 2);
        if (kind == TACT_VERTEX_FACE)
            frame_face(&frames[0], v[1], v + 1);
        else
            assert_int_equal(fscanf(file, "%ld%ld", &v[2], &v[3]), 2);
        known k = {.hit = hit != 0};
        for (int i = 0; i < 4; i++) {
            k.start[i] = frame_vertex(&frames[0], v[i]);
            k.end[i] = frame_vertex(&frames[1], v[i]);
        }
        line++;
        hits += hit;
        tact_ccd answer = check_line(name, line, &k, kind, &def, line % every == 0 ? truth : NULL);
        if (hit && answer.lower < first[0]) {
            first[0] = answer.lower;
            first[1] = answer.upper;
        }
    }
    (void)fclose(file);
    assert_int_equal(line, scenes[scene].pairs[kind]);
    assert_int_equal(hits, scenes[scene].hits[kind]);
}

static void pairs_of_scenes_are_known(void **state)
{
    (void)state;
    char path[4200];
    const char *data = shared_data();
    ccd_truth truth;
    ccd_truth_init(&truth);
    for (int i = 0; i < 3; i++) {
        frame frames[2];
        for (int s = 0; s < 2; s++) {
            (void)snprintf(path, sizeof path, "%s/scenes/%s/t%d.ply", data, scenes[i].name, s);
            frames[s] = frame_read(path);
        }
        double first[2] = {2.0, 2.0};
        check_pairs(data, i, TACT_VERTEX_FACE, frames, &truth, first);
        check_pairs(data, i, TACT_EDGE_EDGE, frames, &truth, first);
        if (fabs(first[0] - scenes[i].first) > 5e-6 * scenes[i].first)
            fail_msg("%s: the first contact is at %.9g, not at %.6g", scenes[i].name, first[0], scenes[i].first);
        bytes_free(&frames[0].file);
        bytes_free(&frames[1].file);
    }
    ccd_truth_clear(&truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers_are_given),
                                       cmocka_unit_test(pairs_of_scenes_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
