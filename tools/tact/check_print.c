/* Prints the result of `tact check` as text and as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- text ---- */

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

/* Writes a time with its unit into `text` and returns it. */
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

/* Prints a count and its name on a line; nothing if the count is 0. */
static void finding_print(size_t count, const char *one, const char *many)
{
    if (count > 0)
        (void)printf("  %zu %s\n", count, count == 1 ? one : many);
}

/* Prints pairs of face indices, one a line. */
static void pairs_print(const face_pairs *pairs, size_t limit)
{
    size_t shown = pairs->count < limit ? pairs->count : limit;
    for (size_t i = 0; i < shown; i++)
        (void)printf("    %lu %lu\n", (unsigned long)pairs->items[i].a, (unsigned long)pairs->items[i].b);
    if (shown < pairs->count && shown > 0)
        (void)printf("    and %zu more (--all lists them)\n", pairs->count - shown);
}

static void times_print(const check_file *file)
{
    char read[32], build[32], test[32];
    (void)printf("  read in %s, built in %s, tested in %s\n", time_text(file->read_seconds, read),
                 time_text(file->build_seconds, build), time_text(file->test_seconds, test));
}

static void file_print(const check_file *file, size_t limit)
{
    const tact_mesh_findings *f = &file->findings;
    (void)printf("%s: %s\n", file->path, file->format);
    (void)printf("  %zu vert%s, ", file->size.vertices, file->size.vertices == 1 ? "ex" : "ices");
    if (file->size.faces != file->size.triangles)
        (void)printf("%zu face%s triangulated into ", file->size.faces, plural(file->size.faces));
    (void)printf("%zu triangle%s, %zu connected component%s\n", file->size.triangles, plural(file->size.triangles),
                 f->components, plural(f->components));
    if (file->nurbs)
        (void)printf("  %zu surface%s, triangles within %.3g of %s\n", file->surfaces, plural(file->surfaces),
                     file->error, file->surfaces == 1 ? "it" : "them");
    if (file->cad)
        (void)printf("  gaps of at most %.3g between faces\n", file->conversion.gap);
    if (file->conversion.approximated > 0)
        (void)printf("  %zu face%s approximated within %.3g\n", file->conversion.approximated,
                     plural(file->conversion.approximated), file->conversion.error);
    finding_print(file->skipped, "element skipped: not a polygon", "elements skipped: not polygons");
    if (f->inverted)
        (void)printf("  closed but inverted (faces point inward), volume %g\n", f->volume);
    else if (f->closed && file->size.triangles > 0)
        (void)printf("  closed, volume %g\n", f->volume);
    if (file->conversion.not_solid[0] != '\0')
        (void)printf("  not a solid: %s\n", file->conversion.not_solid);
    if (file->trimmed) {
        (void)printf(f->closed ? "  trimmed: its faces are joined at their edges\n"
                               : "  trimmed: its faces are tested separately, not as one surface\n");
        times_print(file);
        return;
    }
    finding_print(f->open_edges, "open edge (one triangle)", "open edges (one triangle)");
    finding_print(f->non_manifold_edges, "non-manifold edge (more than two triangles)",
                  "non-manifold edges (more than two triangles)");
    finding_print(f->inconsistent_edges, "edge between triangles of opposite orientation",
                  "edges between triangles of opposite orientation");
    finding_print(f->non_manifold_vertices, "non-manifold vertex (several triangle fans)",
                  "non-manifold vertices (several triangle fans)");
    finding_print(f->degenerate_triangles, "degenerate triangle (zero area)", "degenerate triangles (zero area)");
    finding_print(f->duplicate_triangles, "duplicate triangle", "duplicate triangles");
    finding_print(f->duplicate_vertices, "duplicate vertex (same position as an earlier one)",
                  "duplicate vertices (same position as an earlier one)");
    finding_print(f->unreferenced_vertices, "unreferenced vertex", "unreferenced vertices");
    if (file->intersections.count == 0)
        (void)printf("  no self-intersections\n");
    finding_print(file->intersections.count, "pair of faces intersects:", "pairs of faces intersect:");
    pairs_print(&file->intersections, limit);
    finding_print(file->nested, "component lies inside another component", "components lie inside another component");
    times_print(file);
}

/* Prints how many components of `inner` lie inside `outer`. */
static void inside_print(const check_file *inner, const check_file *outer, size_t inside)
{
    size_t all = inner->findings.components;
    if (inside == 0)
        return;
    if (inside == all)
        (void)printf("  %s lies inside %s\n", inner->path, outer->path);
    else
        (void)printf("  %zu of %zu components of %s %s inside %s\n", inside, all, inner->path,
                     inside == 1 ? "lies" : "lie", outer->path);
}

static bool is_disjoint(const check_pair *p)
{
    return p->intersections.count == 0 && p->a_inside_b == 0 && p->b_inside_a == 0 && !p->touch;
}

static void pair_print(const check_result *result, const check_pair *pair, size_t limit)
{
    const check_file *a = &result->files[pair->a], *b = &result->files[pair->b];
    (void)printf("%s and %s\n", a->path, b->path);
    if (is_disjoint(pair))
        (void)printf("  do not touch\n");
    const tact_distance *d = &pair->distance;
    if (pair->nurbs && pair->touch)
        (void)printf("  touch or overlap near %.9g %.9g %.9g\n", d->on_a.x, d->on_a.y, d->on_a.z);
    else if (pair->nurbs)
        (void)printf("  distance %.9g, from %.9g %.9g %.9g to %.9g %.9g %.9g\n", d->distance, d->on_a.x, d->on_a.y,
                     d->on_a.z, d->on_b.x, d->on_b.y, d->on_b.z);
    finding_print(pair->intersections.count, pair->nurbs ? "pair of surfaces touches:" : "pair of faces intersects:",
                  pair->nurbs ? "pairs of surfaces touch:" : "pairs of faces intersect:");
    pairs_print(&pair->intersections, limit);
    inside_print(a, b, pair->a_inside_b);
    inside_print(b, a, pair->b_inside_a);
    char test[32];
    (void)printf("  tested in %s\n", time_text(pair->seconds, test));
}

void tact_check_print(const check_result *result, size_t limit)
{
    size_t disjoint_count = 0;
    for (size_t i = 0; i < result->file_count; i++)
        file_print(&result->files[i], limit);
    for (size_t i = 0; i < result->pair_count; i++) {
        const bool disjoint = is_disjoint(&result->pairs[i]);
        disjoint_count += disjoint;
        if (!disjoint || result->pair_count == 1)
            pair_print(result, &result->pairs[i], limit);
    }
    if (result->pair_count > 1)
        (void)printf("%zu of %zu pairs of files interfere\n", result->pair_count - disjoint_count, result->pair_count);
    char all[32];
    (void)printf("%s in total\n", time_text(result->seconds, all));
}

/* ---- JSON ---- */

/* Prints a JSON string. If the text is not UTF-8, or memory runs out, ? replaces all that is not ASCII. */
static void string_json(const char *text)
{
    json_t *value = json_string(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (quoted) {
        (void)fputs(quoted, stdout);
    } else {
        (void)putchar('"');
        for (const char *c = text; *c; c++)
            (void)putchar((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7E || *c == '"' || *c == '\\' ? '?' : *c);
        (void)putchar('"');
    }
    free(quoted);
    json_decref(value);
}

static void count_json(const char *name, size_t count) { (void)printf(",\"%s\":%zu", name, count); }

static void flag_json(const char *name, bool flag) { (void)printf(",\"%s\":%s", name, flag ? "true" : "false"); }

/* Writes a number and returns its end. Ten times faster than printf: there can be millions of pairs. */
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

static void pairs_json(const face_pairs *pairs, size_t limit)
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

static void file_json(const check_file *file, size_t limit)
{
    const tact_mesh_findings *f = &file->findings;
    (void)fputs("{\"file\":", stdout);
    string_json(file->path);
    (void)fputs(",\"format\":", stdout);
    string_json(file->format);
    if (file->nurbs)
        (void)printf(",\"error\":%.17g,\"surfaces\":%zu,\"trimmed\":%s", file->error, file->surfaces,
                     file->trimmed ? "true" : "false");
    if (file->cad)
        (void)printf(",\"gap\":%.17g,\"approximated\":%zu,\"approximation_error\":%.17g", file->conversion.gap,
                     file->conversion.approximated, file->conversion.error);
    if (file->conversion.not_solid[0] != '\0') {
        (void)fputs(",\"not_solid\":", stdout);
        string_json(file->conversion.not_solid);
    }
    count_json("vertices", file->size.vertices);
    count_json("faces", file->size.faces);
    count_json("triangles", file->size.triangles);
    count_json("components", f->components);
    count_json("skipped", file->skipped);
    flag_json("closed", f->closed);
    flag_json("inverted", f->inverted);
    if (isfinite(f->volume))
        (void)printf(",\"volume\":%.17g", f->volume == 0.0 ? 0.0 : f->volume);
    count_json("open_edges", f->open_edges);
    count_json("non_manifold_edges", f->non_manifold_edges);
    count_json("inconsistent_edges", f->inconsistent_edges);
    count_json("non_manifold_vertices", f->non_manifold_vertices);
    count_json("degenerate_triangles", f->degenerate_triangles);
    count_json("duplicate_triangles", f->duplicate_triangles);
    count_json("duplicate_vertices", f->duplicate_vertices);
    count_json("unreferenced_vertices", f->unreferenced_vertices);
    count_json("self_intersections", f->self_intersections);
    count_json("intersections", file->intersections.count);
    pairs_json(&file->intersections, limit);
    count_json("nested", file->nested);
    (void)printf(",\"seconds\":{\"read\":%.6f,\"build\":%.6f,\"test\":%.6f}}", file->read_seconds, file->build_seconds,
                 file->test_seconds);
}

static void pair_json(const check_pair *pair, size_t limit)
{
    (void)printf("{\"a\":%zu,\"b\":%zu", pair->a, pair->b);
    flag_json("interfere", !is_disjoint(pair));
    const tact_distance *d = &pair->distance;
    if (pair->nurbs)
        (void)printf(",\"distance\":%.17g,\"pa\":[%.17g,%.17g,%.17g],\"pb\":[%.17g,%.17g,%.17g]", d->distance,
                     d->on_a.x, d->on_a.y, d->on_a.z, d->on_b.x, d->on_b.y, d->on_b.z);
    count_json("intersections", pair->intersections.count);
    pairs_json(&pair->intersections, limit);
    count_json("a_inside_b", pair->a_inside_b);
    count_json("b_inside_a", pair->b_inside_a);
    (void)printf(",\"seconds\":%.6f}", pair->seconds);
}

void tact_check_print_json(const check_result *result, size_t limit)
{
    (void)fputs("{\"files\":[", stdout);
    for (size_t i = 0; i < result->file_count; i++) {
        if (i > 0)
            (void)putchar(',');
        file_json(&result->files[i], limit);
    }
    (void)fputs("],\"between\":[", stdout);
    for (size_t i = 0; i < result->pair_count; i++) {
        if (i > 0)
            (void)putchar(',');
        pair_json(&result->pairs[i], limit);
    }
    (void)printf("],\"seconds\":%.6f}\n", result->seconds);
}
