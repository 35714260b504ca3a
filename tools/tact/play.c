/*
 * The command: reads the frames of an animation one after the other (frames.h), finds all contacts of every interval
 * between two frames (kinetic/keyframe_contacts.h), prints the first ones and a summary, and writes all of them to a
 * file on request. Vertices that no face uses take part as points. Contacts are printed and written interval by
 * interval, so memory does not grow with the animation. The frames of a NURBS shape are those of its control points:
 * all are read first, and tessellated alike (surface_frames.h).
 */
#include "play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "contact_print.h"
#include "core/array.h"
#include "core/memory.h"
#include "error_line.h"
#include "frames.h"
#include "help.h"
#include "kinetic/keyframe_contacts.h"
#include "mesh_capture.h"
#include "nurbs_file.h"
#include "output_file.h"
#include "progress_bar.h"
#include "surface_frames.h"
#include "triangle_mesh.h"

/* Events that are printed without --limit and --all. */
#define DEFAULT_LIMIT 10

/* The largest value of --between. Its error message repeats it. */
#define MAX_BETWEEN 1000000

static const struct {
    const char *name;
    keyframe_engine engine;
} engines[] = {{"windows", KEYFRAME_WINDOWS}, {"list", KEYFRAME_LIST}, {"swept", KEYFRAME_SWEPT}};
#define ENGINE_NAMES "windows, list or swept"

typedef struct play_options {
    const char *paths[2]; /* mesh and frames */
    size_t path_count;
    const char *pairs;           /* the file for the contacts; NULL: none */
    run_paths run;               /* the run, and the page that shows it */
    unsigned long long from, to; /* intervals; to: ULLONG_MAX for all */
    unsigned long long between, limit, animation;
    double fps;
    size_t engine; /* of the table */
    bool json, has_animation;
    int threads; /* 0: all */
} play_options;

/* An interval with contacts. */
typedef struct interval_count {
    size_t interval, kinds[2];
} interval_count;
ARRAY_OF(interval_count_array, interval_count);

typedef struct play_run {
    const play_options *options;
    mesh_file mesh;
    surface_frames surface; /* of a NURBS shape */
    mesh_file surface_mesh; /* its triangles; `mesh` has as many vertices as it has control points, and no faces */
    frame_source frames;
    keyframe_contacts *contacts;
    size_t from, to;   /* intervals from .. to - 1 */
    output_file pairs; /* closed if not asked for */
    mesh_capture capture;
    bool captures;               /* the capture is open */
    tact_vec3 *shot;             /* the frame to capture */
    char error[FRAMES_ERROR];    /* of a frame; empty: none */
    tact_vec3 *ends[2], *middle; /* sampled motion: the last interval, and its true middle */
    size_t end_index;            /* the frame in ends[1]; SIZE_MAX: none */
    double deviation;            /* a length */
    unsigned long long kinds[2]; /* contacts */
    sweep_contact first;
    size_t first_interval;
    interval_count_array counts; /* --json: intervals with contacts */
    unsigned long long printed;
    double read_seconds, build_seconds, test_seconds;
} play_run;

/* Prints the line of an error. Always returns false. */
static bool error_print(const char *line)
{
    (void)tact_error_line("%s", line);
    return false;
}

static bool out_of_memory_print(void) { return error_print("tact play: there is not enough memory"); }

/* ---- reading ---- */

static const char *frames_path(const play_options *options) { return options->paths[options->path_count - 1]; }

/* Reads a NURBS shape. Its control points are the vertices of the frames. */
static bool surface_load(play_run *run, const char *path)
{
    char error[FRAMES_ERROR];
    run->surface.shape = tact_nurbs_file_read(path, error, sizeof error);
    if (!run->surface.shape)
        return error_print(error);
    run->mesh = (mesh_file){.vertex_count = tact_surface_point_count(run->surface.shape), .format = "NURBS"};
    run->mesh.face_start = tact_memory_allocate(&run->mesh.allocator, 1, sizeof *run->mesh.face_start);
    if (!run->mesh.face_start)
        return out_of_memory_print();
    run->mesh.face_start[0] = 0;
    return true;
}

/* Reads all frames of control points, and makes the triangles. */
static bool surface_make(play_run *run)
{
    surface_frames *s = &run->surface;
    const size_t count = run->mesh.vertex_count;
    s->frame_count = run->frames.frame_count;
    s->frames = count > SIZE_MAX / sizeof *s->frames / s->frame_count
                    ? NULL
                    : malloc(s->frame_count * count * sizeof *s->frames);
    if (!s->frames)
        return out_of_memory_print();
    for (size_t i = 0; i < s->frame_count; i++)
        if (!tact_frames_read(&run->frames, i, s->frames + i * count, run->error, sizeof run->error))
            return error_print(run->error);
    return tact_surface_frames_make(s, frames_path(run->options), &run->surface_mesh, run->error, sizeof run->error) ||
           error_print(run->error);
}

/* The mesh that is tested. */
static const mesh_file *tested_mesh(const play_run *run)
{
    return run->surface.made ? &run->surface_mesh : run->frames.mesh;
}

/* Reads the mesh, unless it is that of the frames. */
static bool mesh_load(play_run *run)
{
    const play_options *options = run->options;
    const char *path = options->paths[0];
    char error[FRAMES_ERROR];
    if (options->path_count == 1 || (tact_is_same_file(path, options->paths[1]) && tact_frames_is_gltf(path)))
        return true;
    if (tact_nurbs_file_is(path))
        return surface_load(run, path);
    return (tact_mesh_file_read(path, &run->mesh, error, sizeof error) &&
            tact_triangle_mesh_check(&run->mesh, path, "tact play", error, sizeof error)) ||
           error_print(error);
}

static bool frames_open(play_run *run)
{
    const play_options *options = run->options;
    char error[FRAMES_ERROR];
    const frames_def def = {.path = frames_path(options),
                            .mesh = run->mesh.face_start ? &run->mesh : NULL,
                            .mesh_path = options->paths[0],
                            .fps = options->fps,
                            .animation = (size_t)options->animation};
    if (!tact_frames_open(&run->frames, &def, error, sizeof error))
        return error_print(error);
    const size_t intervals = run->frames.frame_count - 1;
    if (options->from > intervals || (options->to != ~0ULL && options->to > intervals)) {
        (void)tact_error_line("%s: has %zu frame%s and so %zu interval%s: %s %llu is too large", def.path,
                              run->frames.frame_count, intervals == 0 ? "" : "s", intervals, intervals == 1 ? "" : "s",
                              options->from > intervals ? "--from" : "--to",
                              options->from > intervals ? options->from : options->to);
        return false;
    }
    run->from = (size_t)options->from;
    run->to = options->to == ~0ULL ? intervals : (size_t)options->to;
    return !run->surface.shape || surface_make(run);
}

static bool frame_read(play_run *run, size_t index, tact_vec3 *positions)
{
    const double start = tact_clock_now();
    const surface_frames *s = &run->surface;
    bool good = true;
    if (s->made)
        tact_surface_frames_place(s, s->frames + index * run->mesh.vertex_count, positions);
    else
        good = tact_frames_read(&run->frames, index, positions, run->error, sizeof run->error);
    run->read_seconds += tact_clock_now() - start;
    return good;
}

/* The frame callback of the engine, whose first frame is that of --from. */
static const tact_vec3 *frame_for_engine(void *context, size_t index, tact_vec3 *storage)
{
    play_run *run = context;
    return frame_read(run, run->from + index, storage) ? storage : NULL;
}

/* ---- the deviation of sampled motion ---- */

static bool deviation_begin(play_run *run)
{
    tact_vec3 **const arrays[] = {&run->ends[0], &run->ends[1], &run->middle};
    run->end_index = SIZE_MAX;
    for (size_t i = 0; tact_frames_is_sampled(&run->frames) && !run->surface.made && i < 3; i++) {
        *arrays[i] = calloc(run->frames.vertex_count, sizeof **arrays[i]);
        if (!*arrays[i])
            return out_of_memory_print();
    }
    return true;
}

/* Measures how far the true motion is from the linear one in the middle of an interval. */
static bool deviation_measure(play_run *run, size_t interval)
{
    if (!run->middle)
        return true;
    tact_vec3 *spare = run->ends[0];
    run->ends[0] = run->ends[1];
    run->ends[1] = spare;
    if ((run->end_index != interval && !frame_read(run, interval, run->ends[0])) ||
        !frame_read(run, interval + 1, run->ends[1]))
        return false;
    run->end_index = interval + 1;
    const double start = tact_clock_now();
    if (!tact_frames_read_middle(&run->frames, interval, run->middle, run->error, sizeof run->error))
        return false;
    for (size_t v = 0; v < run->frames.vertex_count; v++) {
        const tact_vec3 a = run->ends[0][v], b = run->ends[1][v], m = run->middle[v];
        const double distance = hypot(hypot(m.x - 0.5 * (a.x + b.x), m.y - 0.5 * (a.y + b.y)), m.z - 0.5 * (a.z + b.z));
        run->deviation = distance > run->deviation ? distance : run->deviation;
    }
    run->read_seconds += tact_clock_now() - start;
    return true;
}

/* ---- testing ---- */

/* Reports why the engine failed. Always returns false. */
static bool engine_fail(const play_run *run, tact_status status)
{
    if (run->error[0])
        return error_print(run->error);
    (void)tact_error_line("%s: %s", run->options->paths[0],
                          status == TACT_BAD_ARGUMENT ? "too many vertices or triangles" : tact_status_text(status));
    return false;
}

static bool engine_create(play_run *run)
{
    const double start = tact_clock_now(), read = run->read_seconds;
    const mesh_file *mesh = tested_mesh(run);
    keyframe_contacts_def def = {.elements = sweep_def_default(),
                                 .frame_count = run->to - run->from + 1,
                                 .frame = frame_for_engine,
                                 .context = run,
                                 .engine = engines[run->options->engine].engine,
                                 .between = (unsigned)run->options->between,
                                 .parallel = {.threads = run->options->threads}};
    def.elements.triangles = tact_triangle_mesh_faces(mesh);
    def.elements.triangle_count = mesh->face_count;
    def.elements.vertex_count = mesh->vertex_count;
    uint32_t *points;
    tact_status status = TACT_OUT_OF_MEMORY;
    if (tact_triangle_mesh_points(mesh, &points, &def.elements.point_count)) {
        def.elements.points = points;
        status = tact_keyframe_contacts_create(&run->contacts, &def);
    }
    free(points);
    run->build_seconds = tact_clock_now() - start - (run->read_seconds - read);
    return status == TACT_OK || engine_fail(run, status);
}

/* The time of a contact in the units of the frames. */
static double contact_time(const play_run *run, size_t interval, const sweep_contact *c)
{
    const double start = tact_frames_time(&run->frames, interval), end = tact_frames_time(&run->frames, interval + 1);
    return start + c->ccd.lower * (end - start);
}

static void event_print(play_run *run, size_t interval, const sweep_contact *c)
{
    const bool timed = tact_frames_has_time(&run->frames);
    if (run->printed++ == 0)
        (void)printf("  interval  t                       %scontact\n", timed ? "time            " : "");
    (void)printf("  %8zu  %-22.17g  ", interval, c->ccd.lower);
    if (timed)
        (void)printf("%-14.9g  ", contact_time(run, interval, c));
    tact_contact_print_features(stdout, c);
    (void)printf("\n");
}

/* ---- the run ---- */

/* Opens the run of --save and --view, and writes the first frame. */
static bool capture_open(play_run *run)
{
    const play_options *options = run->options;
    const mesh_file *mesh = tested_mesh(run);
    if (!options->run.save && !options->run.view)
        return true;
    run->shot = calloc(mesh->vertex_count ? mesh->vertex_count : 1, sizeof *run->shot);
    if (!run->shot)
        return out_of_memory_print();
    if (!frame_read(run, run->from, run->shot))
        return error_print(run->error);
    run->captures = tact_mesh_capture_open(&run->capture, &options->run, "play", frames_path(options),
                                           tact_frames_time(&run->frames, run->from),
                                           tact_frames_time(&run->frames, run->to), mesh, run->shot);
    return run->captures;
}

/* Writes the frame at the end of an interval, and the contacts of the interval. */
static bool interval_capture(play_run *run, size_t interval)
{
    if (!run->captures)
        return true;
    if (!frame_read(run, interval + 1, run->shot))
        return error_print(run->error);
    tact_mesh_capture_frame(&run->capture, tact_frames_time(&run->frames, interval + 1), run->shot);
    for (size_t i = 0; i < tact_keyframe_contacts_count(run->contacts); i++)
        tact_mesh_capture_contact(&run->capture, tact_keyframe_contacts_get(run->contacts, i));
    return true;
}

/* Counts, prints and writes the contacts of an interval. */
static bool interval_report(play_run *run, size_t interval, progress_bar *bar)
{
    const size_t count = tact_keyframe_contacts_count(run->contacts);
    interval_count counted = {.interval = interval};
    if (count > 0 && run->kinds[0] + run->kinds[1] == 0) {
        run->first = *tact_keyframe_contacts_get(run->contacts, 0);
        run->first_interval = interval;
    }
    for (size_t i = 0; i < count; i++) {
        const sweep_contact *c = tact_keyframe_contacts_get(run->contacts, i);
        counted.kinds[c->kind]++;
        if (!run->options->json && run->printed < run->options->limit) {
            tact_progress_hide(bar);
            event_print(run, interval, c);
        }
        if (run->pairs.file && !ferror(run->pairs.file)) {
            (void)fprintf(run->pairs.file, "%zu ", interval);
            tact_contact_print_line(run->pairs.file, c);
        }
    }
    run->kinds[0] += counted.kinds[0];
    run->kinds[1] += counted.kinds[1];
    static const tact_allocator standard = {NULL, NULL};
    return count == 0 || !run->options->json || interval_count_array_push(&run->counts, &standard, counted) ||
           out_of_memory_print();
}

static bool interval_run(play_run *run, size_t interval, progress_bar *bar)
{
    const double start = tact_clock_now(), read = run->read_seconds;
    const tact_status status = tact_keyframe_contacts_run(run->contacts, interval - run->from);
    run->test_seconds += tact_clock_now() - start - (run->read_seconds - read);
    if (status != TACT_OK || !deviation_measure(run, interval))
        return engine_fail(run, status);
    return interval_report(run, interval, bar) && interval_capture(run, interval);
}

static bool intervals_run(play_run *run)
{
    progress_bar bar = tact_progress_begin((double)(run->to - run->from));
    tact_progress_label(&bar, "testing", frames_path(run->options));
    bool good = deviation_begin(run) && engine_create(run) && capture_open(run);
    for (size_t i = run->from; good && i < run->to; i++) {
        good = interval_run(run, i, &bar);
        tact_progress_set(&bar, (double)(i + 1 - run->from));
        if (run->pairs.file && ferror(run->pairs.file))
            break; /* reported when it is closed */
    }
    tact_progress_end(&bar);
    return good;
}

/* ---- output ---- */

static void head_print(const play_run *run)
{
    const mesh_file *mesh = tested_mesh(run);
    for (size_t i = 0; i < run->options->path_count; i++)
        (void)printf("%s%s", i > 0 ? " with " : "", run->options->paths[i]);
    (void)printf(": %zu %s, %zu triangle%s, %zu frame%s (%s)\n", mesh->vertex_count,
                 tact_vertices_word(mesh->vertex_count), mesh->face_count, mesh->face_count == 1 ? "" : "s",
                 run->frames.frame_count, run->frames.frame_count == 1 ? "" : "s", run->frames.reader->format);
    if (run->surface.made)
        (void)printf("  the triangles are within %.3g of the surfaces, at all times\n",
                     run->surface.tessellation.error);
}

static void summary_print(const play_run *run)
{
    const unsigned long long all = run->kinds[0] + run->kinds[1];
    if (all > run->printed && run->printed > 0)
        (void)printf("  ... and %llu more: --all prints them, --pairs FILE writes them\n", all - run->printed);
    if (run->to == run->from)
        (void)printf("  no intervals");
    else if (run->to == run->from + 1)
        (void)printf("  interval %zu", run->from);
    else
        (void)printf("  intervals %zu to %zu", run->from, run->to - 1);
    if (all == 0) {
        (void)printf(": no contacts\n");
    } else {
        (void)printf(": %llu contact%s: %llu vertex-face, %llu edge-edge\n", all, all == 1 ? "" : "s", run->kinds[0],
                     run->kinds[1]);
        (void)printf("  first contact in interval %zu between t = %.17g and %.17g: ", run->first_interval,
                     run->first.ccd.lower, run->first.ccd.upper);
        tact_contact_print_features(stdout, &run->first);
        (void)printf("\n");
    }
    if (run->middle)
        (void)printf("  deviation %.3g: the largest distance of the true motion from the linear one, in the middle of "
                     "intervals\n",
                     run->deviation);
    (void)printf("  read in %.1f ms, built in %.1f ms, tested in %.1f ms\n", 1e3 * run->read_seconds,
                 1e3 * run->build_seconds, 1e3 * run->test_seconds);
}

static void result_print_json(const play_run *run)
{
    const mesh_file *mesh = tested_mesh(run);
    const unsigned long long all = run->kinds[0] + run->kinds[1];
    (void)printf("{\"vertices\":%zu,\"triangles\":%zu,\"frames\":%zu,\"from\":%zu,\"to\":%zu,\"engine\":\"%s\"",
                 mesh->vertex_count, mesh->face_count, run->frames.frame_count, run->from, run->to,
                 engines[run->options->engine].name);
    if (run->surface.made)
        (void)printf(",\"error\":%.17g", run->surface.tessellation.error);
    (void)printf(",\"contacts\":%llu,\"vf\":%llu,\"ee\":%llu,\"hit\":%s", all, run->kinds[0], run->kinds[1],
                 all > 0 ? "true" : "false");
    if (all > 0) {
        (void)printf(",\"interval\":%zu,", run->first_interval);
        tact_contact_print_json(stdout, &run->first);
        if (tact_frames_has_time(&run->frames))
            (void)printf(",\"time\":%.17g", contact_time(run, run->first_interval, &run->first));
    }
    (void)printf(",\"intervals\":[");
    for (size_t i = 0; i < run->counts.count; i++) {
        const interval_count *c = &run->counts.items[i];
        (void)printf("%s{\"interval\":%zu,\"vf\":%zu,\"ee\":%zu}", i > 0 ? "," : "", c->interval, c->kinds[0],
                     c->kinds[1]);
    }
    (void)printf("]");
    if (run->middle)
        (void)printf(",\"deviation\":%.17g", run->deviation);
    (void)printf(",\"seconds\":{\"read\":%.6g,\"build\":%.6g,\"test\":%.6g}}\n", run->read_seconds, run->build_seconds,
                 run->test_seconds);
}

/* Runs the intervals. Returns the exit status. */
static int run_intervals(play_run *run)
{
    const play_options *options = run->options;
    if ((options->fps > 0.0 || options->has_animation) && !tact_frames_is_sampled(&run->frames))
        return tact_help_usage("play", "%s is for glTF files", options->fps > 0.0 ? "--fps" : "--animation");
    const char *const outputs[][2] = {
        {"--pairs", options->pairs}, {"--save", options->run.save}, {"--view", options->run.view}};
    for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++)
        if (outputs[i][1] &&
            (tact_is_same_file(outputs[i][1], options->paths[0]) || tact_frames_uses(&run->frames, outputs[i][1])))
            return tact_help_usage("play", "%s %s would overwrite the mesh or a frame", outputs[i][0], outputs[i][1]);
    if (options->pairs && !tact_output_file_open(&run->pairs, options->pairs))
        return 1;
    if (!options->json)
        head_print(run);
    bool good = intervals_run(run);
    if (run->pairs.file && !tact_output_file_close(&run->pairs, good))
        good = false;
    if (run->captures && !tact_mesh_capture_close(&run->capture, good))
        good = false;
    if (good && options->json)
        result_print_json(run);
    else if (good)
        summary_print(run);
    return good ? 0 : 1;
}

static int play_files(const play_options *options)
{
    play_run run = {.options = options};
    const double start = tact_clock_now();
    const bool good = mesh_load(&run) && frames_open(&run);
    run.read_seconds = tact_clock_now() - start;
    const int status = good ? run_intervals(&run) : 1;
    static const tact_allocator standard = {NULL, NULL};
    interval_count_array_release(&run.counts, &standard);
    tact_keyframe_contacts_release(run.contacts);
    tact_frames_close(&run.frames);
    tact_mesh_file_release(&run.mesh);
    tact_mesh_file_release(&run.surface_mesh);
    tact_surface_frames_release(&run.surface);
    free(run.ends[0]);
    free(run.ends[1]);
    free(run.middle);
    free(run.shot);
    return status;
}

/* ---- the command line ---- */

static bool engine_parse(const char *name, size_t *engine)
{
    for (size_t i = 0; name && i < sizeof engines / sizeof engines[0]; i++)
        if (strcmp(engines[i].name, name) == 0) {
            *engine = i;
            return true;
        }
    return false;
}

static bool rate_parse(const char *text, double *rate)
{
    char *end;
    if (!text)
        return false;
    *rate = strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && isfinite(*rate) && *rate > 0.0;
}

/* Reads an option with a value. Returns 0, the exit status 2, or -1 if there is no such option. */
static int option_parse(play_options *options, const char *word, const char *value)
{
    const struct {
        const char *name, *what;
        unsigned long long max, *to;
    } counts[] = {
        {"--from", "the number of an interval", ~0ULL - 1, &options->from},
        {"--to", "the number of an interval", ~0ULL - 1, &options->to},
        {"--between", "a number from 0 to 1000000", MAX_BETWEEN, &options->between},
        {"--limit", "a number of events", ~0ULL, &options->limit},
        {"--animation", "the number of an animation", 1000000, &options->animation},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (strcmp(word, counts[i].name) == 0) {
            options->has_animation = options->has_animation || counts[i].to == &options->animation;
            return tact_option_count(value, counts[i].max, counts[i].to)
                       ? 0
                       : tact_option_usage("play", word, counts[i].what, value);
        }
    if (strcmp(word, "--engine") == 0)
        return engine_parse(value, &options->engine) ? 0 : tact_option_usage("play", word, ENGINE_NAMES, value);
    if (strcmp(word, "--fps") == 0)
        return rate_parse(value, &options->fps) ? 0 : tact_option_usage("play", word, "a positive number", value);
    if (strcmp(word, "--pairs") == 0)
        return tact_option_output("play", word, value, &options->pairs);
    if (strcmp(word, "--save") == 0)
        return tact_option_output("play", word, value, &options->run.save);
    if (strcmp(word, "--view") == 0)
        return tact_option_output("play", word, value, &options->run.view);
    return strcmp(word, "--threads") == 0 ? tact_option_threads("play", value, &options->threads) : -1;
}

int tact_play_command(int argc, char **argv)
{
    play_options options = {.to = ~0ULL, .limit = DEFAULT_LIMIT};
    bool options_ended = false, has_limit = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        has_limit = has_limit || (!options_ended && (strcmp(word, "--limit") == 0 || strcmp(word, "--all") == 0));
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            if (options.path_count == 2)
                return tact_help_usage("play", "there is more than a mesh and frames: %s (put a pattern in quotes)",
                                       word);
            options.paths[options.path_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return tact_help_command("play");
        } else if (strcmp(word, "--json") == 0) {
            options.json = true;
        } else if (strcmp(word, "--all") == 0) {
            options.limit = ~0ULL;
        } else {
            const int status = option_parse(&options, word, i + 1 < argc ? argv[i + 1] : NULL);
            if (status != 0)
                return status > 0 ? status : tact_help_usage("play", "there is no option %s", word);
            i++;
        }
    }
    if (has_limit && options.json)
        return tact_help_usage("play", "--limit and --all are for the list of contacts: without --json (--pairs FILE "
                                       "writes all contacts)");
    if (options.path_count == 0)
        return tact_help_usage("play", "a mesh and frames are needed: tact play MESH FRAMES");
    if (options.path_count == 1 && !tact_frames_is_gltf(options.paths[0]))
        return tact_help_usage("play", "frames are needed beside %s: tact play MESH FRAMES", options.paths[0]);
    if (options.to < options.from)
        return tact_help_usage("play", "--to %llu is less than --from %llu", options.to, options.from);
    return play_files(&options);
}
