/* `tact-bench --tiny`: every benchmark runs and prints its tables, and no answer of Tact is wrong. */
#define _POSIX_C_SOURCE 200809L

#include "tool/folder.h"
#include "tool/run.h"

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        count++;
    return count;
}

/* The tables appear as text, as JSON and on the page. */
static void all_benchmarks_run(void **state)
{
    (void)state;
    static const char *const titles[] = {"Table 5.2",
                                         "Table 5.3",
                                         "Table 5.4",
                                         "Table 5.5",
                                         "Table 5.6",
                                         "Section 5",
                                         "Section 3.2",
                                         "Broad",
                                         "Mesh",
                                         "AABB tree over",
                                         "I-COLLIDE",
                                         "Growth: trees",
                                         "Figure 7",
                                         "Figure 8",
                                         "by density",
                                         "Contact",
                                         "Frames",
                                         "Event queues",
                                         "Hard spheres: collisions",
                                         "Weller and Zachmann 2006"};
    static const char *const keys[] = {"table_5_2",
                                       "table_5_3",
                                       "table_5_4",
                                       "table_5_5",
                                       "table_5_6",
                                       "refit",
                                       "polygons",
                                       "broad_all",
                                       "broad_few",
                                       "mesh_overlap",
                                       "mesh_trees",
                                       "world",
                                       "figure_4_8",
                                       "growth",
                                       "growth_bodies",
                                       "growth_triangles",
                                       "race_overlap",
                                       "race_distance",
                                       "coming_staadt_2006_figure_7",
                                       "coming_staadt_2006_figure_8",
                                       "coming_staadt_2006_density",
                                       "contact",
                                       "frames",
                                       "queues",
                                       "queues_growth",
                                       "spheres",
                                       "spheres_growth",
                                       "spheres_packing",
                                       "weller_zachmann_2006",
                                       "weller_zachmann_2006_update",
                                       "weller_zachmann_2006_checks",
                                       "weller_zachmann_2006_slow_motion",
                                       "weller_zachmann_2006_growth"};
    static const char *const words[] = {"--tiny", "--html", "page.html", NULL};
    outcome o = tool_run(words, "", 0);
    assert_string_equal(o.err.data, "");
    assert_int_equal(o.status, 0);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (!strstr(o.out.data, titles[i]))
            fail_msg("tact-bench --tiny does not mention %s", titles[i]);
    assert_null(strstr(o.out.data, "WRONG"));
    /* every oracle was checked; no ratio with a figure from another run */
    assert_int_equal(count_of(o.out.data, "compared with brute force"), 2);
    assert_int_equal(count_of(o.out.data, " pairs, 0 disputed"), 2);
    assert_null(strstr(o.out.data, " on 0 pairs"));
    assert_null(strstr(o.out.data, "SOLID 3 then"));
    assert_null(strstr(o.out.data, "nan"));
    outcome_free(&o);

    int file = open("page.html", O_RDONLY);
    assert_true(file >= 0);
    bytes page = file_read_all(file);
    assert_int_equal(close(file), 0);
    assert_int_equal(unlink("page.html"), 0);
    assert_memory_equal(page.data, "<!doctype html>", 15);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char section[64];
        (void)snprintf(section, sizeof section, "<section id=\"%s\">", keys[i]);
        assert_int_equal(count_of(page.data, section), 1);
    }
    assert_true(count_of(page.data, "<svg") >= 8);
    assert_int_equal(count_of(page.data, "<svg"), count_of(page.data, "</svg>"));
    assert_int_equal(count_of(page.data, "<table>"), count_of(page.data, "</table>"));
    assert_null(strstr(page.data, "<script"));
    assert_null(strstr(page.data, "http"));
    assert_null(strstr(page.data, "nan"));
    bytes_free(&page);
}

static void json_output(void **state)
{
    (void)state;
    static const char *const words[] = {"world", "triangles", "--tiny", "--json", NULL};
    outcome o = tool_run(words, "", 0);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"world\""));
    assert_non_null(strstr(o.out.data, "\"growth_triangles\""));
    assert_int_equal(o.out.data[0], '{');
    outcome_free(&o);
}

static void bad_arguments_are_reported(void **state)
{
    (void)state;
    static const char *const bad[][4] = {{"nothing", NULL}, {"--fast", NULL}, {"--seed", "x"}, {"--html", NULL}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        outcome o = tool_run(bad[i], "", 0);
        assert_int_equal(o.status, 2);
        assert_memory_equal(o.err.data, "tact-bench: ", 12);
        assert_string_equal(o.out.data, "");
        outcome_free(&o);
    }
    static const char *const nowhere[] = {"world", "--tiny", "--html", "no/such/folder/page.html", NULL};
    outcome o = tool_run(nowhere, "", 0);
    assert_int_equal(o.status, 1);
    assert_string_equal(o.err.data, "tact-bench: cannot write no/such/folder/page.html\n");
    outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_benchmarks_run), cmocka_unit_test(json_output),
                                       cmocka_unit_test(bad_arguments_are_reported)};
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
