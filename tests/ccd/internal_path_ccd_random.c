/*
 * Contacts on linear paths (ccd/path_ccd.h) against the exact oracle (oracle/path_contacts.h): random and degenerate
 * cases of every type and clock (oracle/path_cases.h), windows and jumps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <string.h>

#include "ccd/path_ccd.h"
#include "oracle/path_cases.h"
#include "oracle/path_contacts.h"
#include "support/seeded_cases.h"

typedef struct totals {
    int cases, contacts, lasting, several, three, at_enter, at_exit, inexact, coplanar, most;
} totals;

static void add(totals *t, const path_contacts *found)
{
    t->cases++;
    t->contacts += found->count;
    t->several += found->count > 1;
    t->three += found->count > 2;
    t->at_enter += found->at_enter;
    t->at_exit += found->at_exit;
    t->coplanar += found->always_coplanar;
    t->most = found->count > t->most ? found->count : t->most;
    for (int i = 0; i < found->count; i++) {
        t->lasting += !found->interval[i].instant;
        t->inexact += found->interval[i].lower < found->interval[i].upper;
    }
}

static bool same(const path_ccd *result, const path_contacts *truth)
{
    if (result->count != truth->count || result->at_enter != truth->at_enter || result->at_exit != truth->at_exit)
        return false;
    for (int i = 0; i < result->count; i++)
        if (result->contact[i].state != TACT_HIT || result->contact[i].lower != truth->interval[i].lower ||
            result->contact[i].upper != truth->interval[i].upper)
            return false;
    return true;
}

static void check(const path_case *query, bool jump, const path_ccd *result, const path_contacts *truth,
                  const char *name, const char *clock, uint64_t seed)
{
    if (same(result, truth))
        return;
    print_error("TACT_TEST_SEED=%llu: %s, clock %s. The case:\n", (unsigned long long)seed, name, clock);
    path_case_print(stderr, query, jump);
    print_error("%d contacts%s%s:", result->count, result->at_enter ? ", at enter" : "",
                result->at_exit ? ", at exit" : "");
    for (int i = 0; i < result->count && i < PATH_CCD_MAX_CONTACTS; i++)
        print_error(" %a %a;", result->contact[i].lower, result->contact[i].upper);
    print_error("\nthe truth is %d%s%s:", truth->count, truth->at_enter ? ", at enter" : "",
                truth->at_exit ? ", at exit" : "");
    for (int i = 0; i < truth->count; i++)
        print_error(" %a %a;", truth->interval[i].lower, truth->interval[i].upper);
    print_error("\n");
    fail();
}

/* Coordinates of thousands of binary places: the oracle takes milliseconds. */
static bool slow(int type) { return type == CCD_MIXED || type == CCD_ANY; }

static void run(const path_case *query, const char *name, const char *clock, uint64_t seed, totals *windows,
                totals *jumps)
{
    path_contacts truth;
    path_ccd result;
    path_contacts_find(&truth, query->kind, query->path, query->enter, query->exit);
    tact_path_ccd(query->kind, query->path, query->enter, query->exit, &result);
    check(query, false, &result, &truth, name, clock, seed);
    add(windows, &truth);
    path_contacts_jump(&truth, query->kind, query->path, query->to, query->enter);
    tact_path_ccd_jump(query->kind, query->path, query->to, query->enter, &result);
    check(query, true, &result, &truth, name, clock, seed);
    add(jumps, &truth);
}

static void print_totals(const char *name, const totals *t)
{
    print_message("%-10s %6d cases, %6d contacts: %5d lasting, %5d inexact; %4d cases with several, %3d with three or "
                  "more, at most %d; %5d at enter, %5d at exit, %5d always in one plane\n",
                  name, t->cases, t->contacts, t->lasting, t->inexact, t->several, t->three, t->most, t->at_enter,
                  t->at_exit, t->coplanar);
}

/* Slow types have a tenth of the cases: all clocks in turn, or the first. In the quick form one. */
static bool is_chosen(int type, int clock, uint64_t seed)
{
    if (getenv("TACT_TEST_SEED") != NULL || !slow(type))
        return true;
    return quick_form() ? seed == 1 && clock == 0 : seed % 10 == (type == CCD_ANY ? (uint64_t)clock : 0);
}

static void all_contacts_are_found(void **state)
{
    (void)state;
    totals windows[CCD_CASE_TYPES] = {{0}}, jumps[CCD_CASE_TYPES] = {{0}}, all = {0}, all_jumps = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(10, 750); seed++)
        for (int type = 0; type < CCD_CASE_TYPES; type++)
            for (int clock = 0; clock < PATH_CLOCKS; clock++)
                if (is_chosen(type, clock, seed))
                    for (int kind = TACT_VERTEX_FACE; kind <= TACT_EDGE_EDGE; kind++) {
                        const path_case query =
                            path_case_make((ccd_case_type)type, (path_clock)clock, (tact_ccd_kind)kind, seed);
                        run(&query, ccd_case_names[type], path_clock_names[clock], seed, &windows[type], &jumps[type]);
                    }
    for (int type = 0; type < CCD_CASE_TYPES; type++) {
        print_totals(ccd_case_names[type], &windows[type]);
        print_totals("  jumps", &jumps[type]);
        if (!few_cases()) {
            assert_true(windows[type].contacts >= 3);
            assert_true(slow(type) || (windows[type].contacts > 12 && jumps[type].contacts > 10));
        }
        all.lasting += windows[type].lasting;
        all.several += windows[type].several;
        all.three += windows[type].three;
        all.coplanar += windows[type].coplanar;
        all_jumps.lasting += jumps[type].lasting;
        all_jumps.several += jumps[type].several;
    }
    if (!few_cases())
        assert_true(all.lasting > 200 && all.several > 100 && all.three > 6 && all.coplanar > 400 &&
                    all_jumps.lasting > 80 && all_jumps.several > 20);
}

static void several_contacts_in_one_plane_are_found(void **state)
{
    (void)state;
    totals windows = {0}, jumps = {0};
    for (uint64_t seed = first_seed(); seed <= last_seed_of(150, 12000); seed++)
        for (int kind = TACT_VERTEX_FACE; kind <= TACT_EDGE_EDGE; kind++) {
            const path_case query = path_case_several((tact_ccd_kind)kind, seed);
            run(&query, "several", "mixed", seed, &windows, &jumps);
        }
    print_totals("several", &windows);
    print_totals("  jumps", &jumps);
    if (!few_cases())
        assert_true(windows.three > 112 && windows.most >= 4 && windows.lasting > 300 && jumps.contacts > 112 &&
                    jumps.three > 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_contacts_are_found),
        cmocka_unit_test(several_contacts_in_one_plane_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
