/* POSIX, for mkstemp, realpath and stat. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700

#include "states_file.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tact/math.h>
#include <unistd.h>

/* Permissions of a new file before the umask. */
#define FILE_MODE 0666

static bool open_fail(const char *path, int code)
{
    (void)fprintf(stderr, "%s: cannot be opened: %s\n", path, strerror(code));
    return false;
}

/* A new file beside `final`, with the permissions of a file that fopen creates. */
static FILE *temporary_open(const char *final, char **name)
{
    static const char ending[] = ".XXXXXX";
    const size_t length = strlen(final);
    *name = malloc(length + sizeof ending);
    if (!*name) {
        errno = ENOMEM;
        return NULL;
    }
    memcpy(*name, final, length);
    memcpy(*name + length, ending, sizeof ending);
    const int descriptor = mkstemp(*name);
    if (descriptor < 0)
        return NULL;
    const mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(descriptor, FILE_MODE & ~mask);
    FILE *file = fdopen(descriptor, "w");
    if (!file) {
        const int code = errno;
        (void)close(descriptor);
        (void)unlink(*name);
        errno = code;
    }
    return file;
}

bool tact_states_open(states_file *states, const char *path)
{
    struct stat info;
    *states = (states_file){NULL, NULL, NULL};
    errno = 0;
    states->final = realpath(path, NULL);
    const bool exists = states->final != NULL;
    if (!exists)
        states->final = strdup(path);
    if (!states->final)
        return open_fail(path, ENOMEM);
    if (exists && stat(states->final, &info) == 0 && !S_ISREG(info.st_mode)) /* a device or a pipe */
        states->file = fopen(states->final, "w");
    else
        states->file = temporary_open(states->final, &states->temporary);
    if (states->file)
        return true;
    const int code = errno;
    free(states->final);
    free(states->temporary);
    return open_fail(path, code);
}

static double without_sign_of_zero(double x) { return x == 0.0 ? 0.0 : x; } /* -0 is printed as 0 */

/*
 * The transform is R S with S diagonal, in general R U with U upper triangular (a matrix that shears), where R is a
 * rotation. Gram and Schmidt find R; its first two axes have the signs of the scale, and the third one follows.
 */
tact_quat tact_transform_rotation(const tact_transform *transform, tact_vec3 scale)
{
    const tact_vec3 x = tact_vec_scale(tact_vec_normalize(transform->x_axis), copysign(1.0, scale.x));
    const tact_vec3 unit = tact_vec_normalize(transform->y_axis);
    const tact_vec3 across = tact_vec_sub(unit, tact_vec_scale(x, tact_vec_dot(unit, x)));
    const tact_vec3 y = tact_vec_scale(tact_vec_normalize(across), copysign(1.0, scale.y));
    const tact_quat q = tact_quat_from_transform((tact_transform){x, y, tact_vec_cross(x, y), {0.0, 0.0, 0.0}});
    return q.w < 0.0 ? (tact_quat){-q.x, -q.y, -q.z, -q.w} : q;
}

void tact_states_write(const states_file *states, const scene *s)
{
    FILE *out = states->file;
    (void)fprintf(out, "{\"t\":%.17g,\"bodies\":[", without_sign_of_zero(tact_world_get_time(s->world)));
    for (size_t i = 0; i < s->count; i++) {
        const scene_body *body = &s->bodies[i];
        const tact_transform at = tact_body_get_transform(s->world, body->body);
        const tact_quat q = tact_transform_rotation(&at, body->scale);
        (void)fprintf(out, "%s{\"name\":%s,\"translate\":[%.17g,%.17g,%.17g],\"rotate\":[%.17g,%.17g,%.17g,%.17g]}",
                      i > 0 ? "," : "", body->json_name, without_sign_of_zero(at.origin.x),
                      without_sign_of_zero(at.origin.y), without_sign_of_zero(at.origin.z), without_sign_of_zero(q.x),
                      without_sign_of_zero(q.y), without_sign_of_zero(q.z), without_sign_of_zero(q.w));
    }
    (void)fputs("]}\n", out);
}

bool tact_states_close(states_file *states, bool keep)
{
    const bool bad = ferror(states->file) != 0;
    errno = 0;
    bool good = fclose(states->file) == 0 && !bad;
    if (good && keep && states->temporary)
        good = rename(states->temporary, states->final) == 0;
    if (!good)
        (void)fprintf(stderr, "%s: cannot be written: %s\n", states->final, errno ? strerror(errno) : "unknown error");
    if (states->temporary && !(good && keep))
        (void)unlink(states->temporary);
    free(states->final);
    free(states->temporary);
    *states = (states_file){NULL, NULL, NULL};
    return good;
}

double tact_sample_time(double index, double interval, double end)
{
    /* If the end is a multiple of the interval in decimals, the product of doubles differs from it by less than 2 ulps:
     * one of the conversions, one of the product. */
    const double time = index * interval;
    return time < end * (1.0 - 2.0 * DBL_EPSILON) ? time : end;
}
