/*
 * The oracle of contacts on linear paths (oracle/path_contacts.h): answers found by hand, and random cases against the
 * other exact oracle (oracle/ccd.h), which evaluates other polynomials.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "oracle/ccd.h"
#include "oracle/path_cases.h"
#include "oracle/path_contacts.h"
#include "support/random.h"
#include "support/seeded_cases.h"

#define VF TACT_VERTEX_FACE
#define EE TACT_EDGE_EDGE

enum { MOST_KNOWN = 4 };

/* Positions at t = 0 and velocities. */
typedef struct known_contacts {
    const char *name;
    tact_ccd_kind kind;
    double x[4][3], v[4][3];
    double enter, exit;
    int count;
    double begin[MOST_KNOWN], end[MOST_KNOWN]; /* doubles; `rounded` has those that are not */
    bool at_enter, at_exit;
    bool rounded; /* the times are between the doubles given and the next */
} known_contacts;

/* The face (0, 0, 0), (8, 0, 8t), (0, 8, 0) has the height t^2 at x = t. */
#define RISING                                                                                                         \
    {0, 0, 0}, {8, 0, 0}, { 0, 8, 0 }
#define RISES                                                                                                          \
    {0, 0, 0}, {0, 0, 8}, { 0, 0, 0 }
#define FLOOR                                                                                                          \
    {2, 0, 0}, {6, 0, 0}, { 4, 4, 0 }
#define STILL                                                                                                          \
    {0, 0, 0}, {0, 0, 0}, { 0, 0, 0 }

static const known_contacts known[] = {
    {"through a face at rest", VF, {{4, 1, 2}, FLOOR}, {{0, 0, -1}, STILL}, 0, 4, 1, {2}, {2}, false, false, false},
    {"beside a face at rest", VF, {{4, -1, 2}, FLOOR}, {{0, 0, -1}, STILL}, 0, 4, 0, {0}, {0}, false, false, false},
    {"a window that ends before",
     VF,
     {{4, 1, 2}, FLOOR},
     {{0, 0, -1}, STILL},
     0,
     1.5,
     0,
     {0},
     {0},
     false,
     false,
     false},
    {"a window that ends there", VF, {{4, 1, 2}, FLOOR}, {{0, 0, -1}, STILL}, 0, 2, 1, {2}, {2}, false, true, false},
    {"a window that begins there", VF, {{4, 1, 2}, FLOOR}, {{0, 0, -1}, STILL}, 2, 3, 1, {2}, {2}, true, false, false},
    {"a window of an instant", VF, {{4, 1, 2}, FLOOR}, {{0, 0, -1}, STILL}, 2, 2, 1, {2}, {2}, true, true, false},
    {"negative times", VF, {{4, 1, -3}, FLOOR}, {{0, 0, -1}, STILL}, -9, -1, 1, {-3}, {-3}, false, false, false},
    /* t^2 = 4t - 3, 2t - 1, 2t - 2, 4t - 2 */
    {"twice through a face",
     VF,
     {{0, 1, -3}, RISING},
     {{1, 0, 4}, RISES},
     0,
     4,
     2,
     {1, 3},
     {1, 3},
     false,
     false,
     false},
    {"twice, once in the window", VF, {{0, 1, -3}, RISING}, {{1, 0, 4}, RISES}, 2, 4, 1, {3}, {3}, false, false, false},
    {"tangent to a face", VF, {{0, 1, -1}, RISING}, {{1, 0, 2}, RISES}, 0, 4, 1, {1}, {1}, false, false, false},
    {"nearly tangent to a face", VF, {{0, 1, -2}, RISING}, {{1, 0, 2}, RISES}, 0, 4, 0, {0}, {0}, false, false, false},
    {"twice, irrational",
     VF,
     {{0, 1, -2}, RISING},
     {{1, 0, 4}, RISES},
     0,
     4,
     2,
     {0x1.2bec333018866p-1, 0x1.b504f333f9de6p+1},
     {0x1.2bec333018866p-1, 0x1.b504f333f9de6p+1},
     false,
     false,
     true},
    /* the vertex at rest at 0; at 1 it is on the edge from (2, -3, 1) to (-2, 3, -1) */
    {"three times through a face",
     VF,
     {{0, 0, 0}, {3, -1, 3}, {-3, 1, 1}, {-3, 3, 2}},
     {{0, 0, 0}, {-1, -2, -2}, {1, 2, -2}, {1, 1, 3}},
     0,
     4,
     3,
     {1, 2, 3},
     {1, 2, 3},
     false,
     false,
     false},
    /* at 2 the edge from 0 to (6, -9, -3) and that from (-4, -1, 1) to (3, -1, -1) */
    {"three times through an edge",
     EE,
     {{0, 0, 0}, {0, -3, 3}, {2, -3, -1}, {1, 3, 1}},
     {{0, 0, 0}, {3, -3, -3}, {-3, 1, 1}, {1, -2, -1}},
     0,
     4,
     3,
     {1, 2, 3},
     {1, 2, 3},
     false,
     false,
     false},
    {"a third",
     VF,
     {{4, 1, 1}, FLOOR},
     {{0, 0, -3}, STILL},
     0,
     1,
     1,
     {0x1.5555555555555p-2},
     {0x1.5555555555555p-2},
     false,
     false,
     true},
    /* In one plane all the time. At y = 1 the face is from x = 2.5 to 5.5. */
    {"sliding across a face", VF, {{0, 1, 0}, FLOOR}, {{1, 0, 0}, STILL}, 0, 8, 1, {2.5}, {5.5}, false, false, false},
    {"sliding off a face", VF, {{4, 1, 0}, FLOOR}, {{1, 0, 0}, STILL}, 0, 8, 1, {0}, {1.5}, true, false, false},
    {"sliding onto a face", VF, {{0, 1, 0}, FLOOR}, {{1, 0, 0}, STILL}, 0, 3, 1, {2.5}, {3}, false, true, false},
    {"sliding within a face", VF, {{3, 1, 0}, FLOOR}, {{1, 0, 0}, STILL}, 0, 2, 1, {0}, {2}, true, true, false},
    {"sliding over a corner", VF, {{0, 4, 0}, FLOOR}, {{1, 0, 0}, STILL}, 0, 8, 1, {4}, {4}, false, false, false},
    {"sliding along an edge", VF, {{0, 0, 0}, FLOOR}, {{1, 0, 0}, STILL}, 0, 8, 1, {2}, {6}, false, false, false},
    {"sliding past a face", VF, {{0, -1, 0}, FLOOR}, {{1, 0, 0}, STILL}, 0, 8, 0, {0}, {0}, false, false, false},
    {"resting on a face", VF, {{4, 1, 0}, FLOOR}, {STILL, {0, 0, 0}}, 0, 8, 1, {0}, {8}, true, true, false},
    {"resting beside a face", VF, {{1, 1, 0}, FLOOR}, {STILL, {0, 0, 0}}, 0, 8, 0, {0}, {0}, false, false, false},
    /* the vertex is at the height 3 - t, the third corner at 5 - 2t: between 0 and it until 2, and from 3 on */
    {"a face turned over",
     VF,
     {{4, 3, 0}, {0, 0, 0}, {8, 0, 0}, {4, 5, 0}},
     {{0, -1, 0}, {0, 0, 0}, {0, 0, 0}, {0, -2, 0}},
     0,
     4,
     2,
     {0, 3},
     {2, 4},
     true,
     true,
     false},
    /* the face shrinks to the vertex at 1 and grows on the other side */
    {"a face that shrinks to the vertex",
     VF,
     {{0, 0, 0}, {-1, 0, 0}, {-2, 1, 0}, {-2, -1, 0}},
     {{0, 0, 0}, {1, 0, 0}, {2, -1, 0}, {2, 1, 0}},
     0,
     2,
     1,
     {1},
     {1},
     false,
     false,
     false},
    {"a face around the vertex that shrinks to it",
     VF,
     {{0, 0, 0}, {-1, 0, 0}, {2, 1, 0}, {2, -1, 0}},
     {{0, 0, 0}, {1, 0, 0}, {-2, -1, 0}, {-2, 1, 0}},
     0,
     2,
     1,
     {0},
     {2},
     true,
     true,
     false},
    /* faces without area */
    {"through a face in a line",
     VF,
     {{3, 0, 1}, {0, 0, 0}, {2, 0, 0}, {4, 0, 0}},
     {{0, 0, -1}, STILL},
     0,
     2,
     1,
     {1},
     {1},
     false,
     false,
     false},
    {"along a face in a line",
     VF,
     {{-1, 0, 0}, {0, 0, 0}, {2, 0, 0}, {4, 0, 0}},
     {{1, 0, 0}, STILL},
     0,
     8,
     1,
     {1},
     {5},
     false,
     false,
     false},
    {"through a face of a point", VF, {{0, 0, 1}, STILL}, {{0, 0, -1}, STILL}, 0, 2, 1, {1}, {1}, false, false, false},
    {"on a face of a point", VF, {{0, 0, 0}, STILL}, {{0, 0, 0}, STILL}, 0, 2, 1, {0}, {2}, true, true, false},
    /* edges */
    {"an edge through an edge",
     EE,
     {{-1, 0, 1}, {1, 0, 1}, {0, -1, 0}, {0, 1, 0}},
     {{0, 0, -1}, {0, 0, -1}},
     0,
     2,
     1,
     {1},
     {1},
     false,
     false,
     false},
    {"end to end",
     EE,
     {{0, 0, 1}, {1, 0, 1}, {0, 0, 0}, {0, 1, 0}},
     {{0, 0, -1}, {0, 0, -1}},
     0,
     2,
     1,
     {1},
     {1},
     false,
     false,
     false},
    {"past the end of an edge",
     EE,
     {{1, 0, 1}, {2, 0, 1}, {0, -1, 0}, {0, 1, 0}},
     {{0, 0, -1}, {0, 0, -1}},
     0,
     2,
     0,
     {0},
     {0},
     false,
     false,
     false},
    {"in line, end to end",
     EE,
     {{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {6, 0, 0}},
     {{1, 0, 0}, {1, 0, 0}},
     0,
     8,
     1,
     {3},
     {6},
     false,
     false,
     false},
    {"parallel edges that meet",
     EE,
     {{0, 1, 0}, {2, 1, 0}, {1, 0, 0}, {3, 0, 0}},
     {{0, -1, 0}, {0, -1, 0}},
     0,
     2,
     1,
     {1},
     {1},
     false,
     false,
     false},
    {"parallel edges that meet side by side",
     EE,
     {{0, 1, 0}, {1, 1, 0}, {2, 0, 0}, {3, 0, 0}},
     {{0, -1, 0}, {0, -1, 0}},
     0,
     2,
     0,
     {0},
     {0},
     false,
     false,
     false},
    {"sliding edges that cross",
     EE,
     {{0, 0, 0}, {0, 4, 0}, {-2, 1, 0}, {-1, 1, 0}},
     {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 0, 0}},
     0,
     8,
     1,
     {1},
     {2},
     false,
     false,
     false},
    {"a point along an edge",
     EE,
     {{0, 0, 0}, {0, 0, 0}, {2, 0, 0}, {3, 0, 0}},
     {{1, 0, 0}, {1, 0, 0}},
     0,
     8,
     1,
     {2},
     {3},
     false,
     false,
     false},
    {"a point through a point",
     EE,
     {{0, 0, 0}, {0, 0, 0}, {2, 0, 0}, {2, 0, 0}},
     {{1, 0, 0}, {1, 0, 0}},
     0,
     8,
     1,
     {2},
     {2},
     false,
     false,
     false},
    {"an edge that is a point for an instant",
     EE,
     {{-1, 1, 0}, {1, 1, 0}, {0, 0, 0}, {0, 4, 0}},
     {{1, 0, 0}, {-1, 0, 0}},
     0,
     2,
     1,
     {0},
     {2},
     true,
     true,
     false},
    /* the second edge crosses the line of the first at x = (t - 1) (t - 3) / (t + 2) */
    {"sliding edges, twice",
     EE,
     {{0, 0, 0}, {10, 0, 0}, {6, 1, 0}, {-3, -1, 0}},
     {{0, 0, 0}, {0, 0, 0}, {-2, 1, 0}, {1, 0, 0}},
     0,
     4,
     2,
     {0, 3},
     {1, 4},
     true,
     true,
     false},
};

static tact_vec3 point(const double x[3]) { return (tact_vec3){x[0], x[1], x[2]}; }

static tact_vec3 advanced(const double x[3], const double v[3], double t)
{
    return (tact_vec3){x[0] + t * v[0], x[1] + t * v[1], x[2] + t * v[2]};
}

/* The same lines, written in another way for each variant and vertex. The numbers are small and dyadic. */
static linear_path path_variant(const double x[3], const double v[3], int variant)
{
    static const double from[] = {0, -4, 8, 1, -0.5}, length[] = {1, 8, 0.25, 2, 16};
    if (variant == 0)
        return (linear_path){.x0 = point(x), .x1 = point(v), .has_velocity = true};
    const double t0 = from[variant % 5], t1 = t0 + length[variant % 5];
    if (variant > 5)
        return (linear_path){.t0 = t0, .x0 = advanced(x, v, t0), .x1 = point(v), .has_velocity = true};
    return (linear_path){.t0 = t0, .t1 = t1, .x0 = advanced(x, v, t0), .x1 = advanced(x, v, t1)};
}

static void check_known(const known_contacts *k, const path_contacts *found, int variant)
{
    bool same = found->count == k->count && found->at_enter == k->at_enter && found->at_exit == k->at_exit;
    for (int i = 0; i < found->count && same; i++) {
        const path_interval *interval = &found->interval[i];
        const double up = k->rounded ? nextafter(k->begin[i], INFINITY) : k->begin[i];
        const double end_up = k->rounded ? nextafter(k->end[i], INFINITY) : k->end[i];
        same = interval->lower == k->begin[i] && interval->upper == up && interval->end_lower == k->end[i] &&
               interval->end_upper == end_up && interval->instant == (k->begin[i] == k->end[i]);
    }
    if (same)
        return;
    print_error("%s (variant %d): %d contacts%s%s\n", k->name, variant, found->count,
                found->at_enter ? ", at enter" : "", found->at_exit ? ", at exit" : "");
    for (int i = 0; i < found->count; i++)
        print_error("  %a %a to %a %a\n", found->interval[i].lower, found->interval[i].upper,
                    found->interval[i].end_lower, found->interval[i].end_upper);
    fail();
}

static void known_answers_are_given(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int variant = 0; variant < 12; variant++) {
            const known_contacts *k = &known[i];
            linear_path path[4];
            for (int j = 0; j < 4; j++)
                path[j] = path_variant(k->x[j], k->v[j], variant == 11 ? 3 * j : variant);
            path_contacts found;
            path_contacts_find(&found, k->kind, path, k->enter, k->exit);
            check_known(k, &found, variant);
        }
}

/* A jump has the contacts of the window in which a velocity does the same. */
static void jumps_are_windows_without_duration(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const known_contacts *k = &known[i];
        linear_path from[4], to[4];
        for (int j = 0; j < 4; j++) {
            from[j] = path_variant(k->x[j], k->v[j], 0);
            to[j] = from[j];
            from[j].t0 = 5.0 - k->enter; /* at 5 as at `enter` before */
            to[j].t0 = 5.0 - k->exit;
        }
        path_contacts found;
        path_contacts_jump(&found, k->kind, from, to, 5.0);
        assert_int_equal(found.count, k->count);
        assert_true(found.at_enter == k->at_enter && found.at_exit == k->at_exit);
        for (int j = 0; j < found.count; j++) {
            const path_interval *interval = &found.interval[j];
            assert_true(interval->lower == 5.0 && interval->upper == 5.0);
            assert_true(interval->instant == (k->begin[j] == k->end[j]) || k->enter == k->exit);
        }
    }
}

/* A path that is interpolated over a third of a unit, or from times that have no exact quotient. */
static void interpolation_is_exact(void **state)
{
    (void)state;
    linear_path path[4];
    for (int j = 1; j < 4; j++)
        path[j] = path_variant((const double[3][3]){FLOOR}[j - 1], (const double[3]){0, 0, 0}, 0);
    path_contacts found;
    /* from the height 2 at 0 to -1 at 0.3: contact at 2/3 of the double 0.3 */
    path[0] = (linear_path){.t0 = 0.0, .t1 = 0.3, .x0 = {4, 1, 2}, .x1 = {4, 1, -1}};
    path_contacts_find(&found, VF, path, 0.0, 0.3);
    assert_int_equal(found.count, 1);
    mpq_t time, part;
    mpq_init(time);
    mpq_init(part);
    mpq_set_d(time, 0.3);
    mpq_set_ui(part, 2, 3);
    mpq_mul(time, time, part);
    mpq_set_d(part, found.interval[0].lower);
    assert_true(mpq_cmp(part, time) < 0);
    mpq_set_d(part, found.interval[0].upper);
    assert_true(mpq_cmp(part, time) > 0);
    assert_true(found.interval[0].upper == nextafter(found.interval[0].lower, 1.0));
    mpq_clear(part);
    mpq_clear(time);
    /* resting: its height is 0 at both keys, whatever the key times are */
    path[0] = (linear_path){.t0 = 0.1, .t1 = 0.7, .x0 = {3, 1, 0}, .x1 = {5, 1, 0}};
    path_contacts_find(&found, VF, path, 0.1, 0.7);
    assert_true(found.count == 1 && found.at_enter && found.at_exit && found.always_coplanar);
    assert_true(found.interval[0].lower == 0.1 && found.interval[0].end_upper == 0.7);
    /* a velocity, by contrast, is multiplied: 0.1 * 10 is more than 1 */
    path[0] = (linear_path){.x0 = {4, 1, 1}, .x1 = {0, 0, -0.1}, .has_velocity = true};
    path_contacts_find(&found, VF, path, 0.0, 20.0);
    assert_true(found.count == 1 && found.interval[0].lower == nextafter(10.0, 0.0));
    assert_true(found.interval[0].upper == 10.0);
}

/* Is a time in one of the intervals? */
static bool contains(const path_contacts *found, double t)
{
    for (int i = 0; i < found->count; i++)
        if (found->interval[i].upper <= t && t <= found->interval[i].end_lower)
            return true;
    return false;
}

/* Numbers of thousands of digits: a case takes milliseconds. */
static bool slow(int type) { return type == CCD_MIXED || type == CCD_HUGE || type == CCD_ANY; }

/* First contacts, and contact at single times, against the oracle of tact/ccd.h. */
static void random_cases_agree_with_the_oracle_of_single_steps(void **state)
{
    (void)state;
    int contacts = 0, lasting = 0, several = 0, most = 0, coplanar = 0;
    ccd_truth truth;
    ccd_truth_init(&truth);
    mpq_t at;
    mpq_init(at);
    for (uint64_t seed = first_seed(); seed <= last_seed_of(30, 2700); seed++)
        for (int type = 0; type < CCD_CASE_TYPES; type++)
            for (int kind = VF; kind <= EE; kind++) {
                if (seed % 30 != 0 && slow(type))
                    continue;
                path_case query = path_case_make((ccd_case_type)type, PATH_VELOCITY, (tact_ccd_kind)kind, seed);
                random_source dice = random_seed(seed * 1000 + (uint64_t)(type * 2 + kind));
                tact_vec3 start[4], end[4];
                for (int k = 0; k < 4; k++) {
                    query.path[k].t0 = 0.0;
                    start[k] = query.path[k].x0;
                    end[k] = query.path[k].x1;
                }
                path_contacts found;
                path_contacts_find(&found, query.kind, query.path, 0.0, 4.0);
                ccd_truth_find(&truth, query.kind, start, end, true, 0.0, 4.0);
                CHECK(truth.hit == (found.count > 0), "%s", ccd_case_names[type]);
                CHECK(truth.always_coplanar == found.always_coplanar, "%s", ccd_case_names[type]);
                if (found.count > 0)
                    CHECK(ccd_truth_compare(&truth, found.interval[0].lower) >= 0 &&
                              ccd_truth_compare(&truth, found.interval[0].upper) <= 0,
                          "%s", ccd_case_names[type]);
                for (int i = 0; i < 12; i++) {
                    const double t = i < 9 ? i / 2.0 : random_range(&dice, 0.0, 4.0);
                    mpq_set_d(at, t);
                    CHECK(ccd_truth_touch(query.kind, &truth.motion, at) == contains(&found, t), "%s at %a",
                          ccd_case_names[type], t);
                }
                contacts += found.count;
                several += found.count > 1;
                coplanar += found.always_coplanar;
                most = found.count > most ? found.count : most;
                for (int i = 0; i < found.count; i++)
                    lasting += !found.interval[i].instant;
            }
    mpq_clear(at);
    ccd_truth_clear(&truth);
    print_message("%d contacts, %d lasting, %d cases with several, at most %d, %d always in one plane\n", contacts,
                  lasting, several, most, coplanar);
    if (!few_cases())
        assert_true(contacts > 166 && lasting > 33 && several > 13 && coplanar > 66);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers_are_given),
        cmocka_unit_test(jumps_are_windows_without_duration),
        cmocka_unit_test(interpolation_is_exact),
        cmocka_unit_test(random_cases_agree_with_the_oracle_of_single_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
