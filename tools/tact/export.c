/*
 * The command: reads a run and writes it in the format that the name of the output ends in.
 */
#include "export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "error_line.h"
#include "help.h"
#include "output_file.h"

/* Samples of --every at most: a file of more lines is a mistake in the interval. */
#define MAX_SAMPLES 1e9

typedef enum export_format { EXPORT_NONE, EXPORT_GLB, EXPORT_GLTF, EXPORT_CSV, EXPORT_JSON } export_format;

typedef struct export_options {
    const char *path, *out;
    export_format format;
    double every, tolerance; /* 0: not given */
    bool events;
} export_options;

static export_format format_of(const char *path)
{
    static const struct {
        const char *ending;
        export_format format;
    } formats[] = {{".glb", EXPORT_GLB}, {".gltf", EXPORT_GLTF}, {".csv", EXPORT_CSV}, {".json", EXPORT_JSON}};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const size_t size = strlen(formats[i].ending);
        if (length > size && strcmp(path + length - size, formats[i].ending) == 0)
            return formats[i].format;
    }
    return EXPORT_NONE;
}

static bool run_write(FILE *out, const run_data *run, const export_options *o)
{
    if (o->format == EXPORT_GLB || o->format == EXPORT_GLTF)
        return tact_export_gltf(out, run, o->format == EXPORT_GLB, o->tolerance);
    if (o->format == EXPORT_CSV)
        tact_export_csv(out, run, o->every, o->events);
    else
        tact_export_json(out, run, o->every);
    return true;
}

static int run_export(const export_options *o)
{
    run_data run;
    output_file output;
    if (!tact_run_data_open(&run, o->path))
        return 1;
    bool good = o->every == 0.0 || (double)run.bodies.count * (run.end - run.start) / o->every <= MAX_SAMPLES;
    if (!good)
        (void)tact_error_line("%s: --every %g gives more than %g samples", o->path, o->every, MAX_SAMPLES);
    good = good && tact_output_file_open(&output, o->out);
    if (good) {
        const bool written = run_write(output.file, &run, o);
        good = tact_output_file_close(&output, written) && written;
    }
    if (good)
        (void)printf("%s\n", o->out);
    tact_run_data_close(&run);
    return good ? 0 : 1;
}

static bool positive_parse(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && isfinite(*value) && *value > 0.0;
}

/* Reports options that do not go together. Returns 0, or 2. */
static int options_check(export_options *o)
{
    if (!o->path)
        return tact_help_usage("export", "a run is missing: tact export RUN -o FILE.glb");
    if (!o->out)
        return tact_help_usage("export", "the name of the output is missing: -o FILE.glb, .gltf, .csv or .json");
    o->format = format_of(o->out);
    if (o->format == EXPORT_NONE)
        return tact_help_usage("export", "%s must end in .glb, .gltf, .csv or .json", o->out);
    const bool gltf = o->format == EXPORT_GLB || o->format == EXPORT_GLTF;
    if (gltf && o->every > 0.0)
        return tact_help_usage("export", "--every is for .csv and .json; glTF has --tolerance");
    if (!gltf && o->tolerance > 0.0)
        return tact_help_usage("export", "--tolerance is for .glb and .gltf; the others have --every");
    if (o->events && o->format != EXPORT_CSV)
        return tact_help_usage("export", "--events is for .csv; a .json file has trajectories and events");
    if (o->events && o->every > 0.0)
        return tact_help_usage("export", "--every is for trajectories, not for --events");
    if (tact_is_same_file(o->path, o->out))
        return tact_help_usage("export", "-o %s would overwrite the run", o->out);
    return 0;
}

int tact_export_command(int argc, char **argv)
{
    export_options options = {.path = NULL};
    bool options_ended = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            if (options.path)
                return tact_help_usage("export", "there must be one run, not both %s and %s", options.path, word);
            options.path = word;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return tact_help_command("export");
        } else if (strcmp(word, "-o") == 0 || strcmp(word, "--out") == 0) {
            if (tact_option_output("export", word, value, &options.out) != 0)
                return 2;
            i++;
        } else if (strcmp(word, "--every") == 0) {
            if (!value || !positive_parse(value, &options.every))
                return tact_option_usage("export", "--every", "a positive time", value);
            i++;
        } else if (strcmp(word, "--tolerance") == 0) {
            if (!value || !positive_parse(value, &options.tolerance))
                return tact_option_usage("export", "--tolerance", "a positive length", value);
            i++;
        } else if (strcmp(word, "--events") == 0) {
            options.events = true;
        } else {
            return tact_help_usage("export", "there is no option %s", word);
        }
    }
    return options_check(&options) != 0 ? 2 : run_export(&options);
}
