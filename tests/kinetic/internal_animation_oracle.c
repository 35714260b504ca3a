/*
 * The oracle of whole animations (oracle/animation_events.h): answers found by hand; random animations with other
 * pieces for the same motion, and without culling, have the same events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/animation_cases.h"
#include "oracle/animation_events.h"
#include "support/random.h"
#include "support/seeded_cases.h"

enum { MOST = 16 };

/* A vertex on key frames at whole times, above a face at rest with the corners (0, 0, 0), (4, 0, 0), (0, 4, 0). Two key
 * frames at one time: a jump. */
typedef struct keyed {
    const char *name;
    int keys;
    double key[MOST][4]; /* x, y, z, time */
    int events;
    double time[MOST];
} keyed;

static const keyed known[] = {
    {"never", 3, {{1, 1, 3, 0}, {1, 1, 1, 1}, {1, 1, 2, 2}}, 0, {0}},
    {"through", 2, {{1, 1, 3, 0}, {1, 1, -1, 1}}, 1, {0.75}},
    {"bounces at a key", 3, {{1, 1, 2, 0}, {1, 1, 0, 1}, {1, 1, 2, 2}}, 1, {1}},
    {"through at a key", 3, {{1, 1, 2, 0}, {1, 1, 0, 1}, {1, 1, -2, 2}}, 1, {1}},
    {"lands and rests", 4, {{1, 1, 2, 0}, {1, 1, 0, 1}, {1, 1, 0, 2}, {1, 1, 0, 3}}, 1, {1}},
    {"lands, slides, leaves at a key", 4, {{1, 1, 2, 0}, {1, 1, 0, 1}, {2, 1, 0, 2}, {2, 1, 1, 3}}, 1, {1}},
    {"slides out and in again", 4, {{1, 1, 2, 0}, {1, 1, 0, 1}, {-1, 1, 0, 2}, {1, 1, 0, 3}}, 2, {1, 2.5}},
    {"contact at the start", 3, {{1, 1, 0, 0}, {1, 1, 1, 1}, {1, 1, -1, 2}}, 2, {0, 1.5}},
    {"starts at rest", 3, {{1, 1, 0, 0}, {1, 1, 0, 1}, {1, 1, -1, 2}}, 1, {0}},
    {"contact at the end", 2, {{1, 1, 1, 0}, {1, 1, 0, 1}}, 1, {1}},
    {"down and up and down", 4, {{1, 1, 1, 0}, {1, 1, -1, 1}, {1, 1, 1, 2}, {1, 1, -1, 3}}, 3, {0.5, 1.5, 2.5}},
    {"jumps through", 4, {{1, 1, 2, 0}, {1, 1, 1, 1}, {1, 1, -1, 1}, {1, 1, -2, 2}}, 1, {1}},
    {"jumps onto", 4, {{1, 1, 2, 0}, {1, 1, 1, 1}, {1, 1, 0, 1}, {1, 1, 0, 2}}, 1, {1}},
    {"jumps off", 4, {{1, 1, 0, 0}, {1, 1, 0, 1}, {1, 1, 1, 1}, {1, 1, 2, 2}}, 1, {0}},
    {"jumps within", 4, {{1, 1, 0, 0}, {1, 1, 0, 1}, {2, 1, 0, 1}, {2, 1, 0, 2}}, 1, {0}},
    {"jumps past", 4, {{9, 1, 2, 0}, {9, 1, 1, 1}, {9, 1, -1, 1}, {9, 1, -2, 2}}, 0, {0}},
    {"lands and jumps on", 4, {{1, 1, 2, 0}, {1, 1, 0, 1}, {1, 1, -1, 1}, {1, 1, -2, 2}}, 1, {1}},
    {"jumps along the plane of the face", 4, {{-1, 1, 0, 0}, {-1, 1, 0, 1}, {9, 1, 0, 1}, {9, 1, 0, 2}}, 1, {1}},
    {"slides on after a jump from the face and back",
     6,
     {{1, 1, 0, 0}, {1, 1, 0, 1}, {1, 1, 1, 1}, {1, 1, 1, 2}, {1, 1, 0, 2}, {2, 1, 0, 3}},
     2,
     {0, 2}},
    {"slides over an edge and back at a key", 3, {{-1, 1, 0, 0}, {0, 1, 0, 1}, {-1, 1, 0, 2}}, 1, {1}},
};

static linear_path path_between(const double a[4], const double b[4])
{
    return (linear_path){.t0 = a[3], .t1 = b[3], .x0 = {a[0], a[1], a[2]}, .x1 = {b[0], b[1], b[2]}};
}

static void known_answers_are_given(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const keyed *k = &known[i];
        brute_piece pieces[MOST];
        size_t first[5] = {0}, count = 0;
        for (int j = 0; j + 1 < k->keys; j++)
            if (k->key[j][3] < k->key[j + 1][3])
                pieces[count++] = (brute_piece){path_between(k->key[j], k->key[j + 1]), k->key[j][3], k->key[j + 1][3]};
        const tact_vec3 corner[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
        for (int j = 0; j < 3; j++) {
            first[j + 1] = count;
            pieces[count++] = (brute_piece){{.x0 = corner[j], .has_velocity = true}, 0.0, k->key[k->keys - 1][3]};
        }
        first[4] = count;
        const uint32_t triangle[1][3] = {{1, 2, 3}}, point = 0;
        const brute_animation animation = {.pieces = pieces,
                                           .first_piece = first,
                                           .vertex_count = 4,
                                           .triangles = triangle,
                                           .triangle_count = 1,
                                           .points = &point,
                                           .point_count = 1};
        brute_event *events = brute_animation_events(&animation, &count, NULL);
        bool same = count == (size_t)k->events;
        for (size_t j = 0; j < count && same; j++)
            same = events[j].lower == k->time[j] && events[j].upper == k->time[j] && events[j].index[0] == 0 &&
                   events[j].index[1] == 0 && events[j].kind == TACT_VERTEX_FACE;
        if (!same)
            print_error("%s: %zu events, the first at %a\n", k->name, count, count > 0 ? events[0].lower : -1.0);
        assert_true(same);
        free(events);
    }
}

/* Two triangles and an edge: indices, order and parts. */
static void pairs_are_named_and_ordered(void **state)
{
    (void)state;
    /* a floor, a triangle that falls on it with all vertices at once, and an edge across its side at the same time */
    static const tact_vec3 at[8] = {{0, 0, 0}, {8, 0, 0}, {0, 8, 0}, {1, 1, 1},
                                    {2, 1, 1}, {1, 2, 1}, {3, 1, 1}, {3, -1, 1}};
    brute_piece pieces[8];
    size_t first[9], count;
    for (size_t v = 0; v < 8; v++) {
        first[v] = v;
        pieces[v] = (brute_piece){{.x0 = at[v], .x1 = {0, 0, v < 3 ? 0 : -1}, .has_velocity = true}, 0.0, 4.0};
    }
    first[8] = 8;
    const uint32_t triangles[2][3] = {{0, 1, 2}, {5, 4, 3}}, edges[2][2] = {{7, 6}, {1, 0}};
    brute_part parts[2] = {{3, true}, {8, true}};
    brute_animation animation = {.pieces = pieces,
                                 .first_piece = first,
                                 .vertex_count = 8,
                                 .triangles = triangles,
                                 .triangle_count = 2,
                                 .edges = edges,
                                 .edge_count = 2,
                                 .parts = parts,
                                 .part_count = 2};
    brute_event *events = brute_animation_events(&animation, &count, NULL);
    static const uint32_t expected[5][4] = {{3, 0}, {4, 0}, {5, 0}, {6, 0}, {0, 1, 6, 7}};
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(events[i].index, expected[i], sizeof expected[i]);
        assert_true(events[i].kind == (i < 4 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE));
        assert_true(events[i].lower == 1.0 && events[i].upper == 1.0 && !events[i].lasting && !events[i].in_jump);
    }
    free(events);
    parts[0].vertex_end = 8; /* one part without contacts inside */
    animation.part_count = 1;
    free(brute_animation_events(&animation, &count, NULL));
    assert_int_equal(count, 0);
}

/* The same motion, with pieces cut in two at random. */
static brute_animation cut(random_source *dice, const brute_animation *a)
{
    const size_t count = a->first_piece[a->vertex_count];
    brute_piece *pieces = malloc((2 * count + 1) * sizeof *pieces);
    size_t *first = malloc((a->vertex_count + 1) * sizeof *first), made = 0;
    assert_true(pieces != NULL && first != NULL);
    for (size_t v = 0; v < a->vertex_count; v++) {
        first[v] = made;
        for (size_t i = a->first_piece[v]; i < a->first_piece[v + 1]; i++) {
            pieces[made++] = a->pieces[i];
            const double begin = a->pieces[i].begin, end = a->pieces[i].end;
            const double at = random_chance(dice, 0.5) ? 0.5 * (begin + end) : random_range(dice, begin, end);
            if (random_chance(dice, 0.6) && begin < at && at < end) {
                pieces[made] = a->pieces[i];
                pieces[made - 1].end = pieces[made].begin = at;
                made++;
            }
        }
    }
    first[a->vertex_count] = made;
    brute_animation other = *a;
    other.pieces = pieces;
    other.first_piece = first;
    return other;
}

static bool same_events(const brute_event *a, const brute_event *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].lower != b[i].lower || a[i].upper != b[i].upper || a[i].kind != b[i].kind ||
            a[i].in_jump != b[i].in_jump || a[i].lasting != b[i].lasting || a[i].sequence != b[i].sequence ||
            memcmp(a[i].index, b[i].index, sizeof a[i].index) != 0)
            return false;
    return true;
}

typedef struct totals {
    size_t events, lasting, simultaneous, at_keys, at_start, repeated;
    brute_counts counts;
} totals;

static void add_totals(totals *t, const animation_case *made, const brute_event *events, size_t count)
{
    const brute_animation *a = &made->animation;
    for (size_t i = 0; i < count; i++) {
        t->events++;
        t->lasting += events[i].lasting;
        t->at_start += events[i].lower == 0.0;
        t->repeated += events[i].sequence > 0;
        t->simultaneous += i > 0 && events[i].lower == events[i - 1].lower && events[i].lower > 0.0;
        bool key = false;
        for (size_t j = 0; j < a->first_piece[a->vertex_count] && !key; j++)
            key = events[i].lower == a->pieces[j].end && events[i].upper == a->pieces[j].end;
        t->at_keys += key;
    }
}

static void random_animations_have_the_events_of_their_motion(void **state)
{
    (void)state;
    totals all[ANIMATION_ALL_CASE_TYPES] = {{0}};
    for (uint64_t seed = first_seed(); seed <= last_seed(12); seed++)
        for (int type = seed <= last_seed(4) ? 0 : ANIMATION_TEARING; type < ANIMATION_ALL_CASE_TYPES; type++) {
            random_source dice = random_seed(seed * ANIMATION_CASE_TYPES + (uint64_t)type);
            animation_case *made = animation_case_make((animation_case_type)type, seed);
            CHECK(made->first_triangle_count >= 4 && made->first_triangle_count <= 30, "%s",
                  animation_case_names[type]);
            size_t count, cut_count;
            brute_counts counts;
            brute_event *events = brute_animation_events(&made->animation, &count, &counts);
            brute_animation other = cut(&dice, &made->animation);
            brute_event *cut_events = brute_animation_events(&other, &cut_count, NULL);
            CHECK(count == cut_count && same_events(events, cut_events, count), "%s: %zu and %zu events",
                  animation_case_names[type], count, cut_count);
            free(cut_events);
            if (counts.windows < 1000 && (seed + (uint64_t)type) % 2 == 0) {
                other.no_culling = true;
                cut_events = brute_animation_events(&other, &cut_count, NULL);
                CHECK(count == cut_count && same_events(events, cut_events, count), "%s: %zu, %zu without culling",
                      animation_case_names[type], count, cut_count);
                free(cut_events);
            }
            add_totals(&all[type], made, events, count);
            all[type].counts.exact += counts.exact;
            all[type].counts.windows += counts.windows;
            all[type].counts.continued += counts.continued;
            all[type].counts.in_jumps += counts.in_jumps;
            all[type].counts.torn += counts.torn;
            all[type].counts.kept += counts.kept;
            free((void *)other.pieces);
            free((void *)other.first_piece);
            free(events);
            animation_case_free(made);
        }
    size_t rounded = 0; /* contacts that begin because a position is rounded */
    for (int type = 0; type < ANIMATION_ALL_CASE_TYPES; type++) {
        const totals *t = &all[type];
        print_message("%-14s %5zu events: %4zu lasting, %4zu simultaneous, %4zu at keys, %4zu at the start, %4zu "
                      "repeated, %3zu in jumps; %4zu continued; %6zu of %7zu windows exact\n",
                      animation_case_names[type], t->events, t->lasting, t->simultaneous, t->at_keys, t->at_start,
                      t->repeated, t->counts.in_jumps, t->counts.continued, t->counts.exact, t->counts.windows);
        if (few_cases())
            continue;
        assert_true(t->events > 50);
        if (type == ANIMATION_DEFORMING)
            continue;
        assert_true(t->counts.continued > 0 && t->simultaneous > 20 && t->at_keys > 0);
        if (type == ANIMATION_RESTING || type == ANIMATION_SLIDING)
            assert_true(t->lasting > 20 && t->counts.continued > 50);
        if (type == ANIMATION_LOOP_JUMP)
            assert_true(t->counts.in_jumps > 20);
        if (type == ANIMATION_TEARING) {
            print_message("%zu contacts end with their features, %zu go on\n", t->counts.torn, t->counts.kept);
            assert_true(t->counts.torn > 5 && t->counts.kept > 50);
        }
        rounded += type == ANIMATION_CHANGE_RANGE || type == ANIMATION_CHANGE_ALL ? t->counts.in_jumps : 0;
    }
    assert_true(few_cases() || rounded > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_are_given),
        cmocka_unit_test(pairs_are_named_and_ordered),
        cmocka_unit_test(random_animations_have_the_events_of_their_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
