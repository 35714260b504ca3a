/*
 * Two limits of time. World requests are cancelled by the callback of tact_world_set_progress, and the session goes on.
 * Everything else cannot be cancelled: then a timer of the process's CPU time ends it. (CPU time, so that a request
 * does not fail because other clients are busy.)
 */
#if defined(__unix__) || defined(__APPLE__)
#define _XOPEN_SOURCE 700 /* for setitimer */
#define HAS_TIMER 1
#else
#define HAS_TIMER 0
#endif

#include "serve_loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query.h"

#if HAS_TIMER
#include <signal.h>
#include <sys/time.h>
#endif

/* Bytes that are read at once. */
#define CHUNK 65536

/* The input: a line may be longer than what one read returns. */
typedef struct line_reader {
    int file;
    char *text;
    size_t begin, end, capacity; /* the bytes that are not used yet */
    size_t scanned;              /* bytes from `begin` on that have no line end */
} line_reader;

typedef enum line_state { LINE_READ, LINE_END, LINE_TOO_LONG, LINE_OUT_OF_MEMORY } line_state;

static bool all_write(int file, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(file, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}

/* Makes room for CHUNK bytes, at the cost of moving what is not used yet. */
static bool room_make(line_reader *r)
{
    if (r->begin > 0) {
        memmove(r->text, r->text + r->begin, r->end - r->begin);
        r->end -= r->begin;
        r->begin = 0;
    }
    if (r->capacity - r->end >= CHUNK)
        return true;
    const size_t capacity = 2 * r->end + CHUNK;
    char *text = realloc(r->text, capacity);
    if (!text)
        return false;
    r->text = text;
    r->capacity = capacity;
    return true;
}

/* Reads the next line of at most `max` bytes, without its end. It stays valid until the next call. */
static line_state line_read(line_reader *r, size_t max, const char **line, size_t *length)
{
    for (;;) {
        const char *text = r->text + r->begin, *found = NULL;
        if (r->end > r->begin + r->scanned)
            found = memchr(text + r->scanned, '\n', r->end - r->begin - r->scanned);
        if (found) {
            *line = text;
            *length = (size_t)(found - text);
            r->begin += *length + 1;
            r->scanned = 0;
            return *length <= max ? LINE_READ : LINE_TOO_LONG;
        }
        r->scanned = r->end - r->begin;
        if (r->scanned > max)
            return LINE_TOO_LONG;
        if (!room_make(r))
            return LINE_OUT_OF_MEMORY;
        const ssize_t got = read(r->file, r->text + r->end, CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) { /* the last line may have no end */
            *line = r->text + r->begin;
            *length = r->end - r->begin;
            r->begin = r->end;
            r->scanned = 0;
            return *length > 0 ? LINE_READ : LINE_END;
        }
        r->end += (size_t)got;
    }
}

#if HAS_TIMER

/* What the signal handler needs. */
static struct {
    int file;
    size_t length;
    char text[SERVE_LINE];
} expired;

static void time_is_over(int number)
{
    (void)number;
    (void)all_write(expired.file, expired.text, expired.length);
    _exit(1);
}

/* Sets the timer; 0: off. */
static void timer_set(double seconds)
{
    struct itimerval timer;
    memset(&timer, 0, sizeof timer);
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    (void)setitimer(ITIMER_PROF, &timer, NULL);
}

static void timer_prepare(int out, const serve_limits *limits)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = time_is_over;
    expired.file = out;
    (void)snprintf(expired.text, sizeof expired.text,
                   "{\"error\":\"the request took more than %g s of CPU time, twice the limit of this server\"}\n",
                   2.0 * limits->seconds);
    expired.length = strlen(expired.text);
    (void)sigaction(SIGPROF, &action, NULL);
}

#else

static void timer_set(double seconds) { (void)seconds; }
static void timer_prepare(int out, const serve_limits *limits)
{
    (void)out;
    (void)limits;
}

#endif

size_t tact_serve_too_long(char *text, const serve_limits *limits)
{
    return (size_t)snprintf(text, SERVE_LINE,
                            "{\"error\":\"the message has more than %zu bytes, the limit of this server\"}\n",
                            limits->message);
}

/* Answers lines until the session ends. Returns false if it ended with an error. */
static bool lines_answer(serve_session *session, line_reader *reader, int out, const serve_limits *limits)
{
    json_writer answer;
    char reason[SERVE_LINE];
    const char *line;
    size_t length;
    line_state state;
    bool goes_on = true, good = true;
    memset(&answer, 0, sizeof answer);
    while (goes_on && (state = line_read(reader, limits->message, &line, &length)) != LINE_END) {
        if (state != LINE_READ) {
            size_t size = tact_serve_too_long(reason, limits);
            if (state == LINE_OUT_OF_MEMORY)
                size = (size_t)snprintf(reason, sizeof reason, "{\"error\":\"out of memory\"}\n");
            (void)all_write(out, reason, size);
            good = goes_on = false;
            break;
        }
        if (tact_query_line_is_blank(line, length))
            continue;
        timer_set(2.0 * limits->seconds);
        goes_on = tact_serve_session_answer(session, line, length, &answer);
        timer_set(0.0);
        good = strncmp(answer.text, "{\"error\":", 9) != 0;
        answer.text[answer.length] = '\n';
        goes_on = all_write(out, answer.text, answer.length + 1) && goes_on;
    }
    tact_json_writer_release(&answer);
    return good;
}

int tact_serve_loop(int in, int out, const serve_limits *limits)
{
    line_reader reader = {.file = in};
    serve_session *session = tact_serve_session_create(limits);
    timer_prepare(out, limits);
    const bool good = session && lines_answer(session, &reader, out, limits);
    tact_serve_session_release(session);
    free(reader.text);
    return good ? 0 : 1;
}
