/*
 * `tact serve` under load: clients that behave well, and others that send slowly, vanish in the middle of a request, do
 * not read their answers, send too much or send garbage. All at the same time. Those that behave well get every answer,
 * and it is right; the memory of the process that has all connections stays small.
 *
 * TACT_TEST_LONG=1: 1,000 clients, and figures.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "support/long_form.h"
#include "tool/serve.h"

/* Requests of a client that behaves well, after the first ones, and lives of one that does not. */
#define ROUNDS 20
#define LIVES 5

/* The limit of a message, and what the clients that send too much send. */
#define MESSAGE_BYTES 1048576
#define TOO_MUCH (3 * MESSAGE_BYTES)

/* Bytes that the process with the connections may use: its own, and for each client two chunks and a thread. */
#define FRONT_BASE 20e6
#define FRONT_CLIENT 0.3e6

typedef enum client_kind { GOOD, SLOW, VANISHING, FLOODING, OVERSIZE, GARBAGE, KIND_COUNT } client_kind;

typedef struct client {
    client_kind kind;
    int number, file, lives;
    int step;      /* of the dialogue; -1: done */
    bytes out, in; /* `out` from `sent` on waits to be sent */
    size_t sent;
    double asked; /* time */
} client;

typedef struct load {
    server server;
    client *clients;
    struct pollfd *files;
    int count, open; /* `open`: clients that behave well and are not done */
    unsigned seed;
    unsigned counts[KIND_COUNT]; /* ends of each kind */
    double *latencies;
    size_t latency_count;
} load;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static unsigned random_next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* The request of a step, and its answer. Each client has a ball of its own, and one that it moves. */
static void step_texts(const client *c, char request[300], char answer[300])
{
    const double depth = 2.0 - (0.5 + (c->step % 3) * 0.5);
    (void)snprintf(answer, 300, "{}\n");
    if (c->step == 0)
        (void)snprintf(request, 300, "{\"op\":\"world\"}\n");
    else if (c->step <= 2)
        (void)snprintf(request, 300,
                       "{\"op\":\"body\",\"name\":\"%c%d\",\"shape\":{\"type\":\"sphere\",\"radius\":1}}\n",
                       c->step == 1 ? 'a' : 'b', c->number);
    else if (c->step % 2)
        (void)snprintf(request, 300, "{\"op\":\"move\",\"body\":\"b%d\",\"place\":{\"translate\":[%g,0,0]}}\n",
                       c->number, 0.5 + ((c->step + 1) % 3) * 0.5);
    else {
        (void)snprintf(request, 300, "{\"op\":\"test\",\"want\":\"points\",\"id\":%d}\n", c->step);
        (void)snprintf(answer, 300,
                       "{\"contacts\":[{\"a\":\"a%d\",\"b\":\"b%d\",\"phase\":\"%s\",\"points\":[{\"depth\":%.17g,",
                       c->number, c->number, c->step == 4 ? "begin" : "persist", depth);
    }
}

static void client_open(load *l, client *c)
{
    if (c->lives == 0) {
        c->file = c->number % 2 ? client_connect_tcp(l->server.tcp) : client_connect_ipc(&l->server);
        assert_int_equal(fcntl(c->file, F_SETFL, O_NONBLOCK), 0);
    } else { /* without waiting: the others go on */
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)l->server.tcp)};
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        c->file = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(fcntl(c->file, F_SETFL, O_NONBLOCK), 0);
        assert_true(connect(c->file, (struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS);
    }
    c->out.size = c->in.size = c->sent = 0;
}

static void client_end(load *l, client *c)
{
    (void)close(c->file);
    c->file = -1;
    l->counts[c->kind]++;
}

/* What a client sends next. */
static void client_ask_next(client *c)
{
    char request[300], answer[300];
    c->out.size = c->sent = 0;
    switch (c->kind) {
    case GOOD:
    case SLOW:
        step_texts(c, request, answer);
        bytes_say(&c->out, request);
        break;
    case VANISHING:
        bytes_say(&c->out, "{\"op\":\"world\"}\n{\"op\":\"body\",\"name\":\"x\",\"sha");
        break;
    case FLOODING:
        for (int i = 0; i < 2000; i++)
            bytes_say(&c->out, "{\"op\":\"hello\"}\n");
        break;
    case OVERSIZE:
        while (c->out.size < TOO_MUCH)
            bytes_say(&c->out, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[");
        break;
    default:
        bytes_say(&c->out, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    c->asked = now();
}

/* Sends a part; false if the connection is closed. */
static bool client_write(load *l, client *c)
{
    size_t size = c->out.size - c->sent;
    if (c->kind == SLOW)
        size = size < 7 ? size : 1 + random_next(&l->seed) % 7;
    const ssize_t sent = send(c->file, c->out.data + c->sent, size, MSG_NOSIGNAL);
    if (sent > 0)
        c->sent += (size_t)sent;
    return sent > 0 || errno == EAGAIN;
}

/* Takes what has come; false at the end. */
static bool client_read(client *c)
{
    char piece[16384];
    const ssize_t got = recv(c->file, piece, sizeof piece, 0);
    if (got > 0)
        bytes_add(&c->in, piece, (size_t)got);
    return got > 0 || (got < 0 && errno == EAGAIN);
}

/* Checks the answer of a client that behaves well, if it is complete. */
static void answer_check(load *l, client *c)
{
    char request[300], answer[300];
    if (c->in.size == 0 || c->in.data[c->in.size - 1] != '\n')
        return;
    step_texts(c, request, answer);
    if (strncmp(c->in.data, answer, strlen(answer)) != 0 || count_lines(c->in.data) != 1)
        fail_msg("client %d asks %sand is answered\n%sinstead of\n%s", c->number, request, c->in.data, answer);
    if (c->kind == GOOD && c->step > 0) /* the first answer includes the start of the session */
        l->latencies[l->latency_count++] = now() - c->asked;
    c->in.size = 0;
    if (++c->step == ROUNDS + 3) {
        client_end(l, c);
        c->step = -1;
        l->open--;
    } else {
        client_ask_next(c);
    }
}

/* Lets a client do something. */
static void client_turn(load *l, client *c, short events)
{
    bool is_open = true;
    if ((events & POLLOUT) && c->sent < c->out.size)
        is_open = client_write(l, c);
    if (is_open && (events & (POLLIN | POLLHUP)) && c->kind != FLOODING) /* a flooding client never reads */
        is_open = client_read(c);
    if (c->kind == GOOD || c->kind == SLOW) {
        if (!is_open)
            fail_msg("client %d lost its session at step %d after %s", c->number, c->step, c->in.data);
        answer_check(l, c);
        return;
    }
    const bool all_sent = c->sent == c->out.size;
    if (c->kind == VANISHING && all_sent)
        is_open = false;
    if (c->kind == FLOODING && is_open && all_sent)
        client_ask_next(c);
    if ((c->kind == OVERSIZE || c->kind == GARBAGE) && !is_open && c->in.size > 0 &&
        strncmp(c->in.data, "{\"error\":", 9) != 0)
        fail_msg("client %d is answered %s", c->number, c->in.data);
    if (!is_open) { /* and again */
        client_end(l, c);
        if (++c->lives == LIVES) {
            c->step = -1;
            return;
        }
        client_open(l, c);
        client_ask_next(c);
    }
}

static short events_of(const client *c)
{
    if (c->step < 0)
        return 0;
    return (short)((c->sent < c->out.size ? POLLOUT : 0) | (c->kind == FLOODING ? 0 : POLLIN));
}

/* The largest memory that a process has used, in bytes; 0 if unknown. */
static double memory_peak(pid_t process)
{
    char path[60], line[200];
    double kilobytes = 0.0;
    (void)snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        (void)sscanf(line, "VmHWM: %lf", &kilobytes);
    if (file)
        (void)fclose(file);
    return kilobytes * 1024.0;
}

static int number_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void some_behave_badly_and_the_others_do_not_notice(void **state)
{
    (void)state;
    const int count = long_form() ? 1000 : 60;
    static const client_kind kinds[] = {GOOD, SLOW, GOOD, VANISHING, GOOD, FLOODING, GOOD, OVERSIZE, GOOD, GARBAGE};
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    char clients[20];
    (void)snprintf(clients, sizeof clients, "%d",
                   2 * count); /* a connection may end a little later on the other side */
    load l = {.count = count, .seed = 1};
    l.server = server_start((const char *const[]){"--clients", clients, "--message", "1", "--memory", "64", NULL});
    l.clients = calloc((size_t)count, sizeof *l.clients);
    l.files = calloc((size_t)count, sizeof *l.files);
    l.latencies = calloc((size_t)count * (ROUNDS + 3), sizeof *l.latencies);
    assert_true(l.clients && l.files && l.latencies);
    const double start = now();
    for (int i = 0; i < count; i++) {
        client *c = &l.clients[i];
        *c = (client){.kind = kinds[i % 10], .number = i};
        client_open(&l, c);
        client_ask_next(c);
        l.open += c->kind == GOOD || c->kind == SLOW;
    }
    while (l.open > 0) {
        for (int i = 0; i < count; i++)
            l.files[i] = (struct pollfd){l.clients[i].file, events_of(&l.clients[i]), 0};
        if (poll(l.files, (nfds_t)count, SERVE_PATIENCE) <= 0)
            fail_msg("%d clients wait for an answer", l.open);
        for (int i = 0; i < count; i++)
            if (l.files[i].revents && l.clients[i].step >= 0)
                client_turn(&l, &l.clients[i], l.files[i].revents);
    }
    const double seconds = now() - start, peak = memory_peak(l.server.process);
    if (peak > FRONT_BASE + FRONT_CLIENT * count)
        fail_msg("the server has used %g bytes", peak);
    qsort(l.latencies, l.latency_count, sizeof *l.latencies, number_compare);
    assert_true(l.latency_count > 0);
    if (long_form())
        print_message(
            "%d clients: %zu requests of the good ones in %.2f s (%.0f a second); latency %.2f ms median, %.2f "
            "99 %%, %.2f largest; peak memory %.1f MB; vanished %u, flooding %u, oversize %u, garbage %u\n",
            count, l.latency_count, seconds, (double)l.latency_count / seconds, 1e3 * l.latencies[l.latency_count / 2],
            1e3 * l.latencies[l.latency_count * 99 / 100], 1e3 * l.latencies[l.latency_count - 1], 1e-6 * peak,
            l.counts[VANISHING], l.counts[FLOODING], l.counts[OVERSIZE], l.counts[GARBAGE]);
    assert_true(l.counts[VANISHING] >= (unsigned)count / 10 && l.counts[GARBAGE] >= 1 && l.counts[OVERSIZE] >= 1);
    for (int i = 0; i < count; i++) {
        if (l.clients[i].file >= 0)
            (void)close(l.clients[i].file);
        bytes_free(&l.clients[i].in);
        bytes_free(&l.clients[i].out);
    }
    free(l.clients);
    free(l.files);
    free(l.latencies);
    server_stop(&l.server, SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(some_behave_badly_and_the_others_do_not_notice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
