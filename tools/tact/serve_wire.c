#ifdef TACT_HAVE_NNG

#define _POSIX_C_SOURCE 200809L /* for clock_gettime */

#include "serve_wire.h"

#include <string.h>
#include <time.h>

#include "serve_web.h"

double tact_wire_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Prepares the next transfer; false if the time is over. */
static bool transfer_prepare(wire *w, void *bytes, size_t size, double seconds)
{
    nng_iov part = {.iov_buf = bytes, .iov_len = size};
    if (!(seconds > 0.0))
        return false;
    nng_aio_set_timeout(w->aio, (nng_duration)(seconds < 1e6 ? seconds * 1e3 + 1.0 : 1e9));
    (void)nng_aio_set_iov(w->aio, 1, &part);
    return true;
}

wire_state tact_wire_read_plain(wire *w, char *bytes, size_t size, double seconds, size_t *got)
{
    if (!transfer_prepare(w, bytes, size, seconds))
        return WIRE_TIMED_OUT;
    nng_stream_recv(w->stream, w->aio);
    nng_aio_wait(w->aio);
    const int result = nng_aio_result(w->aio);
    *got = nng_aio_count(w->aio);
    return result == 0 && *got > 0 ? WIRE_OPEN : result == NNG_ETIMEDOUT ? WIRE_TIMED_OUT : WIRE_CLOSED;
}

bool tact_wire_write_plain(wire *w, const void *bytes, size_t size, double seconds)
{
    const char *rest = bytes;
    while (size > 0) {
        if (!transfer_prepare(w, (void *)(uintptr_t)rest, size, seconds))
            return false;
        nng_stream_send(w->stream, w->aio);
        nng_aio_wait(w->aio);
        const size_t sent = nng_aio_count(w->aio);
        if (nng_aio_result(w->aio) != 0 || sent == 0)
            return false;
        rest += sent;
        size -= sent;
    }
    return true;
}

wire_state tact_wire_read(wire *w, char *bytes, size_t size, double seconds, size_t *got)
{
    return w->is_web ? tact_web_read(w, bytes, size, seconds, got) : tact_wire_read_plain(w, bytes, size, seconds, got);
}

bool tact_wire_write(wire *w, const char *bytes, size_t size, bool last, double seconds)
{
    return w->is_web ? tact_web_write(w, bytes, size, last, seconds) : tact_wire_write_plain(w, bytes, size, seconds);
}

#else
typedef int serve_wire_is_empty; /* C has no empty files */
#endif
