#include "contact_print.h"

#include <errno.h>
#include <string.h>

#include "output_file.h"

void tact_contact_print_features(FILE *out, const sweep_contact *c)
{
    if (c->kind == TACT_VERTEX_FACE)
        (void)fprintf(out, "vf %lu %lu", (unsigned long)c->index[0], (unsigned long)c->index[1]);
    else
        (void)fprintf(out, "ee %lu %lu %lu %lu", (unsigned long)c->index[0], (unsigned long)c->index[1],
                      (unsigned long)c->index[2], (unsigned long)c->index[3]);
}

void tact_contact_print_line(FILE *out, const sweep_contact *c)
{
    tact_contact_print_features(out, c);
    (void)fprintf(out, " %.17g %.17g\n", c->ccd.lower, c->ccd.upper);
}

void tact_contact_print_json(FILE *out, const sweep_contact *c)
{
    (void)fprintf(out, "\"t\":[%.17g,%.17g]", c->ccd.lower, c->ccd.upper);
    if (c->kind == TACT_VERTEX_FACE)
        (void)fprintf(out, ",\"vertex\":%lu,\"face\":%lu", (unsigned long)c->index[0], (unsigned long)c->index[1]);
    else
        (void)fprintf(out, ",\"edges\":[[%lu,%lu],[%lu,%lu]]", (unsigned long)c->index[0], (unsigned long)c->index[1],
                      (unsigned long)c->index[2], (unsigned long)c->index[3]);
}

static void write_failed(const char *path, const char *reason)
{
    (void)fprintf(stderr, "%s: cannot be written: %s\n", path, reason);
}

FILE *tact_output_open(const char *path)
{
    errno = 0;
    FILE *file = fopen(path, "w");
    if (!file)
        write_failed(path, strerror(errno));
    return file;
}

bool tact_output_close(FILE *file, const char *path)
{
    if (!file)
        return true;
    const char *reason = tact_output_file_flush(file);
    errno = 0;
    if (fclose(file) != 0 && !reason)
        reason = strerror(errno);
    if (!reason)
        return true;
    write_failed(path, reason);
    return false;
}
