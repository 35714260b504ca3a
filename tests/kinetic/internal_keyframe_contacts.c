/*
 * Contacts of key-framed meshes: every engine, any number of in-between frames and threads, against one sweep for each
 * interval, to the bit; the list with both kinds of certificates. Small scenes of every kind with few and with many key
 * frames, and some intervals of a real figure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../ccd/same_ccd.h"
#include "kinetic/keyframe_contacts.h"
#include "kinetic/kinetic_constants.h"
#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/shared_data.h"

#define MOST_VERTICES 60
#define MOST_FRAMES 80

typedef struct keyframes {
    tact_vec3 frames[MOST_FRAMES][MOST_VERTICES];
    size_t vertex_count, frame_count;
    uint32_t triangles[MOST_VERTICES][3];
    size_t triangle_count;
    uint32_t edges[4][2];
    size_t edge_count;
    uint32_t points[4];
    size_t point_count;
    sweep_part parts[2];
    size_t part_count;
    size_t bad_frame; /* cannot be read */
    long reads;
} keyframes;

static struct {
    uint64_t contacts, vf, tables_moved, empty, polygons, overlap, fathers, leaves, changes;
} met;

static const tact_vec3 *read_frame(void *context, size_t index, tact_vec3 *storage)
{
    keyframes *k = context;
    ++k->reads;
    if (index == k->bad_frame)
        return NULL;
    if (index % 2 == 0)
        return k->frames[index];
    memcpy(storage, k->frames[index], k->vertex_count * sizeof *storage);
    return storage;
}

/* ---- scenes ---- */

static double coordinate(random_source *r, int style)
{
    return style == 0   ? (double)random_between(r, -2, 2)
           : style == 1 ? random_range(r, -1.0, 1.0)
           : style == 2 ? 1e-310 * random_range(r, -1.0, 1.0)
           : style == 3 ? 1e6 + 0x1p-31 * (double)random_between(r, -9, 9)
                        : 1e139 * random_range(r, -1.0, 1.0);
}

static void make_elements(keyframes *k, random_source *r)
{
    if (random_chance(r, 0.4)) { /* a sheet */
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t j = 0; j < 4; j++) {
                const uint32_t a = 5 * i + j, two[2][3] = {{a, a + 1, a + 5}, {a + 1, a + 6, a + 5}};
                memcpy(k->triangles[k->triangle_count], two, sizeof two);
                k->triangle_count += 2;
            }
        k->vertex_count = 29;
    } else {
        k->triangle_count = (size_t)random_between(r, 1, 16);
        k->vertex_count = 3 * k->triangle_count + 4;
        const uint32_t hub = random_chance(r, 0.2) ? 0 : UINT32_MAX;
        for (size_t i = 0; i < k->triangle_count; ++i)
            for (uint32_t c = 0; c < 3; ++c) /* some triangles share vertices */
                k->triangles[i][c] = c == 0 && hub != UINT32_MAX ? hub
                                     : random_chance(r, 0.3)     ? (uint32_t)random_below(r, k->vertex_count)
                                                                 : (uint32_t)(3 * i) + c;
    }
    k->point_count = 2;
    k->points[0] = (uint32_t)k->vertex_count - 1;
    k->points[1] = (uint32_t)k->vertex_count - 2;
    k->edge_count = 1;
    k->edges[0][0] = (uint32_t)k->vertex_count - 3;
    k->edges[0][1] = (uint32_t)k->vertex_count - 4;
    if (random_chance(r, 0.2)) { /* the loose elements are a part of their own, and one part has no self-contacts */
        k->part_count = 2;
        k->parts[0] = (sweep_part){(uint32_t)k->vertex_count - 4, true};
        k->parts[1] = (sweep_part){(uint32_t)k->vertex_count, random_chance(r, 0.5)};
        for (size_t i = 0; i < k->triangle_count; ++i)
            for (uint32_t c = 0; c < 3; ++c)
                k->triangles[i][c] %= (uint32_t)k->vertex_count - 4;
    }
}

static void make_keyframes(keyframes *k, uint64_t seed)
{
    random_source r = random_seed(seed);
    memset(k, 0, sizeof *k);
    k->bad_frame = SIZE_MAX;
    const bool many = seed % 6 == 0; /* of few contacts */
    const int style = many ? 1 : random_between(&r, 0, 4);
    const bool small_steps = many || random_chance(&r, 0.5);
    make_elements(k, &r);
    k->frame_count = (size_t)random_between(&r, 2, many ? MOST_FRAMES : 5);
    for (size_t f = 0; f < k->frame_count; ++f)
        for (size_t v = 0; v < k->vertex_count; ++v) {
            tact_vec3 p = {coordinate(&r, style), coordinate(&r, style), coordinate(&r, style)};
            if (f > 0 && small_steps && style == 1) {
                const tact_vec3 q = k->frames[f - 1][v];
                p = (tact_vec3){q.x + 0.2 * p.x, q.y + 0.2 * p.y, q.z + 0.2 * p.z};
            }
            k->frames[f][v] = f > 0 && random_chance(&r, 0.3) ? k->frames[f - 1][v] : p;
        }
}

/* ---- comparison ---- */

static sweep_def elements_of(const keyframes *k)
{
    sweep_def def = sweep_def_default();
    def.vertices = k->frames[0];
    def.vertex_count = k->vertex_count;
    def.triangles = (const uint32_t(*)[3])k->triangles;
    def.triangle_count = k->triangle_count;
    def.edges = (const uint32_t(*)[2])k->edges;
    def.edge_count = k->edge_count;
    def.points = k->points;
    def.point_count = k->point_count;
    def.parts = k->part_count > 0 ? k->parts : NULL;
    def.part_count = k->part_count;
    return def;
}

static keyframe_contacts_def def_of(keyframes *k, keyframe_engine engine)
{
    return (keyframe_contacts_def){
        .elements = elements_of(k), .frame_count = k->frame_count, .frame = read_frame, .context = k, .engine = engine};
}

static bool same_contact(const sweep_contact *a, const sweep_contact *b)
{
    return a->kind == b->kind && memcmp(a->index, b->index, sizeof a->index) == 0 && same_answer(&a->ccd, &b->ccd);
}

static void run_sweep(mesh_sweep *sweep, const tact_vec3 *start, const tact_vec3 *end)
{
    sweep_step step = sweep_step_default();
    step.start = start;
    step.end = end;
    assert_int_equal(tact_mesh_sweep_run(sweep, &step), TACT_OK);
}

static bool same_as_sweep(const keyframe_contacts *c, const mesh_sweep *sweep)
{
    if (tact_keyframe_contacts_count(c) != tact_mesh_sweep_count(sweep))
        return false;
    for (size_t i = 0; i < tact_mesh_sweep_count(sweep); ++i)
        if (!same_contact(tact_keyframe_contacts_get(c, i), tact_mesh_sweep_contact(sweep, i)))
            return false;
    return true;
}

/* ---- cases ---- */

static void contacts_of_the_list_are_those_of_the_sweep(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(60, 9000); seed++) {
        static keyframes k;
        make_keyframes(&k, seed);
        keyframe_contacts_def def = def_of(&k, KEYFRAME_LIST);
        def.certificate = seed % 2 == 0 ? SEPARATION_WITNESS_AXIS : SEPARATION_ALL_AXES;
        def.parallel.threads = seed % 8 == 0 ? 2 : 1;
        keyframe_contacts *c;
        CHECK(tact_keyframe_contacts_create(&c, &def) == TACT_OK, "create");
        const sweep_def elements = elements_of(&k);
        mesh_sweep *sweep;
        CHECK(tact_mesh_sweep_create(&sweep, &elements) == TACT_OK, "create");
        for (size_t i = 0; i + 1 < k.frame_count; i++) {
            CHECK(tact_keyframe_contacts_run(c, i) == TACT_OK, "interval %zu", i);
            run_sweep(sweep, k.frames[i], k.frames[i + 1]);
            CHECK(same_as_sweep(c, sweep), "interval %zu of %zu: %zu contacts, the sweep has %zu", i, k.frame_count - 1,
                  tact_keyframe_contacts_count(c), tact_mesh_sweep_count(sweep));
            met.contacts += tact_mesh_sweep_count(sweep);
            met.empty += tact_mesh_sweep_count(sweep) == 0;
            met.tables_moved += i == LIST_FRAMES_AHEAD + 1;
            for (size_t j = 0; j < tact_mesh_sweep_count(sweep); j++)
                met.vf += tact_mesh_sweep_contact(sweep, j)->kind == TACT_VERTEX_FACE;
        }
        const separation_counts counts = tact_keyframe_contacts_list_counts(c);
        met.overlap += counts.bounds_overlap;
        met.fathers += counts.fathers_apart;
        met.leaves += counts.leaves_apart;
        met.changes += counts.bound_changes;
        /* in another order */
        random_source r = random_seed(seed ^ 9);
        for (int n = 0; n < 3; n++) {
            const size_t i = (size_t)random_below(&r, k.frame_count - 1);
            CHECK(tact_keyframe_contacts_run(c, i) == TACT_OK, "interval %zu", i);
            run_sweep(sweep, k.frames[i], k.frames[i + 1]);
            CHECK(same_as_sweep(c, sweep), "interval %zu alone", i);
        }
        CHECK(tact_keyframe_contacts_run(c, k.frame_count - 1) == TACT_BAD_ARGUMENT &&
                  tact_keyframe_contacts_count(c) == 0,
              "there is no such interval");
        tact_keyframe_contacts_release(c);
        tact_mesh_sweep_release(sweep);
    }
    if (!few_cases()) {
        print_message("%llu contacts (polygons collide), %llu vertex-face, %llu empty intervals, %llu long, "
                      "%llu bounds overlap, %llu fathers apart, %llu leaves apart, %llu bound changes\n",
                      (unsigned long long)met.contacts, (unsigned long long)met.vf, (unsigned long long)met.empty,
                      (unsigned long long)met.tables_moved, (unsigned long long)met.overlap,
                      (unsigned long long)met.fathers, (unsigned long long)met.leaves, (unsigned long long)met.changes);
        assert_true(met.contacts > 20000 && met.vf > 3000 && met.empty > 20 && met.tables_moved > 5);
        assert_true(met.overlap > 5000 && met.fathers > 100 && met.leaves > 5000 && met.changes > 10000);
    }
}

static void every_engine_finds_the_contacts_of_the_sweep(void **state)
{
    (void)state;
    static const unsigned betweens[] = {0, 1, 4, 9};
    size_t contacts = 0, several_steps = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(16); ++seed) {
        static keyframes k;
        make_keyframes(&k, seed);
        if (k.frame_count > 6)
            k.frame_count = 6;
        const sweep_def elements = elements_of(&k);
        mesh_sweep *sweep;
        assert_int_equal(tact_mesh_sweep_create(&sweep, &elements), TACT_OK);
        for (int engine = KEYFRAME_WINDOWS; engine <= KEYFRAME_LIST; ++engine)
            for (size_t b = 0; b < sizeof betweens / sizeof *betweens; ++b) {
                keyframe_contacts_def def = def_of(&k, (keyframe_engine)engine);
                def.between = betweens[b];
                keyframe_contacts *found;
                assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_OK);
                for (size_t i = 0; i + 1 < k.frame_count; ++i) {
                    run_sweep(sweep, k.frames[i], k.frames[i + 1]);
                    CHECK(tact_keyframe_contacts_run(found, i) == TACT_OK, "interval %zu", i);
                    CHECK(same_as_sweep(found, sweep), "interval %zu, engine %d, %u in between", i, engine,
                          betweens[b]);
                    contacts += tact_mesh_sweep_count(sweep);
                    several_steps += tact_keyframe_contacts_counts(found).contacts > tact_mesh_sweep_count(sweep);
                }
                /* in any order */
                run_sweep(sweep, k.frames[0], k.frames[1]);
                assert_int_equal(tact_keyframe_contacts_run(found, 0), TACT_OK);
                CHECK(same_as_sweep(found, sweep), "the first interval again");
                tact_keyframe_contacts_release(found);
            }
        tact_mesh_sweep_release(sweep);
    }
    if (!few_cases()) {
        assert_true(contacts > 875);
        assert_true(several_steps > 8);
    }
}

static void a_frame_is_read_once(void **state)
{
    (void)state;
    static keyframes k;
    make_keyframes(&k, 7);
    k.frame_count = 6;
    for (size_t f = 1; f < k.frame_count; ++f)
        memcpy(k.frames[f], k.frames[0], sizeof k.frames[0]);
    const keyframe_contacts_def def = def_of(&k, KEYFRAME_WINDOWS);
    keyframe_contacts *found;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_OK);
    for (size_t i = 0; i + 1 < k.frame_count; ++i)
        assert_int_equal(tact_keyframe_contacts_run(found, i), TACT_OK);
    assert_int_equal(k.reads, k.frame_count);
    tact_keyframe_contacts_release(found);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    static keyframes k;
    make_keyframes(&k, 3);
    keyframe_contacts_def def = def_of(&k, KEYFRAME_WINDOWS);
    keyframe_contacts *found;
    assert_int_equal(tact_keyframe_contacts_create(NULL, &def), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_keyframe_contacts_create(&found, NULL), TACT_BAD_ARGUMENT);
    k.bad_frame = 0;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_BAD_ARGUMENT);
    assert_null(found);
    k.bad_frame = 1;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_OK);
    assert_int_equal(tact_keyframe_contacts_run(found, 0), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_keyframe_contacts_count(found), 0);
    assert_int_equal(tact_keyframe_contacts_run(found, k.frame_count - 1), TACT_BAD_ARGUMENT);
    k.bad_frame = SIZE_MAX;
    assert_int_equal(tact_keyframe_contacts_run(found, 0), TACT_OK);
    tact_keyframe_contacts_release(found);
    k.frames[1][0].y = NAN;
    for (int engine = KEYFRAME_WINDOWS; engine <= KEYFRAME_LIST; ++engine) {
        def = def_of(&k, (keyframe_engine)engine);
        def.between = 3;
        if (engine == KEYFRAME_LIST) { /* reads key frames ahead */
            assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_BAD_ARGUMENT);
            continue;
        }
        assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_OK);
        assert_int_equal(tact_keyframe_contacts_run(found, 0), TACT_BAD_ARGUMENT);
        assert_int_equal(tact_keyframe_contacts_count(found), 0);
        tact_keyframe_contacts_release(found);
    }
    k.triangles[0][0] = (uint32_t)k.vertex_count;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_BAD_ARGUMENT);
    k.triangles[0][0] = 0;
    def = def_of(&k, (keyframe_engine)9);
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_BAD_ARGUMENT);
    def = def_of(&k, KEYFRAME_WINDOWS);
    def.elements.remeshable = true;
    assert_int_equal(tact_keyframe_contacts_create(&found, &def), TACT_BAD_ARGUMENT);
    tact_keyframe_contacts_release(NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const uint64_t seed = 5;
    static keyframes k;
    make_keyframes(&k, seed);
    for (int engine = KEYFRAME_WINDOWS; engine <= KEYFRAME_LIST; ++engine)
        for (long fail_at = 1, failed = 1; failed != 0; fail_at = next_failure(fail_at)) {
            failing_allocator memory = {.fail_at = fail_at};
            keyframe_contacts_def def = def_of(&k, (keyframe_engine)engine);
            def.between = 2;
            def.allocator = failing_allocator_make(&memory);
            keyframe_contacts *found;
            tact_status status = tact_keyframe_contacts_create(&found, &def);
            failed = status != TACT_OK;
            for (size_t i = 0; found != NULL && i + 1 < k.frame_count; ++i) {
                status = tact_keyframe_contacts_run(found, i);
                if (status == TACT_OUT_OF_MEMORY) {
                    failed = 1;
                    assert_int_equal(tact_keyframe_contacts_count(found), 0);
                    status = tact_keyframe_contacts_run(found, i);
                }
                assert_int_equal(status, TACT_OK);
            }
            CHECK(found != NULL || status == TACT_OUT_OF_MEMORY, "allocation %ld", fail_at);
            tact_keyframe_contacts_release(found);
            assert_int_equal(memory.held, 0);
            failed = failed || memory.calls >= fail_at; /* a tree that is not built anew is no failure */
        }
}

static void failures_can_be_repeated(void **state)
{
    (void)state;
    static keyframes k;
    uint64_t seed = 0;
    do
        make_keyframes(&k, seed += 6);
    while (k.frame_count < LIST_FRAMES_AHEAD + 6);
    const sweep_def elements = elements_of(&k);
    mesh_sweep *sweep;
    CHECK(tact_mesh_sweep_create(&sweep, &elements) == TACT_OK, "create");
    /* every allocation fails once */
    long failed = 0;
    k.frame_count = 8;
    for (long at = 1;; at = next_failure(at)) {
        failing_allocator memory = {.fail_at = at};
        keyframe_contacts_def def = def_of(&k, KEYFRAME_LIST);
        def.allocator = failing_allocator_make(&memory);
        def.parallel.threads = 1;
        keyframe_contacts *c;
        tact_status status = tact_keyframe_contacts_create(&c, &def);
        CHECK(status == TACT_OK || (status == TACT_OUT_OF_MEMORY && c == NULL), "status %d", (int)status);
        failed += status != TACT_OK;
        for (size_t i = 0; i + 1 < k.frame_count && c != NULL; i++) {
            status = tact_keyframe_contacts_run(c, i);
            if (status != TACT_OK) {
                CHECK(status == TACT_OUT_OF_MEMORY && tact_keyframe_contacts_count(c) == 0, "status %d", (int)status);
                failed++;
                status = tact_keyframe_contacts_run(c, i);
            }
            CHECK(status == TACT_OK, "it goes on");
            run_sweep(sweep, k.frames[i], k.frames[i + 1]);
            CHECK(same_as_sweep(c, sweep), "allocation %ld fails: interval %zu", at, i);
        }
        tact_keyframe_contacts_release(c);
        assert_int_equal(memory.held, 0);
        if (memory.calls < at)
            break;
    }
    print_message("%ld allocations failed\n", failed);
    assert_true(few_cases() || failed > 80);
    /* frames that cannot be read, or are not finite */
    make_keyframes(&k, seed);
    keyframe_contacts_def def = def_of(&k, KEYFRAME_LIST);
    keyframe_contacts *c;
    k.bad_frame = 0;
    CHECK(tact_keyframe_contacts_create(&c, &def) == TACT_BAD_ARGUMENT && c == NULL, "frame 0");
    k.bad_frame = LIST_FRAMES_AHEAD + 3;
    CHECK(tact_keyframe_contacts_create(&c, &def) == TACT_OK, "create");
    size_t i = 0;
    while (i + 1 < k.frame_count && tact_keyframe_contacts_run(c, i) == TACT_OK)
        i++;
    CHECK(i < k.bad_frame, "interval %zu", i);
    CHECK(tact_keyframe_contacts_run(c, i) == TACT_BAD_ARGUMENT && tact_keyframe_contacts_count(c) == 0, "still bad");
    k.bad_frame = SIZE_MAX;
    const double x = k.frames[i + 2][0].x;
    k.frames[i + 2][0].x = NAN;
    CHECK(tact_keyframe_contacts_run(c, i) == TACT_BAD_ARGUMENT, "not finite");
    k.frames[i + 2][0].x = x;
    for (; i + 1 < k.frame_count; i++) {
        CHECK(tact_keyframe_contacts_run(c, i) == TACT_OK, "interval %zu", i);
        run_sweep(sweep, k.frames[i], k.frames[i + 1]);
        CHECK(same_as_sweep(c, sweep), "interval %zu", i);
    }
    tact_keyframe_contacts_release(c);
    tact_mesh_sweep_release(sweep);
    tact_keyframe_contacts_release(NULL);
    def.frame_count = 0;
    assert_int_equal(tact_keyframe_contacts_create(&c, &def), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_keyframe_contacts_create(&c, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_keyframe_contacts_create(NULL, &def), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_keyframe_contacts_run(NULL, 0), TACT_BAD_ARGUMENT);
}

/* ---- a real figure ---- */

#define PC2_HEADER 32

typedef struct figure {
    float *values;
    uint32_t vertex_count, frame_count;
    uint32_t (*triangles)[3];
    size_t triangle_count;
} figure;

static const tact_vec3 *read_figure(void *context, size_t index, tact_vec3 *storage)
{
    const figure *f = context;
    const float *x = f->values + 3 * (size_t)f->vertex_count * index;
    for (uint32_t v = 0; v < f->vertex_count; v++, x += 3)
        storage[v] = (tact_vec3){(double)x[0], (double)x[1], (double)x[2]};
    return storage;
}

static bool load_figure(figure *f)
{
    char path[1000], line[300];
    (void)snprintf(path, sizeof path, "%s/animations/kick/frames.pc2", shared_data());
    FILE *file = fopen(path, "rb");
    unsigned char header[PC2_HEADER];
    if (file == NULL || fread(header, 1, sizeof header, file) != sizeof header) {
        print_message("skipped: there is no %s\n", path);
        return false;
    }
    memcpy(&f->vertex_count, header + 16, 4);
    memcpy(&f->frame_count, header + 28, 4);
    const size_t count = 3 * (size_t)f->vertex_count * f->frame_count;
    f->values = malloc(count * sizeof *f->values);
    assert_true(f->values != NULL && fread(f->values, sizeof *f->values, count, file) == count);
    (void)fclose(file);
    (void)snprintf(path, sizeof path, "%s/animations/kick/mesh.obj", shared_data());
    file = fopen(path, "r");
    assert_non_null(file);
    f->triangles = malloc(100000 * sizeof *f->triangles);
    assert_non_null(f->triangles);
    while (fgets(line, sizeof line, file) != NULL && f->triangle_count < 100000) {
        char *at = line + 1;
        for (int k = 0; k < 3 && line[0] == 'f'; k++) {
            f->triangles[f->triangle_count][k] = (uint32_t)strtoul(at, &at, 10) - 1;
            while (*at != ' ' && *at != '\0')
                at++;
        }
        f->triangle_count += line[0] == 'f';
    }
    (void)fclose(file);
    return true;
}

static void a_figure_has_the_contacts_of_the_sweep(void **state)
{
    (void)state;
    figure f = {0};
    if (!load_figure(&f)) {
        skip();
        return;
    }
    keyframe_contacts_def def = {
        .elements = sweep_def_default(), .frame = read_figure, .context = &f, .engine = KEYFRAME_LIST};
    def.elements.triangles = (const uint32_t(*)[3])f.triangles;
    def.elements.triangle_count = f.triangle_count;
    def.elements.vertex_count = f.vertex_count;
    def.frame_count = f.frame_count;
    keyframe_contacts *c;
    assert_int_equal(tact_keyframe_contacts_create(&c, &def), TACT_OK);
    tact_vec3 *frames[2];
    for (int i = 0; i < 2; i++) {
        frames[i] = malloc(f.vertex_count * sizeof *frames[i]);
        assert_non_null(frames[i]);
    }
    sweep_def elements = def.elements;
    elements.vertices = read_figure(&f, 0, frames[0]);
    mesh_sweep *sweep;
    assert_int_equal(tact_mesh_sweep_create(&sweep, &elements), TACT_OK);
    size_t contacts = 0;
    for (size_t i = 60; i < (quick_form() ? 61 : 63); i++) {
        assert_int_equal(tact_keyframe_contacts_run(c, i), TACT_OK);
        run_sweep(sweep, read_figure(&f, i, frames[0]), read_figure(&f, i + 1, frames[1]));
        assert_true(same_as_sweep(c, sweep));
        contacts += tact_mesh_sweep_count(sweep);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > (quick_form() ? 0 : 10));
    tact_keyframe_contacts_release(c);
    tact_mesh_sweep_release(sweep);
    for (int i = 0; i < 2; i++)
        free(frames[i]);
    free(f.values);
    free(f.triangles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_of_the_list_are_those_of_the_sweep),
        cmocka_unit_test(every_engine_finds_the_contacts_of_the_sweep),
        cmocka_unit_test(a_frame_is_read_once),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(failures_can_be_repeated),
        cmocka_unit_test(a_figure_has_the_contacts_of_the_sweep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
