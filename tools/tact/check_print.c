/* What `tact check` found, for people and for programs. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- for people -------------------------------------------------------------------------------------------------- */

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

/* A time, with three digits at most before the point, into a text that is returned. */
static const char *time_text(double seconds, char text[32])
{
    const bool micro = seconds < 1e-3, milli = seconds < 1.0;
    (void)snprintf(text, 32,
                   micro   ? "%.0f us"
                   : milli ? "%.1f ms"
                           : "%.2f s",
                   seconds * (micro   ? 1e6
                              : milli ? 1e3
                                      : 1.0));
    return text;
}

/* One line about a finding, if there is one: the count, then what it counts. */
static void finding_print(size_t count, const char *one, const char *many)
{
    if (count > 0)
        (void)printf("  %zu %s\n", count, count == 1 ? one : many);
}

/* The pairs themselves, indented, a line each. */
static void pairs_print(const face_pairs *pairs, size_t limit)
{
    size_t shown = pairs->count < limit ? pairs->count : limit;
    for (size_t i = 0; i < shown; i++)
        (void)printf("    %lu %lu\n", (unsigned long)pairs->items[i].a, (unsigned long)pairs->items[i].b);
    if (shown < pairs->count && shown > 0)
        (void)printf("    and %zu more (--all lists them)\n", pairs->count - shown);
}

static void file_print(const check_file *file, size_t limit)
{
    const tact_mesh_findings *f = &file->findings;
    (void)printf("%s: %s\n", file->path, file->format);
    (void)printf("  %zu vert%s, ", file->size.vertices, file->size.vertices == 1 ? "ex" : "ices");
    if (file->size.faces != file->size.triangles)
        (void)printf("%zu face%s cut into ", file->size.faces, plural(file->size.faces));
    (void)printf("%zu triangle%s, %zu connected part%s\n", file->size.triangles, plural(file->size.triangles),
                 f->components, plural(f->components));
    finding_print(file->skipped, "element that is no polygon was left out",
                  "elements that are no polygons were left out");
    if (f->inverted)
        (void)printf("  closed, but turned inside out: volume %g\n", f->volume);
    else if (f->closed && file->size.triangles > 0)
        (void)printf("  closed, volume %g\n", f->volume);
    finding_print(f->open_edges, "open edge: one triangle only", "open edges: one triangle only");
    finding_print(f->non_manifold_edges, "edge with more than two triangles", "edges with more than two triangles");
    finding_print(f->inconsistent_edges, "edge whose two triangles face opposite ways",
                  "edges whose two triangles face opposite ways");
    finding_print(f->non_manifold_vertices, "vertex where separate fans of triangles meet",
                  "vertices where separate fans of triangles meet");
    finding_print(f->degenerate_triangles, "triangle without area", "triangles without area");
    finding_print(f->duplicate_triangles, "triangle that is there already", "triangles that are there already");
    finding_print(f->duplicate_vertices, "vertex at the place of an earlier one",
                  "vertices at the place of an earlier one");
    finding_print(f->unreferenced_vertices, "vertex that no face uses", "vertices that no face uses");
    if (file->crossings.count == 0)
        (void)printf("  no face crosses another\n");
    finding_print(file->crossings.count, "pair of faces intersects:", "pairs of faces intersect:");
    pairs_print(&file->crossings, limit);
    finding_print(file->nested, "part is wholly inside another", "parts are wholly inside another");
    char read[32], build[32], test[32];
    (void)printf("  read in %s, built in %s, tested in %s\n", time_text(file->read_seconds, read),
                 time_text(file->build_seconds, build), time_text(file->test_seconds, test));
}

/* Which of the parts of `inner` are inside `outer`. */
static void inside_print(const check_file *inner, const check_file *outer, size_t inside)
{
    size_t all = inner->findings.components;
    if (inside == 0)
        return;
    if (inside == all)
        (void)printf("  %s is wholly inside %s\n", inner->path, outer->path);
    else
        (void)printf("  %zu of the %zu parts of %s %s wholly inside %s\n", inside, all, inner->path,
                     inside == 1 ? "is" : "are", outer->path);
}

static bool is_apart(const check_pair *p)
{
    return p->crossings.count == 0 && p->a_inside_b == 0 && p->b_inside_a == 0;
}

static void pair_print(const check_result *result, const check_pair *pair, size_t limit)
{
    const check_file *a = &result->files[pair->a], *b = &result->files[pair->b];
    (void)printf("%s and %s\n", a->path, b->path);
    if (is_apart(pair))
        (void)printf("  do not touch\n");
    finding_print(pair->crossings.count, "pair of faces intersects:", "pairs of faces intersect:");
    pairs_print(&pair->crossings, limit);
    inside_print(a, b, pair->a_inside_b);
    inside_print(b, a, pair->b_inside_a);
    char test[32];
    (void)printf("  tested in %s\n", time_text(pair->seconds, test));
}

void tact_check_print(const check_result *result, size_t limit)
{
    size_t apart = 0;
    for (size_t i = 0; i < result->file_count; i++)
        file_print(&result->files[i], limit);
    for (size_t i = 0; i < result->pair_count; i++) {
        const bool nothing = is_apart(&result->pairs[i]);
        apart += nothing;
        if (!nothing || result->pair_count == 1)
            pair_print(result, &result->pairs[i], limit);
    }
    if (result->pair_count > 1)
        (void)printf("%zu of %zu pairs of files interfere\n", result->pair_count - apart, result->pair_count);
    char all[32];
    (void)printf("%s in all\n", time_text(result->seconds, all));
}

/* ---- for programs ------------------------------------------------------------------------------------------------ */

/* A path as a JSON string. One that is not UTF-8, or that there is no memory for, is shown with ? in place of what is
 * not ASCII. */
static void path_put(const char *path)
{
    json_t *value = json_string(path);
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (text) {
        (void)fputs(text, stdout);
    } else {
        (void)putchar('"');
        for (const char *c = path; *c; c++)
            (void)putchar((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7E || *c == '"' || *c == '\\' ? '?' : *c);
        (void)putchar('"');
    }
    free(text);
    json_decref(value);
}

static void count_put(const char *name, size_t count) { (void)printf(",\"%s\":%zu", name, count); }

static void flag_put(const char *name, bool flag) { (void)printf(",\"%s\":%s", name, flag ? "true" : "false"); }

/* Millions of pairs are common: this is ten times faster than printf. Returns the end of what was written. */
static char *number_write(char *to, uint32_t number)
{
    char digits[10];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

static void pairs_put(const face_pairs *pairs, size_t limit)
{
    (void)fputs(",\"pairs\":[", stdout);
    for (size_t i = 0; i < pairs->count && i < limit; i++) {
        char text[32], *end = text; /* two numbers of at most 10 digits, and 4 more */
        if (i > 0)
            *end++ = ',';
        *end++ = '[';
        end = number_write(end, pairs->items[i].a);
        *end++ = ',';
        end = number_write(end, pairs->items[i].b);
        *end++ = ']';
        (void)fwrite(text, 1, (size_t)(end - text), stdout);
    }
    (void)putchar(']');
}

static void file_put(const check_file *file, size_t limit)
{
    const tact_mesh_findings *f = &file->findings;
    (void)fputs("{\"file\":", stdout);
    path_put(file->path);
    (void)fputs(",\"format\":", stdout);
    path_put(file->format);
    count_put("vertices", file->size.vertices);
    count_put("faces", file->size.faces);
    count_put("triangles", file->size.triangles);
    count_put("components", f->components);
    count_put("skipped", file->skipped);
    flag_put("closed", f->closed);
    flag_put("inverted", f->inverted);
    if (isfinite(f->volume))
        (void)printf(",\"volume\":%.17g", f->volume == 0.0 ? 0.0 : f->volume);
    count_put("open_edges", f->open_edges);
    count_put("non_manifold_edges", f->non_manifold_edges);
    count_put("inconsistent_edges", f->inconsistent_edges);
    count_put("non_manifold_vertices", f->non_manifold_vertices);
    count_put("degenerate_triangles", f->degenerate_triangles);
    count_put("duplicate_triangles", f->duplicate_triangles);
    count_put("duplicate_vertices", f->duplicate_vertices);
    count_put("unreferenced_vertices", f->unreferenced_vertices);
    count_put("self_intersections", f->self_intersections);
    count_put("intersections", file->crossings.count);
    pairs_put(&file->crossings, limit);
    count_put("nested", file->nested);
    (void)printf(",\"seconds\":{\"read\":%.6f,\"build\":%.6f,\"test\":%.6f}}", file->read_seconds, file->build_seconds,
                 file->test_seconds);
}

static void pair_put(const check_pair *pair, size_t limit)
{
    (void)printf("{\"a\":%zu,\"b\":%zu", pair->a, pair->b);
    flag_put("interfere", !is_apart(pair));
    count_put("intersections", pair->crossings.count);
    pairs_put(&pair->crossings, limit);
    count_put("a_inside_b", pair->a_inside_b);
    count_put("b_inside_a", pair->b_inside_a);
    (void)printf(",\"seconds\":%.6f}", pair->seconds);
}

void tact_check_print_json(const check_result *result, size_t limit)
{
    (void)fputs("{\"files\":[", stdout);
    for (size_t i = 0; i < result->file_count; i++) {
        if (i > 0)
            (void)putchar(',');
        file_put(&result->files[i], limit);
    }
    (void)fputs("],\"between\":[", stdout);
    for (size_t i = 0; i < result->pair_count; i++) {
        if (i > 0)
            (void)putchar(',');
        pair_put(&result->pairs[i], limit);
    }
    (void)printf("],\"seconds\":%.6f}\n", result->seconds);
}
