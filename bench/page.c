/*
 * The HTML page. Every member of the report becomes a section: a table (table.h) as it is; a list of objects as a table
 * whose columns are the member names, "a.b" for nested ones. Curves are SVG polylines with a marker and a tooltip per
 * point. Both axes are logarithmic, with a grid line per decade, unless the table asks for a linear x axis.
 */
#include "page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define WIDTH 720.0
#define HEIGHT 380.0
#define LEFT 70.0
#define RIGHT 200.0 /* legend */
#define TOP 16.0
#define BOTTOM 46.0
#define MAX_CURVES 16
#define NAME_CAPACITY 128

static const char *const colours[] = {"#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df",
                                      "#bf3989", "#0a7b83", "#57606a", "#bc4c00", "#3b3b8f"};

enum { COLOURS = sizeof colours / sizeof colours[0] };

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1f2328;"
    "background:#fff}\n"
    "h1{font-size:1.6rem}h2{font-size:1.1rem;margin:2.2rem 0 .4rem}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.85rem}\n"
    "th,td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #d8dee4;white-space:nowrap}\n"
    "th{border-bottom:2px solid #8c959f;vertical-align:bottom;white-space:normal}td.w,th.w{text-align:left}\n"
    ".bar{position:relative;display:inline-block;width:4.5rem;height:.6em;margin-left:.5rem;background:linear-gradient("
    "#8c959f,#8c959f) 50% 0/1px 100% no-repeat}.bar i{position:absolute;top:0;bottom:0}\n"
    "nav{columns:3 16rem;font-size:.85rem}nav b{display:block;margin-top:.4rem}nav a{display:block;color:#1f6feb;text-"
    "decoration:none;break-inside:avoid}\n"
    "p.n{color:#57606a;font-size:.85rem;margin:.3rem "
    "0;max-width:60rem}svg{min-width:36rem;max-width:100%;height:auto;margin:.6rem "
    "0}\n"
    "svg text{font:12px system-ui,sans-serif;fill:#1f2328}\n"
    "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}th,td{border-color:#30363d}p.n{color:#"
    "9198a1}"
    "svg text{fill:#e6edf3}svg line[stroke=\"#d8dee4\"]{stroke:#30363d}nav a{color:#6ea0ff}}\n";

static void escape(FILE *out, const char *text)
{
    for (; text && *text != '\0'; text++) {
        if (*text == '<')
            (void)fputs("&lt;", out);
        else if (*text == '>')
            (void)fputs("&gt;", out);
        else if (*text == '&')
            (void)fputs("&amp;", out);
        else if (*text == '"')
            (void)fputs("&quot;", out);
        else
            (void)fputc(*text, out);
    }
}

static void write_value(FILE *out, const json_t *cell)
{
    char text[NAME_CAPACITY];
    if (json_is_string(cell)) {
        escape(out, json_string_value(cell));
    } else if (json_is_integer(cell)) {
        (void)fprintf(out, "%lld", (long long)json_integer_value(cell));
    } else if (json_is_real(cell)) {
        tact_table_number(json_real_value(cell), text, sizeof text);
        (void)fputs(text, out);
    } else {
        (void)fputs("&ndash;", out);
    }
}

/* ---- bars of ratios ---- */

/* Columns with a bar, at most. */
#define MAX_COLUMNS 40

/* A bar ends at this ratio, or its inverse. */
#define BAR_RATIO 100.0

/* Whether a column holds ratios: by its name. */
static bool is_ratio(const char *name)
{
    return name && (strcmp(name, "ratio") == 0 || strncmp(name, "ratio,", 6) == 0 || strcmp(name, "times Tact") == 0 ||
                    strstr(name, " / ") != NULL);
}

/* A bar on a logarithmic scale, to the right of the middle for ratios above 1. */
static void write_bar(FILE *out, const json_t *cell)
{
    const double ratio = json_number_value(cell);
    if (!json_is_number(cell) || !(ratio > 0.0))
        return;
    const double size = fmin(50.0, 50.0 * fabs(log10(ratio)) / log10(BAR_RATIO));
    (void)fprintf(out, "<span class=\"bar\"><i style=\"left:%.1f%%;width:%.1f%%;background:%s\"></i></span>",
                  ratio > 1.0 ? 50.0 : 50.0 - size, size, ratio > 1.0 ? "#1f6feb" : "#bc4c00");
}

static void write_table(FILE *out, const json_t *table)
{
    const json_t *rows = json_object_get(table, "rows"), *first = json_array_get(rows, 0);
    size_t i, k;
    json_t *row, *cell;
    bool ratios[MAX_COLUMNS] = {false};
    json_array_foreach(json_object_get(table, "columns"), k, cell)
    {
        if (k < MAX_COLUMNS)
            ratios[k] = is_ratio(json_string_value(cell));
    }
    (void)fputs("<div class=\"wide\"><table><tr>", out);
    json_array_foreach(json_object_get(table, "columns"), k, cell)
    {
        (void)fputs(json_is_string(json_array_get(first, k)) ? "<th class=\"w\">" : "<th>", out);
        escape(out, json_string_value(cell));
        (void)fputs("</th>", out);
    }
    (void)fputs("</tr>\n", out);
    json_array_foreach(rows, i, row)
    {
        (void)fputs("<tr>", out);
        json_array_foreach(row, k, cell)
        {
            (void)fputs(json_is_string(cell) ? "<td class=\"w\">" : "<td>", out);
            write_value(out, cell);
            if (k < MAX_COLUMNS && ratios[k])
                write_bar(out, cell);
            (void)fputs("</td>", out);
        }
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</table></div>\n", out);
    json_array_foreach(json_object_get(table, "notes"), i, row)
    {
        (void)fputs("<p class=\"n\">", out);
        escape(out, json_string_value(row));
        (void)fputs("</p>\n", out);
    }
}

/* ---- curves ---- */

typedef struct curve {
    char name[NAME_CAPACITY];
    int column;
    const json_t *by; /* rows with this value in the "by" column; NULL: all rows */
} curve;

typedef struct axis {
    double low, high; /* log10 of values; values if linear */
    double from, to;  /* pixels */
    bool linear;
} axis;

static double on_axis(const axis *a, double value) { return a->linear ? value : log10(value); }

static double to_pixels(const axis *a, double value)
{
    return a->from + (on_axis(a, value) - a->low) / (a->high - a->low) * (a->to - a->from);
}

static void widen(axis *a, double value)
{
    a->low = fmin(a->low, on_axis(a, value));
    a->high = fmax(a->high, on_axis(a, value));
}

/* Smallest range of an axis, so that small differences do not look large. */
#define MIN_DECADES 1.2

static void add_padding(axis *a)
{
    if (a->linear) {
        const double padding = a->high > a->low ? 0.03 * (a->high - a->low) : 1.0;
        a->low -= padding;
        a->high += padding;
        return;
    }
    double padding = fmax(0.05 * (a->high - a->low), 0.5 * (MIN_DECADES - (a->high - a->low)));
    a->low -= padding;
    a->high += padding;
}

static bool point_of(const json_t *row, int over, const curve *c, int by, double *x, double *y)
{
    if (c->by && !json_equal(json_array_get(row, (size_t)by), c->by))
        return false;
    const json_t *cx = json_array_get(row, (size_t)over), *cy = json_array_get(row, (size_t)c->column);
    *x = json_number_value(cx);
    *y = json_number_value(cy);
    return json_is_number(cx) && json_is_number(cy) && *x > 0.0 && *y > 0.0;
}

static void write_tick(FILE *out, const axis *a, double value, bool vertical)
{
    double p = to_pixels(a, value);
    if (vertical)
        (void)fprintf(out,
                      "<line x1=\"%g\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" stroke=\"#d8dee4\"/><text x=\"%g\" "
                      "y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                      LEFT, p, WIDTH - RIGHT, p, LEFT - 6.0, p + 4.0, value);
    else
        (void)fprintf(out,
                      "<line x1=\"%.1f\" y1=\"%g\" x2=\"%.1f\" y2=\"%g\" stroke=\"#d8dee4\"/><text x=\"%.1f\" "
                      "y=\"%g\" text-anchor=\"middle\">%g</text>\n",
                      p, TOP, p, HEIGHT - BOTTOM, p, HEIGHT - BOTTOM + 16.0, value);
}

/* Five to ten ticks, at multiples of 1, 2 or 5 times a power of ten. */
static void write_linear_scale(FILE *out, const axis *a, bool vertical)
{
    const double range = a->high - a->low, decade = pow(10.0, floor(log10(range))) / 10.0;
    const double each = range / decade > 50.0 ? 10.0 * decade : range / decade > 20.0 ? 5.0 * decade : 2.0 * decade;
    for (double k = ceil(a->low / each); k * each <= a->high; k++)
        write_tick(out, a, k * each, vertical);
}

/* Ticks at 1, 2 and 5 times the powers of ten; over three decades or more at the powers only. */
static void write_scale(FILE *out, const axis *a, bool vertical)
{
    bool fine = a->high - a->low < 3.0;
    if (a->linear) {
        write_linear_scale(out, a, vertical);
        return;
    }
    for (int decade = (int)floor(a->low); decade <= (int)ceil(a->high); decade++) {
        for (int k = 0; k < (fine ? 3 : 1); k++) {
            double value = pow(10.0, decade) * (k == 0 ? 1.0 : k == 1 ? 2.0 : 5.0), at = log10(value);
            if (at >= a->low && at <= a->high)
                write_tick(out, a, value, vertical);
        }
    }
}

static int find_curves(const json_t *table, const json_t *plot, curve *curves)
{
    const json_t *rows = json_object_get(table, "rows"), *columns = json_object_get(table, "columns");
    int by = (int)json_integer_value(json_object_get(plot, "by")), count = 0;
    size_t k, i;
    json_t *number, *row;
    json_array_foreach(json_object_get(plot, "columns"), k, number)
    {
        int column = (int)json_integer_value(number);
        const char *name = json_string_value(json_array_get(columns, (size_t)column));
        if (by < 0 && count < MAX_CURVES) {
            curves[count] = (curve){.column = column};
            const char *dot = name ? strrchr(name, '.') : NULL; /* "outer.inner": only the inner name */
            (void)snprintf(curves[count++].name, NAME_CAPACITY, "%s", dot ? dot + 1 : name ? name : "");
        }
        json_array_foreach(rows, i, row)
        {
            const json_t *which = by < 0 ? NULL : json_array_get(row, (size_t)by);
            bool known = which == NULL;
            for (int c = 0; c < count; c++)
                known = known || (curves[c].column == column && json_equal(curves[c].by, which));
            if (known || count == MAX_CURVES)
                continue;
            curves[count] = (curve){.column = column, .by = which};
            bool one = json_array_size(json_object_get(plot, "columns")) == 1;
            (void)snprintf(curves[count++].name, NAME_CAPACITY, one ? "%s" : "%s, %s", json_string_value(which),
                           name ? name : "");
        }
    }
    return count;
}

static void write_plot(FILE *out, const json_t *table)
{
    const json_t *plot = json_object_get(table, "plot"), *rows = json_object_get(table, "rows");
    if (!plot)
        return;
    int over = (int)json_integer_value(json_object_get(plot, "over"));
    int by = (int)json_integer_value(json_object_get(plot, "by"));
    static curve curves[MAX_CURVES];
    int count = find_curves(table, plot, curves);
    axis x_axis = {INFINITY, -INFINITY, LEFT, WIDTH - RIGHT, json_is_true(json_object_get(plot, "linear"))};
    axis y_axis = {INFINITY, -INFINITY, HEIGHT - BOTTOM, TOP, false};
    double x, y;
    size_t i;
    json_t *row;
    for (int c = 0; c < count; c++) {
        json_array_foreach(rows, i, row)
        {
            if (point_of(row, over, &curves[c], by, &x, &y)) {
                widen(&x_axis, x);
                widen(&y_axis, y);
            }
        }
    }
    if (!(x_axis.low <= x_axis.high))
        return;
    add_padding(&x_axis);
    add_padding(&y_axis);
    (void)fprintf(out, "<div class=\"wide\"><svg viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" role=\"img\">\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
    write_scale(out, &x_axis, false);
    write_scale(out, &y_axis, true);
    (void)fprintf(out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#8c959f\"/>\n", LEFT,
                  TOP, WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP);
    (void)fprintf(out, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">", 0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 10.0);
    escape(out, json_string_value(json_array_get(json_object_get(table, "columns"), (size_t)over)));
    (void)fprintf(out, "</text>\n<text transform=\"translate(16 %g) rotate(-90)\" text-anchor=\"middle\">",
                  0.5 * (TOP + HEIGHT - BOTTOM));
    escape(out, json_string_value(json_object_get(plot, "label")));
    (void)fputs("</text>\n", out);
    for (int c = 0; c < count; c++) {
        const char *colour = colours[c % COLOURS];
        (void)fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
        json_array_foreach(rows, i, row)
        {
            if (point_of(row, over, &curves[c], by, &x, &y))
                (void)fprintf(out, "%.1f,%.1f ", to_pixels(&x_axis, x), to_pixels(&y_axis, y));
        }
        (void)fputs("\"/>\n", out);
        json_array_foreach(rows, i, row)
        {
            if (!point_of(row, over, &curves[c], by, &x, &y))
                continue;
            (void)fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"><title>", to_pixels(&x_axis, x),
                          to_pixels(&y_axis, y), colour);
            escape(out, curves[c].name);
            (void)fprintf(out, ": %g at %g</title></circle>\n", y, x);
        }
        double at = TOP + 10.0 + 18.0 * c;
        (void)fprintf(out, "<line x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\" stroke=\"%s\" stroke-width=\"3\"/>",
                      WIDTH - RIGHT + 12.0, at, WIDTH - RIGHT + 32.0, at, colour);
        (void)fprintf(out, "<text x=\"%g\" y=\"%g\">", WIDTH - RIGHT + 38.0, at + 4.0);
        escape(out, curves[c].name);
        (void)fputs("</text>\n", out);
    }
    (void)fputs("</svg></div>\n", out);
}

/* ---- lists of objects ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Adds the members of an object to a flat one, as "outer.inner". */
static void flatten(const char *outer, json_t *value, json_t *flat)
{
    const char *key;
    size_t i;
    json_t *inner;
    char name[NAME_CAPACITY];
    if (json_is_object(value)) {
        json_object_foreach(value, key, inner)
        {
            (void)snprintf(name, sizeof name, "%s%s%s", outer, *outer ? "." : "", key);
            flatten(name, inner, flat);
        }
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, inner)
        {
            const char *library = json_string_value(json_object_get(inner, "library"));
            if (library)
                (void)snprintf(name, sizeof name, "%s", library);
            else
                (void)snprintf(name, sizeof name, "%s.%d", outer, (int)i);
            flatten(name, inner, flat);
        }
    } else if (!(ends_with(outer, ".library"))) {
        (void)json_object_set(flat, outer, value);
    }
}

/* Title of a list and its plot: the column of the x axis (NULL: no plot), and prefix and suffix of the plotted columns.
 */
static const struct list_plot {
    const char *key, *title, *over, *begins, *ends, *label;
} list_plots[] = {
    {"figure_4_8", "Figure 4.8: 20 tumbling hulls, by density (us per frame, 190 pairs)", "density_percent",
     "us_per_frame", "", "us per frame"},
    {"figure_4_9", "Figure 4.9: by translational velocity, in percent of the radius per frame", "translation_percent",
     "us_per_frame", "", "us per frame"},
    {"figure_4_10", "Figure 4.10: by rotational velocity, in degrees per frame", "rotation_degrees", "us_per_frame", "",
     "us per frame"},
    {"race_distance", "Convex pairs: distance (ns per pair)", NULL, NULL, NULL, NULL},
    {"race_overlap", "Convex pairs: overlap (ns per pair)", NULL, NULL, NULL, NULL},
    {"growth", "Growth: hulls of n points, within 1 % of touching (ns per call)", "points", "", "_ns", "ns per call"},
};

static json_t *table_of_list(const char *key, const json_t *list)
{
    json_t *table = tact_table_begin(key, ""), *rows = json_object_get(table, "rows");
    size_t i;
    json_t *object, *value;
    const char *name;
    json_array_foreach(list, i, object)
    {
        json_t *flat = json_object(), *row = json_array();
        flatten("", object, flat);
        json_object_foreach(flat, name, value)
        {
            if (i == 0)
                (void)json_array_append_new(json_object_get(table, "columns"), json_string(name));
            (void)json_array_append(row, value);
        }
        (void)json_array_append_new(rows, row);
        json_decref(flat);
    }
    for (size_t d = 0; d < sizeof list_plots / sizeof list_plots[0]; d++) {
        const struct list_plot *w = &list_plots[d];
        if (strcmp(w->key, key) != 0)
            continue;
        (void)json_object_set_new(table, "title", json_string(w->title));
        if (!w->over)
            continue;
        int over = 0;
        unsigned drawn = 0;
        json_array_foreach(json_object_get(table, "columns"), i, value)
        {
            name = json_string_value(value);
            if (strcmp(name, w->over) == 0)
                over = (int)i;
            else if (strncmp(name, w->begins, strlen(w->begins)) == 0 && ends_with(name, w->ends) && i < 24)
                drawn |= 1u << i;
        }
        tact_table_plot(table, w->label, over, drawn, -1);
    }
    return table;
}

/* ---- the page ---- */

/* Groups of sections, by the beginnings of their keys. The last one takes what is left. */
static const struct {
    const char *title;
    const char *begins[14];
} groups[] = {
    {"van den Bergen 1999", {"figure_4_", "table_5_", "polygons", "refit"}},
    {"Lau, Chan, Luk and Li 2002", {"update", "two fish", "self-collision"}},
    {"Coming and Staadt 2006", {"coming_staadt_2006", "queues", "spheres"}},
    {"Weller and Zachmann 2006", {"weller_zachmann_2006", "plans"}},
    {"Hutter and Fuhrmann 2007", {"hutter_fuhrmann_2007"}},
    {"Races against other libraries",
     {"race_", "broad_", "mesh_", "world", "ccd_", "frames", "contact", "curves", "distances"}},
    {"Growth with size", {"growth"}},
    {"Other", {""}},
};

enum { GROUPS = sizeof groups / sizeof groups[0] };

static int group_of(const char *key)
{
    for (int g = 0; g < GROUPS; g++)
        for (const char *const *begin = groups[g].begins; *begin; begin++)
            if (strncmp(key, *begin, strlen(*begin)) == 0)
                return g;
    return GROUPS - 1;
}

/* Calls `write` for each table of a group; returns their number. */
static size_t group_walk(FILE *out, const json_t *report, int group,
                         void (*write)(FILE *out, const char *key, const json_t *table))
{
    const char *key;
    json_t *value;
    size_t count = 0;
    json_object_foreach((json_t *)(uintptr_t)report, key, value)
    {
        json_t *made = json_is_array(value) && group_of(key) == group ? table_of_list(key, value) : NULL;
        const json_t *table = made ? made : value;
        if (json_is_object(table) && group_of(key) == group) {
            count++;
            if (write)
                write(out, key, table);
        }
        json_decref(made);
    }
    return count;
}

/* The id of a section: its key, without spaces. */
static void write_id(FILE *out, const char *key)
{
    for (; *key != '\0'; key++)
        (void)fputc(*key == ' ' ? '-' : *key, out);
}

static void write_link(FILE *out, const char *key, const json_t *table)
{
    (void)fputs("<a href=\"#", out);
    write_id(out, key);
    (void)fputs("\">", out);
    escape(out, json_string_value(json_object_get(table, "title")));
    (void)fputs("</a>\n", out);
}

static void write_section(FILE *out, const char *key, const json_t *table)
{
    (void)fputs("<section id=\"", out);
    write_id(out, key);
    (void)fputs("\"><h2>", out);
    escape(out, json_string_value(json_object_get(table, "title")));
    (void)fputs("</h2>\n", out);
    write_plot(out, table);
    write_table(out, table);
    (void)fputs("</section>\n", out);
}

bool tact_page_write(const char *file, const json_t *report)
{
    FILE *out = fopen(file, "w");
    if (!out)
        return false;
    (void)fprintf(out,
                  "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width\"><title>tact-bench</title>\n"
                  "<style>\n%s</style></head><body>\n<h1>tact-bench</h1>\n<nav>\n",
                  style);
    for (int g = 0; g < GROUPS; g++)
        if (group_walk(out, report, g, NULL) > 0) {
            (void)fprintf(out, "<b>%s</b>\n", groups[g].title);
            (void)group_walk(out, report, g, write_link);
        }
    (void)fputs(
        "</nav>\n<p class=\"n\">Bars are ratios on a logarithmic scale from 1/100 to 100: blue above 1, orange below. "
        "Columns called "
        "thesis hold the figures of the paper; goals are those of the project.</p>\n",
        out);
    for (int g = 0; g < GROUPS; g++)
        (void)group_walk(out, report, g, write_section);
    (void)fputs("</body></html>\n", out);
    bool written = ferror(out) == 0;
    return fclose(out) == 0 && written;
}
