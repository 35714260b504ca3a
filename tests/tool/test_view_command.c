/*
 * Runs (--save) and `tact view`. Motions in a run are evaluated here with rotation matrices and compared with the
 * states that the tool samples; contacts of vertices are compared with --pairs. Pages are compared with the runs that
 * they hold.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>

#include "tool/folder.h"

/* Relative to the size of a scene of about 10: floats of velocities over the longest motion, and the tolerance within
 * which a motion continues the one before. */
#define POSITION_ERROR 3e-5
#define ROTATION_ERROR 1e-5

#define MAX_BODIES 1024
#define NO_BODY 0xFFFFFFFFu

/* ---- reading runs ---- */

typedef struct motion {
    double time, pivot[3], origin[3], velocity[3], acceleration[3], spin[3], rotation[9];
    int begun;
} motion;

typedef struct run_data {
    bytes file;
    size_t at; /* of the next block */
    size_t bodies, motions, events, keys;
    double linear[MAX_BODIES][9]; /* columns: where the axes of a body are at the start */
    motion now[MAX_BODIES];
    double (*event)[3]; /* time, kind, point.x */
} run_data;

static uint32_t u32_at(const run_data *r, size_t at)
{
    uint32_t value = 0;
    assert_true(at + 4 <= r->file.size);
    for (int i = 3; i >= 0; i--)
        value = value << 8 | (unsigned char)r->file.data[at + (size_t)i];
    return value;
}

static double f32_at(const run_data *r, size_t at)
{
    const uint32_t bits = u32_at(r, at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double f64_at(const run_data *r, size_t at)
{
    const uint64_t bits = u32_at(r, at) | (uint64_t)u32_at(r, at + 4) << 32;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static run_data run_open(const char *path)
{
    run_data r;
    memset(&r, 0, sizeof r);
    const int file = open(path, O_RDONLY);
    assert_true(file >= 0);
    r.file = file_read_all(file);
    (void)close(file);
    assert_memory_equal(r.file.data, "tactrun\n", 8);
    assert_int_equal(u32_at(&r, 8), 1);
    r.at = 16 + u32_at(&r, 12);
    assert_int_equal(r.at % 8, 0);
    return r;
}

/* a = exp([w] t) a, by Rodrigues' formula. */
static void matrix_turn(double a[9], const double w[3], double t)
{
    const double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), angle = speed * t;
    if (angle == 0.0)
        return;
    const double x = w[0] / speed, y = w[1] / speed, z = w[2] / speed, s = sin(angle), c = cos(angle), d = 1.0 - c;
    const double m[9] = {c + x * x * d,     y * x * d + z * s, z * x * d - y * s, x * y * d - z * s, c + y * y * d,
                         z * y * d + x * s, x * z * d + y * s, y * z * d - x * s, c + z * z * d};
    for (int column = 0; column < 3; column++) {
        double *v = a + 3 * column;
        const double v0 = v[0], v1 = v[1], v2 = v[2];
        for (int row = 0; row < 3; row++)
            v[row] = m[row] * v0 + m[3 + row] * v1 + m[6 + row] * v2;
    }
}

static void motion_advance(motion *m, double time)
{
    const double t = time - m->time;
    for (int i = 0; i < 3; i++) {
        m->origin[i] += m->velocity[i] * t + 0.5 * m->acceleration[i] * t * t;
        m->velocity[i] += m->acceleration[i] * t;
    }
    matrix_turn(m->rotation, m->spin, t);
    m->time = time;
}

/* Reads 3 numbers if the field is there, and moves on. */
static void field_read(const run_data *r, uint32_t fields, uint32_t field, int wide, size_t *at, double *to)
{
    if (fields & field)
        for (int i = 0; i < 3; i++, *at += wide ? 8 : 4)
            to[i] = wide ? f64_at(r, *at) : f32_at(r, *at);
}

static void motion_read(run_data *r, uint32_t body, double time, uint32_t fields, size_t *wide, size_t *narrow)
{
    assert_true(body < r->bodies);
    motion *m = &r->now[body];
    if (!m->begun) {
        memset(m, 0, sizeof *m);
        m->time = time;
        m->rotation[0] = m->rotation[4] = m->rotation[8] = 1.0;
        m->begun = 1;
        assert_true(fields & 1);
    }
    assert_true(time >= m->time);
    motion_advance(m, time);
    field_read(r, fields, 1, 1, wide, m->origin);
    field_read(r, fields, 32, 1, wide, m->pivot);
    if (fields & 2) {
        const double x = f32_at(r, *narrow), y = f32_at(r, *narrow + 4), z = f32_at(r, *narrow + 8),
                     w = f32_at(r, *narrow + 12), n = 2.0 / (x * x + y * y + z * z + w * w);
        const double q[9] = {1 - n * (y * y + z * z), n * (x * y + z * w),     n * (x * z - y * w),
                             n * (x * y - z * w),     1 - n * (x * x + z * z), n * (y * z + x * w),
                             n * (x * z + y * w),     n * (y * z - x * w),     1 - n * (x * x + y * y)};
        memcpy(m->rotation, q, sizeof q);
        *narrow += 16;
    }
    memset(m->velocity, 0, sizeof m->velocity);
    memset(m->spin, 0, sizeof m->spin);
    field_read(r, fields, 4, 0, narrow, m->velocity);
    field_read(r, fields, 8, 0, narrow, m->acceleration);
    field_read(r, fields, 16, 0, narrow, m->spin);
}

/* Where reading goes on. */
typedef struct motion_cursor {
    size_t block, next; /* content of a block MOTN; 0: none. Its next motion */
    uint32_t count;
    size_t wide, narrow;
} motion_cursor;

/* Reads blocks up to the first motion after `until`. Returns 0 at the end. */
static int motions_until(run_data *r, motion_cursor *c, double until)
{
    for (;;) {
        while (c->block == 0 || c->next == c->count) {
            if (r->at >= r->file.size)
                return 0;
            const size_t content = r->at + 16;
            const uint32_t count = u32_at(r, r->at + 4);
            const char *type = r->file.data + r->at;
            r->at = content + u32_at(r, r->at + 8);
            assert_int_equal(r->at % 8, 0);
            if (memcmp(type, "BODY", 4) == 0) {
                const size_t transforms = content + 8 + u32_at(r, content);
                for (uint32_t i = 0; i < count; i++)
                    for (int k = 0; k < 9; k++)
                        r->linear[r->bodies + i][k] = f64_at(r, transforms + 96 * (size_t)i + 8 * (size_t)k);
                r->bodies += count;
            } else if (memcmp(type, "EVNT", 4) == 0) {
                r->event = realloc(r->event, (r->events + count) * sizeof *r->event);
                for (uint32_t i = 0; i < count; i++) {
                    r->event[r->events + i][0] = f64_at(r, content + 8 * (size_t)i);
                    r->event[r->events + i][1] = u32_at(r, content + 8 * (size_t)count + 4 * (size_t)i) & 0xFF;
                    r->event[r->events + i][2] = f32_at(r, content + 20 * (size_t)count + 28 * (size_t)i);
                }
                r->events += count;
            } else if (memcmp(type, "KEYS", 4) == 0) {
                r->keys++;
            } else if (memcmp(type, "MOTN", 4) == 0) {
                *c = (motion_cursor){content, 0, count, content + 8 + 8 * (size_t)count, 0};
                c->narrow = c->wide + 8 * (size_t)u32_at(r, content) + 8 * (size_t)count;
                assert_true(c->narrow + 4 * (size_t)u32_at(r, content + 4) <= r->at);
                r->motions += count;
            }
        }
        const double time = f64_at(r, c->block + 8 + 8 * c->next);
        if (time > until)
            return 1;
        const size_t bodies = c->block + 8 + 8 * (size_t)c->count + 8 * (size_t)u32_at(r, c->block);
        motion_read(r, u32_at(r, bodies + 4 * c->next), time, u32_at(r, bodies + 4 * (size_t)c->count + 4 * c->next),
                    &c->wide, &c->narrow);
        c->next++;
    }
}

static void run_close(run_data *r)
{
    bytes_free(&r->file);
    free(r->event);
}

/* ---- motions ---- */

static const char *numbers_after(const char *text, const char *key, double *numbers, int count)
{
    const char *found = strstr(text, key);
    assert_non_null(found);
    found += strlen(key);
    for (int i = 0; i < count; i++) {
        char *end;
        numbers[i] = strtod(found, &end);
        found = end + 1;
    }
    return found;
}

/* Compares where a body is in a run with a state; columns of the rotation are directions of the axes. */
static void body_compare(const run_data *r, size_t body, double time, const double translate[3], const double q[4])
{
    motion m = r->now[body];
    const double *linear = r->linear[body];
    assert_true(m.begun);
    motion_advance(&m, time);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double expected[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                                2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                                2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    double origin[3] = {m.origin[0], m.origin[1], m.origin[2]};
    for (int k = 0; k < 3; k++) {
        const double *axis = linear + 3 * k;
        const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
        for (int row = 0; row < 3; row++) {
            const double turned =
                m.rotation[row] * axis[0] + m.rotation[3 + row] * axis[1] + m.rotation[6 + row] * axis[2];
            origin[row] -= turned * m.pivot[k];
            if (fabs(turned / length - expected[3 * k + row]) > ROTATION_ERROR)
                fail_msg("body %zu at t = %.17g: axis %d has %.9g, not %.9g", body, time, k, turned / length,
                         expected[3 * k + row]);
        }
    }
    for (int i = 0; i < 3; i++)
        if (fabs(origin[i] - translate[i]) > POSITION_ERROR)
            fail_msg("body %zu at t = %.17g: coordinate %d is %.9g, not %.9g", body, time, i, origin[i], translate[i]);
}

/* Ends each line of a text with a zero instead of a newline: searching in a line then does not read the whole text. */
static void lines_split(bytes *text)
{
    for (size_t i = 0; i < text->size; i++)
        text->data[i] = text->data[i] == '\n' ? '\0' : text->data[i];
}

/* Runs a scene, and compares its run with its states and events. Returns the number of compared poses. */
static size_t scene_compare(const char *scene, const char *every)
{
    const char *const words[] = {"run",     scene, "--out",  "events.jsonl", "--states", "states.jsonl",
                                 "--every", every, "--save", "scene.run",    NULL};
    outcome o = tool_run(words, "", 0);
    if (o.status != 0 || o.err.size != 0)
        fail_msg("%s: status %d, %s", scene, o.status, o.err.data);
    outcome_free(&o);
    int file = open("states.jsonl", O_RDONLY);
    bytes states = file_read_all(file);
    (void)close(file);
    file = open("events.jsonl", O_RDONLY);
    bytes events = file_read_all(file);
    (void)close(file);
    run_data *r = malloc(sizeof *r);
    assert_non_null(r);
    *r = run_open("scene.run");
    motion_cursor cursor = {0, 0, 0, 0, 0};
    size_t compared = 0, event_count = count_lines(events.data);
    lines_split(&states);
    lines_split(&events);
    for (const char *line = states.data; *line; line += strlen(line) + 1) {
        double time, translate[3], rotate[4];
        const char *at = numbers_after(line, "\"t\":", &time, 1);
        (void)motions_until(r, &cursor, time);
        for (size_t i = 0; i < r->bodies; i++, compared++) {
            at = numbers_after(at, "\"translate\":[", translate, 3);
            at = numbers_after(at, "\"rotate\":[", rotate, 4);
            body_compare(r, i, time, translate, rotate);
        }
    }
    assert_int_equal(motions_until(r, &cursor, INFINITY), 0);
    assert_int_equal(r->events, event_count);
    size_t i = 0;
    for (const char *line = events.data; *line; line += strlen(line) + 1, i++) {
        double time, point[3];
        (void)numbers_after(line, "\"t\":", &time, 1);
        assert_true(r->event[i][0] == time);
        if (strstr(line, "\"kind\":\"touch\"") == strstr(line, "\"kind\":")) {
            (void)numbers_after(line, "\"point\":[", point, 3);
            assert_true(r->event[i][1] == 1.0 && fabs(r->event[i][2] - point[0]) <= 1e-6 * (1.0 + fabs(point[0])));
        }
    }
    run_close(r);
    free(r);
    bytes_free(&states);
    bytes_free(&events);
    assert_int_equal(unlink("states.jsonl") + unlink("events.jsonl") + unlink("scene.run"), 0);
    return compared;
}

static void a_run_gives_the_states_of_all_times(void **state)
{
    (void)state;
    static const char *const scenes[] = {"billiards", "cradle", "stack", "ground", "mixed", "spheres"};
    size_t compared = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char path[1000];
        (void)snprintf(path, sizeof path, "%s/examples/scenes/%s.json", TACT_REPOSITORY, scenes[i]);
        compared += scene_compare(path, "0.0371");
    }
    assert_true(compared > 20000);
}

static void pivots_scales_and_planned_motions_are_in_a_run(void **state)
{
    (void)state;
    static const char scene[] =
        "{\"end\":4,\"bodies\":["
        "{\"shape\":{\"type\":\"box\",\"size\":[1,2,3]},\"place\":{\"translate\":[1,2,3],\"rotate\":[1,2,3,4],"
        "\"scale\":[2,0.5,3]},\"motion\":{\"velocity\":[1,0,-1],\"acceleration\":[0.1,0.2,0],\"spin\":[1,2,0.5],"
        "\"pivot\":[0.5,-1,2]},\"motion_plan\":[{\"at\":1.5,\"motion\":{\"spin\":[0,1,0]}},"
        "{\"at\":3,\"motion\":{\"velocity\":[0,5,0],\"pivot\":[1,0,0],\"spin\":[0,0,-7]}}]},"
        "{\"shape\":{\"type\":\"cone\",\"radius\":1,\"height\":3},\"place\":{\"translate\":[20,0,0]},\"mass\":2,"
        "\"motion\":{\"velocity\":[0,1,0],\"spin\":[9,0.1,0.1]}}]}";
    file_put("scene.json", scene, sizeof scene - 1);
    assert_int_equal(scene_compare("scene.json", "0.1"), 82);
    assert_int_equal(unlink("scene.json"), 0);
}

/* ---- pages ---- */

#define BEFORE "<html><title>viewer</title>"
#define AFTER "<p>after</p>"

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* The bytes of base64 text up to a '<'. */
static bytes base64_read(const char *text)
{
    bytes all = {NULL, 0, 0};
    uint32_t bits = 0;
    int count = 0;
    bytes_add(&all, "", 0);
    for (; *text && *text != '<' && *text != '='; text++) {
        assert_true(base64_digit(*text) >= 0);
        bits = bits << 6 | (uint32_t)base64_digit(*text);
        count += 6;
        if (count >= 8) {
            count -= 8;
            const char byte = (char)(bits >> count & 0xFF);
            bytes_add(&all, &byte, 1);
        }
    }
    return all;
}

static void a_page_holds_the_runs(void **state)
{
    (void)state;
    static const char viewer[] = BEFORE "<!-- tact runs -->" AFTER;
    static const char scene[] = "{\"end\":1,\"bodies\":[{\"shape\":{\"type\":\"sphere\",\"radius\":1}}]}";
    file_put("viewer.html", viewer, sizeof viewer - 1);
    assert_int_equal(setenv("TACT_VIEWER", "viewer.html", 1), 0);
    outcome o = tool_run((const char *const[]){"run", "-", "--save", "a \"<b>.run", "--view", "direct.html", NULL},
                         scene, sizeof scene - 1);
    assert_int_equal(o.status, 0);
    outcome_free(&o);
    o = tool_run((const char *const[]){"view", "a \"<b>.run", "a \"<b>.run", "-o", "page.html", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    assert_string_equal(o.out.data, "page.html\n");
    outcome_free(&o);
    int file = open("a \"<b>.run", O_RDONLY);
    bytes run = file_read_all(file);
    (void)close(file);
    file = open("page.html", O_RDONLY);
    bytes page = file_read_all(file);
    (void)close(file);
    static const char start[] = "<script type=\"application/x-tact-run\" data-name=\"a &quot;&lt;b&gt;.run\">";
    assert_memory_equal(page.data, BEFORE, strlen(BEFORE));
    assert_string_equal(page.data + page.size - strlen(AFTER), AFTER);
    const char *at = page.data;
    for (int i = 0; i < 2; i++) {
        at = strstr(at, start);
        assert_non_null(at);
        at += strlen(start);
        bytes held = base64_read(at);
        assert_int_equal(held.size, run.size);
        assert_memory_equal(held.data, run.data, run.size);
        bytes_free(&held);
    }
    assert_null(strstr(at, "<script type=\"application/x-tact-run\""));
    bytes_free(&page);
    file = open("direct.html", O_RDONLY);
    page = file_read_all(file);
    (void)close(file);
    at = strstr(page.data, "\">");
    assert_non_null(at);
    bytes held = base64_read(at + 2);
    assert_int_equal(held.size, run.size);
    assert_memory_equal(held.data, run.data, run.size);
    bytes_free(&held);
    bytes_free(&page);
    bytes_free(&run);
    assert_int_equal(unlink("page.html") + unlink("direct.html") + unlink("a \"<b>.run") + unlink("viewer.html"), 0);
    assert_int_equal(unsetenv("TACT_VIEWER"), 0);
}

/* Runs the tool, which must fail with this status and one line that contains `reason`. */
static void fails(const char *const *words, int status, const char *reason)
{
    outcome o = tool_run(words, "", 0);
    if (o.status != status || o.out.size != 0 || count_lines(o.err.data) != 1 || !strstr(o.err.data, reason))
        fail_msg("status %d, out \"%s\", err \"%s\"; expected %d, %s", o.status, o.out.data, o.err.data, status,
                 reason);
    outcome_free(&o);
}

static void wrong_use_and_bad_files_are_reported_in_a_line(void **state)
{
    (void)state;
    static const char viewer[] = "<!-- tact runs -->", scene[] = "{\"end\":1,\"bodies\":[]}";
    assert_int_equal(setenv("TACT_VIEWER", "none.html", 1), 0);
    file_put("a.json", scene, sizeof scene - 1);
    fails((const char *const[]){"view", "a.run", NULL}, 1, "none.html: cannot be opened");
    fails((const char *const[]){"run", "a.json", "--view", "a.html", NULL}, 1, "none.html: cannot be opened");
    file_put("none.html", "<html>", 6);
    outcome o = tool_run((const char *const[]){"run", "a.json", "--save", "a.run", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    outcome_free(&o);
    fails((const char *const[]){"view", "a.run", NULL}, 1, "is not the viewer");
    file_put("none.html", viewer, sizeof viewer - 1);
    fails((const char *const[]){"view", NULL}, 2, "a run is missing");
    fails((const char *const[]){"view", "a.run", "a.run", NULL}, 2, "-o FILE.html");
    fails((const char *const[]){"view", "a.run", "-o", NULL}, 2, "-o needs the name");
    fails((const char *const[]){"view", "a.run", "-o", "a.run", NULL}, 2, "would overwrite");
    fails((const char *const[]){"view", "b.run", NULL}, 1, "b.run: cannot be opened");
    fails((const char *const[]){"view", "a.json", NULL}, 1, "a.json: is not a run");
    fails((const char *const[]){"run", "a.json", "--save", "a.json", NULL}, 2, "would overwrite the scene");
    fails((const char *const[]){"run", "a.json", "--save", "a.run", "--view", "./a.run", NULL}, 2, "same file");
    fails((const char *const[]){"run", "a.json", "--save", "none/a.run", NULL}, 1, "none/a.run: cannot be opened");
    fails((const char *const[]){"run", "a.json", "--json", "--save", "/dev/full", NULL}, 1,
          "/dev/full: cannot be written");
    /* the first write fails long before the last one: its reason is still known */
    static char page[1 << 16];
    memset(page, ' ', sizeof page);
    memcpy(page + sizeof page / 2, viewer, sizeof viewer - 1);
    file_put("none.html", page, sizeof page);
    fails((const char *const[]){"view", "a.run", "-o", "/dev/full", NULL}, 1, strerror(ENOSPC));
    fails((const char *const[]){"run", "a.json", "--json", "--view", "/dev/full", NULL}, 1, strerror(ENOSPC));
    file_put("none.html", viewer, sizeof viewer - 1);
    /* every truncation is noticed, and so are bytes after the end */
    run_data whole = run_open("a.run");
    for (size_t size = 0; size < whole.file.size; size += 7) {
        file_put("a.run", whole.file.data, size);
        fails((const char *const[]){"view", "a.run", NULL}, 1, size < 16 ? "is not a run" : "is truncated");
    }
    bytes_add(&whole.file, "more", 4);
    file_put("a.run", whole.file.data, whole.file.size);
    fails((const char *const[]){"view", "a.run", NULL}, 1, "something follows");
    run_close(&whole);
    assert_int_equal(access("a.html", F_OK), -1);
    assert_int_equal(unlink("a.run") + unlink("a.json") + unlink("none.html"), 0);
    assert_int_equal(unsetenv("TACT_VIEWER"), 0);
}

/* The names of the tabs of a page. */
static int names_count(const char *page, const char *const *names, int count)
{
    static const char start[] = "<script type=\"application/x-tact-run\" data-name=\"";
    int found = 0;
    for (const char *at = page; (at = strstr(at, start)); found++) {
        at += sizeof start - 1;
        if (found < count && strncmp(at, names[found], strlen(names[found])) != 0)
            fail_msg("tab %d is not \"%s\" but \"%.30s\"", found, names[found], at);
    }
    return found;
}

static void answered_requests_are_on_a_page(void **state)
{
    (void)state;
    static const char viewer[] = BEFORE "<!-- tact runs -->" AFTER;
    static const char requests[] =
        "{\"op\":\"distance\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"b\":{\"type\":\"point\",\"points\":[[3,0,0]]}}"
        "\n"
        "{\"op\":\"distance\"}\n"
        "{\"op\":\"toi\",\"a\":{\"type\":\"sphere\",\"radius\":1,\"motion\":{\"velocity\":[8,0,0]}},"
        "\"b\":{\"type\":\"point\",\"points\":[[3,0,0]]}}\n"
        "{\"op\":\"ray\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"from\":[0,5,0],\"dir\":[0,1,0]}\n";
    static const char *const names[] = {"1 distance 2\"", "2 toi 0.25\"", "3 ray none\""};
    file_put("viewer.html", viewer, sizeof viewer - 1);
    assert_int_equal(setenv("TACT_VIEWER", "viewer.html", 1), 0);
    outcome o = tool_run((const char *const[]){"query", "--view", "page.html", NULL}, requests, sizeof requests - 1);
    assert_int_equal(o.status, 1); /* one request is invalid */
    assert_int_equal(count_lines(o.out.data), 4);
    outcome_free(&o);
    int file = open("page.html", O_RDONLY);
    bytes page = file_read_all(file);
    (void)close(file);
    assert_int_equal(names_count(page.data, names, 3), 3);
    bytes_free(&page);
    /* rays that miss: a half-space, which has no bounds, and a tiny direction */
    static const char rays[] =
        "{\"op\":\"ray\",\"a\":{\"type\":\"halfspace\",\"normal\":[0,1,0],\"offset\":0},\"from\":[0,1,0],\"dir\":[0,1,"
        "0]}\n"
        "{\"op\":\"ray\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"from\":[5,0,0],\"dir\":[1e-320,0,0]}\n"
        "{\"op\":\"ray\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"from\":[5,0,0],\"dir\":[1e308,1e308,0]}\n";
    o = tool_run((const char *const[]){"query", "--view", "page.html", NULL}, rays, sizeof rays - 1);
    assert_string_equal(o.err.data, "");
    assert_int_equal(o.status, 0);
    outcome_free(&o);
    /* more than fit on a page */
    bytes many = {NULL, 0, 0};
    for (int i = 0; i < 130; i++)
        bytes_add(&many, requests, strcspn(requests, "\n") + 1);
    o = tool_run((const char *const[]){"query", "--view=page.html", NULL}, many.data, many.size);
    bytes_free(&many);
    assert_int_equal(o.status, 0);
    assert_int_equal(count_lines(o.out.data), 130);
    assert_string_equal(o.err.data, "page.html: shows the first 100 requests, not the 30 others\n");
    outcome_free(&o);
    file = open("page.html", O_RDONLY);
    page = file_read_all(file);
    (void)close(file);
    assert_int_equal(names_count(page.data, names, 1), 100);
    bytes_free(&page);
    fails((const char *const[]){"query", "--view", "p.html", "--ccd", "vf", NULL}, 2, "use the operations ccd_vf");
    fails((const char *const[]){"query", "--view", NULL}, 2, "--view needs the name");
    fails((const char *const[]){"query", "--view", "page.html", "page.html", NULL}, 2, "would overwrite the requests");
    fails((const char *const[]){"query", "--view", "p.html", NULL}, 1, "p.html: not written: no request was answered");
    fails((const char *const[]){"query", "--view", "p.html", "none.jsonl", NULL}, 1, "none.jsonl: cannot be opened");
    o = tool_run((const char *const[]){"query", "--view", "/dev/full", NULL}, requests, strcspn(requests, "\n") + 1);
    assert_int_equal(o.status, 1);
    assert_non_null(strstr(o.err.data, strerror(ENOSPC)));
    outcome_free(&o);
    assert_int_equal(unlink("page.html") + unlink("viewer.html"), 0);
    assert_int_equal(unsetenv("TACT_VIEWER"), 0);
}

/* ---- meshes ---- */

static void contacts_of_an_animation_are_in_a_run(void **state)
{
    (void)state;
    static const char first[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 1\nv 1.2 0.2 1\nv 0.2 1.2 2\nf 1 2 3\nf 4 5 6\n",
                      second[] =
                          "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 1.2 0.2 1\nv 0.2 1.2 2\nf 1 2 3\nf 4 5 6\n";
    file_put("f0.obj", first, sizeof first - 1);
    file_put("f1.obj", second, sizeof second - 1);
    for (int i = 0; i < 2; i++) {
        const char *const play[] = {"play", "f0.obj", "f*.obj", "--pairs", "pairs", "--save", "m.run", NULL};
        const char *const ccd[] = {"ccd", "f0.obj", "f1.obj", "--pairs", "pairs", "--save", "m.run", NULL};
        outcome o = tool_run(i == 0 ? play : ccd, "", 0);
        assert_int_equal(o.status, 0);
        outcome_free(&o);
        const int file = open("pairs", O_RDONLY);
        bytes pairs = file_read_all(file);
        (void)close(file);
        run_data *r = malloc(sizeof *r);
        assert_non_null(r);
        *r = run_open("m.run");
        motion_cursor cursor = {0, 0, 0, 0, 0};
        (void)motions_until(r, &cursor, INFINITY);
        assert_int_equal(r->keys, 2);
        assert_int_equal(r->events, count_lines(pairs.data));
        assert_true(r->events >= 1);
        assert_true(fabs(r->event[0][0] - 0.5) < 1e-9 && r->event[0][1] == 7.0 && fabs(r->event[0][2] - 0.2) < 1e-6);
        run_close(r);
        free(r);
        bytes_free(&pairs);
        assert_int_equal(unlink("pairs") + unlink("m.run"), 0);
    }
    assert_int_equal(unlink("f0.obj") + unlink("f1.obj"), 0);
}

/* ---- shapes ---- */

typedef struct drawn_shape {
    double volume; /* enclosed by the triangles */
    size_t triangles, open_edges;
    double low[3], high[3]; /* of the vertices */
} drawn_shape;

/* Reads the shape with this number. Edges are matched by the positions of their ends. */
static drawn_shape shape_read(const run_data *r, size_t number)
{
    size_t at = r->at;
    for (;; at += 16 + u32_at(r, at + 8)) {
        assert_true(memcmp(r->file.data + at, "DONE", 4) != 0);
        if (memcmp(r->file.data + at, "SHAP", 4) == 0 && number-- == 0)
            break;
    }
    drawn_shape s = {0.0, u32_at(r, at + 4), 0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const size_t vertices = u32_at(r, at + 20), positions = at + 24 + u32_at(r, at + 16),
                 indices = positions + 12 * vertices;
    for (size_t v = 0; v < vertices; v++)
        for (size_t k = 0; k < 3; k++) {
            const double x = f32_at(r, positions + 12 * v + 4 * k);
            s.low[k] = fmin(s.low[k], x);
            s.high[k] = fmax(s.high[k], x);
        }
    for (size_t t = 0; t < s.triangles; t++) {
        double p[3][3];
        for (size_t k = 0; k < 3; k++)
            for (size_t i = 0; i < 3; i++)
                p[k][i] = f32_at(r, positions + 12 * (size_t)u32_at(r, indices + 12 * t + 4 * k) + 4 * i);
        s.volume +=
            (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) + p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
             p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
            6.0;
        for (size_t k = 0; k < 3; k++) { /* the same edge the other way round must be in another triangle */
            const uint32_t from = u32_at(r, indices + 12 * t + 4 * k),
                           to = u32_at(r, indices + 12 * t + 4 * ((k + 1) % 3));
            bool found = false;
            for (size_t other = 0; other < s.triangles && !found; other++)
                for (size_t j = 0; j < 3 && !found; j++)
                    found = u32_at(r, indices + 12 * other + 4 * j) == to &&
                            u32_at(r, indices + 12 * other + 4 * ((j + 1) % 3)) == from;
            s.open_edges += !found;
        }
    }
    return s;
}

#define PI 3.14159265358979323846
#define CUBE_MESH                                                                                                      \
    "\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]"

/* Shapes are drawn by closed surfaces with their faces outward, also where a transform mirrors. The hull of 162 points
 * of a sphere has 0.96 of its volume. */
static void shapes_are_closed_and_face_outward(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        double volume, share; /* the true volume, and the least share that is drawn */
        double high_x;        /* largest x */
    } cases[] = {
        {"{\"type\":\"box\",\"size\":[2,3,4]}", 24.0, 1.0, 1.0},
        {"{\"type\":\"sphere\",\"radius\":2}", 4.0 / 3.0 * PI * 8.0, 0.95, 2.0},
        {"{\"type\":\"ellipsoid\",\"radii\":[1,2,3]}", 4.0 / 3.0 * PI * 6.0, 0.9, 1.0},
        {"{\"type\":\"capsule\",\"radius\":1,\"height\":2}", PI * (2.0 + 4.0 / 3.0), 0.9, 1.0},
        {"{\"type\":\"cylinder\",\"radius\":1,\"height\":2}", 2.0 * PI, 0.9, 1.0},
        {"{\"type\":\"cone\",\"radius\":1,\"height\":3}", PI, 0.9, 1.0},
        {"{\"type\":\"tetrahedron\",\"points\":[[0,0,0],[6,0,0],[0,1,0],[0,0,1]]}", 1.0, 1.0, 6.0},
        {"{\"type\":\"hull\",\"points\":[[0,0,0],[6,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]}", 1.0, 1.0, 6.0},
        {"{\"type\":\"box\",\"size\":[2,2,2],\"margin\":0.5}", 8.0 + 12.0 + 6.0 * PI * 0.25 + PI / 6.0, 0.9, 1.5},
        {"{\"type\":\"sum\",\"of\":[{\"type\":\"box\",\"size\":[1,1,1]},{\"type\":\"box\",\"size\":[2,1,1]}]}", 12.0,
         1.0, 1.5},
        {"{\"type\":\"join\",\"of\":[{\"type\":\"point\",\"points\":[[3,0,0]]},{\"type\":\"box\",\"size\":[0,2,2]}]}",
         4.0, 1.0, 3.0},
        {"{" CUBE_MESH "}", 1.0 / 6.0, 1.0, 1.0},
        {"{" CUBE_MESH ",\"place\":{\"scale\":[-2,1,1]}}", 1.0 / 3.0, 1.0, 0.0},
        {"{\"type\":\"compound\",\"parts\":[{\"type\":\"box\",\"size\":[1,1,1],\"place\":{\"translate\":[5,0,0],"
         "\"scale\":[1,-2,1]}},"
         "{\"type\":\"compound\",\"parts\":[{" CUBE_MESH "}],\"place\":{\"scale\":[1,1,-6]}}]}",
         3.0, 1.0, 5.5},
        {"{\"type\":\"polygon\",\"points\":[[0,0,0],[1,0,0],[1,1,0],[0,1,0]]}", 0.0, 1.0, 1.0},
    };
    const size_t count = sizeof cases / sizeof cases[0];
    bytes scene = {NULL, 0, 0};
    bytes_say(&scene, "{\"end\":0,\"bodies\":[");
    for (size_t i = 0; i < 2 * count; i++) { /* each twice: equal shapes are written once */
        bytes_say(&scene, i > 0 ? ",{\"shape\":" : "{\"shape\":");
        bytes_say(&scene, cases[i % count].shape);
        bytes_say(&scene, "}");
    }
    bytes_say(&scene, "]}");
    outcome o = tool_run((const char *const[]){"run", "-", "--json", "--save", "s.run", NULL}, scene.data, scene.size);
    if (o.status != 0)
        fail_msg("%s", o.err.data);
    outcome_free(&o);
    run_data *r = malloc(sizeof *r);
    assert_non_null(r);
    *r = run_open("s.run");
    for (size_t i = 0; i < count; i++) {
        const drawn_shape s = shape_read(r, i);
        if (s.open_edges > 0 || s.triangles == 0)
            fail_msg("%s: %zu open edges of %zu triangles", cases[i].shape, s.open_edges, s.triangles);
        if (!(s.volume >= cases[i].share * cases[i].volume - 1e-5) || !(s.volume <= cases[i].volume + 1e-5))
            fail_msg("%s: the volume is %g, not %g", cases[i].shape, s.volume, cases[i].volume);
        if (fabs(s.high[0] - cases[i].high_x) > 1e-6)
            fail_msg("%s: the largest x is %g, not %g", cases[i].shape, s.high[0], cases[i].high_x);
    }
    /* the totals */
    static const char totals[] = "{\"shapes\":15,\"bodies\":30,";
    assert_int_equal(count, 15);
    bool found = false;
    for (size_t i = 0; i + sizeof totals < r->file.size && !found; i++)
        found = memcmp(r->file.data + i, totals, sizeof totals - 1) == 0;
    assert_true(found);
    run_close(r);
    free(r);
    bytes_free(&scene);
    assert_int_equal(unlink("s.run"), 0);
}

static void intersections_of_meshes_are_in_a_run(void **state)
{
    (void)state;
    static const char a[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 1\nv 0.2 0.2 -1\nv 0.9 0.9 0\nf 1 2 3\nf 4 5 6\n",
                      b[] = "v 0.1 0.1 -1\nv 0.1 0.1 1\nv -1 -1 0\nf 1 2 3\n";
    file_put("a.obj", a, sizeof a - 1);
    file_put("b.obj", b, sizeof b - 1);
    outcome o = tool_run((const char *const[]){"check", "a.obj", "b.obj", "--save", "c.run", NULL}, "", 0);
    assert_int_equal(o.status, 0);
    outcome_free(&o);
    run_data *r = malloc(sizeof *r);
    assert_non_null(r);
    *r = run_open("c.run");
    motion_cursor cursor = {0, 0, 0, 0, 0};
    (void)motions_until(r, &cursor, INFINITY);
    assert_int_equal(r->bodies, 2);
    assert_int_equal(r->events, 2); /* in a, and between a and b */
    assert_true(r->event[0][1] == 9.0 && r->event[1][1] == 9.0);
    run_close(r);
    free(r);
    fails((const char *const[]){"check", "a.obj", "b.obj", "--save", "b.obj", NULL}, 2, "would overwrite a mesh");
    assert_int_equal(unlink("a.obj") + unlink("b.obj") + unlink("c.run"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_gives_the_states_of_all_times),
        cmocka_unit_test(pivots_scales_and_planned_motions_are_in_a_run),
        cmocka_unit_test(a_page_holds_the_runs),
        cmocka_unit_test(wrong_use_and_bad_files_are_reported_in_a_line),
        cmocka_unit_test(answered_requests_are_on_a_page),
        cmocka_unit_test(contacts_of_an_animation_are_in_a_run),
        cmocka_unit_test(shapes_are_closed_and_face_outward),
        cmocka_unit_test(intersections_of_meshes_are_in_a_run),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
