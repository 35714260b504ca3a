/* A server of `tact serve` and its clients, over sockets. A file that includes this one defines _POSIX_C_SOURCE. */
#ifndef TACT_TESTS_TOOL_SERVE_H
#define TACT_TESTS_TOOL_SERVE_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tool/run.h"

/* Milliseconds after which a test gives up: nothing takes that long. */
#define SERVE_PATIENCE 60000

typedef struct server {
    pid_t process;
    int to, from;
    int tcp, web; /* ports; 0: none */
    char socket[100];
} server;

/* Reads a line, with its end, from a socket or pipe; false at the end. */
static inline bool line_read(int file, bytes *line)
{
    char c;
    struct pollfd wait = {file, POLLIN, 0};
    line->size = 0;
    bytes_add(line, "", 0);
    for (;;) {
        if (poll(&wait, 1, SERVE_PATIENCE) != 1)
            fail_msg("no answer after %s", line->data);
        if (read(file, &c, 1) != 1)
            return false;
        bytes_add(line, &c, 1);
        if (c == '\n')
            return true;
    }
}

/* Starts a server with options (up to NULL) on an ipc, a tcp and a websocket address. Skips the test if there is none.
 */
static inline server server_start(const char *const *options)
{
    server s = {.tcp = 0};
    char ipc[120];
    const char *words[20] = {"serve", ipc, "tcp://127.0.0.1:0", "ws://127.0.0.1:0"};
    size_t count = 4;
    bytes line = {NULL, 0, 0};
    (void)snprintf(s.socket, sizeof s.socket, "/tmp/tact-serve-%ld.sock", (long)getpid());
    (void)snprintf(ipc, sizeof ipc, "ipc://%s", s.socket);
    while (options && *options)
        words[count++] = *options++;
    const int err = file_with("", 0);
    s.process = tool_start_piped(words, &s.to, &s.from, err);
    while (s.web == 0 && line_read(s.from, &line)) {
        (void)sscanf(line.data, "listening on tcp://127.0.0.1:%d", &s.tcp);
        (void)sscanf(line.data, "listening on ws://127.0.0.1:%d", &s.web);
    }
    bytes_free(&line);
    if (s.web == 0) {
        bytes said = file_read_all(err);
        (void)tool_wait(s.process);
        if (strstr(said.data, "built without nng")) {
            bytes_free(&said);
            skip();
        }
        fail_msg("the server did not start: %s", said.data);
    }
    (void)close(err);
    return s;
}

static inline void server_stop(server *s, int signal_number)
{
    assert_int_equal(kill(s->process, signal_number), 0);
    assert_int_equal(tool_wait(s->process), 0);
    (void)close(s->to);
    (void)close(s->from);
    assert_int_not_equal(access(s->socket, F_OK), 0); /* nothing is left */
}

static inline int client_connect_tcp(int port)
{
    const int file = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(file >= 0);
    assert_int_equal(connect(file, (struct sockaddr *)&address, sizeof address), 0);
    return file;
}

static inline int client_connect_ipc(const server *s)
{
    const int file = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un address;
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", s->socket);
    assert_true(file >= 0);
    assert_int_equal(connect(file, (struct sockaddr *)&address, sizeof address), 0);
    return file;
}

/* Sends; a closed connection is no failure. */
static inline bool client_send(int file, const void *data, size_t size)
{
    const char *rest = data;
    while (size > 0) {
        const ssize_t sent = send(file, rest, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        rest += sent;
        size -= (size_t)sent;
    }
    return true;
}

/* Sends a request, which needs no line end, and reads the answer without its line end. */
static inline char *client_ask(int file, bytes *line, const char *request)
{
    (void)client_send(file, request, strlen(request));
    (void)client_send(file, "\n", 1);
    if (!line_read(file, line))
        bytes_say(line, "(closed)");
    else
        line->data[--line->size] = '\0';
    return line->data;
}

static inline bool client_is_closed(int file)
{
    bytes line = {NULL, 0, 0};
    const bool closed = !line_read(file, &line);
    bytes_free(&line);
    return closed;
}

#endif
