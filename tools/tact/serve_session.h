/*
 * A session of `tact serve`: what one client has on the server. It answers requests, one JSON object a line; the
 * requests are listed in docs/serve_tool.md. It knows nothing of connections.
 *
 *     serve_session *session = tact_serve_session_create(&limits);
 *     while (line_read(...) && tact_serve_session_answer(session, line, length, &answer))
 *         line_write(answer.text, answer.length);
 *     tact_serve_session_release(session);
 */
#ifndef TACT_TOOL_SERVE_SESSION_H
#define TACT_TOOL_SERVE_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "json_writer.h"

/* What a client may use. */
typedef struct serve_limits {
    double seconds;          /* CPU time of a request; a request that cannot be cancelled may take twice as long */
    size_t message;          /* bytes of a line */
    size_t memory;           /* bytes, of all that the client has */
    size_t worlds;           /* at one time */
    unsigned long long work; /* units of tact_world_set_progress of a request; 0: any number. For tests: the same
                                everywhere, unlike time */
} serve_limits;

typedef struct serve_session serve_session;

/* `limits` must outlive the session. NULL: out of memory. */
serve_session *tact_serve_session_create(const serve_limits *limits);

/* Answers a request of `length` bytes. `answer` is zero-initialised or was used for an earlier request; its text has
 * one more byte for a line end. Returns false if the session ends with this answer: after "bye", and after the first
 * error. */
bool tact_serve_session_answer(serve_session *session, const char *line, size_t length, json_writer *answer);

void tact_serve_session_release(serve_session *session);

#endif
