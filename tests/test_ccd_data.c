/*
 * Continuous collision against data with known answers: real and contrived queries of other people's benchmarks, a line each, whose
 * truth was found symbolically. Every verdict must be the known one, of the library and of the oracle, and every bracket must hold
 * the exact time. TACT_TEST_LONG=1 brings all brackets before the oracle, not only those of every few lines.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tact/ccd.h>

#include "oracle/ccd.h"
#include "tool/folder.h"

static const struct {
    const char *name;
    int lines, hits; /* as the files have them, so that none is passed over */
} files[] = {
    {"armadillo-rollers.vf", 4652, 4650},     {"cloth-funnel.ee", 263, 107},
    {"cloth-funnel.vf", 92, 27},              {"erleben-cube-cliff-edges.ee", 250, 38},
    {"erleben-cube-cliff-edges.vf", 250, 22}, {"erleben-sliding-spike.ee", 250, 0},
    {"erleben-sliding-spike.vf", 250, 4},     {"erleben-spike-crack.ee", 250, 0},
    {"erleben-spike-crack.vf", 250, 6},       {"erleben-spikes.ee", 250, 16},
    {"erleben-spikes.vf", 250, 22},           {"erleben-wedges.ee", 250, 20},
    {"erleben-wedges.vf", 250, 14},           {"unit-tests.ee", 74, 36},
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

static void check_line(const char *name, int line, const known *k, tact_ccd_kind kind, const tact_ccd_def *def,
                       ccd_truth *truth)
{
    tact_ccd answer = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(k->start, k->end, def)
                                               : tact_ccd_edge_edge(k->start, k->end, def);
    if (answer.status != TACT_OK || answer.state != (k->hit ? TACT_HIT : TACT_MISS))
        fail_msg("%s.txt:%d: a %s is told as %d", name, line, k->hit ? "hit" : "miss", answer.state);
    /* the large files are full of the same */
    if (files[0].name == name && line % 8 != 0 && getenv("TACT_TEST_LONG") == NULL)
        return;
    ccd_truth_find(truth, kind, k->start, k->end, false, 0.0, 1.0);
    if (truth->hit != k->hit)
        fail_msg("%s.txt:%d: the oracle errs", name, line);
    if (!truth->hit)
        return;
    if (!(0.0 <= answer.from && answer.from <= answer.to && answer.to <= 1.0) ||
        ccd_truth_compare(truth, answer.from) < 0 || ccd_truth_compare(truth, answer.to) > 0)
        fail_msg("%s.txt:%d: [%a, %a] is without the contact", name, line, answer.from, answer.to);
    if (answer.to - answer.from > def->width && answer.to > nextafter(answer.from, 2.0))
        fail_msg("%s.txt:%d: [%a, %a] is wider than %a", name, line, answer.from, answer.to, def->width);
    if (answer.degenerate != truth->degenerate)
        fail_msg("%s.txt:%d: degenerate is told as %d", name, line, answer.degenerate);
}

static void known_answers_are_given(void **state)
{
    (void)state;
    char room[4096];
    const char *data = shared_data(room, sizeof room);
    ccd_truth truth;
    ccd_truth_init(&truth);
    tact_ccd_def usual = tact_ccd_def_default(), sharp = usual;
    sharp.width = 0.0;
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
            check_line(files[f].name, line, &k, kind, &usual, &truth);
            check_line(files[f].name, line, &k, kind, &sharp, &truth);
        }
        (void)fclose(file);
        assert_int_equal(line, files[f].lines);
        assert_int_equal(hits, files[f].hits);
    }
    ccd_truth_clear(&truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers_are_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
