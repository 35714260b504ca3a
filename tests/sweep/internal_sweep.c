/*
 * The sweep of deforming meshes against a loop over all feature pairs with the public functions, and on real scenes
 * against their known contacts. Small scenes of every kind: soups, folded sheets, fans around one vertex, loose edges,
 * free points, repeated and flat triangles, on grids (where everything touches), far away, tiny and huge.
 */
#define _POSIX_C_SOURCE 200809L

#include <fenv.h>
#include <math.h>
#include <tact/ccd.h>

#include "support/failing_allocator.h"
#include "support/random.h"
#include "support/seeded_cases.h"
#include "support/shared_data.h"
#include "sweep/sweep.h"
#include "tool/folder.h"
#include "tree/tree_constants.h"

#define MOST_VERTICES 80
#define MOST_TRIANGLES 60
#define MOST_LOOSE 8
#define MOST_CONTACTS 40000

typedef struct scene {
    tact_vec3 start[MOST_VERTICES], end[MOST_VERTICES];
    uint32_t vertex_count;
    uint32_t triangles[MOST_TRIANGLES][3];
    uint32_t triangle_count;
    uint32_t edges[MOST_LOOSE][2];
    uint32_t edge_count;
    uint32_t points[MOST_LOOSE];
    uint32_t point_count;
    sweep_part parts[2];
    uint32_t part_count;
    double separation;
    bool changes; /* some triangles may be SWEEP_ABSENT */
} scene;

/* Counts of each kind, so that none goes untested. */
static struct {
    long vf, ee, hubs, loose_edges, loose_points, degenerate, empty, parts_left_out, nearby;
} met;

/* ---- scenes ---- */

typedef enum layout { SOUP, SHEET, FAN, MIXED, LAYOUTS } layout;

static double coordinate(random_source *r, int style)
{
    switch (style) {
    case 0: /* a grid, where nearly everything touches */
        return (double)random_between(r, -2, 2);
    case 1:
        return random_range(r, -1.0, 1.0);
    case 2: /* far away, some ulps apart */
        return 1e6 + 0x1p-30 * (double)random_between(r, -4, 4);
    case 3:
        return 1e-300 * random_range(r, -1.0, 1.0);
    case 4:
        return 8e307 * random_range(r, -2.0, 2.0);
    default: /* all scales at once */
        return random_size(r, -60, 3);
    }
}

static tact_vec3 place(random_source *r, int style)
{
    const double x = coordinate(r, style), y = coordinate(r, style), z = coordinate(r, style);
    return (tact_vec3){x, y, z};
}

static void make_soup(scene *s, random_source *r, uint32_t triangles)
{
    for (uint32_t i = 0; i < triangles; i++, s->triangle_count++)
        for (int k = 0; k < 3; k++)
            s->triangles[s->triangle_count][k] = (uint32_t)random_below(r, s->vertex_count);
}

static void make_sheet(scene *s, uint32_t across)
{
    for (uint32_t i = 0; i + 1 < across; i++)
        for (uint32_t j = 0; j + 1 < across; j++) {
            const uint32_t a = i * across + j, b = a + 1, c = a + across, d = c + 1;
            const uint32_t two[2][3] = {{a, b, c}, {b, d, c}};
            memcpy(s->triangles[s->triangle_count], two, sizeof two);
            s->triangle_count += 2;
        }
}

static void make_scene(scene *s, uint64_t seed)
{
    random_source r = random_seed(seed);
    memset(s, 0, sizeof *s);
    const layout kind = (layout)(seed % LAYOUTS);
    const int style = (int)(seed / LAYOUTS % 6);
    switch (kind) {
    case SOUP:
        s->vertex_count = (uint32_t)random_between(&r, 3, 40);
        make_soup(s, &r, (uint32_t)random_between(&r, 1, 24));
        break;
    case SHEET:
        s->vertex_count = 25 + 10;
        make_sheet(s, 5);
        make_soup(s, &r, (uint32_t)random_between(&r, 0, 3));
        break;
    case FAN: /* more triangles around one vertex than the skeleton of the tree handles */
        s->vertex_count = 34;
        for (uint32_t i = 0; i < 32; i++, s->triangle_count++)
            memcpy(s->triangles[i], (const uint32_t[3]){0, i + 1, i + 2}, sizeof s->triangles[i]);
        met.hubs++;
        break;
    default:
        s->vertex_count = (uint32_t)random_between(&r, 8, 30);
        make_soup(s, &r, (uint32_t)random_between(&r, 0, 12));
        break;
    }
    if (kind == MIXED || random_chance(&r, 0.3)) {
        for (; s->edge_count < MOST_LOOSE; s->edge_count++)
            for (int k = 0; k < 2; k++)
                s->edges[s->edge_count][k] = (uint32_t)random_below(&r, s->vertex_count);
        for (; s->point_count < MOST_LOOSE; s->point_count++)
            s->points[s->point_count] = (uint32_t)random_below(&r, s->vertex_count);
    }
    const bool still = random_chance(&r, 0.1), drift = random_chance(&r, 0.3);
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        s->start[i] = place(&r, style);
        s->end[i] = still || (drift && random_chance(&r, 0.5)) ? s->start[i] : place(&r, style);
    }
    if (kind == SHEET && style == 1) /* a sheet that folds */
        for (uint32_t i = 0; i < 25; i++) {
            s->start[i] = (tact_vec3){i % 5 * 0.25, i / 5 * 0.25, 0.05 * random_unit(&r)};
            s->end[i] = (tact_vec3){i % 5 < 3 ? s->start[i].x : 1.0 - s->start[i].x, s->start[i].y,
                                    random_range(&r, -0.1, 0.1)};
        }
    if (random_chance(&r, 0.2) && style != 4)
        s->separation = style == 3 ? 1e-301 : style == 2 ? 0x1p-31 : 0.05;
}

/* Splits the vertices into two parts, one or both without self-contacts, if the items allow it. */
static void make_parts(scene *s, uint64_t seed)
{
    random_source r = random_seed(seed ^ 77);
    if (!random_chance(&r, 0.4))
        return;
    const uint32_t cut = s->vertex_count / 2;
    for (uint32_t i = 0; i < s->triangle_count; i++)
        for (int k = 1; k < 3; k++)
            if ((s->triangles[i][k] < cut) != (s->triangles[i][0] < cut))
                s->triangles[i][k] = s->triangles[i][0];
    for (uint32_t i = 0; i < s->edge_count; i++)
        if ((s->edges[i][1] < cut) != (s->edges[i][0] < cut))
            s->edges[i][1] = s->edges[i][0];
    s->part_count = 2;
    s->parts[0] = (sweep_part){cut, true};
    s->parts[1] = (sweep_part){s->vertex_count, random_chance(&r, 0.5)};
}

/* ---- all pairs ---- */

typedef struct contact_list {
    sweep_contact *items;
    size_t count;
} contact_list;

static bool left_out(const scene *s, uint32_t u, uint32_t v)
{
    if (s->part_count == 0)
        return false;
    const uint32_t cut = s->parts[0].vertex_end;
    return (u < cut) == (v < cut) && s->parts[u < cut ? 0 : 1].no_self_collision;
}

static int by_order(const void *p, const void *q)
{
    const sweep_contact *a = p, *b = q;
    if (a->ccd.lower != b->ccd.lower)
        return a->ccd.lower < b->ccd.lower ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i] ? -1 : 1;
    return 0;
}

static void try_pair(const scene *s, contact_list *list, tact_ccd_kind kind, const uint32_t v[4], uint32_t face)
{
    tact_vec3 start[4], end[4];
    tact_ccd_def def = tact_ccd_def_default();
    def.separation = s->separation;
    for (int k = 0; k < 4; k++) {
        start[k] = s->start[v[k]];
        end[k] = s->end[v[k]];
    }
    sweep_contact c = {.kind = kind};
    c.ccd = kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, &def) : tact_ccd_edge_edge(start, end, &def);
    assert_int_equal(c.ccd.status, TACT_OK);
    if (c.ccd.state != TACT_HIT)
        return;
    if (left_out(s, v[0], v[2])) {
        met.parts_left_out++;
        return;
    }
    c.index[0] = v[0];
    c.index[1] = kind == TACT_VERTEX_FACE ? face : v[1];
    c.index[2] = kind == TACT_VERTEX_FACE ? 0 : v[2];
    c.index[3] = kind == TACT_VERTEX_FACE ? 0 : v[3];
    assert_true(list->count < MOST_CONTACTS);
    list->items[list->count++] = c;
}

/* Which vertices and edges exist: a table, vertices on the diagonal. */
static void find_features(const scene *s, bool there[MOST_VERTICES][MOST_VERTICES])
{
    memset(there, 0, sizeof(bool[MOST_VERTICES][MOST_VERTICES]));
    for (uint32_t i = 0; i < s->triangle_count; i++)
        for (int j = 0; j < 3 && s->triangles[i][0] != SWEEP_ABSENT; j++)
            for (int k = 0; k < 3; k++)
                there[s->triangles[i][j]][s->triangles[i][k]] = true;
    for (uint32_t i = 0; i < s->edge_count; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++)
                there[s->edges[i][j]][s->edges[i][k]] = true;
    for (uint32_t i = 0; i < s->point_count; i++)
        there[s->points[i]][s->points[i]] = true;
}

static void all_pairs(const scene *s, contact_list *list)
{
    static bool there[MOST_VERTICES][MOST_VERTICES];
    list->count = 0;
    find_features(s, there);
    for (uint32_t v = 0; v < s->vertex_count; v++)
        for (uint32_t f = 0; f < s->triangle_count && there[v][v]; f++) {
            const uint32_t *t = s->triangles[f];
            if (t[0] != SWEEP_ABSENT && v != t[0] && v != t[1] && v != t[2])
                try_pair(s, list, TACT_VERTEX_FACE, (const uint32_t[4]){v, t[0], t[1], t[2]}, f);
        }
    for (uint32_t a = 0; a < s->vertex_count; a++)
        for (uint32_t b = a + 1; b < s->vertex_count; b++)
            for (uint32_t c = a + 1; c < s->vertex_count && there[a][b]; c++)
                for (uint32_t d = c + 1; d < s->vertex_count; d++)
                    if (there[c][d] && c != b && d != b)
                        try_pair(s, list, TACT_EDGE_EDGE, (const uint32_t[4]){a, b, c, d}, 0);
    qsort(list->items, list->count, sizeof *list->items, by_order);
}

/* ---- comparing ---- */

static mesh_sweep *make_sweep(const scene *s, const tact_allocator *allocator, tact_status *status)
{
    sweep_def def = sweep_def_default();
    def.vertices = s->start;
    def.vertex_count = s->vertex_count;
    def.triangles = s->triangles;
    def.triangle_count = s->triangle_count;
    def.edges = s->edges;
    def.edge_count = s->edge_count;
    def.points = s->points;
    def.point_count = s->point_count;
    def.parts = s->part_count > 0 ? s->parts : NULL;
    def.part_count = s->part_count;
    def.remeshable = s->changes;
    if (allocator != NULL)
        def.allocator = *allocator;
    mesh_sweep *made;
    *status = tact_mesh_sweep_create(&made, &def);
    return made;
}

static sweep_step step_of(const scene *s)
{
    sweep_step step = sweep_step_default();
    step.start = s->start;
    step.end = s->end;
    step.separation = s->separation;
    return step;
}

static bool same_vec(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool same_contact(const sweep_contact *a, const sweep_contact *b)
{
    const tact_ccd *p = &a->ccd, *q = &b->ccd;
    return by_order(a, b) == 0 && p->status == q->status && p->state == q->state && p->upper == q->upper &&
           same_vec(p->normal, q->normal) && p->degenerate == q->degenerate &&
           memcmp(p->weights, q->weights, sizeof p->weights) == 0;
}

static void check_same(const mesh_sweep *s, const contact_list *list, uint64_t seed, const char *what)
{
    for (size_t i = 0; i < tact_mesh_sweep_count(s) && i < list->count; i++) {
        const sweep_contact *a = tact_mesh_sweep_contact(s, i), *b = &list->items[i];
        CHECK(same_contact(a, b), "%s: contact %zu is %d %u %u %u %u at %a, should be %d %u %u %u %u at %a", what, i,
              (int)a->kind, a->index[0], a->index[1], a->index[2], a->index[3], a->ccd.lower, (int)b->kind, b->index[0],
              b->index[1], b->index[2], b->index[3], b->ccd.lower);
    }
    CHECK(tact_mesh_sweep_count(s) == list->count, "%s: %zu contacts, should be %zu", what, tact_mesh_sweep_count(s),
          list->count);
}

/* A host's parallel loop that runs items one by one, the last first. */
static void backward(void *context, size_t count, size_t grain, tact_task *task, void *task_data)
{
    (void)context;
    (void)grain;
    while (count-- > 0)
        task(task_data, count, count + 1);
}

static void count_met(const scene *s, const contact_list *list)
{
    met.empty += list->count == 0;
    for (size_t i = 0; i < list->count; i++) {
        const sweep_contact *c = &list->items[i];
        met.vf += c->kind == TACT_VERTEX_FACE;
        met.ee += c->kind == TACT_EDGE_EDGE;
        met.degenerate += c->ccd.degenerate;
        met.nearby += s->separation > 0.0;
        for (uint32_t k = 0; k < s->edge_count && c->kind == TACT_EDGE_EDGE; k++)
            met.loose_edges += (s->edges[k][0] == c->index[0] && s->edges[k][1] == c->index[1]) ||
                               (s->edges[k][0] == c->index[2] && s->edges[k][1] == c->index[3]);
        for (uint32_t k = 0; k < s->point_count && c->kind == TACT_VERTEX_FACE; k++)
            met.loose_points += s->points[k] == c->index[0];
    }
}

static contact_list list_make(void)
{
    contact_list list = {malloc(MOST_CONTACTS * sizeof(sweep_contact)), 0};
    assert_non_null(list.items);
    return list;
}

static void contacts_are_those_of_all_pairs(void **state)
{
    (void)state;
    contact_list list = list_make();
    for (uint64_t seed = first_seed(); seed <= last_seed_of(50, 3600); seed++) {
        scene s;
        make_scene(&s, seed);
        make_parts(&s, seed);
        all_pairs(&s, &list);
        count_met(&s, &list);
        tact_status status;
        mesh_sweep *swept = make_sweep(&s, NULL, &status);
        CHECK(status == TACT_OK && swept != NULL, "status %d", (int)status);
        sweep_step step = step_of(&s);
        const tact_parallel loops[4] = {{.threads = 1}, {.threads = 2}, {.threads = 5}, {.loop = backward}};
        for (int i = 0; i < 4; i += 1 + (int)(seed % 3)) {
            step.parallel = &loops[i];
            step.mode = SWEEP_ALL;
            CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "loop %d", i);
            check_same(swept, &list, seed, "all");
            step.mode = SWEEP_EARLIEST;
            CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "loop %d", i);
            const contact_list first = {list.items, list.count > 0};
            check_same(swept, &first, seed, "earliest");
        }
        /* in any floating-point environment */
        step.mode = SWEEP_ALL;
        CHECK(fesetround(FE_UPWARD) == 0, "rounding");
        const tact_status upward = tact_mesh_sweep_run(swept, &step);
        CHECK(fegetround() == FE_UPWARD && fesetround(FE_TONEAREST) == 0 && upward == TACT_OK, "rounding");
        check_same(swept, &list, seed, "rounding upward");
        tact_mesh_sweep_release(swept);
    }
    free(list.items);
    if (!few_cases()) {
        print_message("%ld vertex-face, %ld edge-edge, %ld degenerate, %ld loose edges, %ld free points, %ld left out, "
                      "%ld near\n",
                      met.vf, met.ee, met.degenerate, met.loose_edges, met.loose_points, met.parts_left_out,
                      met.nearby);
        assert_true(met.vf > 700 && met.ee > 2800 && met.hubs > 7 && met.loose_edges > 105 && met.loose_points > 35);
        assert_true(met.degenerate > 35 && met.empty > 3 && met.parts_left_out > 175 && met.nearby > 175);
    }
}

/* Do two items share a vertex that counts as shared? */
static bool items_adjacent(const uint32_t (*items)[4], uint32_t count, uint32_t a, uint32_t b)
{
    for (int i = 0; i < 9; i++) {
        const uint32_t v = items[a][i / 3];
        if (v != items[b][i % 3])
            continue;
        unsigned valence = 0;
        for (uint32_t k = 0; k < count; k++)
            valence += items[k][0] == v || items[k][1] == v || items[k][2] == v;
        if (valence <= SKELETON_MAX_VALENCE)
            return true;
    }
    return false;
}

/* Given all pairs of items, those without contacts too, the contacts are the same. */
static void given_pairs_have_the_same_contacts(void **state)
{
    (void)state;
    enum { MOST_ITEMS = MOST_TRIANGLES + 2 * MOST_LOOSE };
    contact_list list = list_make();
    static uint32_t items[MOST_ITEMS][4], groups[MOST_ITEMS], pairs[MOST_ITEMS * MOST_ITEMS][2];
    for (uint64_t seed = first_seed(); seed <= last_seed_of(8, 720); seed++) {
        scene s;
        make_scene(&s, seed);
        make_parts(&s, seed);
        all_pairs(&s, &list);
        tact_status status;
        mesh_sweep *swept = make_sweep(&s, NULL, &status);
        CHECK(status == TACT_OK, "status %d", (int)status);
        const uint32_t count = tact_mesh_sweep_items(swept, NULL, NULL);
        CHECK(count <= MOST_ITEMS && tact_mesh_sweep_items(swept, items, groups) == count, "%u items", count);
        size_t pair_count = 0;
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < a; b++)
                if (!items_adjacent((const uint32_t(*)[4])items, count, a, b)) {
                    pairs[pair_count][0] = a;
                    pairs[pair_count++][1] = b;
                }
        sweep_step step = step_of(&s);
        CHECK(tact_mesh_sweep_run_pairs(swept, &step, (const uint32_t(*)[2])pairs, pair_count) == TACT_OK, "pairs");
        check_same(swept, &list, seed, "pairs");
        CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "a usual step after that");
        check_same(swept, &list, seed, "all");
        const uint8_t changed[MOST_VERTICES] = {0};
        step.changed = changed;
        CHECK(tact_mesh_sweep_run_pairs(swept, &step, NULL, 0) == TACT_BAD_ARGUMENT, "changed vertices");
        step.changed = NULL;
        CHECK(tact_mesh_sweep_run_pairs(swept, &step, NULL, 1) == TACT_BAD_ARGUMENT, "no pairs");
        CHECK(tact_mesh_sweep_run_pairs(NULL, &step, NULL, 0) == TACT_BAD_ARGUMENT, "no sweep");
        CHECK(tact_mesh_sweep_run_pairs(swept, NULL, NULL, 0) == TACT_BAD_ARGUMENT, "no step");
        CHECK(tact_mesh_sweep_count(swept) == 0, "no contacts are left");
        tact_mesh_sweep_release(swept);
        s.changes = true;
        swept = make_sweep(&s, NULL, &status);
        CHECK(tact_mesh_sweep_run_pairs(swept, &step, NULL, 0) == TACT_BAD_ARGUMENT, "changing triangles");
        tact_mesh_sweep_release(swept);
    }
    free(list.items);
}

/* In each iteration some vertices change: only contacts with one of these are searched. */
static void only_changed_vertices_are_searched(void **state)
{
    (void)state;
    contact_list list = list_make();
    long kept = 0, dropped = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(8, 1440); seed++) {
        scene s;
        make_scene(&s, seed);
        const int style = (int)(seed / LAYOUTS % 6);
        random_source r = random_seed(seed ^ 5);
        tact_status status;
        mesh_sweep *swept = make_sweep(&s, NULL, &status);
        CHECK(status == TACT_OK, "status %d", (int)status);
        sweep_step step = step_of(&s);
        /* no previous step: the first iteration searches all vertices, or some */
        uint8_t changed[MOST_VERTICES];
        for (int round = 0; round < 5; round++) {
            const double part = round == 1 ? 0.0 : random_unit(&r);
            for (uint32_t i = 0; i < s.vertex_count; i++) {
                changed[i] = random_chance(&r, part);
                if (changed[i] != 0 && round > 0) {
                    s.end[i] = place(&r, style);
                    if (round == 3 && style != 4 && random_chance(&r, 0.2))
                        s.end[i].x *= 1e3; /* out of the frame */
                }
            }
            all_pairs(&s, &list);
            size_t count = 0;
            for (size_t i = 0; i < list.count; i++) {
                const sweep_contact *c = &list.items[i];
                const uint32_t *t = c->kind == TACT_VERTEX_FACE ? s.triangles[c->index[1]] : c->index + 1;
                if (changed[c->index[0]] | changed[t[0]] | changed[t[1]] | changed[t[2]])
                    list.items[count++] = *c;
            }
            kept += (long)count;
            dropped += (long)(list.count - count);
            list.count = count;
            step.changed = changed;
            CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "round %d", round);
            check_same(swept, &list, seed, "changed");
        }
        tact_mesh_sweep_release(swept);
    }
    free(list.items);
    assert_true(few_cases() || (kept > 525 && dropped > 525));
}

/* Other vertices for a triangle, of one part; or none. */
static void change_triangle(scene *s, random_source *r, uint32_t corners[3])
{
    const uint32_t cut = s->part_count > 0 ? s->parts[0].vertex_end : s->vertex_count;
    const uint32_t first = random_chance(r, 0.5) || cut == s->vertex_count ? 0 : cut;
    const uint32_t count = first == 0 ? cut : s->vertex_count - cut;
    for (int k = 0; k < 3; k++)
        corners[k] = random_chance(r, 0.25) && k == 0 ? SWEEP_ABSENT : first + (uint32_t)random_below(r, count);
}

static void triangles_are_added_and_removed(void **state)
{
    (void)state;
    contact_list list = list_make();
    long contacts = 0, absent = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed_of(24, 1800); seed++) {
        scene s;
        make_scene(&s, seed);
        make_parts(&s, seed);
        random_source r = random_seed(seed ^ 1234);
        const int style = (int)(seed / LAYOUTS % 6);
        s.changes = true;
        s.separation = 0.0;
        for (int spare = random_between(&r, 0, 8); spare > 0 && s.triangle_count < MOST_TRIANGLES; spare--)
            s.triangles[s.triangle_count++][0] = SWEEP_ABSENT;
        for (uint32_t i = 0; i < s.triangle_count; i++)
            if (random_chance(&r, 0.1))
                s.triangles[i][0] = SWEEP_ABSENT;
        tact_status status;
        mesh_sweep *swept = make_sweep(&s, NULL, &status);
        CHECK(status == TACT_OK, "status %d", (int)status);
        for (int round = 0; round < 4; round++) {
            uint32_t which[12], corners[12][3], count = 0;
            for (; round > 0 && s.triangle_count > 0 && count < 12 && random_chance(&r, 0.9); count++) {
                which[count] = (uint32_t)random_below(&r, s.triangle_count);
                change_triangle(&s, &r, corners[count]);
                memcpy(s.triangles[which[count]], corners[count], sizeof corners[count]);
            }
            CHECK(tact_mesh_sweep_set_triangles(swept, which, (const uint32_t(*)[3])corners, count) == TACT_OK,
                  "round %d", round);
            for (uint32_t i = 0; i < s.vertex_count; i++)
                if (random_chance(&r, 0.3))
                    s.end[i] = place(&r, style);
            all_pairs(&s, &list);
            const sweep_step step = step_of(&s);
            CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "round %d", round);
            check_same(swept, &list, seed, "changes");
            contacts += (long)list.count;
            for (uint32_t i = 0; i < s.triangle_count; i++)
                absent += s.triangles[i][0] == SWEEP_ABSENT;
        }
        tact_mesh_sweep_release(swept);
    }
    free(list.items);
    assert_true(few_cases() || (contacts > 1750 && absent > 105));
}

static void a_change_that_fails_changes_nothing(void **state)
{
    (void)state;
    const uint64_t seed = 1;
    contact_list list = list_make();
    scene s;
    make_scene(&s, seed);
    s.separation = 0.0;
    /* not remeshable */
    tact_status status;
    const uint32_t one[1] = {0}, none[1][3] = {{SWEEP_ABSENT, 0, 0}};
    mesh_sweep *swept = make_sweep(&s, NULL, &status);
    assert_int_equal(tact_mesh_sweep_set_triangles(swept, one, none, 1), TACT_BAD_ARGUMENT);
    tact_mesh_sweep_release(swept);
    s.triangles[1][0] = SWEEP_ABSENT;
    assert_null(make_sweep(&s, NULL, &status));
    assert_int_equal(status, TACT_BAD_ARGUMENT);
    s.changes = true;
    all_pairs(&s, &list);
    assert_true(list.count > 10);
    failing_allocator r = {0};
    const tact_allocator allocator = failing_allocator_make(&r);
    swept = make_sweep(&s, &allocator, &status);
    assert_int_equal(status, TACT_OK);
    const uint32_t two[2] = {0, s.triangle_count}, far[1][3] = {{0, 1, s.vertex_count}};
    const uint32_t both[2][3] = {{SWEEP_ABSENT, 0, 0}, {0, 1, 2}};
    assert_int_equal(tact_mesh_sweep_set_triangles(NULL, one, none, 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mesh_sweep_set_triangles(swept, NULL, none, 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mesh_sweep_set_triangles(swept, one, NULL, 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mesh_sweep_set_triangles(swept, two, both, 2), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mesh_sweep_set_triangles(swept, one, far, 1), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mesh_sweep_set_triangles(swept, NULL, NULL, 0), TACT_OK);
    int failures = 0;
    const sweep_step step = step_of(&s);
    for (long n = 1; n < 100; n++) {
        r.calls = 0;
        r.fail_at = n;
        status = tact_mesh_sweep_set_triangles(swept, one, none, 1);
        r.fail_at = 0;
        if (status == TACT_OK)
            break;
        failures++;
        CHECK(status == TACT_OUT_OF_MEMORY, "call %ld", n);
        CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "call %ld", n);
        check_same(swept, &list, seed, "after a failure");
    }
    assert_int_equal(failures, 5);
    s.triangles[0][0] = SWEEP_ABSENT;
    all_pairs(&s, &list);
    assert_int_equal(tact_mesh_sweep_run(swept, &step), TACT_OK);
    check_same(swept, &list, seed, "after success");
    tact_mesh_sweep_release(swept);
    assert_int_equal(r.held, 0);
    free(list.items);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const uint64_t seed = 3;
    contact_list list = list_make();
    const tact_parallel alone = {.threads = 1}; /* the number of pages depends on the timing of threads */
    scene s;
    make_scene(&s, seed + LAYOUTS * 6);
    make_parts(&s, 4);
    all_pairs(&s, &list);
    assert_true(list.count > 20);
    for (int mode = 0; mode < 2; mode++) {
        int failures = 0; /* of a step */
        for (long n = 1;; n++) {
            failing_allocator r = {.fail_at = n};
            const tact_allocator allocator = failing_allocator_make(&r);
            tact_status status;
            mesh_sweep *swept = make_sweep(&s, &allocator, &status);
            CHECK((status == TACT_OK) == (swept != NULL), "call %ld", n);
            if (swept == NULL) {
                CHECK(status == TACT_OUT_OF_MEMORY && r.held == 0, "call %ld: status %d, %zu bytes", n, (int)status,
                      r.held);
                continue;
            }
            sweep_step step = step_of(&s);
            step.parallel = &alone;
            step.mode = mode == 0 ? SWEEP_ALL : SWEEP_EARLIEST;
            status = tact_mesh_sweep_run(swept, &step);
            const bool failed = r.calls >= n;
            /* a block that could not be shrunk does no harm */
            CHECK(status == TACT_OK || (failed && status == TACT_OUT_OF_MEMORY), "call %ld: status %d", n, (int)status);
            CHECK(status == TACT_OK || tact_mesh_sweep_count(swept) == 0, "call %ld", n);
            failures += status != TACT_OK;
            r.fail_at = 0;
            CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "call %ld: again", n); /* as good as new */
            const contact_list right = {list.items, mode == 0 ? list.count : 1};
            check_same(swept, &right, seed, "again");
            tact_mesh_sweep_release(swept);
            CHECK(r.held == 0, "call %ld: %zu bytes", n, r.held);
            if (!failed)
                break;
        }
        assert_true(failures >= 3);
        /* in the steady state a step allocates nothing */
        failing_allocator r = {0};
        const tact_allocator allocator = failing_allocator_make(&r);
        tact_status status;
        mesh_sweep *swept = make_sweep(&s, &allocator, &status);
        sweep_step step = step_of(&s);
        step.parallel = &alone;
        CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK, "first");
        const long calls = r.calls;
        CHECK(tact_mesh_sweep_run(swept, &step) == TACT_OK && r.calls == calls, "%ld calls, then %ld", calls, r.calls);
        tact_mesh_sweep_release(swept);
    }
    free(list.items);
}

static void bad_input_is_reported(void **state)
{
    (void)state;
    const tact_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t triangle[1][3] = {{0, 1, 2}}, beyond[1][3] = {{0, 1, 4}}, edge[1][2] = {{4, 0}}, point[1] = {4};
    sweep_def good = sweep_def_default();
    good.vertices = x;
    good.vertex_count = 4;
    good.triangles = triangle;
    good.triangle_count = 1;
    mesh_sweep *s = (mesh_sweep *)1;
    assert_int_equal(tact_mesh_sweep_create(NULL, &good), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mesh_sweep_create(&s, NULL), TACT_BAD_ARGUMENT);
    assert_null(s);
    sweep_def bad[12];
    for (int i = 0; i < 12; i++)
        bad[i] = good;
    bad[0].vertices = NULL;
    bad[1].triangles = NULL;
    bad[2].triangles = beyond;
    bad[3].edges = edge;
    bad[3].edge_count = 1;
    bad[4].points = point;
    bad[4].point_count = 1;
    bad[5].edge_count = 1;
    bad[6].point_count = 1;
    const tact_vec3 odd[4] = {{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}, {0, 0, 1}};
    const tact_vec3 endless[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -INFINITY}};
    bad[7].vertices = odd;
    const sweep_part split[2] = {{2, false}, {4, false}}, short_of[1] = {{3, true}},
                     falling[2] = {{4, false}, {3, false}};
    bad[8].parts = split;
    bad[8].part_count = 2;
    bad[9].parts = short_of;
    bad[9].part_count = 1;
    bad[10].parts = falling;
    bad[10].part_count = 2;
    bad[11].triangle_count = (size_t)1 << 40;
    for (int i = 0; i < 12; i++) {
        s = (mesh_sweep *)1;
        if (tact_mesh_sweep_create(&s, &bad[i]) != TACT_BAD_ARGUMENT || s != NULL)
            fail_msg("def %d is taken", i);
    }
    assert_int_equal(tact_mesh_sweep_create(&s, &good), TACT_OK);
    sweep_step step = sweep_step_default();
    assert_int_equal(tact_mesh_sweep_run(NULL, &step), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mesh_sweep_run(s, NULL), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_BAD_ARGUMENT);
    step.start = step.end = x;
    assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_OK);
    assert_int_equal(tact_mesh_sweep_count(s), 0); /* nothing uses vertex 3 */
    step.end = odd;
    assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_BAD_ARGUMENT);
    step.end = endless;
    assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_BAD_ARGUMENT);
    step.end = x;
    const double separations[3] = {-1.0, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        step.separation = separations[i];
        assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_BAD_ARGUMENT);
    }
    step.separation = 0.0;
    step.mode = (sweep_mode)7;
    assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_BAD_ARGUMENT);
    tact_mesh_sweep_release(s);
    tact_mesh_sweep_release(NULL);
    /* an empty scene is valid */
    const sweep_def none = sweep_def_default();
    step = sweep_step_default();
    assert_int_equal(tact_mesh_sweep_create(&s, &none), TACT_OK);
    assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_OK);
    assert_int_equal(tact_mesh_sweep_count(s), 0);
    tact_mesh_sweep_release(s);
}

/* ---- real scenes ---- */

typedef struct frame {
    tact_vec3 *vertices;
    size_t vertex_count;
    uint32_t (*triangles)[3];
    size_t triangle_count;
} frame;

/* A number of `size` bytes, big- or little-endian. */
static uint64_t get_word(FILE *file, int size, bool big)
{
    uint64_t word = 0;
    for (int i = 0; i < size; i++) {
        const int byte = fgetc(file);
        assert_true(byte >= 0);
        word |= (uint64_t)byte << 8 * (big ? size - 1 - i : i);
    }
    return word;
}

static frame read_frame(const char *folder_name, const char *name, const char *file_name)
{
    char path[800], line[256];
    (void)snprintf(path, sizeof path, "%s/scenes/%s/%s", folder_name, name, file_name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot open %s", path);
    frame f = {0};
    bool big = false, doubles = false;
    while (fgets(line, sizeof line, file) != NULL && strncmp(line, "end_header", 10) != 0) {
        big = big || strstr(line, "big_endian") != NULL;
        doubles = doubles || strncmp(line, "property double", 15) == 0;
        if (strncmp(line, "element vertex ", 15) == 0)
            f.vertex_count = strtoul(line + 15, NULL, 10);
        if (strncmp(line, "element face ", 13) == 0)
            f.triangle_count = strtoul(line + 13, NULL, 10);
    }
    f.vertices = malloc(f.vertex_count * sizeof *f.vertices);
    f.triangles = malloc(f.triangle_count * sizeof *f.triangles);
    assert_true(f.vertices != NULL && f.triangles != NULL);
    for (size_t i = 0; i < f.vertex_count; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            const uint64_t word = get_word(file, doubles ? 8 : 4, big);
            const uint32_t half = (uint32_t)word;
            float single;
            memcpy(&x[k], &word, sizeof x[k]);
            memcpy(&single, &half, sizeof single);
            x[k] = doubles ? x[k] : (double)single;
        }
        f.vertices[i] = (tact_vec3){x[0], x[1], x[2]};
    }
    for (size_t i = 0; i < f.triangle_count; i++) {
        assert_int_equal(fgetc(file), 3);
        for (int k = 0; k < 3; k++)
            f.triangles[i][k] = (uint32_t)get_word(file, 4, big);
    }
    (void)fclose(file);
    return f;
}

/* A contact as four numbers after its kind, edges in order. */
typedef struct known_pair {
    uint32_t of[5];
} known_pair;

static int by_numbers(const void *p, const void *q)
{
    const known_pair *a = p, *b = q;
    for (int i = 0; i < 5; i++)
        if (a->of[i] != b->of[i])
            return a->of[i] < b->of[i] ? -1 : 1;
    return 0;
}

static known_pair edges_in_order(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t e[2] = {a < b ? a : b, a < b ? b : a}, f[2] = {c < d ? c : d, c < d ? d : c};
    const bool swap = f[0] < e[0] || (f[0] == e[0] && f[1] < e[1]);
    return swap ? (known_pair){{1, f[0], f[1], e[0], e[1]}} : (known_pair){{1, e[0], e[1], f[0], f[1]}};
}

static size_t read_pairs(const char *folder_name, const char *name, known_pair *pairs)
{
    size_t count = 0;
    for (int kind = 0; kind < 2; kind++) {
        char path[800], line[256];
        (void)snprintf(path, sizeof path, "%s/scenes/%s/pairs.%s.txt", folder_name, name, kind == 0 ? "vf" : "ee");
        FILE *file = fopen(path, "r");
        if (file == NULL)
            fail_msg("cannot open %s", path);
        while (fgets(line, sizeof line, file) != NULL) {
            uint32_t of[5] = {0};
            char *at = line;
            for (int i = 0; i < (kind == 0 ? 3 : 5); i++)
                of[i] = (uint32_t)strtoul(at, &at, 10);
            if (of[0] == 0)
                continue;
            pairs[count++] =
                kind == 0 ? (known_pair){{0, of[1], of[2], 0, 0}} : edges_in_order(of[1], of[2], of[3], of[4]);
        }
        (void)fclose(file);
    }
    qsort(pairs, count, sizeof *pairs, by_numbers);
    return count;
}

static const struct {
    const char *name;
    size_t contacts;
    double first; /* to six digits */
} real[3] = {
    {"cloth-ball", 113854, 7.49207e-6}, {"armadillo-rollers", 23958, 3.98582e-5}, {"cloth-funnel", 134, 0.0452322}};

static void check_real(const char *data, int which)
{
    frame f = read_frame(data, real[which].name, "t0.ply"), g = read_frame(data, real[which].name, "t1.ply");
    assert_int_equal(f.vertex_count, g.vertex_count);
    sweep_def def = sweep_def_default();
    def.vertices = f.vertices;
    def.vertex_count = f.vertex_count;
    def.triangles = (const uint32_t(*)[3])f.triangles;
    def.triangle_count = f.triangle_count;
    mesh_sweep *s;
    assert_int_equal(tact_mesh_sweep_create(&s, &def), TACT_OK);
    sweep_step step = sweep_step_default();
    step.start = f.vertices;
    step.end = g.vertices;
    assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_OK);
    const size_t count = tact_mesh_sweep_count(s);
    const sweep_counts counts = tact_mesh_sweep_counts(s);
    print_message("%s: %zu contacts, first %.9g, %llu candidates\n", real[which].name, count,
                  count > 0 ? tact_mesh_sweep_contact(s, 0)->ccd.lower : -1.0, (unsigned long long)counts.candidates);
    known_pair *known = malloc(200000 * sizeof *known), *found = malloc((count + 1) * sizeof *found);
    assert_true(known != NULL && found != NULL);
    assert_int_equal(read_pairs(data, real[which].name, known), real[which].contacts);
    for (size_t i = 0; i < count; i++) {
        const sweep_contact *c = tact_mesh_sweep_contact(s, i);
        found[i] = (known_pair){{(uint32_t)c->kind, c->index[0], c->index[1], c->index[2], c->index[3]}};
        assert_true(i == 0 || by_order(tact_mesh_sweep_contact(s, i - 1), c) < 0);
    }
    qsort(found, count, sizeof *found, by_numbers);
    assert_int_equal(count, real[which].contacts);
    assert_memory_equal(found, known, count * sizeof *known);
    const sweep_contact first = *tact_mesh_sweep_contact(s, 0);
    assert_true(fabs(first.ccd.lower / real[which].first - 1.0) < 1e-6);
    step.mode = SWEEP_EARLIEST;
    assert_int_equal(tact_mesh_sweep_run(s, &step), TACT_OK);
    assert_int_equal(tact_mesh_sweep_count(s), 1);
    assert_true(same_contact(tact_mesh_sweep_contact(s, 0), &first));
    tact_mesh_sweep_release(s);
    free(known);
    free(found);
    free(f.vertices);
    free(f.triangles);
    free(g.vertices);
    free(g.triangles);
}

static void real_scenes_have_their_known_contacts(void **state)
{
    (void)state;
    const char *data = shared_data();
    for (int i = 0; i < 3; i++)
        check_real(data, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_are_added_and_removed),
        cmocka_unit_test(a_change_that_fails_changes_nothing),
        cmocka_unit_test(contacts_are_those_of_all_pairs),
        cmocka_unit_test(given_pairs_have_the_same_contacts),
        cmocka_unit_test(only_changed_vertices_are_searched),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(bad_input_is_reported),
        cmocka_unit_test(real_scenes_have_their_known_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
