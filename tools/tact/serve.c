/* POSIX, for umask. */
#define _POSIX_C_SOURCE 200809L

#include "serve.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"
#include "error_line.h"
#include "help.h"
#include "serve_front.h"
#include "serve_loop.h"
#include "view_page.h"

/* Addresses and origins at most. */
#define MAX_WORDS 16

/* The shortest token: 16 characters of base64 are 96 bits. */
#define MIN_TOKEN 16

/* Random bytes of the token of a page. */
#define PAGE_TOKEN_BYTES 16

/* Bytes of a megabyte, the unit of --memory and --message. */
#define MEGABYTE 1048576u

typedef struct serve_command {
    serve_options serve;
    const char *addresses[MAX_WORDS], *origins[MAX_WORDS];
    size_t count;
    const char *token_file, *page; /* NULL: none */
    char token[SERVE_TOKEN], page_token[2 * PAGE_TOKEN_BYTES + 1];
} serve_command;

/* Reads the token: the first line of the file. */
static bool token_read(serve_command *c)
{
    FILE *file = fopen(c->token_file, "r");
    if (!file)
        return tact_error_line("%s: cannot be opened: %s", c->token_file, strerror(errno));
    const bool read = fgets(c->token, sizeof c->token, file) != NULL;
    (void)fclose(file);
    if (!read)
        c->token[0] = '\0';
    const size_t length = strcspn(c->token, " \t\r\n");
    if (length + 1 == sizeof c->token)
        return tact_error_line("%s:1: the token is too long: at most %zu characters", c->token_file,
                               sizeof c->token - 2);
    c->token[length] = '\0';
    if (length < MIN_TOKEN)
        return tact_error_line("%s:1: the token is too short: at least %d characters, as from openssl rand -hex 16",
                               c->token_file, MIN_TOKEN);
    c->serve.token = c->token;
    return true;
}

/* Makes the token of the page: another one at each start. */
static bool page_token_make(serve_command *c)
{
    unsigned char bytes[PAGE_TOKEN_BYTES];
    FILE *file = fopen("/dev/urandom", "rb");
    const bool read = file && fread(bytes, sizeof bytes, 1, file) == 1;
    if (file)
        (void)fclose(file);
    if (!read)
        return tact_error_line("/dev/urandom: cannot be read, and --page needs random bytes");
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(c->page_token + 2 * i, 3, "%02x", bytes[i]);
    c->serve.page_token = c->page_token;
    return true;
}

/* Writes the page for the first websocket address, for this user alone: it has a token. */
static bool page_write(serve_command *c, const char *address)
{
    struct stat info;
    /* a file that is replaced gives its permissions to the new one */
    if (stat(c->page, &info) == 0 && S_ISREG(info.st_mode) && chmod(c->page, S_IRUSR | S_IWUSR) != 0)
        return tact_error_line("%s: cannot be made private: %s", c->page, strerror(errno));
    const mode_t before = umask(S_IRWXG | S_IRWXO);
    const bool good = tact_view_page_write_live(c->page, address, c->page_token);
    (void)umask(before);
    if (good)
        (void)printf("page %s\n", c->page);
    c->page = NULL;
    return good;
}

static bool address_print(void *context, const char *address)
{
    serve_command *c = context;
    if (c->page && strncmp(address, "ws://", 5) == 0 && !page_write(c, address))
        return false;
    (void)printf("listening on %s\n", address);
    return fflush(stdout) == 0 || tact_error_line("tact: standard output cannot be written: %s", strerror(errno));
}

/* True if only programs of this machine can connect to the address. */
static bool is_local(const char *address)
{
    const char *colon = strstr(address, "://"), *host = colon ? colon + 3 : address;
    const bool is_loopback = strncmp(host, "127.", 4) == 0 && strchr(":/", host[strspn(host, "0123456789.")]);
    return strncmp(address, "ipc://", 6) == 0 || is_loopback || strncmp(host, "[::1]", 5) == 0 ||
           strncmp(host, "localhost:", 10) == 0;
}

static bool has_scheme(const char *address)
{
    static const char *const schemes[] = {"ipc://", "tcp://", "ws://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (strncmp(address, schemes[i], strlen(schemes[i])) == 0 && address[strlen(schemes[i])])
            return true;
    return false;
}

static int addresses_serve(serve_command *c)
{
    bool has_web = false;
    for (size_t i = 0; i < c->count; i++) {
        has_web = has_web || strncmp(c->addresses[i], "ws://", 5) == 0;
        if (strncmp(c->addresses[i], "ws://", 5) == 0 && strpbrk(c->addresses[i], "\"\\<>& '"))
            return tact_help_usage("serve", "%.100s has characters that no address has", c->addresses[i]);
        if (!has_scheme(c->addresses[i]) || strlen(c->addresses[i]) + 8 > SERVE_ADDRESS)
            return tact_help_usage("serve",
                                   "\"%.100s\" is no address: ipc:///FILE, tcp://HOST:PORT, ws://HOST:PORT or -",
                                   c->addresses[i]);
        if (!c->token_file && !is_local(c->addresses[i]))
            return tact_help_usage("serve", "%.100s can be reached from other machines, so it needs --token FILE",
                                   c->addresses[i]);
    }
    if (c->page && !has_web)
        return tact_help_usage("serve", "--page needs an address ws://HOST:PORT");
    if ((c->token_file && !token_read(c)) || (c->page && !page_token_make(c)))
        return 1;
    return tact_serve_front(c->addresses, c->count, &c->serve, address_print, c);
}

/* Reads a positive number of seconds; the system's timers have no more than 68 years. */
static bool seconds_read(const char *text, double *seconds)
{
    char *end;
    *seconds = text ? strtod(text, &end) : 0.0;
    return text && *end == '\0' && *seconds >= 0.001 && *seconds <= 1e9;
}

/* Reads an option; *status is not 0 if it is wrong. Returns false if there is no such option. */
static bool option_read(serve_command *c, const char *word, const char *value, int *status)
{
    serve_limits *l = &c->serve.limits;
    const struct {
        const char *name;
        size_t *number;
        size_t unit, max;
        const char *what;
    } numbers[] = {{"--clients", &c->serve.clients, 1, 100000, "a number from 1 to 100000"},
                   {"--memory", &l->memory, MEGABYTE, SIZE_MAX / MEGABYTE, "a number of megabytes"},
                   {"--message", &l->message, MEGABYTE, 1024, "a number of megabytes from 1 to 1024"},
                   {"--worlds", &l->worlds, 1, 10000, "a number from 1 to 10000"}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (strcmp(word, numbers[i].name) == 0) {
            unsigned long long count;
            if (!tact_option_count(value, numbers[i].max, &count) || count == 0)
                *status = tact_option_usage("serve", word, numbers[i].what, value);
            else
                *numbers[i].number = (size_t)count * numbers[i].unit;
            return true;
        }
    if (strcmp(word, "--time") == 0 || strcmp(word, "--idle") == 0) {
        if (!seconds_read(value, word[2] == 't' ? &l->seconds : &c->serve.idle))
            *status = tact_option_usage("serve", word, "a number of seconds, at least 0.001", value);
    } else if (strcmp(word, "--work") == 0) {
        if (!tact_option_count(value, ~0ULL, &l->work))
            *status = tact_option_usage("serve", word, "a number of units of work", value);
    } else if (strcmp(word, "--token") == 0) {
        if (!value || !value[0])
            *status = tact_option_usage("serve", word, "the name of a file", NULL);
        c->token_file = value;
    } else if (strcmp(word, "--page") == 0) {
        *status = tact_option_output("serve", "--page", value, &c->page);
    } else if (strcmp(word, "--origin") == 0) {
        if (!value || !strstr(value, "://") || c->serve.origin_count == MAX_WORDS)
            *status = tact_option_usage("serve", word, "the origin of a page, such as https://example.org", value);
        else
            c->origins[c->serve.origin_count++] = value;
    } else {
        return false;
    }
    return true;
}

int tact_serve_command(int argc, char **argv)
{
    serve_command c = {.serve = {.limits = {.seconds = 10.0,
                                            .message = (size_t)16 * MEGABYTE,
                                            .memory = (size_t)256 * MEGABYTE,
                                            .worlds = 16},
                                 .clients = 64,
                                 .idle = 300.0}};
    int status = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            return tact_help_command("serve");
        if (word[0] != '-' || word[1] == '\0') {
            if (c.count == MAX_WORDS)
                return tact_help_usage("serve", "there are more than %d addresses", MAX_WORDS);
            c.addresses[c.count++] = word;
        } else if (!option_read(&c, word, i + 1 < argc ? argv[i + 1] : NULL, &status)) {
            return tact_help_usage("serve", "there is no option %s", word);
        } else {
            i++;
        }
        if (status != 0)
            return status;
    }
    c.serve.origins = c.origins;
    if (c.count == 0)
        return tact_help_usage("serve", "an address is missing: ipc:///FILE, tcp://HOST:PORT, ws://HOST:PORT or -");
    for (size_t i = 0; i < c.count; i++)
        if (strcmp(c.addresses[i], "-") == 0 && c.count > 1)
            return tact_help_usage("serve", "- serves standard input alone, without other addresses");
    if (strcmp(c.addresses[0], "-") != 0)
        return addresses_serve(&c);
    return tact_serve_loop(STDIN_FILENO, STDOUT_FILENO, &c.serve.limits);
}
