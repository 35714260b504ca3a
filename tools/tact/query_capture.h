/*
 * The page of `tact query --view`: a run (run_file.h) for each request, on a tab of its own, with the shapes of the
 * request, the motions of `toi`, the vertices of `ccd_vf` and `ccd_ee`, and the answer as events.
 *
 *     query_capture capture = {.path = "page.html"};
 *     tact_query_capture_add(&capture, &shown);      for each request that was answered
 *     return tact_query_capture_close(&capture);
 */
#ifndef TACT_TOOL_QUERY_CAPTURE_H
#define TACT_TOOL_QUERY_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <tact/vec.h>

#include "shape_read.h"

/* Requests on a page: each has a tab. */
#define CAPTURE_REQUESTS 100

typedef struct query_capture {
    const char *path; /* of the page */
    FILE *runs[CAPTURE_REQUESTS];
    char *names[CAPTURE_REQUESTS];
    size_t count;
    size_t left_out; /* answered requests beyond the limit */
    bool failed;     /* an error has been printed */
} query_capture;

/* A request and its answer. */
typedef struct query_shown {
    const char *operation;
    const moving_shape *a, *b; /* without a shape: not in the request */
    double end;                /* toi */
    tact_vec3 from, dir;       /* ray, closest, contains: then dir is zero */
    bool has_from;
    const tact_vec3 *start, *stop; /* ccd_vf, ccd_ee: four points each; else NULL */
    const char *answer;            /* one JSON object */
    size_t answer_length;
} query_shown;

void tact_query_capture_add(query_capture *capture, const query_shown *shown);

/* Writes the page and releases the capture. False after an error, printed to stderr. */
bool tact_query_capture_close(query_capture *capture);

#endif
