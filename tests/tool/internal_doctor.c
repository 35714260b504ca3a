/*
 * The checks of `tact doctor`: they pass, and the one of the arithmetic notices every floating-point setting that a
 * host may have. The command, its JSON form, and files that the environment names.
 */
#define _POSIX_C_SOURCE 200809L

#include "tool/run.h"

#include "doctor_checks.h"
#include "support/host_fp_environment.h"

static bool check_run(const char *name, int environment, char reason[DOCTOR_REASON])
{
    for (int i = 0; i < tact_doctor_check_count; i++)
        if (strcmp(tact_doctor_checks[i].name, name) == 0) {
            set_environment(environment);
            const bool good = tact_doctor_checks[i].run(reason);
            set_environment(0);
            return good;
        }
    fail_msg("there is no check %s", name);
    return false;
}

static void all_checks_pass(void **state)
{
    (void)state;
    assert_true(tact_doctor_check_count >= 7);
    for (int i = 0; i < tact_doctor_check_count; i++) {
        char reason[DOCTOR_REASON] = "";
        if (!check_run(tact_doctor_checks[i].name, 0, reason))
            fail_msg("%s: %s", tact_doctor_checks[i].name, reason);
    }
}

static void another_rounding_mode_is_noticed(void **state)
{
    (void)state;
    for (int m = 1; m < ENVIRONMENTS; m++) {
        char reason[DOCTOR_REASON] = "";
        assert_false(check_run("arithmetic", m, reason));
        assert_non_null(strstr(reason, m % 4 ? "rounding mode" : "subnormal"));
        /* exact in every environment */
        assert_true(check_run("predicates", m, reason));
        assert_true(check_run("ccd", m, reason));
    }
}

static void the_command_prints_facts_and_checks(void **state)
{
    (void)state;
    outcome o = tool_run((const char *const[]){"doctor", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.err.data, "");
    assert_non_null(strstr(o.out.data, "\n  compiler "));
    assert_non_null(strstr(o.out.data, "\n  ok      predicates "));
    assert_null(strstr(o.out.data, "FAILED"));
    assert_non_null(strstr(o.out.data, "\nAll is well.\n"));
    outcome_free(&o);
    o = tool_run((const char *const[]){"doctor", "--json", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_int_equal(count_lines(o.out.data), 1);
    assert_memory_equal(o.out.data, "{\"tact\":\"", 9);
    assert_non_null(strstr(o.out.data, "\"predicates\":\"ok\""));
    assert_non_null(strstr(o.out.data, ",\"good\":true}\n"));
    outcome_free(&o);
}

static void a_named_file_that_is_missing_is_an_error(void **state)
{
    (void)state;
    static const char *const names[] = {"TACT_CAD", "TACT_VIEWER"};
    for (size_t i = 0; i < 2; i++) {
        char expected[100];
        assert_int_equal(setenv(names[i], "/gone/away", 1), 0);
        outcome o = tool_run((const char *const[]){"doctor", NULL}, "", 0);
        assert_int_equal(o.status, 1);
        (void)snprintf(expected, sizeof expected, "%-12s WRONG: names /gone/away, which cannot be used\n", names[i]);
        assert_non_null(strstr(o.out.data, expected));
        assert_non_null(strstr(o.out.data, "\nSomething is wrong"));
        outcome_free(&o);
        o = tool_run((const char *const[]){"doctor", "--json", NULL}, "", 0);
        assert_int_equal(o.status, 1);
        assert_non_null(strstr(o.out.data, ",\"good\":false}\n"));
        outcome_free(&o);
        assert_int_equal(unsetenv(names[i]), 0);
    }
}

static void wrong_usage_is_reported(void **state)
{
    (void)state;
    outcome o = tool_run((const char *const[]){"doctor", "x", NULL}, "", 0);
    assert_int_equal(o.status, 2);
    assert_string_equal(o.err.data, "tact doctor: it takes no file: x. Try: tact help doctor\n");
    outcome_free(&o);
    o = tool_run((const char *const[]){"doctor", "--gone", NULL}, "", 0);
    assert_int_equal(o.status, 2);
    assert_string_equal(o.err.data, "tact doctor: there is no option --gone. Try: tact help doctor\n");
    outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_checks_pass),
        cmocka_unit_test(another_rounding_mode_is_noticed),
        cmocka_unit_test(the_command_prints_facts_and_checks),
        cmocka_unit_test(a_named_file_that_is_missing_is_an_error),
        cmocka_unit_test(wrong_usage_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
