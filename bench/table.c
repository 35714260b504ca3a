/* Tables of figures: building and printing. See table.h. */
#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_COLUMNS 24
#define CELL_CAPACITY 64

json_t *tact_table_begin(const char *title, const char *columns)
{
    json_t *names = json_array();
    for (const char *at = columns; names && *at != '\0';) {
        size_t length = strcspn(at, "|");
        (void)json_array_append_new(names, json_stringn(at, length));
        at += length + (at[length] == '|');
    }
    return json_pack("{ss so so so}", "title", title, "columns", names, "rows", json_array(), "notes", json_array());
}

void tact_table_row(json_t *table, const char *kinds, ...)
{
    json_t *row = json_array();
    va_list list;
    va_start(list, kinds);
    for (const char *kind = kinds; *kind != '\0'; kind++) {
        json_t *cell = NULL;
        if (*kind == 's') {
            cell = json_string(va_arg(list, const char *));
        } else if (*kind == 'd') {
            cell = json_integer((json_int_t)va_arg(list, long));
        } else {
            double value = va_arg(list, double);
            cell = isfinite(value) ? json_real(value) : json_null();
        }
        (void)json_array_append_new(row, cell);
    }
    va_end(list);
    if (json_array_append_new(json_object_get(table, "rows"), row) != 0 || json_array_size(row) != strlen(kinds))
        (void)json_object_set_new(table, "failed", json_true());
}

void tact_table_note(json_t *table, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    (void)json_array_append_new(json_object_get(table, "notes"), json_string(text));
}

void tact_table_plot(json_t *table, const char *label, int over, unsigned columns, int by)
{
    json_t *list = json_array();
    for (int k = 0; k < MAX_COLUMNS; k++) {
        if ((columns >> k & 1) != 0)
            (void)json_array_append_new(list, json_integer(k));
    }
    (void)json_object_set_new(table, "plot",
                              json_pack("{ss si so si}", "label", label, "over", over, "columns", list, "by", by));
}

void tact_table_plot_linear_x(json_t *table)
{
    (void)json_object_set_new(json_object_get(table, "plot"), "linear", json_true());
}

const char *tact_table_met(double ratio, double goal)
{
    return !isfinite(ratio) || !isfinite(goal) ? "" : ratio >= goal ? "yes" : "NO";
}

void tact_table_number(double value, char *text, size_t capacity)
{
    double size = fabs(value);
    const char *format = size >= 1000.0  ? "%.0f"
                         : size >= 100.0 ? "%.1f"
                         : size >= 10.0  ? "%.2f"
                         : size >= 0.01  ? "%.3f"
                         : size == 0.0   ? "%.0f"
                                         : "%.2g";
    (void)snprintf(text, capacity, format, value);
}

static void write_cell(const json_t *cell, char *text, size_t capacity)
{
    if (json_is_string(cell))
        (void)snprintf(text, capacity, "%s", json_string_value(cell));
    else if (json_is_integer(cell))
        (void)snprintf(text, capacity, "%lld", (long long)json_integer_value(cell));
    else if (json_is_real(cell))
        tact_table_number(json_real_value(cell), text, capacity);
    else
        (void)snprintf(text, capacity, "-");
}

static void print_line(const json_t *line, const size_t *widths, const bool *is_text)
{
    size_t k;
    json_t *cell;
    json_array_foreach(line, k, cell)
    {
        char text[CELL_CAPACITY];
        if (k >= MAX_COLUMNS)
            break;
        write_cell(cell, text, sizeof text);
        printf(is_text[k] ? "%s%-*s" : "%s%*s", k == 0 ? "" : "  ", (int)widths[k], text);
    }
    printf("\n");
}

static void print(const json_t *table)
{
    const json_t *columns = json_object_get(table, "columns"), *rows = json_object_get(table, "rows");
    size_t widths[MAX_COLUMNS] = {0}, i, k;
    bool is_text[MAX_COLUMNS] = {false};
    json_t *row, *cell;
    char text[CELL_CAPACITY];
    json_array_foreach(columns, k, cell)
    {
        if (k < MAX_COLUMNS)
            widths[k] = strlen(json_string_value(cell));
    }
    json_array_foreach(rows, i, row)
    {
        json_array_foreach(row, k, cell)
        {
            if (k >= MAX_COLUMNS)
                break;
            write_cell(cell, text, sizeof text);
            if (strlen(text) > widths[k])
                widths[k] = strlen(text);
            is_text[k] = is_text[k] || json_is_string(cell);
        }
    }
    printf("\n%s\n", json_string_value(json_object_get(table, "title")));
    print_line(columns, widths, is_text);
    json_array_foreach(rows, i, row) print_line(row, widths, is_text);
    json_array_foreach(json_object_get(table, "notes"), i, row) printf("%s\n", json_string_value(row));
    (void)fflush(stdout);
}

bool tact_table_end(const suite *s, const char *key, json_t *table)
{
    if (!table || json_object_get(table, "failed")) {
        json_decref(table);
        return false;
    }
    if (!s->silent)
        print(table);
    if (s->report)
        return json_object_set_new(s->report, key, table) == 0;
    json_decref(table);
    return true;
}
