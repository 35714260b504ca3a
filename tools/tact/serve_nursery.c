#ifdef TACT_HAVE_NNG

#define _GNU_SOURCE /* for CMSG_SPACE */

#include "serve_nursery.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child_process.h"
#include "serve_loop.h"

/* A message with one file descriptor. */
typedef struct passed_file {
    struct msghdr message;
    struct iovec part;
    char byte;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
} passed_file;

static void passed_file_prepare(passed_file *p)
{
    memset(p, 0, sizeof *p);
    p->part = (struct iovec){&p->byte, 1};
    p->message.msg_iov = &p->part;
    p->message.msg_iovlen = 1;
    p->message.msg_control = p->control;
    p->message.msg_controllen = sizeof p->control;
}

/* Sends a file descriptor. */
static bool file_send(int socket, int file)
{
    passed_file p;
    passed_file_prepare(&p);
    struct cmsghdr *head = CMSG_FIRSTHDR(&p.message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(head), &file, sizeof file);
    ssize_t sent;
    do
        sent = sendmsg(socket, &p.message, 0);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

/* Receives a file descriptor; false if the other end is closed. `file` is -1 if there was no room for it. */
static bool file_receive(int socket, int *file)
{
    passed_file p;
    passed_file_prepare(&p);
    ssize_t got;
    do
        got = recvmsg(socket, &p.message, 0);
    while (got < 0 && errno == EINTR);
    const struct cmsghdr *head = got == 1 ? CMSG_FIRSTHDR(&p.message) : NULL;
    *file = -1;
    if (head && head->cmsg_type == SCM_RIGHTS)
        memcpy(file, CMSG_DATA(head), sizeof *file);
    return got == 1;
}

static void nursery_run(int socket, const serve_limits *limits)
{
    const child_limits child = {.memory = (double)limits->memory, .seconds = 1e30}; /* CPU time: serve_loop.c */
    const long nursery = (long)getpid();
    int file;
    (void)signal(SIGCHLD, SIG_IGN); /* processes of clients need no wait() */
    (void)signal(SIGINT, SIG_IGN);  /* the front ends first */
    (void)signal(SIGTERM, SIG_IGN);
    while (file_receive(socket, &file)) {
        if (file < 0)
            continue;
        if (fork() == 0) {
            (void)close(socket);
            tact_child_begin(nursery, &child, 0.0, true);
            (void)signal(SIGPIPE, SIG_IGN);
            (void)signal(SIGINT, SIG_IGN);
            _exit(tact_serve_loop(file, file, limits));
        }
        (void)close(file); /* if the fork failed, too: the front sees the end */
    }
}

int tact_serve_nursery_start(const serve_limits *limits)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        (void)close(pair[0]);
        nursery_run(pair[1], limits);
        _exit(0);
    }
    (void)close(pair[1]);
    if (child < 0) {
        (void)close(pair[0]);
        return -1;
    }
    return pair[0];
}

int tact_serve_nursery_fork(int nursery)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return -1;
    const bool sent = file_send(nursery, pair[1]);
    (void)close(pair[1]);
    if (sent)
        return pair[0];
    (void)close(pair[0]);
    return -1;
}

#else
typedef int serve_nursery_is_empty; /* C has no empty files */
#endif
