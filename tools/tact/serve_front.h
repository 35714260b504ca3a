/*
 * The network side of `tact serve`: many clients, each with a process of its own.
 *
 * Each client has a thread that passes requests and answers between its connection and its process (serve_loop.h).
 * The processes are forked by a process that has no threads, the nursery. So the limits of a client are those of a
 * process: the system enforces them, whatever the request does, and shares the processor fairly. A request that is
 * too large, too slow or that hits a bug ends one session.
 *
 * Connections are byte streams of nng. One message at a time is on its way: the next request is read when the answer
 * has been taken. So a client has no queue, and its memory here is a buffer and a small stack.
 */
#ifndef TACT_TOOL_SERVE_FRONT_H
#define TACT_TOOL_SERVE_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "serve_session.h"

/* Bytes of a token, and of an address, with the terminating zero. */
#define SERVE_TOKEN 256
#define SERVE_ADDRESS 512

typedef struct serve_options {
    serve_limits limits;    /* of a session */
    size_t clients;         /* at one time */
    double idle;            /* seconds that a client may take for its next request, and to read a part of an answer */
    const char *token;      /* NULL: none is needed */
    const char *page_token; /* of the page, for websockets; NULL: none */
    const char *const *origins; /* of pages that need no token */
    size_t origin_count;
} serve_options;

/* What becomes known of an address when the server listens: with the port that the system chose. */
typedef bool serve_listening(void *context, const char *address);

/* Serves until SIGINT or SIGTERM. Calls `listening` for each address, when all of them listen. Returns the exit status,
 * after a line on stderr if it is not 0: always without nng. */
int tact_serve_front(const char *const *addresses, size_t count, const serve_options *options,
                     serve_listening *listening, void *context);

#endif
