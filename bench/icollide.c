/*
 * `tact-bench icollide`: van den Bergen 1999, figures 4.8, 4.9 and 4.10: time per frame of the I-COLLIDE simulation
 * against density, translational and rotational velocity. Every method tests all 190 pairs in every frame of the same
 * recording. The plots are lost; the text says that Chung-Wang took half the time of ISA-GJK and Lin-Canny five times
 * as much.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/query.h>

#include "chung_wang.h"
#include "convex_runner.h"
#include "icollide_run.h"
#include "stopwatch.h"
#include "suite.h"

#define FRAMES_PER_BLOCK 50
#define MAX_STEPS 8 /* settings per figure */

typedef struct icollide_state {
    const icollide_run *run;
    tact_shape *shapes[ICOLLIDE_BODIES];
    tact_cache caches[ICOLLIDE_PAIRS]; /* of ISA-GJK */
    tact_vec3 axes[ICOLLIDE_PAIRS];    /* of Chung-Wang */
} icollide_state;

/* Tests all pairs of a frame; results[pair] receives 1 for overlap, 0 for none, 2 if the test gave up. */
typedef void frame_test(icollide_state *state, int frame, unsigned char *results);

static unsigned char result_of(tact_overlap v) { return v.status != TACT_OK ? 2 : v.state == TACT_HIT; }

static void isa_gjk(icollide_state *state, int frame, unsigned char *results)
{
    const tact_transform *at = state->run->at[frame];
    int pair = 0;
    for (int a = 0; a < ICOLLIDE_BODIES; a++) {
        for (int b = a + 1; b < ICOLLIDE_BODIES; b++, pair++)
            results[pair] =
                result_of(tact_shapes_overlap(state->shapes[a], at[a], state->shapes[b], at[b], &state->caches[pair]));
    }
}

static void touch_without_cache(icollide_state *state, int frame, unsigned char *results)
{
    const tact_transform *at = state->run->at[frame];
    int pair = 0;
    for (int a = 0; a < ICOLLIDE_BODIES; a++) {
        for (int b = a + 1; b < ICOLLIDE_BODIES; b++, pair++)
            results[pair] = result_of(tact_shapes_overlap(state->shapes[a], at[a], state->shapes[b], at[b], NULL));
    }
}

static void distance(icollide_state *state, int frame, unsigned char *results)
{
    const tact_transform *at = state->run->at[frame];
    int pair = 0;
    for (int a = 0; a < ICOLLIDE_BODIES; a++) {
        for (int b = a + 1; b < ICOLLIDE_BODIES; b++, pair++) {
            tact_distance d = tact_shapes_distance(state->shapes[a], at[a], state->shapes[b], at[b]);
            results[pair] = (unsigned char)(d.status != TACT_OK ? 2 : d.distance > 0.0 ? 0 : 1);
        }
    }
}

static void chung_wang_test(icollide_state *state, int frame, unsigned char *results)
{
    const tact_transform *at = state->run->at[frame];
    const solid *s = state->run->bodies;
    int pair = 0;
    for (int a = 0; a < ICOLLIDE_BODIES; a++) {
        for (int b = a + 1; b < ICOLLIDE_BODIES; b++, pair++) {
            chung_wang v = tact_chung_wang(&s[a], &at[a], &s[b], &at[b], &state->axes[pair]);
            results[pair] = v == CHUNG_WANG_GAVE_UP ? 2 : v == CHUNG_WANG_TOUCH;
        }
    }
}

#ifdef TACT_HAVE_CCD
static void libccd_mpr(icollide_state *state, int frame, unsigned char *results)
{
    const tact_transform *at = state->run->at[frame];
    const solid *s = state->run->bodies;
    int pair = 0;
    for (int a = 0; a < ICOLLIDE_BODIES; a++) {
        for (int b = a + 1; b < ICOLLIDE_BODIES; b++, pair++)
            results[pair] = tact_libccd_mpr_overlap(&s[a], &at[a], &s[b], &at[b]);
    }
}
#endif

static const struct method {
    const char *name, *key;
    frame_test *test;
} methods[] = {
    {"ISA-GJK", "isa_gjk", isa_gjk},
    {"no cache", "no_cache", touch_without_cache},
    {"GJK distance", "gjk_distance", distance},
    {"Chung-Wang", "chung_wang", chung_wang_test},
#ifdef TACT_HAVE_CCD
    {"libccd MPR", "libccd_mpr", libccd_mpr},
#endif
};

enum { ISA_GJK, NO_CACHE, DISTANCE, CHUNG_WANG, MPR, METHODS = sizeof methods / sizeof methods[0] };

typedef struct answer_counts {
    long missed, false_positive, gave_up;
} answer_counts;

typedef struct figure_row {
    icollide_setting setting;
    long frames, hits, too_close, checked, disputed;
    double us[METHODS]; /* per frame */
    answer_counts counts[METHODS];
} figure_row;

static void compare(const icollide_run *run, int frame, const unsigned char *results, answer_counts *s)
{
    for (int pair = 0; pair < ICOLLIDE_PAIRS; pair++) {
        unsigned char expected = run->expected[frame][pair];
        if (expected == ICOLLIDE_UNDECIDED)
            continue;
        s->gave_up += results[pair] == 2;
        s->missed += results[pair] == 0 && expected == ICOLLIDE_HIT;
        s->false_positive += results[pair] == 1 && expected == ICOLLIDE_APART;
    }
}

/* Runs all methods over the recording `rounds` times, interleaved by blocks of frames. */
static bool replay(icollide_state *states, figure_row *row, int frames, int rounds)
{
    laps l;
    int blocks = frames / FRAMES_PER_BLOCK;
    if (!tact_laps_create(&l, METHODS, blocks, rounds))
        return false;
    unsigned char results[FRAMES_PER_BLOCK][ICOLLIDE_PAIRS];
    for (int round = 0; round < rounds; round++) {
        for (int m = 0; m < METHODS; m++) {
            memset(states[m].caches, 0, sizeof states[m].caches);
            memset(states[m].axes, 0, sizeof states[m].axes);
        }
        for (int block = 0; block < blocks; block++) {
            for (int m = 0; m < METHODS; m++) {
                double before = tact_stopwatch_now();
                for (int i = 0; i < FRAMES_PER_BLOCK; i++)
                    methods[m].test(&states[m], block * FRAMES_PER_BLOCK + i, results[i]);
                tact_laps_record(&l, m, block, round, tact_stopwatch_now() - before);
                for (int i = 0; round == 0 && i < FRAMES_PER_BLOCK; i++)
                    compare(states[m].run, block * FRAMES_PER_BLOCK + i, results[i], &row->counts[m]);
            }
        }
    }
    for (int m = 0; m < METHODS; m++)
        row->us[m] = tact_laps_median(&l, m) / (1000.0 * frames);
    tact_laps_release(&l);
    return true;
}

static bool measure(const suite *s, icollide_setting setting, figure_row *row)
{
    int frames = suite_size(s, 2000, 200, 50), rounds = suite_size(s, 5, 3, 1);
    *row = (figure_row){.setting = setting, .frames = frames};
    icollide_run run;
    if (!tact_icollide_record(&run, setting, frames, s->seed))
        return false;
    row->hits = run.hits;
    row->checked = run.checked;
    row->disputed = run.disputed;
    for (int frame = 0; frame < frames; frame++) {
        for (int pair = 0; pair < ICOLLIDE_PAIRS; pair++)
            row->too_close += run.expected[frame][pair] == ICOLLIDE_UNDECIDED;
    }
    icollide_state *states = calloc(METHODS, sizeof *states);
    bool done = states != NULL;
    for (int i = 0; done && i < ICOLLIDE_BODIES; i++) {
        tact_shape *shape = tact_solid_shape(&run.bodies[i]);
        done = shape != NULL;
        for (int m = 0; m < METHODS; m++)
            states[m].shapes[i] = shape;
    }
    for (int m = 0; done && m < METHODS; m++)
        states[m].run = &run;
    done = done && replay(states, row, frames, rounds);
    for (int i = 0; states && i < ICOLLIDE_BODIES; i++)
        tact_shape_release(states[0].shapes[i]);
    free(states);
    tact_icollide_release(&run);
    return done;
}

typedef struct figure {
    const char *title, *key, *unit;
    int varied; /* 0 density, 1 translation, 2 rotation */
    int steps;
    double values[MAX_STEPS];
} figure;

static const figure figures[] = {
    {"Figure 4.8: density", "figure_4_8", "% of space", 0, 7, {1, 2, 5, 8, 12, 16, 20}},
    {"Figure 4.9: translational velocity", "figure_4_9", "% of radius", 1, 7, {1, 2, 5, 8, 12, 16, 20}},
    {"Figure 4.10: rotational velocity", "figure_4_10", "degrees", 2, 7, {1, 2, 5, 10, 20, 30, 40}},
};

static double varied(const figure *f, const figure_row *row)
{
    return f->varied == 0 ? row->setting.density : f->varied == 1 ? row->setting.translation : row->setting.rotation;
}

static void print_figure(const figure *f, const figure_row *rows)
{
    printf("\n%s (us per frame, 190 pairs)\n%12s %9s", f->title, f->unit, "hits");
    for (int m = 0; m < METHODS; m++)
        printf(" %15s", methods[m].name);
    printf("  %s%s\n", "Chung-Wang/ISA", METHODS > MPR ? "  MPR/ISA" : "");
    for (int i = 0; i < f->steps; i++) {
        const figure_row *r = &rows[i];
        printf("%12g %9.3f", varied(f, r), (double)r->hits / (double)r->frames);
        for (int m = 0; m < METHODS; m++)
            printf(" %15.2f", r->us[m]);
        printf("  %14.2f", r->us[CHUNG_WANG] / r->us[ISA_GJK]);
        if (METHODS > MPR)
            printf("  %7.2f", r->us[METHODS - 1] / r->us[ISA_GJK]);
        printf("\n");
    }
}

static bool report_figure(const suite *s, const figure *f, const figure_row *rows)
{
    json_t *list = json_array();
    for (int i = 0; i < f->steps; i++) {
        const figure_row *r = &rows[i];
        json_t *times = json_object(), *wrong = json_object();
        for (int m = 0; m < METHODS; m++) {
            (void)json_object_set_new(times, methods[m].key, json_real(r->us[m]));
            const answer_counts *c = &r->counts[m];
            (void)json_object_set_new(wrong, methods[m].key,
                                      json_pack("{sIsIsI}", "missed", (json_int_t)c->missed, "false_positive",
                                                (json_int_t)c->false_positive, "gave_up", (json_int_t)c->gave_up));
        }
        (void)json_array_append_new(list, json_pack("{sfsfsfsIsIsoso}", "density_percent", r->setting.density,
                                                    "translation_percent", r->setting.translation, "rotation_degrees",
                                                    r->setting.rotation, "frames", (json_int_t)r->frames, "hits",
                                                    (json_int_t)r->hits, "us_per_frame", times, "wrong", wrong));
    }
    return json_object_set_new(s->report, f->key, list) == 0;
}

static void print_scores(const answer_counts *totals, const figure_row *sums)
{
    printf("\nWrong answers over %ld frames, %ld hits (%ld pairs touching to within rounding error are not counted; "
           "oracle compared with brute force over all axes on %ld pairs, %ld disputed)\n",
           sums->frames, sums->hits, sums->too_close, sums->checked, sums->disputed);
    printf("%18s %9s %10s %9s\n", "", "missed", "false pos.", "gave up");
    for (int m = 0; m < METHODS; m++)
        printf("%18s %9ld %10ld %9ld\n", methods[m].name, totals[m].missed, totals[m].false_positive,
               totals[m].gave_up);
    printf("\nThe thesis (167 MHz UltraSPARC, 50,000 frames) found Chung-Wang/ISA-GJK about 0.5 and Lin-Canny/ISA-GJK "
           "about "
           "5; its plots are lost.\n");
}

bool tact_bench_icollide(const suite *s)
{
    answer_counts totals[METHODS] = {{0}};
    figure_row sums = {.frames = 0};
    double time[METHODS] = {0};
    if (!s->silent)
        printf("I-COLLIDE simulation: %d hulls of %d points, every pair tested in every frame; unless varied, density "
               "5 %%, translation 5 %% of the radius and rotation 10 degrees per frame\n",
               ICOLLIDE_BODIES, ICOLLIDE_POINTS);
    for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++) {
        const figure *f = &figures[k];
        figure_row rows[MAX_STEPS];
        for (int i = 0; i < f->steps; i++) {
            icollide_setting setting = {5.0, 5.0, 10.0};
            if (f->varied == 0)
                setting.density = f->values[i];
            else if (f->varied == 1)
                setting.translation = f->values[i];
            else
                setting.rotation = f->values[i];
            if (!measure(s, setting, &rows[i]))
                return false;
            sums.frames += rows[i].frames;
            sums.hits += rows[i].hits;
            sums.too_close += rows[i].too_close;
            sums.checked += rows[i].checked;
            sums.disputed += rows[i].disputed;
            for (int m = 0; m < METHODS; m++) {
                time[m] += rows[i].us[m];
                totals[m].missed += rows[i].counts[m].missed;
                totals[m].false_positive += rows[i].counts[m].false_positive;
                totals[m].gave_up += rows[i].counts[m].gave_up;
            }
        }
        if (!s->silent)
            print_figure(f, rows);
        if (s->report && !report_figure(s, f, rows))
            return false;
    }
    *s->wrong += sums.disputed;
    for (int m = ISA_GJK; m <= DISTANCE; m++)
        *s->wrong += totals[m].missed + totals[m].false_positive + totals[m].gave_up;
    if (!s->silent) {
        print_scores(totals, &sums);
        printf("This run, over all rows: Chung-Wang/ISA-GJK %.2f", time[CHUNG_WANG] / time[ISA_GJK]);
        if (METHODS > MPR)
            printf(", libccd MPR/ISA-GJK %.2f", time[METHODS - 1] / time[ISA_GJK]);
        printf("%s\n", METHODS > MPR ? "" : "; libccd was not found when tact-bench was built");
    }
    return true;
}
