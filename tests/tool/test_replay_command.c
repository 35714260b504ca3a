/*
 * `tact run --record` and `tact replay`: the events and the trajectories are those of the run, to the byte; records of
 * programs with tests, new and removed bodies; damage; wrong use.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tact/advance.h>
#include <tact/record.h>

#include "tool/folder.h"

/* Bodies without names are called "0", "1", ... as in a record. */
static const char scene[] =
    "{\"end\":3,\"response\":\"inelastic\",\"gravity\":[0,-9.81,0],\"bodies\":["
    "{\"shape\":{\"type\":\"box\",\"size\":[20,2,20]},\"place\":{\"translate\":[0,-1,0]},\"restitution\":1},"
    "{\"shape\":{\"type\":\"box\",\"size\":[1,1,1]},\"place\":{\"translate\":[0,2,0]},\"mass\":1,\"restitution\":0.5,"
    "\"motion\":{\"spin\":[1,2,3]}},"
    "{\"shape\":{\"type\":\"sphere\",\"radius\":0.5},\"place\":{\"translate\":[0.2,4,0]},\"mass\":2,\"friction\":0.4},"
    "{\"shape\":{\"type\":\"capsule\",\"radius\":0.2,\"height\":1},\"place\":{\"translate\":[3,3,0]},"
    "\"motion_plan\":[{\"at\":1,\"motion\":{\"velocity\":[-1,0,0]}}]}]}";

static bytes file_of(const char *path)
{
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    bytes all = file_read_all(file);
    (void)close(file);
    return all;
}

/* Runs the tool, which must succeed without complaint; returns what it prints. */
static bytes tool_good(const char *const *words, const char *input)
{
    outcome o = tool_run(words, input, strlen(input));
    if (o.status != 0 || o.err.size != 0)
        fail_msg("tact %s: status %d, %s", words[0], o.status, o.err.data);
    bytes_free(&o.err);
    return o.out;
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_replay_gives_the_events_and_the_motions_of_the_run(void **state)
{
    (void)state;
    bytes ran = tool_good(WORDS("run", "-", "--json", "--record", "a.record", "--save", "a.run"), scene);
    bytes replayed = tool_good(WORDS("replay", "a.record", "--json", "--save", "b.run"), "");
    assert_true(count_lines(ran.data) > 5);
    assert_string_equal(ran.data, replayed.data);
    bytes_free(&ran);
    bytes_free(&replayed);
    for (int k = 0; k < 2; k++) {
        bytes out = tool_good(WORDS("export", k ? "b.run" : "a.run", "-o", k ? "b.csv" : "a.csv"), "");
        bytes_free(&out);
    }
    ran = file_of("a.csv");
    replayed = file_of("b.csv");
    assert_true(count_lines(ran.data) > 50);
    assert_string_equal(ran.data, replayed.data);
    bytes_free(&ran);
    bytes_free(&replayed);
    bytes table = tool_good(WORDS("replay", "a.record", "--limit", "2"), "");
    assert_int_equal(count_lines(table.data), 7); /* a head, two events, how many more, a blank, two of the summary */
    assert_non_null(strstr(table.data, "\na.record: 4 bodies, "));
    assert_non_null(strstr(table.data, " until t = 3, all results as recorded\n"));
    bytes_free(&table);
    assert_int_equal(unlink("a.record") + unlink("a.run") + unlink("b.run") + unlink("a.csv") + unlink("b.csv"), 0);
}

/* A program that tests, creates, removes, advances and at last releases its world. */
static void record_make(const char *path)
{
    FILE *file = fopen(path, "wb");
    tact_report report;
    tact_world *world = tact_world_create(NULL);
    tact_shape *ball = tact_sphere(1.0);
    assert_non_null(file);
    const tact_body first = tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_identity()});
    tact_record *record = tact_record_begin(world, tact_file_sink(file), NULL, &report);
    if (!record)
        fail_msg("%s", report.text);
    const tact_body second =
        tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(5.0, 0.0, 0.0)});
    assert_int_equal(tact_body_set_motion(world, second, tact_motion_linear(-1.0, 0.0, 0.0)), TACT_OK);
    tact_event event;
    assert_int_equal(tact_world_next_event(world, 2.0, &event), TACT_EVENT_NONE);
    assert_int_equal(tact_world_next_event(world, 4.0, &event), TACT_EVENT_TOUCH); /* at t = 3 */
    assert_int_equal(tact_body_remove(world, first), TACT_OK);
    const tact_body third =
        tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(-2.0, 0.0, 0.0)});
    assert_int_not_equal(third.index, second.index);
    assert_int_equal(tact_world_next_event(world, 6.0, &event), TACT_EVENT_TOUCH); /* at t = 5 */
    tact_world_release(world);
    assert_int_equal(tact_record_end(record, &report), TACT_OK);
    tact_shape_release(ball);
    assert_int_equal(fclose(file), 0);
}

static void bodies_may_come_and_go(void **state)
{
    (void)state;
    record_make("p.record");
    bytes out = tool_good(WORDS("replay", "p.record", "--json", "--save", "p.run"), "");
    assert_int_equal(count_lines(out.data), 2);
    double t[2];
    char pair[2][40];
    assert_int_equal(sscanf(out.data,
                            "{\"t\":%lf,\"kind\":\"touch\",%39[^,],%*[^\n]\n{\"t\":%lf,\"kind\":\"touch\",%39[^,],",
                            &t[0], pair[0], &t[1], pair[1]),
                     4);
    assert_true(fabs(t[0] - 3.0) < 1e-6 && fabs(t[1] - 5.0) < 1e-6);
    assert_string_equal(pair[0], "\"a\":\"0\"");
    assert_true(strstr(strchr(out.data, '\n'), "\"2\"") && strstr(strchr(out.data, '\n'), "\"1\""));
    bytes_free(&out);
    out = tool_good(WORDS("export", "p.run", "-o", "p.csv"), "");
    bytes_free(&out);
    assert_int_equal(unlink("p.record") + unlink("p.run") + unlink("p.csv"), 0);
}

static void fails(const char *const *words, int status, const char *reason)
{
    outcome o = tool_run(words, "", 0);
    if (o.status != status || count_lines(o.err.data) != 1 || !strstr(o.err.data, reason))
        fail_msg("status %d, \"%s\"; expected %d, %s", o.status, o.err.data, status, reason);
    outcome_free(&o);
}

static void damage_and_wrong_use_are_reported_in_a_line(void **state)
{
    (void)state;
    record_make("p.record");
    bytes whole = file_of("p.record");
    for (size_t size = 0; size < whole.size; size += 37) {
        file_put("p.record", whole.data, size);
        fails(WORDS("replay", "p.record", "--save", "p.run"), 1, "p.record: ");
        assert_int_equal(access("p.run", F_OK), -1);
    }
    for (size_t at = 8; at < whole.size; at += 41) { /* blocks have a hash */
        whole.data[at] ^= 1;
        file_put("p.record", whole.data, whole.size);
        fails(WORDS("replay", "p.record"), 1, "p.record: ");
        whole.data[at] ^= 1;
    }
    file_put("p.record", whole.data, whole.size);
    bytes_free(&whole);
    fails(WORDS("replay"), 2, "a record is missing: tact run --record FILE writes one");
    fails(WORDS("replay", "p.record", "q.record"), 2, "there must be one record");
    fails(WORDS("replay", "none.record"), 1, "none.record cannot be opened");
    fails(WORDS("replay", "p.record", "--limit", "x"), 2, "--limit needs a number of events");
    fails(WORDS("replay", "p.record", "--limit", "1", "--json"), 2, "--limit is for the table of events");
    fails(WORDS("replay", "p.record", "--save", "./p.record"), 2, "--save ./p.record would overwrite the record");
    fails(WORDS("replay", "p.record", "--fast"), 2, "there is no option --fast");
    fails(WORDS("replay", "p.record", "--json", "--save", "/dev/full"), 1, "/dev/full: ");
    file_put("s.json", scene, sizeof scene - 1);
    fails(WORDS("run", "s.json", "--record", "s.json"), 2, "--record s.json would overwrite the scene");
    fails(WORDS("run", "s.json", "--record", "none/a.record"), 1, "none/a.record: cannot be opened");
    fails(WORDS("run", "s.json", "--json", "--record", "/dev/full"), 1, "/dev/full: ");
    assert_int_equal(unlink("p.record") + unlink("s.json"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_replay_gives_the_events_and_the_motions_of_the_run),
        cmocka_unit_test(bodies_may_come_and_go),
        cmocka_unit_test(damage_and_wrong_use_are_reported_in_a_line),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
