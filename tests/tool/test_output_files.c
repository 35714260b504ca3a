/* Output files of the tool: complete under their name or absent, whatever ends the program. */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "tool/scene.h"

/* Two balls fly apart, with a state in every microsecond: some 100 MB of --states. */
static const char long_scene[] =
    "{\"end\":1,\"bodies\":[{\"shape\":{\"type\":\"sphere\",\"radius\":1},\"motion\":{\"velocity\":[-1,0,0]}},"
    "{\"shape\":{\"type\":\"sphere\",\"radius\":1},\"place\":{\"translate\":[3,0,0]}}]}";

/* The size of the file whose name begins so, or -1. */
static off_t size_of(const char *start)
{
    DIR *list = opendir(".");
    off_t size = -1;
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;) {
        struct stat info;
        if (strncmp(entry->d_name, start, strlen(start)) == 0 && stat(entry->d_name, &info) == 0)
            size = info.st_size;
    }
    assert_int_equal(closedir(list), 0);
    return size;
}

static bool says(const char *name, const char *text)
{
    const int file = open(name, O_RDONLY);
    assert_true(file >= 0);
    bytes all = file_read_all(file);
    (void)close(file);
    const bool same = strcmp(all.data, text) == 0;
    bytes_free(&all);
    return same;
}

static void signals_discard_what_is_not_complete(void **state)
{
    (void)state;
    static const char *const words[] = {"run", "a.json", "--states", "states", "--every", "1e-6", NULL};
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    file_put("a.json", long_scene, sizeof long_scene - 1);
    file_put("states", "before\n", 7);
    const int none = open("/dev/null", O_RDWR);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const pid_t child = tool_start(words, none, none, none);
        for (int wait = 0; size_of("states.") <= 0; wait++) {
            assert_true(wait < 10000);
            (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
        }
        assert_int_equal(kill(child, signals[i]), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        assert_int_equal(size_of("states."), -1);
        assert_true(says("states", "before\n"));
    }
    (void)close(none);
    assert_int_equal(unlink("states"), 0);
    assert_int_equal(unlink("a.json"), 0);
}

static void a_file_that_becomes_too_large_is_an_error(void **state)
{
    (void)state;
    static const char *const words[] = {"run", "a.json", "--states", "states", "--every", "1e-3", NULL};
    struct rlimit before, small;
    file_put("a.json", long_scene, sizeof long_scene - 1);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 16384;
    const int none = open("/dev/null", O_RDWR), err = file_with("", 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const int status = tool_wait(tool_start(words, none, none, err));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    bytes said = file_read_all(err);
    assert_int_equal(status, 1);
    assert_int_equal(count_lines(said.data), 1);
    assert_non_null(strstr(said.data, "states: cannot be written: "));
    assert_non_null(strstr(said.data, strerror(EFBIG)));
    assert_int_equal(size_of("states"), -1);
    bytes_free(&said);
    (void)close(err);
    (void)close(none);
    assert_int_equal(unlink("a.json"), 0);
}

/* Runs `tact run a.json` with an option, in a copy of which a second output fails. */
static void every_output_is_complete_or_unchanged(void **state)
{
    (void)state;
    static const char *const options[] = {"--out", "--states", "--save"};
    if (access("/dev/full", W_OK) != 0)
        skip();
    static const char scene[] = "{\"end\":1,\"bodies\":[{\"shape\":{\"type\":\"sphere\",\"radius\":1}}]}";
    file_put("a.json", scene, sizeof scene - 1);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const bool is_states = strcmp(options[i], "--states") == 0;
        const char *const words[] = {"run",       "a.json",  options[i], "file", is_states ? "--out" : "--states",
                                     "/dev/full", "--every", "1",        NULL};
        file_put("file", "before\n", 7);
        assert_int_equal(chmod("file", 0640), 0);
        outcome o = tool_run(words, "", 0);
        /* an empty list of events fills no disk, and is complete before the states are */
        assert_int_equal(o.status, is_states ? 0 : 1);
        assert_true(says("file", "before\n") == (strcmp(options[i], "--save") == 0));
        outcome_free(&o);
        const char *const good[] = {"run", "a.json", options[i], "file", "--every", "1", NULL};
        const char *const plain[] = {"run", "a.json", options[i], "file", NULL};
        o = tool_run(is_states ? good : plain, "", 0);
        assert_int_equal(o.status, 0);
        assert_false(says("file", "before\n"));
        outcome_free(&o);
        struct stat info;
        assert_int_equal(stat("file", &info), 0);
        assert_int_equal(info.st_mode & 0777, 0640);
        assert_int_equal(size_of("file."), -1);
        assert_int_equal(unlink("file"), 0);
    }
    assert_int_equal(unlink("a.json"), 0);
}

/* Pairs of triangles below, and bytes that do not hold their contacts. */
#define TRIANGLES 300
#define FEW_BYTES 4096

/* Triangles beside each other, with one above or below each. */
static void pairs_put(const char *name, double height)
{
    bytes text = {NULL, 0, 0};
    char line[200];
    for (int i = 0; i < TRIANGLES; i++) {
        (void)snprintf(line, sizeof line,
                       "v %d 0 0\nv %d.5 0 0\nv %d 0.5 0\nv %d.1 0.1 %g\nv %d.2 0.1 %g\nv %d.1 0.2 %g\n", i, i, i, i,
                       height, i, height, i, height);
        bytes_say(&text, line);
    }
    for (int i = 0; i < 2 * TRIANGLES; i++) {
        (void)snprintf(line, sizeof line, "f %d %d %d\n", 3 * i + 1, 3 * i + 2, 3 * i + 3);
        bytes_say(&text, line);
    }
    file_put(name, text.data, text.size);
    bytes_free(&text);
}

static void contacts_are_complete_or_unchanged(void **state)
{
    (void)state;
    static const char *const words[][7] = {{"ccd", "a.obj", "b.obj", "--pairs", "pairs", NULL},
                                           {"play", "a.obj", "[ab].obj", "--pairs", "pairs", NULL}};
    pairs_put("a.obj", 1.0);
    pairs_put("b.obj", -1.0);
    for (int i = 0; i < 2; i++) {
        struct rlimit limit, none;
        assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
        none = limit;
        none.rlim_cur = FEW_BYTES;
        file_put("pairs", "before\n", 7);
        const int nothing = open("/dev/null", O_RDWR);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
        const int status = tool_wait(tool_start(words[i], nothing, nothing, nothing));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(status, 1);
        assert_true(says("pairs", "before\n"));
        outcome o = tool_run(words[i], "", 0);
        assert_int_equal(o.status, 0);
        assert_false(says("pairs", "before\n"));
        outcome_free(&o);
        (void)close(nothing);
        assert_int_equal(size_of("pairs."), -1);
    }
    assert_int_equal(unlink("pairs"), 0);
    assert_int_equal(unlink("a.obj"), 0);
    assert_int_equal(unlink("b.obj"), 0);
}

/* A file that is standard output, too, has one position: neither overwrites the other. */
static void standard_output_is_shared(void **state)
{
    (void)state;
    static const char scene[] = "{\"end\":1,\"bodies\":[{\"shape\":{\"type\":\"sphere\",\"radius\":1}}]}";
    static const char *const words[] = {"run", "-", "--states", "/dev/stdout", "--every", "1", NULL};
    if (access("/dev/stdout", W_OK) != 0)
        skip();
    outcome o = tool_run(words, scene, sizeof scene - 1);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "{\"t\":0,"));
    assert_non_null(strstr(o.out.data, "{\"t\":1,"));
    assert_non_null(strstr(o.out.data, "2 states in /dev/stdout"));
    outcome_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_discard_what_is_not_complete),
        cmocka_unit_test(a_file_that_becomes_too_large_is_an_error),
        cmocka_unit_test(every_output_is_complete_or_unchanged),
        cmocka_unit_test(contacts_are_complete_or_unchanged),
        cmocka_unit_test(standard_output_is_shared),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
