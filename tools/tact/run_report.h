/* What `tact run` prints: events as a table or as JSON lines, and a summary. */
#ifndef TACT_TOOL_RUN_REPORT_H
#define TACT_TOOL_RUN_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "pair_count.h"
#include "scene.h"

/* Kinds of events that are reported, in the order of their counts. */
typedef enum run_kind { RUN_TOUCH, RUN_BEGIN, RUN_END, RUN_SLEEP, RUN_WAKE, RUN_CRUSHED, RUN_KIND_COUNT } run_kind;

/* Set scene, name, out, table and limit; the rest is zero at first. */
typedef struct run_report {
    const scene *scene;
    const char *name;         /* of the scene file */
    FILE *out;                /* for the events */
    bool table;               /* print events as a table, not as JSON */
    unsigned long long limit; /* of events in the table */
    int width;                /* of the columns a and b */
    unsigned long long events, counts[RUN_KIND_COUNT];
    double first, last;    /* times of the first and the last touch */
    pair_counts pairs;     /* that touched */
    bool pairs_incomplete; /* memory ran out */
} run_report;

/* The name of a kind of event, and which members it has; false if it is not reported. */
bool tact_event_kind_describe(tact_event_kind event, const char **name, bool *has_b, bool *has_point);

/* Prints the head of the table. */
void tact_run_report_begin(run_report *r);

/* Prints and counts an event; an event of another kind is ignored. */
void tact_run_report_event(run_report *r, const tact_event *event);

/* Print the counts: as text, without its last line; or as members of a JSON object, each with a comma before it. */
void tact_run_report_summary(run_report *r);
void tact_run_report_counts_json(const run_report *r);

void tact_run_report_release(run_report *r);

#endif
