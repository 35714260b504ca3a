/*
 * Steps of a large mesh in which few vertices change (sweep/changed_items.c): the contacts are those of a sweep of the
 * whole mesh that have a changed vertex, to the bit. Two crumpled sheets, with loose edges and points, parts with and
 * without self-contacts; vertices that change alone, next to each other, not at all, too many of them, out of the
 * frame; and each allocation fails once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "sweep/sweep_internal.h"

#define SIDE 26
#define SHEET (SIDE * SIDE)
#define VERTICES (2 * SHEET + 2)
#define TRIANGLES (4 * (SIDE - 1) * (SIDE - 1))

typedef struct sheets {
    tact_vec3 start[VERTICES], end[VERTICES];
    uint32_t triangles[TRIANGLES][3], edge[2], point;
    sweep_part parts[3];
    uint8_t changed[VERTICES];
} sheets;

static tact_vec3 place(random_source *r, uint32_t vertex, double rough)
{
    const double a = random_range(r, -1.0, 1.0), b = random_range(r, -1.0, 1.0), c = random_range(r, -1.0, 1.0);
    if (vertex >= 2 * SHEET)
        return (tact_vec3){0.5 * SIDE * (1.0 + a), 0.5 * SIDE * (1.0 + b), c};
    const double x = vertex % SHEET % SIDE, y = (double)(vertex % SHEET / SIDE), z = vertex < SHEET ? 0.0 : 0.3;
    return (tact_vec3){x + rough * a, y + rough * b, z + rough * c};
}

static void make_sheets(sheets *s, random_source *r)
{
    const double rough = random_range(r, 0.1, 0.8);
    uint32_t n = 0;
    for (uint32_t sheet = 0; sheet < 2; sheet++)
        for (uint32_t i = 0; i + 1 < SIDE; i++)
            for (uint32_t k = 0; k + 1 < SIDE; k++) {
                const uint32_t a = sheet * SHEET + i * SIDE + k;
                memcpy(s->triangles[n++], (const uint32_t[3]){a, a + 1, a + SIDE}, sizeof s->triangles[0]);
                memcpy(s->triangles[n++], (const uint32_t[3]){a + 1, a + SIDE + 1, a + SIDE}, sizeof s->triangles[0]);
            }
    for (uint32_t i = 0; i < VERTICES; i++) {
        s->start[i] = place(r, i, rough);
        s->end[i] = place(r, i, rough);
    }
    s->edge[0] = 2 * SHEET;
    s->edge[1] = 2 * SHEET + 1;
    s->point = 2 * SHEET;
    s->parts[0] = (sweep_part){SHEET, random_chance(r, 0.3)};
    s->parts[1] = (sweep_part){2 * SHEET, random_chance(r, 0.3)};
    s->parts[2] = (sweep_part){VERTICES, false};
}

static tact_status make_sweep(mesh_sweep **made, const sheets *s, tact_allocator allocator)
{
    sweep_def def = sweep_def_default();
    def.vertices = s->start;
    def.vertex_count = VERTICES;
    def.triangles = (const uint32_t(*)[3])s->triangles;
    def.triangle_count = TRIANGLES;
    def.edges = (const uint32_t(*)[2]) & s->edge;
    def.edge_count = 1;
    def.points = &s->point;
    def.point_count = 1;
    def.parts = s->parts;
    def.part_count = 3;
    def.allocator = allocator;
    return tact_mesh_sweep_create(made, &def);
}

static bool has_changed(const sheets *s, const sweep_contact *c)
{
    const uint32_t *t = c->kind == TACT_VERTEX_FACE ? s->triangles[c->index[1]] : c->index + 1;
    return (s->changed[c->index[0]] | s->changed[t[0]] | s->changed[t[1]] | s->changed[t[2]]) != 0;
}

/* Gives some vertices other ends, next to each other or not. */
static void change(sheets *s, random_source *r, int count, bool near, bool far_out)
{
    memset(s->changed, 0, sizeof s->changed);
    uint32_t v = (uint32_t)random_below(r, VERTICES);
    for (int i = 0; i < count; i++) {
        v = near ? (v + 1) % VERTICES : (uint32_t)random_below(r, VERTICES);
        s->changed[v] = 1;
        if (random_chance(r, 0.3))
            s->start[v] = place(r, v, 0.5);
        s->end[v] = place(r, v, 0.9);
        if (far_out)
            s->end[v].x *= 1e4;
    }
}

static struct {
    long few, many, contacts, dropped, out;
} met;

static tact_ccd decide(void *context, tact_ccd_kind kind, const uint32_t v[4])
{
    const sheets *s = context;
    const tact_vec3 from[4] = {s->start[v[0]], s->start[v[1]], s->start[v[2]], s->start[v[3]]},
                    to[4] = {s->end[v[0]], s->end[v[1]], s->end[v[2]], s->end[v[3]]};
    return kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(from, to, NULL) : tact_ccd_edge_edge(from, to, NULL);
}

static void few_changed_vertices_have_the_contacts_of_a_whole_sweep(void **state)
{
    (void)state;
    static sheets s;
    for (uint64_t seed = first_seed(); seed <= last_seed(12); seed++) {
        random_source r = random_seed(seed);
        make_sheets(&s, &r);
        mesh_sweep *swept, *whole;
        CHECK(make_sweep(&swept, &s, (tact_allocator){NULL, NULL}) == TACT_OK, "no sweep");
        CHECK(make_sweep(&whole, &s, (tact_allocator){NULL, NULL}) == TACT_OK, "no sweep");
        sweep_step step = sweep_step_default();
        step.start = s.start;
        step.end = s.end;
        if (seed % 3 == 0) {
            step.decide = decide;
            step.decide_context = &s;
            step.decide_separation = 1e-12;
        }
        if (seed % 4 == 0)
            step.bound_slack = 1e-9;
        CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "first step");
        for (int round = 0; round < 12; round++) {
            const bool out = round == 7;
            const bool near = random_chance(&r, 0.5);
            change(&s, &r, round == 5 ? 60 : (int)random_below(&r, 4), near, out);
            step.changed = NULL;
            CHECK(tact_mesh_sweep_run(whole, &step) == TACT_OK, "whole step");
            step.changed = s.changed;
            CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "changed step");
            size_t n = 0;
            for (size_t i = 0; i < tact_mesh_sweep_count(whole); i++) {
                const sweep_contact *want = tact_mesh_sweep_contact(whole, i);
                if (!has_changed(&s, want)) {
                    met.dropped++;
                    continue;
                }
                CHECK(n < tact_mesh_sweep_count(swept), "round %d: a contact is missing", round);
                const sweep_contact *have = tact_mesh_sweep_contact(swept, n++);
                CHECK(have->kind == want->kind && memcmp(have->index, want->index, sizeof have->index) == 0 &&
                          have->ccd.lower == want->ccd.lower && have->ccd.upper == want->ccd.upper,
                      "round %d: contact %zu differs", round, n - 1);
            }
            CHECK(n == tact_mesh_sweep_count(swept), "round %d: %zu of %zu", round, n, tact_mesh_sweep_count(swept));
            met.contacts += (long)n;
            met.few += swept->changed_clear;
            met.many += !swept->changed_clear;
            met.out += out;
        }
        tact_mesh_sweep_release(swept);
        tact_mesh_sweep_release(whole);
    }
    printf("%ld few, %ld many, %ld contacts, %ld of others\n", met.few, met.many, met.contacts, met.dropped);
    assert_true(few_cases() || (met.few > 60 && met.many > 10 && met.contacts > 1000 && met.dropped > 10000));
}

/* Without memory for the lists the long way is taken, or the step fails and can be repeated. */
static void allocations_may_fail(void **state)
{
    (void)state;
    static sheets s;
    const uint64_t seed = 1;
    random_source r = random_seed(seed);
    make_sheets(&s, &r);
    size_t want = 0;
    for (long fail_at = 0; fail_at < 12; fail_at++) {
        failing_allocator memory = {0};
        mesh_sweep *swept;
        CHECK(make_sweep(&swept, &s, failing_allocator_make(&memory)) == TACT_OK, "no sweep");
        sweep_step step = sweep_step_default();
        step.start = s.start;
        step.end = s.end;
        CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "first step");
        memset(s.changed, 0, sizeof s.changed);
        CHECK(tact_mesh_sweep_count(swept) > 0, "no contacts");
        s.changed[tact_mesh_sweep_contact(swept, 0)->index[0]] = 1;
        step.changed = s.changed;
        memory.fail_at = fail_at > 0 ? memory.calls + fail_at : 0;
        const tact_status status = tact_mesh_sweep_run(swept, &step);
        CHECK(status == TACT_OK || (fail_at > 0 && status == TACT_OUT_OF_MEMORY), "status %d", (int)status);
        memory.fail_at = 0;
        CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "again");
        if (fail_at == 0)
            want = tact_mesh_sweep_count(swept);
        CHECK(tact_mesh_sweep_count(swept) == want && want > 0, "%zu of %zu", tact_mesh_sweep_count(swept), want);
        tact_mesh_sweep_release(swept);
        CHECK(memory.held == 0, "%zu bytes are lost", memory.held);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_changed_vertices_have_the_contacts_of_a_whole_sweep),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("changed_items", tests, NULL, NULL);
}
