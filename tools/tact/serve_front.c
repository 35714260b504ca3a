#ifdef TACT_HAVE_NNG

#define _POSIX_C_SOURCE 200809L /* for sockets, signals and clocks */

#include "serve_front.h"

#include <errno.h>
#include <jansson.h>
#include <nng/nng.h>
#include <nng/supplemental/util/platform.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "error_line.h"
#include "serve_loop.h"
#include "serve_nursery.h"
#include "serve_web.h"
#include "serve_wire.h"

/* Seconds for the handshake and the token: a client that has not shown yet that it may be here. */
#define GREETING_SECONDS 10.0

/* Bytes of the request with the token: the longest token and its escapes. */
#define GREETING_SIZE 2048

/* Seconds in which a client may still send after its session has ended. Without them the system may drop the last
 * answer (TCP: data that arrives at a closed socket resets the connection). */
#define LINGER_SECONDS 0.2

/* Bytes of the stack of a client's thread: two chunks, a header and the calls of nng. */
#define STACK_SIZE 262144

/* Seconds to wait when there is no memory or no file for a connection. */
#define RETRY_SECONDS 0.1

/* Open files of a client, a connection and a socket to its process, and of the server itself. */
#define CLIENT_FILES 2
#define OWN_FILES 64

/* Requests that run at one time, for each processor. More would only wait for each other, in an order that the system
 * chooses: a client that has sent a thousand requests would be treated as one that has sent the first. */
#define RUNNING_PER_PROCESSOR 2

/* Seconds after which a request that runs no longer keeps others waiting: from then on the system shares the
 * processors. The time in which 100 usual requests are answered. */
#define TURN_SECONDS 0.02

/* Seconds after which the server ends even if a client's thread does not. */
#define END_SECONDS 10

typedef struct front front;

typedef struct client {
    struct client *next, *previous;
    front *owner;
    wire wire;
    int process; /* the socket of its process; -1: none */
    bool failed; /* its session ended with an error */
    bool needs_token;
    /* turns */
    struct client *next_waiting;
    pthread_cond_t turn;
    bool has_turn;
    double spent; /* seconds of its turns, at least those of the client that had the last one */
} client;

typedef struct listener {
    front *owner;
    nng_stream_listener *listener;
    bool is_web, needs_token;
    pthread_t thread;
} listener;

struct front {
    const serve_options *options;
    int nursery;
    pthread_mutex_t mutex; /* of the fields below */
    pthread_cond_t changed;
    client *clients;
    size_t count;
    bool ends;
    /* turns */
    pthread_mutex_t turns; /* of the fields below, and those of clients */
    client *waiting;
    size_t running, slots;
    double last_spent;
};

/* ---- answers of the front itself ---- */

static void error_send(client *c, const char *reason)
{
    char line[SERVE_LINE];
    c->failed = true;
    const int length = snprintf(line, sizeof line, "{\"error\":\"%s\"}\n", reason);
    (void)tact_wire_write(&c->wire, line, (size_t)length, true, c->owner->options->idle);
}

/* ---- turns ---- */

/* Waits until the client may run a request. The one that has spent the least is next. */
static void turn_wait(client *c)
{
    front *f = c->owner;
    (void)pthread_mutex_lock(&f->turns);
    if (c->spent < f->last_spent) /* who was idle has no right to the time of the others */
        c->spent = f->last_spent;
    if (f->running < f->slots) {
        f->running++;
    } else {
        c->has_turn = false;
        c->next_waiting = f->waiting;
        f->waiting = c;
        while (!c->has_turn)
            (void)pthread_cond_wait(&c->turn, &f->turns);
    }
    (void)pthread_mutex_unlock(&f->turns);
}

/* Gives the turn to the next client. */
static void turn_end(client *c, double seconds)
{
    front *f = c->owner;
    (void)pthread_mutex_lock(&f->turns);
    c->spent += seconds;
    client **best = &f->waiting;
    for (client **at = best; *at; at = &(*at)->next_waiting)
        if ((*at)->spent < (*best)->spent)
            best = at;
    client *next = *best;
    if (next) {
        *best = next->next_waiting;
        next->has_turn = true;
        f->last_spent = next->spent;
        (void)pthread_cond_signal(&next->turn);
    } else {
        f->running--;
    }
    (void)pthread_mutex_unlock(&f->turns);
}

/* ---- the token ---- */

/* Compares in a time that does not depend on where they differ. */
static bool is_token(const char *text, const char *token)
{
    if (!token)
        return false;
    const size_t length = strlen(token), given = strlen(text);
    unsigned different = length != given;
    for (size_t i = 0; i < length; i++)
        different |= (unsigned char)token[i] ^ (unsigned char)text[given ? i % given : 0];
    return different == 0;
}

/* Checks the first request. */
static bool greeting_check(const client *c, const char *line, size_t length)
{
    const serve_options *o = c->owner->options;
    json_t *root = json_loadb(line, length, 0, NULL);
    const char *op = json_string_value(json_object_get(root, "op"));
    const char *token = json_string_value(json_object_get(root, "token"));
    const bool good = op && strcmp(op, "hello") == 0 && token &&
                      (is_token(token, o->token) || (c->wire.is_web && is_token(token, o->page_token)));
    json_decref(root);
    return good;
}

/* ---- one client ---- */

/* Starts the process of a client, or says that it cannot. */
static bool process_start(client *c)
{
    const int process = tact_serve_nursery_fork(c->owner->nursery);
    (void)pthread_mutex_lock(&c->owner->mutex); /* the end of the server uses it */
    c->process = process;
    (void)pthread_mutex_unlock(&c->owner->mutex);
    if (process < 0)
        error_send(c, "the server has no room for another session");
    return process >= 0;
}

/* Passes bytes to the process. */
static bool process_write(const client *c, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t sent = send(c->process, bytes, size, 0);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Ends the turn of a request that has been sent: when its answer begins, or when it takes long. The rest does not
 * count: it may be the time in which a new process starts. */
static void turn_end_with_answer(client *c)
{
    const double start = tact_wire_clock();
    struct pollfd answer = {.fd = c->process, .events = POLLIN};
    if (c->process >= 0)
        (void)poll(&answer, 1, (int)(TURN_SECONDS * 1e3));
    turn_end(c, tact_wire_clock() - start);
}

/* Passes an answer to the client. Returns false if the session ends with it. */
static bool answer_pass(client *c)
{
    static const char error[] = "{\"error\":", bye[] = "{\"bye\":";
    char bytes[WIRE_CHUNK];
    bool first = true, goes_on = true;
    for (;;) {
        const ssize_t got = recv(c->process, bytes, sizeof bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) { /* it was ended by the system, or by an error of its own */
            if (first)
                error_send(c, "the session has ended: it needed more than the server can give");
            return false;
        }
        const size_t size = (size_t)got;
        if (first) {
            c->failed = size >= sizeof error - 1 && memcmp(bytes, error, sizeof error - 1) == 0;
            goes_on = !c->failed && !(size >= sizeof bye - 1 && memcmp(bytes, bye, sizeof bye - 1) == 0);
        }
        first = false;
        const bool last = bytes[size - 1] == '\n'; /* no answer has a line end inside */
        if (!tact_wire_write(&c->wire, bytes, size, last, c->owner->options->idle))
            return false;
        if (last)
            return goes_on;
    }
}

/* The request that is on its way. */
typedef struct request {
    bool has_content; /* it is no empty line */
    bool greets;      /* it must be the token */
    size_t size;
    char greeting[GREETING_SIZE]; /* its begin, while it must be the token */
} request;

/* Ends a greeting: starts the process if the token is right. */
static bool greeting_end(client *c, request *r)
{
    if (r->size > GREETING_SIZE || !greeting_check(c, r->greeting, r->size)) {
        error_send(c, r->size > GREETING_SIZE ? "the first message is too long: this server needs a hello with a token"
                                              : "this server needs a hello with the right token first");
        return false;
    }
    r->greets = false;
    return process_start(c) && process_write(c, r->greeting, r->size);
}

/* Takes a part of a request, with its line end if `ends`. Returns false if the session ends. */
static bool part_take(client *c, request *r, const char *bytes, size_t size, bool ends)
{
    bool good = true;
    r->has_content = r->has_content || strspn(bytes, " \t\r\n") < size;
    const bool runs = ends && r->has_content && !r->greets;
    if (runs)
        turn_wait(c);
    if (r->greets) {
        if (r->size + size <= GREETING_SIZE)
            memcpy(r->greeting + r->size, bytes, size);
        r->size += size;
        if (r->size > GREETING_SIZE || (ends && r->has_content))
            good = greeting_end(c, r);
        else if (ends)
            r->size = 0;
        if (!good)
            return false;
    } else {
        good = process_write(c, bytes, size);
        if (runs)
            turn_end_with_answer(c);
        if (!good) {
            (void)answer_pass(c); /* it has said why */
            return false;
        }
    }
    if (ends && r->has_content) {
        r->has_content = false;
        return answer_pass(c);
    }
    r->has_content = r->has_content && !ends;
    return true;
}

/* Passes requests and answers until the session ends. */
static void client_serve(client *c)
{
    const serve_options *o = c->owner->options;
    request r = {.greets = c->needs_token};
    char bytes[WIRE_CHUNK + 1];
    double end = tact_wire_clock() + (c->needs_token ? GREETING_SECONDS : o->idle);
    if (!c->needs_token && !process_start(c))
        return;
    for (;;) {
        size_t got = 0;
        const wire_state state = tact_wire_read(&c->wire, bytes, WIRE_CHUNK, end - tact_wire_clock(), &got);
        if (state == WIRE_TIMED_OUT)
            error_send(c, "there was no request for too long");
        if (state != WIRE_OPEN)
            return;
        bytes[got] = '\0'; /* for strspn; a zero inside is no blank */
        for (size_t i = 0; i < got;) {
            const char *line_end = memchr(bytes + i, '\n', got - i);
            const size_t size = line_end ? (size_t)(line_end - bytes) + 1 - i : got - i;
            if (!part_take(c, &r, bytes + i, size, line_end != NULL))
                return;
            if (line_end && !r.greets)
                end = tact_wire_clock() + o->idle;
            i += size;
        }
    }
}

/* Whether a page may connect without a token. */
static bool origin_is_known(const serve_options *o, const char *origin)
{
    for (size_t i = 0; i < o->origin_count; i++)
        if (strcmp(origin, o->origins[i]) == 0)
            return true;
    return false;
}

/* Reads and forgets what the client still sends. */
static void client_linger(client *c)
{
    const double end = tact_wire_clock() + LINGER_SECONDS;
    char bytes[WIRE_CHUNK];
    size_t got;
    if (c->wire.is_web)
        tact_web_close(&c->wire, LINGER_SECONDS);
    while (c->failed && tact_wire_read_plain(&c->wire, bytes, sizeof bytes, end - tact_wire_clock(), &got) == WIRE_OPEN)
        ;
}

static void client_remove(client *c)
{
    front *f = c->owner;
    (void)pthread_mutex_lock(&f->mutex);
    if (c->previous)
        c->previous->next = c->next;
    else
        f->clients = c->next;
    if (c->next)
        c->next->previous = c->previous;
    (void)pthread_mutex_unlock(&f->mutex);
    nng_stream_close(c->wire.stream);
    nng_stream_free(c->wire.stream);
    nng_aio_free(c->wire.aio);
    (void)pthread_cond_destroy(&c->turn);
    if (c->process >= 0)
        (void)close(c->process);
    free(c);
    (void)pthread_mutex_lock(&f->mutex);
    f->count--; /* last, so that nothing of it is left when the server ends */
    (void)pthread_cond_signal(&f->changed);
    (void)pthread_mutex_unlock(&f->mutex);
}

static void *client_run(void *argument)
{
    client *c = argument;
    char origin[WEB_VALUE];
    bool good = true;
    if (c->wire.is_web) {
        good = tact_web_accept(&c->wire, GREETING_SECONDS, origin);
        c->needs_token = c->needs_token || (origin[0] && !origin_is_known(c->owner->options, origin));
    }
    if (good) {
        client_serve(c);
        client_linger(c);
    }
    client_remove(c);
    return NULL;
}

/* Starts the thread of a connection; false without memory. */
static bool client_start(front *f, const listener *l, nng_stream *stream)
{
    client *c = calloc(1, sizeof *c);
    pthread_attr_t attributes;
    pthread_t thread;
    if (!c || nng_aio_alloc(&c->wire.aio, NULL, NULL) != 0) {
        free(c);
        return false;
    }
    c->owner = f;
    (void)pthread_cond_init(&c->turn, NULL);
    c->wire.stream = stream;
    c->wire.is_web = l->is_web;
    c->needs_token = l->needs_token;
    c->process = -1;
    (void)pthread_mutex_lock(&f->mutex);
    const bool has_room = f->count < f->options->clients && !f->ends;
    bool started = false;
    if (has_room) {
        (void)pthread_attr_init(&attributes);
        (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        (void)pthread_attr_setstacksize(&attributes, STACK_SIZE);
        c->next = f->clients;
        started = pthread_create(&thread, &attributes, client_run, c) == 0;
        (void)pthread_attr_destroy(&attributes);
    }
    if (started) { /* its thread waits for the mutex before it uses these */
        if (f->clients)
            f->clients->previous = c;
        f->clients = c;
        f->count++;
    }
    (void)pthread_mutex_unlock(&f->mutex);
    if (started)
        return true;
    if (!l->is_web) /* a short line fits into the buffer of the system */
        error_send(c, "the server has as many clients as it takes: try again later");
    nng_aio_free(c->wire.aio);
    free(c);
    return false;
}

/* ---- addresses ---- */

static void *listener_run(void *argument)
{
    listener *l = argument;
    nng_aio *aio;
    if (nng_aio_alloc(&aio, NULL, NULL) != 0)
        return NULL;
    for (;;) {
        nng_stream_listener_accept(l->listener, aio);
        nng_aio_wait(aio);
        const int result = nng_aio_result(aio);
        if (result == NNG_ECLOSED)
            break;
        if (result != 0) { /* no memory, or too many files */
            nng_msleep((nng_duration)(RETRY_SECONDS * 1e3));
            continue;
        }
        nng_stream *stream = nng_aio_get_output(aio, 0);
        if (!client_start(l->owner, l, stream)) {
            nng_stream_close(stream);
            nng_stream_free(stream);
        }
    }
    nng_aio_free(aio);
    return NULL;
}

/* The part after "://". */
static const char *after_scheme(const char *address)
{
    const char *colon = strstr(address, "://");
    return colon ? colon + 3 : address;
}

/* Begins to listen. Returns an error of nng. `found` gets the address with the port. */
static int listener_open(listener *l, const char *address, char found[SERVE_ADDRESS])
{
    char url[SERVE_ADDRESS];
    const size_t host = strcspn(after_scheme(address), "/");
    (void)snprintf(found, SERVE_ADDRESS, "%s", address);
    (void)snprintf(url, sizeof url, "%s", address);
    if (l->is_web)
        (void)snprintf(url, sizeof url, "tcp://%.*s", (int)host, after_scheme(address));
    int result = nng_stream_listener_alloc(&l->listener, url);
    if (result == 0 && strncmp(url, "ipc://", 6) == 0) /* this user alone */
        (void)nng_stream_listener_set_int(l->listener, NNG_OPT_IPC_PERMISSIONS, 0600);
    if (result == 0)
        result = nng_stream_listener_listen(l->listener);
    int port = 0;
    if (result == 0 && strncmp(url, "tcp://", 6) == 0 &&
        nng_stream_listener_get_int(l->listener, NNG_OPT_TCP_BOUND_PORT, &port) == 0) {
        const char *const rest = after_scheme(address), *colon = rest + host;
        while (colon > rest && *colon != ':')
            colon--;
        (void)snprintf(found, SERVE_ADDRESS, "%.*s:%d%s", (int)(colon - address), address, port, rest + host);
    }
    return result;
}

/* Ends all clients, and waits until their threads are gone. */
static void clients_end(front *f)
{
    struct timespec until;
    (void)pthread_mutex_lock(&f->mutex);
    f->ends = true;
    for (client *c = f->clients; c; c = c->next) {
        nng_aio_stop(c->wire.aio); /* after nng_stream_close a transfer that begins would wait for its time limit */
        if (c->process >= 0)
            (void)shutdown(c->process, SHUT_RDWR);
    }
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_SECONDS;
    while (f->count > 0 && pthread_cond_timedwait(&f->changed, &f->mutex, &until) == 0)
        ;
    (void)pthread_mutex_unlock(&f->mutex);
}

static void signals_wait(const sigset_t *signals)
{
    int number;
    while (sigwait(signals, &number) != 0)
        ;
}

/* Asks the system for as many files as the clients need. */
static bool files_allow(size_t clients)
{
    struct rlimit files;
    const rlim_t needed = (rlim_t)(clients * CLIENT_FILES + OWN_FILES);
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= needed)
        return true;
    files.rlim_cur = needed;
    if (needed <= files.rlim_max && setrlimit(RLIMIT_NOFILE, &files) == 0)
        return true;
    return tact_error_line("tact serve: %zu clients need %llu open files, and the system allows %llu (ulimit -Hn): "
                           "use a smaller --clients",
                           clients, (unsigned long long)needed, (unsigned long long)files.rlim_max);
}

int tact_serve_front(const char *const *addresses, size_t count, const serve_options *options,
                     serve_listening *listening, void *context)
{
    static front f; /* a thread that does not end in time may still use it */
    sigset_t signals;
    listener *listeners = calloc(count, sizeof *listeners);
    char(*found)[SERVE_ADDRESS] = calloc(count, sizeof *found);
    size_t open = 0, started = 0;
    bool good = listeners && found;
    memset(&f, 0, sizeof f);
    f.options = options;
    f.nursery = -1;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    f.slots = RUNNING_PER_PROCESSOR * (processors > 0 ? (size_t)processors : 1);
    if (!good)
        (void)tact_error_line("tact: out of memory");
    good = good && files_allow(options->clients);
    if (good && (f.nursery = tact_serve_nursery_start(&options->limits)) < 0)
        good = tact_error_line("tact: no process can be started: %s", strerror(errno));
    (void)pthread_mutex_init(&f.mutex, NULL);
    (void)pthread_mutex_init(&f.turns, NULL);
    (void)pthread_cond_init(&f.changed, NULL);
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGTERM);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)pthread_sigmask(SIG_BLOCK, &signals, NULL); /* of all threads that follow */
    while (good && open < count) {
        listener *l = &listeners[open];
        *l = (listener){
            .owner = &f, .is_web = strncmp(addresses[open], "ws://", 5) == 0, .needs_token = options->token != NULL};
        const int result = listener_open(l, addresses[open], found[open]);
        open += l->listener != NULL;
        if (result != 0)
            good =
                tact_error_line("%s: cannot listen: %s", addresses[open - (l->listener != NULL)], nng_strerror(result));
    }
    for (size_t i = 0; good && i < count; i++)
        good = listening(context, found[i]);
    for (; good && started < count; started++)
        if (pthread_create(&listeners[started].thread, NULL, listener_run, &listeners[started]) != 0) {
            good = tact_error_line("tact: no thread can be started");
            break;
        }
    if (good)
        signals_wait(&signals);
    for (size_t i = 0; i < open; i++)
        nng_stream_listener_close(listeners[i].listener);
    for (size_t i = 0; i < started; i++)
        (void)pthread_join(listeners[i].thread, NULL);
    clients_end(&f);
    for (size_t i = 0; i < open; i++)
        nng_stream_listener_free(listeners[i].listener);
    if (f.nursery >= 0)
        (void)close(f.nursery);
    free(found);
    free(listeners);
    /* not nng_fini: that of nng 1.5 may wait for ever after many connections */
    return good ? 0 : 1;
}

#else

#include "error_line.h"
#include "serve_front.h"

int tact_serve_front(const char *const *addresses, size_t count, const serve_options *options,
                     serve_listening *listening, void *context)
{
    (void)count;
    (void)options;
    (void)listening;
    (void)context;
    (void)tact_error_line("tact serve: %.100s: this tact was built without nng (Debian: libnng-dev), and serves only "
                          "standard input: tact serve -",
                          addresses[0]);
    return 1;
}

#endif
