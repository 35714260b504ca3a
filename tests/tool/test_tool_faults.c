/*
 * The tool where the world around it fails: a full disk, a reader that has gone, folders that cannot be written, input
 * files that end too early. Each is one line on stderr and exit status 1, and leaves no part of a file.
 */
#define _XOPEN_SOURCE 700

#include <dirent.h>
#include <errno.h>
#include <signal.h>

#include "tool/scene.h"

static const char scene_text[] =
    "{\"end\":1,\"bodies\":[{" BALL "," SPEED(4) "},{" BALL "," AT(3) "},{" BALL "," AT(6) "}]}";
static const char request[] =
    "{\"op\":\"distance\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"b\":{\"type\":\"point\",\"points\":[[3,0,0]]}}\n";
static const char first[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\nf 4 5 6\n";
static const char second[] = "v 0 0 1\nv 1 0 1\nv 0 1 1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n";

static void put_inputs(void)
{
    static const char *const save[] = {"run", "scene.json", "--save", "a.run", NULL};
    file_put("scene.json", scene_text, sizeof scene_text - 1);
    file_put("a.jsonl", request, sizeof request - 1);
    file_put("a.obj", first, sizeof first - 1);
    file_put("b.obj", second, sizeof second - 1);
    outcome o = tool_run(save, "", 0);
    assert_int_equal(o.status, 0);
    outcome_free(&o);
}

static void remove_inputs(void)
{
    static const char *const names[] = {"scene.json", "a.jsonl", "a.obj", "b.obj", "a.run"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(unlink(names[i]), 0);
}

static int count_files(const char *name)
{
    DIR *list = opendir(name);
    int count = 0;
    assert_non_null(list);
    while (readdir(list) != NULL)
        count++;
    assert_int_equal(closedir(list), 0);
    return count - 2;
}

enum { WORDS = 8 };

/* Commands that write to standard output. */
static const char *const printing[][WORDS] = {
    {"--help", NULL},
    {"--version", NULL},
    {"help", "query", NULL},
    {"doctor", NULL},
    {"doctor", "--json", NULL},
    {"query", "a.jsonl", NULL},
    {"query", "--parts", "a.jsonl", NULL},
    {"run", "scene.json", NULL},
    {"run", "scene.json", "--json", NULL},
    {"check", "a.obj", NULL},
    {"check", "a.obj", "b.obj", "--json", NULL},
    {"ccd", "a.obj", "b.obj", NULL},
    {"ccd", "a.obj", "b.obj", "--json", NULL},
    {"play", "a.obj", "[ab].obj", NULL},
    {"play", "a.obj", "[ab].obj", "--json", NULL},
};

/* Commands that write a file, whose name is the last word. */
static const char *const writing[][WORDS] = {
    {"run", "scene.json", "--out", NULL},
    {"run", "scene.json", "--every", "0.1", "--states", NULL},
    {"run", "scene.json", "--save", NULL},
    {"check", "a.obj", "--save", NULL},
    {"ccd", "a.obj", "b.obj", "--pairs", NULL},
    {"ccd", "a.obj", "b.obj", "--save", NULL},
    {"play", "a.obj", "[ab].obj", "--pairs", NULL},
    {"play", "a.obj", "[ab].obj", "--save", NULL},
    {"export", "a.run", "-o", NULL},
};

/* One line on stderr, which is not empty. */
static void require_one_line(const char *const *words, int status, int wanted, const char *text)
{
    if (status != wanted || count_lines(text) != 1 || strlen(text) < 10)
        fail_msg("tact %s %s %s: status %d, stderr '%s'", words[0], words[1] != NULL ? words[1] : "",
                 words[1] != NULL && words[2] != NULL ? words[2] : "", status, text);
}

static void a_full_standard_output_is_an_error(void **state)
{
    (void)state;
    const int full = open("/dev/full", O_WRONLY), none = open("/dev/null", O_RDONLY);
    if (full < 0)
        skip();
    put_inputs();
    for (size_t i = 0; i < sizeof printing / sizeof *printing; i++) {
        const int err = file_with("", 0);
        const int status = tool_wait(tool_start(printing[i], none, full, err));
        bytes said = file_read_all(err);
        require_one_line(printing[i], status, 1, said.data);
        if (strstr(said.data, strerror(ENOSPC)) == NULL)
            fail_msg("no reason: '%s'", said.data);
        bytes_free(&said);
        (void)close(err);
    }
    (void)close(full);
    (void)close(none);
    remove_inputs();
}

/* The signal ends the program, as it ends any other, or status 1 does where the signal is ignored. */
static void a_reader_that_has_gone_ends_the_program(void **state)
{
    (void)state;
    put_inputs();
    const int none = open("/dev/null", O_RDONLY);
    for (int ignored = 0; ignored < 2; ignored++)
        for (size_t i = 0; i < sizeof printing / sizeof *printing; i++) {
            int ends[2];
            assert_int_equal(pipe(ends), 0);
            (void)close(ends[0]);
            const int err = file_with("", 0);
            void (*const before)(int) = signal(SIGPIPE, ignored ? SIG_IGN : SIG_DFL);
            const pid_t child = tool_start(printing[i], none, ends[1], err);
            (void)signal(SIGPIPE, before);
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            bytes said = file_read_all(err);
            const bool by_signal = WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && said.size == 0;
            if (ignored || !by_signal)
                require_one_line(printing[i], WIFEXITED(status) ? WEXITSTATUS(status) : -1, 1, said.data);
            bytes_free(&said);
            (void)close(err);
            (void)close(ends[1]);
        }
    (void)close(none);
    remove_inputs();
}

/* Runs each command of `writing` with this name of its output. */
static void cannot_be_written(const char *name)
{
    for (size_t i = 0; i < sizeof writing / sizeof *writing; i++) {
        const char *words[WORDS];
        char output[100];
        size_t n = 0;
        for (; writing[i][n] != NULL; n++)
            words[n] = writing[i][n];
        const bool export = strcmp(words[0], "export") == 0;
        (void)snprintf(output, sizeof output, "%s%s", name, export && strstr(name, "/dev/") == NULL ? ".csv" : "");
        if (export && strcmp(output, name) == 0)
            continue; /* its name has the format */
        words[n++] = output;
        words[n] = NULL;
        outcome o = tool_run(words, "", 0);
        require_one_line(words, o.status, 1, o.err.data);
        if (strstr(o.err.data, output) == NULL)
            fail_msg("no name: '%s'", o.err.data);
        outcome_free(&o);
    }
}

static void outputs_that_cannot_be_written_leave_nothing(void **state)
{
    (void)state;
    put_inputs();
    assert_int_equal(mkdir("closed", 0700), 0);
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(mkdir("folder.csv", 0700), 0);
    assert_int_equal(chmod("closed", 0500), 0);
    const int before = count_files(".");
    if (geteuid() != 0) /* root may write there */
        cannot_be_written("closed/file");
    cannot_be_written("absent/file");
    cannot_be_written("folder");
    cannot_be_written("a.obj/file");
    if (access("/dev/full", W_OK) == 0)
        cannot_be_written("/dev/full");
    assert_int_equal(count_files("."), before);
    assert_int_equal(count_files("closed"), 0);
    assert_int_equal(count_files("folder"), 0);
    assert_int_equal(rmdir("closed"), 0);
    assert_int_equal(rmdir("folder"), 0);
    assert_int_equal(rmdir("folder.csv"), 0);
    remove_inputs();
}

/* ---- files that end too early ---- */

/* An input file of a command. */
typedef struct input {
    const char *source; /* in the repository; "": made by put_inputs */
    const char *name;
    const char *words[WORDS];
    bool lines; /* any beginning may be a whole file */
} input;

static const input inputs[] = {
    {"", "scene.json", {"run", "scene.json"}, false},
    {"", "a.obj", {"check", "a.obj"}, true},
    {"", "a.run", {"export", "a.run", "-o", "made.csv"}, false},
    {"/fuzz/corpus/mesh_file/ascii.ply", "a.ply", {"check", "a.ply"}, false},
    {"/fuzz/corpus/mesh_file/little.ply", "a.ply", {"check", "a.ply"}, false},
    {"/fuzz/corpus/mesh_file/big.ply", "a.ply", {"check", "a.ply"}, false},
    {"/fuzz/corpus/mesh_file/strips.ply", "a.ply", {"check", "a.ply"}, false},
    {"/fuzz/corpus/mesh_file/text.stl", "a.stl", {"check", "a.stl"}, false},
    {"/fuzz/corpus/mesh_file/binary.stl", "a.stl", {"check", "a.stl"}, false},
    {"/fuzz/corpus/scene/nurbs.json", "b.json", {"run", "b.json"}, false},
    {"/fuzz/corpus/scene/plan.json", "b.json", {"run", "b.json"}, false},
};

static bytes read_file(const char *name)
{
    const int file = open(name, O_RDONLY);
    if (file < 0)
        fail_msg("%s cannot be read", name);
    bytes all = file_read_all(file);
    (void)close(file);
    return all;
}

/* Some 12 lengths: the first bytes, then evenly spaced, then the last ones. */
static size_t cut_at(size_t size, int i)
{
    return i < 4 ? (size_t)i : i < 9 ? size * (size_t)(i - 3) / 6 : size - (size_t)(13 - i);
}

static void files_that_end_early_are_named(void **state)
{
    (void)state;
    int refused = 0, accepted = 0;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        const input *in = &inputs[i];
        char path[1000];
        (void)snprintf(path, sizeof path, "%s%s", TACT_REPOSITORY, in->source);
        put_inputs();
        bytes all = read_file(in->source[0] != '\0' ? path : in->name);
        for (int k = 0; k < 13; k++) {
            const size_t size = cut_at(all.size, k);
            if (size >= all.size)
                continue;
            file_put(in->name, all.data, size);
            outcome o = tool_run(in->words, "", 0);
            if (o.status != 0) {
                require_one_line(in->words, o.status, 1, o.err.data);
                if (strstr(o.err.data, in->name) == NULL)
                    fail_msg("no name: '%s'", o.err.data);
                assert_int_equal(access("made.csv", F_OK), -1);
                refused++;
            } else {
                (void)unlink("made.csv");
                accepted++;
                /* white space at the end, or the name behind the last word of an STL file */
                if (!in->lines && size + 6 < all.size)
                    fail_msg("%s cut at %zu of %zu is accepted", in->source, size, all.size);
            }
            outcome_free(&o);
        }
        bytes_free(&all);
        if (in->source[0] != '\0')
            assert_int_equal(unlink(in->name), 0);
        put_inputs();
        remove_inputs();
    }
    assert_true(refused > 100 && accepted > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_standard_output_is_an_error),
        cmocka_unit_test(a_reader_that_has_gone_ends_the_program),
        cmocka_unit_test(outputs_that_cannot_be_written_leave_nothing),
        cmocka_unit_test(files_that_end_early_are_named),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
