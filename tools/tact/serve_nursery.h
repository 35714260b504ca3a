/* The process that forks the processes of clients: it has no threads, so that a fork is safe. */
#ifndef TACT_TOOL_SERVE_NURSERY_H
#define TACT_TOOL_SERVE_NURSERY_H

#include <stdbool.h>

#include "serve_session.h"

/* Starts the nursery, before the caller has threads. Returns a socket for tact_serve_nursery_fork, or -1 with the
 * reason in errno. The nursery ends when that is closed, and all processes of clients end with it. */
int tact_serve_nursery_start(const serve_limits *limits);

/* Starts the process of a client: serve_loop.h on the other end of the returned socket. -1: it is not possible now.
 * Callable from several threads. */
int tact_serve_nursery_fork(int nursery);

#endif
