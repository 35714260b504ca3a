#include "run_report.h"

/* Columns of a name in the table: as many as the longest name needs, within these limits. */
#define NAME_MIN_WIDTH 4
#define NAME_MAX_WIDTH 24

/* Pairs that the summary lists. */
#define SUMMARY_PAIRS 5

/* A kind of event: its name, whether there is a body b, and whether the contact has a point and a normal. */
static const struct {
    tact_event_kind event;
    const char *name;
    const char *count_name; /* in the JSON summary */
    bool has_b, has_point;
} kinds[RUN_KIND_COUNT] = {
    [RUN_TOUCH] = {TACT_EVENT_TOUCH, "touch", "touches", true, true},
    [RUN_BEGIN] = {TACT_EVENT_CONTACT_BEGIN, "begin", "begins", true, true},
    [RUN_END] = {TACT_EVENT_CONTACT_END, "end", "ends", true, false},
    [RUN_SLEEP] = {TACT_EVENT_SLEEP, "sleep", "sleeps", false, false},
    [RUN_WAKE] = {TACT_EVENT_WAKE, "wake", "wakes", false, false},
    [RUN_CRUSHED] = {TACT_EVENT_CRUSHED, "crushed", "crushed", true, true},
};

bool tact_event_kind_describe(tact_event_kind event, const char **name, bool *has_b, bool *has_point)
{
    for (int kind = 0; kind < RUN_KIND_COUNT; kind++)
        if (kinds[kind].event == event) {
            *name = kinds[kind].name;
            *has_b = kinds[kind].has_b;
            *has_point = kinds[kind].has_point;
            return true;
        }
    return false;
}

/* The width of a UTF-8 text if every character takes one column. */
static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* Prints a name without control characters, truncated to NAME_MAX_WIDTH and padded to `width` columns. */
static void name_print(const char *name, int width, FILE *out)
{
    const int columns = columns_of(name);
    int printed = 0;
    for (const char *c = name; *c; c++) {
        printed += ((unsigned char)*c & 0xC0) != 0x80;
        if (printed > NAME_MAX_WIDTH || (printed == NAME_MAX_WIDTH && columns > NAME_MAX_WIDTH)) {
            (void)fputs("\xe2\x80\xa6", out); /* an ellipsis */
            break;
        }
        (void)fputc((unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c, out);
    }
    if (width > columns)
        (void)fprintf(out, "%*s", width - columns, "");
}

static double without_sign_of_zero(double x) { return x == 0.0 ? 0.0 : x; } /* -0 is printed as 0 */

static void vec_print_json(const char *name, tact_vec3 v, FILE *out)
{
    (void)fprintf(out, ",\"%s\":[%.17g,%.17g,%.17g]", name, without_sign_of_zero(v.x), without_sign_of_zero(v.y),
                  without_sign_of_zero(v.z));
}

static void event_print_json(run_kind kind, const tact_event *e, FILE *out)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    (void)fprintf(out, "{\"t\":%.17g,\"kind\":\"%s\",\"a\":%s", without_sign_of_zero(e->time), kinds[kind].name,
                  a->json_name);
    if (kinds[kind].has_b)
        (void)fprintf(out, ",\"b\":%s", b->json_name);
    if (kinds[kind].has_point) {
        vec_print_json("point", e->point, out);
        vec_print_json("normal", e->normal, out);
    }
    (void)fputs("}\n", out);
}

static void event_print(const run_report *r, run_kind kind, const tact_event *e)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    (void)fprintf(r->out, "%16.9f  %-7s  ", without_sign_of_zero(e->time), kinds[kind].name);
    name_print(a->name, kinds[kind].has_b ? r->width : 0, r->out);
    if (kinds[kind].has_b) {
        (void)fputs("  ", r->out);
        name_print(b->name, kinds[kind].has_point ? r->width : 0, r->out);
    }
    if (kinds[kind].has_point)
        (void)fprintf(r->out, "  %10.4g %10.4g %10.4g  %6.3f %6.3f %6.3f", without_sign_of_zero(e->point.x),
                      without_sign_of_zero(e->point.y), without_sign_of_zero(e->point.z),
                      without_sign_of_zero(e->normal.x), without_sign_of_zero(e->normal.y),
                      without_sign_of_zero(e->normal.z));
    (void)fputc('\n', r->out);
}

void tact_run_report_begin(run_report *r)
{
    r->width = NAME_MIN_WIDTH;
    for (size_t i = 0; i < r->scene->count; i++) {
        const int columns = columns_of(r->scene->bodies[i].name);
        r->width = columns > r->width ? columns : r->width;
    }
    r->width = r->width > NAME_MAX_WIDTH ? NAME_MAX_WIDTH : r->width;
    if (r->table)
        (void)fprintf(r->out, "%16s  %-7s  %-*s  %-*s  %-33s normal\n", "time", "kind", r->width, "a", r->width, "b",
                      "point");
}

static void touch_count(run_report *r, const tact_event *e)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    if (r->counts[RUN_TOUCH] == 0)
        r->first = e->time;
    r->last = e->time;
    if (!r->pairs_incomplete)
        r->pairs_incomplete =
            !tact_pair_counts_add(&r->pairs, (uint32_t)(a - r->scene->bodies), (uint32_t)(b - r->scene->bodies));
}

void tact_run_report_event(run_report *r, const tact_event *event)
{
    for (int kind = 0; kind < RUN_KIND_COUNT; kind++) {
        if (kinds[kind].event != event->kind)
            continue;
        if (!r->table)
            event_print_json((run_kind)kind, event, r->out);
        else if (r->events < r->limit)
            event_print(r, (run_kind)kind, event);
        if (kind == RUN_TOUCH)
            touch_count(r, event);
        r->counts[kind]++;
        r->events++;
    }
}

/* The pairs that touched most often. */
static void pairs_print(run_report *r)
{
    if (r->pairs_incomplete || r->counts[RUN_TOUCH] < 2)
        return;
    tact_pair_counts_sort(&r->pairs);
    (void)printf("  %zu pair%s", r->pairs.count, r->pairs.count == 1 ? ": " : "s, most frequent: ");
    for (size_t i = 0; i < r->pairs.count && i < SUMMARY_PAIRS; i++) {
        const pair_count *p = &r->pairs.items[i];
        (void)fputs(i > 0 ? "; " : "", stdout);
        name_print(r->scene->bodies[p->a].name, 0, stdout);
        (void)fputs(" and ", stdout);
        name_print(r->scene->bodies[p->b].name, 0, stdout);
        (void)printf(" (%llu)", p->count);
    }
    (void)printf("\n");
}

/* The counts of the other kinds that occurred. */
static void counts_print(const run_report *r)
{
    const char *before = "  ";
    for (int kind = RUN_TOUCH + 1; kind < RUN_KIND_COUNT; kind++)
        if (r->counts[kind] > 0) {
            (void)printf("%s%llu %s", before, r->counts[kind], kinds[kind].name);
            before = ", ";
        }
    if (r->events > r->counts[RUN_TOUCH])
        (void)printf("\n");
}

void tact_run_report_summary(run_report *r)
{
    static const char *const responses[] = {"none", "elastic", "inelastic"};
    const scene *s = r->scene;
    const unsigned long long touches = r->counts[RUN_TOUCH];
    if (r->table && r->events > r->limit)
        (void)printf("%16s  (%llu more; raise --limit to list them)\n", "...", r->events - r->limit);
    if (r->table)
        (void)printf("\n");
    (void)printf("%s: %zu bod%s, response %s, end at t = %g\n", r->name, s->count, s->count == 1 ? "y" : "ies",
                 responses[s->response], s->end);
    if (touches == 0)
        (void)printf("  no touches\n");
    else if (touches == 1)
        (void)printf("  1 touch, at t = %.9g\n", r->first);
    else
        (void)printf("  %llu touches, first at t = %.9g, last at t = %.9g\n", touches, r->first, r->last);
    pairs_print(r);
    counts_print(r);
}

void tact_run_report_counts_json(const run_report *r)
{
    for (int kind = 0; kind < RUN_KIND_COUNT; kind++)
        (void)printf(",\"%s\":%llu", kinds[kind].count_name, r->counts[kind]);
}

void tact_run_report_release(run_report *r) { tact_pair_counts_release(&r->pairs); }
