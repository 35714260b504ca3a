/* `tact serve`: requests and answers, sessions that know nothing of each other, limits, tokens, websockets. */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <sys/stat.h>

#include "tool/answer.h"
#include "tool/serve.h"

#define BALL "{\"type\":\"sphere\",\"radius\":1}"
#define SHARED(name) "{\"type\":\"shared\",\"name\":\"" name "\"}"
#define WORLD "{\"op\":\"world\"}"
#define BODY(name, shape, rest) "{\"op\":\"body\",\"name\":\"" name "\",\"shape\":" shape rest "}"
#define AT(x) ",\"place\":{\"translate\":[" #x ",0,0]}"
#define SPEED(x) ",\"motion\":{\"velocity\":[" #x ",0,0]}"

/* ---- one session ---- */

/* A session: requests, each with its answer, in which * stands for any number. A last answer that begins with
 * {"error":" is compared up to its end. */
static void session_check(const char *const (*dialogue)[2], size_t count, const char *const *options)
{
    const char *words[12] = {"serve", "-"};
    bytes input = {NULL, 0, 0};
    size_t n = 2;
    while (options && *options)
        words[n++] = *options++;
    for (size_t i = 0; i < count; i++) {
        bytes_say(&input, dialogue[i][0]);
        bytes_say(&input, "\n");
    }
    outcome o = tool_run(words, input.data, input.size);
    char *line = o.out.data;
    for (size_t i = 0; i < count; i++) {
        const char *const expected = dialogue[i][1];
        char *end = strchr(line, '\n');
        if (!end)
            fail_msg("no answer to %s", dialogue[i][0]);
        *end = '\0';
        const bool is_error = strncmp(expected, "{\"error\":", 9) == 0;
        if (!is_answer(line) ||
            (is_error ? strncmp(line, expected, strlen(expected)) != 0 : !same_answer(line, expected, 1e-9)))
            fail_msg("%s is answered\n%s\ninstead of\n%s", dialogue[i][0], line, expected);
        if (is_error)
            assert_int_equal(o.status, 1);
        line = end + 1;
    }
    assert_string_equal(line, "");
    assert_string_equal(o.err.data, "");
    bytes_free(&input);
    outcome_free(&o);
}

#define SESSION(...)                                                                                                   \
    do {                                                                                                               \
        static const char *const dialogue[][2] = {__VA_ARGS__};                                                        \
        session_check(dialogue, sizeof dialogue / sizeof dialogue[0], NULL);                                           \
    } while (0)

static void shapes_are_sent_once(void **state)
{
    (void)state;
    SESSION(
        {"{\"op\":\"shape\",\"name\":\"ball\",\"shape\":" BALL "}", "{}"},
        {"{\"op\":\"shape\",\"name\":\"pair\",\"shape\":{\"type\":\"compound\",\"parts\":[" SHARED(
             "ball") ",{\"type\":\"shared\",\"name\":\"ball\",\"place\":{\"translate\":[4,0,0]}}]}}",
         "{}"},
        {WORLD, "{}"}, {BODY("a", SHARED("ball"), ""), "{}"}, {BODY("b", SHARED("ball"), AT(1.5)), "{}"},
        {BODY("c", SHARED("pair"), AT(3)), "{}"}, {"{\"op\":\"forget\",\"name\":\"ball\"}", "{}"},
        {"{\"op\":\"test\",\"want\":\"pairs\"}",
         "{\"contacts\":[{\"a\":\"a\",\"b\":\"b\",\"phase\":\"begin\"},{\"a\":\"b\",\"b\":\"c\",\"phase\":\"begin\"}]"
         "}"},
        {"{\"op\":\"distance\",\"a\":" SHARED("pair") ",\"b\":{\"type\":\"point\",\"points\":[[4,3,0]]}}",
         "{\"distance\":2,\"pa\":[4,1,0],\"pb\":[4,3,0]}"},
        {"{\"op\":\"distance\",\"a\":{\"type\":\"shared\",\"name\":\"pair\",\"margin\":0.5},"
         "\"b\":{\"type\":\"point\",\"points\":[[4,3,0]]}}",
         "{\"distance\":1.5,\"pa\":[4,1.5,0],\"pb\":[4,3,0]}"},
        {"{\"op\":\"shape\",\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":3}}", "{}"},
        {"{\"op\":\"contains\",\"a\":" SHARED("ball") ",\"point\":[2.5,0,0]}", "{\"hit\":true}"},
        {"{\"op\":\"distance\",\"a\":" SHARED("cube") ",\"b\":" BALL "}",
         "{\"error\":\"a.name there is no shape \\\"cube\\\"\"}"});
    SESSION({"{\"op\":\"shape\",\"name\":\"m\",\"shape\":{\"type\":\"mesh\",\"file\":\"/etc/passwd\"}}",
             "{\"error\":\"shape.file cannot be read: a server reads no files"});
}

static void contacts_follow_moves(void **state)
{
    (void)state;
    SESSION(
        {WORLD, "{}"}, {BODY("a", BALL, ""), "{}"}, {BODY("b", BALL, AT(3)), "{}"},
        {"{\"op\":\"test\",\"id\":7}", "{\"contacts\":[],\"id\":7}"},
        {"{\"op\":\"move\",\"body\":\"b\",\"place\":{\"translate\":[1.5,0,0]}}", "{}"},
        {"{\"op\":\"test\"}", "{\"contacts\":[{\"a\":\"a\",\"b\":\"b\",\"phase\":\"begin\",\"points\":[{\"depth\":0.5,"
                              "\"normal\":[1,0,0],\"pa\":[1,0,0],\"pb\":[0.5,0,0]}]}]}"},
        {"{\"op\":\"test\",\"want\":\"witness\",\"id\":\"again\"}",
         "{\"contacts\":[{\"a\":\"a\",\"b\":\"b\",\"phase\":\"persist\",\"point\":[*,*,*]}],\"id\":\"again\"}"},
        {"{\"op\":\"move\",\"bodies\":[{\"body\":\"b\",\"place\":{\"translate\":[5,0,0]}},{\"body\":\"a\","
         "\"place\":{\"translate\":[0,9,0]}}]}",
         "{}"},
        {"{\"op\":\"test\"}", "{\"contacts\":[{\"a\":\"a\",\"b\":\"b\",\"phase\":\"end\"}]}"},
        {"{\"op\":\"world_ray\",\"from\":[5,-4,0],\"dir\":[0,1,0]}",
         "{\"hit\":true,\"body\":\"b\",\"t\":3,\"point\":[5,-1,0],\"normal\":[0,-1,0]}"},
        {"{\"op\":\"world_ray\",\"from\":[5,-4,0],\"dir\":[0,1,0],\"max\":2}", "{\"hit\":false}"},
        {"{\"op\":\"world_closest\",\"from\":[0,12,0]}",
         "{\"hit\":true,\"body\":\"a\",\"distance\":2,\"point\":[0,10,0],\"normal\":[0,1,0]}"},
        {"{\"op\":\"remove\",\"body\":\"a\"}", "{}"},
        {"{\"op\":\"states\"}", "{\"t\":0,\"bodies\":[{\"name\":\"b\",\"translate\":[5,0,0],\"rotate\":[0,0,0,1]}]}"},
        {BODY("a", BALL, ""), "{}"}, /* the name is free again */
        {"{\"op\":\"move\",\"body\":\"c\"}", "{\"error\":\"body there is no body \\\"c\\\"\"}"});
}

static void events_come_in_order(void **state)
{
    (void)state;
    SESSION({"{\"op\":\"world\",\"response\":\"elastic\"}", "{}"}, {BODY("a", BALL, ",\"mass\":1" SPEED(1)), "{}"},
            {BODY("b", BALL, ",\"mass\":1" AT(4)), "{}"}, {BODY("c", BALL, ",\"mass\":1" AT(8)), "{}"},
            {"{\"op\":\"next\",\"until\":1}", "{\"t\":1,\"kind\":\"none\"}"},
            {"{\"op\":\"next\",\"until\":9}",
             "{\"t\":2,\"kind\":\"touch\",\"a\":\"a\",\"b\":\"b\",\"point\":[3,0,0],\"normal\":[1,0,0]}"},
            {"{\"op\":\"advance\",\"until\":9}", "{\"events\":[{\"t\":4,\"kind\":\"touch\",\"a\":\"b\",\"b\":\"c\","
                                                 "\"point\":[7,0,0],\"normal\":[1,0,0]}],\"t\":9}"},
            {"{\"op\":\"next\",\"until\":8}", "{\"error\":\"until is 8, which is before the time of the world, 9\"}"});
    /* two worlds */
    SESSION({"{\"op\":\"world\",\"world\":\"x\"}", "{}"}, {"{\"op\":\"world\",\"world\":\"y\"}", "{}"},
            {"{\"op\":\"body\",\"world\":\"x\",\"name\":\"a\",\"shape\":" BALL "}", "{}"},
            {"{\"op\":\"states\",\"world\":\"y\"}", "{\"t\":0,\"bodies\":[]}"},
            {"{\"op\":\"drop\",\"world\":\"x\"}", "{}"},
            {"{\"op\":\"states\",\"world\":\"x\"}", "{\"error\":\"there is no world \\\"x\\\""});
}

/* A saved world is restored by another session, with the names of handles, and goes on. */
static void worlds_travel_as_bytes(void **state)
{
    (void)state;
    static const char input[] =
        "{\"op\":\"world\"}\n" BODY("a", BALL, SPEED(1)) "\n" BODY("b", BALL, AT(4)) "\n{\"op\":\"save\"}\n";
    static const char *const words[] = {"serve", "-", NULL};
    outcome o = tool_run(words, input, sizeof input - 1);
    assert_int_equal(o.status, 0);
    char *data = strstr(o.out.data, "{\"data\":\"");
    assert_non_null(data);
    *strchr(data, '}') = '\0';
    bytes restore = {NULL, 0, 0};
    bytes_say(&restore, "{\"op\":\"restore\",");
    bytes_say(&restore, data + 1);
    bytes_say(&restore, "}");
    bytes_say(&restore, "\n{\"op\":\"next\",\"until\":9}\n");
    outcome next = tool_run(words, restore.data, restore.size);
    char *event = strchr(next.out.data, '\n');
    assert_memory_equal(next.out.data, "{\"bodies\":2}", 12);
    assert_non_null(event);
    *strchr(event + 1, '\n') = '\0';
    if (!same_answer(event + 1,
                     "{\"t\":2,\"kind\":\"touch\",\"a\":\"#*\",\"b\":\"#*\",\"point\":[3,0,0],\"normal\":[1,0,0]}",
                     1e-9))
        fail_msg("the restored world says %s", event + 1);
    outcome_free(&next);
    outcome_free(&o);
    bytes_free(&restore);
    SESSION({"{\"op\":\"restore\",\"data\":\"AAA\"}", "{\"error\":\"data is not base64\"}"});
    SESSION({"{\"op\":\"restore\",\"data\":\"AAAA\"}", "{\"error\":\"data cannot be restored: "});
    SESSION({"{\"op\":\"replay\",\"data\":\"AAAA\"}", "{\"error\":\"data cannot be replayed: "});
}

/* The first error is the last answer. */
static void errors_end_the_session(void **state)
{
    (void)state;
    static const struct {
        const char *request, *answer;
    } cases[] = {
        {"nonsense", "{\"error\":\"not valid JSON at column 8: "},
        {"[]", "{\"error\":\"the request must be an object, not an array"},
        {"{}", "{\"error\":\"op is missing"},
        {"{\"op\":1}", "{\"error\":\"op must be a string"},
        {"{\"op\":\"fly\"}", "{\"error\":\"op must be one of hello, bye, shape, forget, world,"},
        {"{\"op\":\"hello\",\"id\":[1]}", "{\"error\":\"id must be a number or a string"},
        {"{\"op\":\"hello\",\"name\":\"x\"}", "{\"error\":\"the request has an unknown key \\\"name\\\""},
        {"{\"op\":\"world\",\"gravity\":1}", "{\"error\":\"gravity must be an array of 3 numbers"},
        {"{\"op\":\"world\",\"gravity\":[0,1e999,0]}", "{\"error\":\"not valid JSON"},
        {"{\"op\":\"test\"}", "{\"error\":\"there is no world \\\"main\\\""},
        {"{\"op\":\"distance\",\"a\":{\"type\":\"sphere\",\"radius\":-1},\"b\":{}}",
         "{\"error\":\"a.radius must not be negative"},
        {"{\"op\":\"op\",\"op\":\"op\"}", "{\"error\":\"not valid JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const dialogue[][2] = {{cases[i].request, cases[i].answer}};
        session_check(dialogue, 1, NULL);
        bytes input = {NULL, 0, 0};
        bytes_say(&input, cases[i].request);
        bytes_say(&input, "\n{\"op\":\"hello\"}\n");
        outcome o = tool_run((const char *const[]){"serve", "-", NULL}, input.data, input.size);
        assert_int_equal(count_lines(o.out.data), 1);
        assert_int_equal(o.status, 1);
        outcome_free(&o);
        bytes_free(&input);
    }
    SESSION({"{\"op\":\"bye\",\"id\":1}", "{\"bye\":true,\"id\":1}"});
}

static void work_is_limited(void **state)
{
    (void)state;
    static const char *const dialogue[][2] = {
        {"{\"op\":\"world\",\"response\":\"elastic\"}", "{}"},
        {BODY("a", BALL, ",\"mass\":1,\"restitution\":1" SPEED(1)), "{}"},
        {BODY("left", "{\"type\":\"box\",\"size\":[2,9,9]}", AT(-3)), "{}"},
        {BODY("right", "{\"type\":\"box\",\"size\":[2,9,9]}", AT(3)), "{}"},
        {"{\"op\":\"next\",\"until\":1e9}",
         "{\"t\":1,\"kind\":\"touch\",\"a\":\"a\",\"b\":\"right\",\"point\":[2,0,0],\"normal\":[1,0,0]}"},
    };
    session_check(dialogue, sizeof dialogue / sizeof dialogue[0], NULL);
    /* four balls in a row pass an impact on: more than one unit of work; the request goes on where it stopped */
    bytes input = {NULL, 0, 0};
    static const char *const words[] = {"serve", "-", "--work", "1", NULL};
    bytes_say(&input, WORLD "\n" BODY("a", "{\"type\":\"box\",\"size\":[1,1,1]}",
                                      ",\"motion\":{\"velocity\":[1,0,0],\"spin\":[1,2,3]}") "\n");
    bytes_say(&input, BODY("b", "{\"type\":\"box\",\"size\":[1,1,1]}", AT(30)) "\n");
    for (int i = 0; i < 40; i++)
        bytes_say(&input, "{\"op\":\"next\",\"until\":100}\n");
    outcome o = tool_run(words, input.data, input.size);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out.data, "\"cancelled\":true"));
    assert_non_null(strstr(o.out.data, "\"kind\":\"touch\",\"a\":\"a\",\"b\":\"b\""));
    outcome_free(&o);
    bytes_free(&input);
}

static void messages_and_worlds_are_limited(void **state)
{
    (void)state;
    static const char *const limits[] = {"--message", "1", "--worlds", "1", NULL};
    static const char *const dialogue[][2] = {
        {WORLD, "{}"},
        {"{\"op\":\"drop\"}", "{}"},
        {WORLD, "{}"},
        {"{\"op\":\"world\",\"world\":\"more\"}", "{\"error\":\"a session has at most 1 worlds"}};
    session_check(dialogue, 4, limits);
    const size_t size = 1048576;
    for (size_t more = 0; more < 2; more++) { /* exactly the limit, and one byte more */
        bytes input = {NULL, 0, 0};
        bytes_say(&input, "{\"op\":\"hello\"");
        while (input.size < size - 1 + more)
            bytes_add(&input, " ", 1);
        bytes_say(&input, "}\n{\"op\":\"bye\"}\n");
        outcome o = tool_run((const char *const[]){"serve", "-", "--message", "1", NULL}, input.data, input.size);
        assert_int_equal(o.status, (int)more);
        assert_int_equal(count_lines(o.out.data), 2 - more);
        if (more)
            assert_string_equal(o.out.data,
                                "{\"error\":\"the message has more than 1048576 bytes, the limit of this server\"}\n");
        outcome_free(&o);
        bytes_free(&input);
    }
}

static void wrong_usage_is_explained(void **state)
{
    (void)state;
    static const struct {
        const char *words[6];
        int status;
        const char *says;
    } cases[] = {{{"serve"}, 2, "an address is missing"},
                 {{"serve", "host:80"}, 2, "is no address"},
                 {{"serve", "tcp://"}, 2, "is no address"},
                 {{"serve", "-", "-"}, 2, "alone"},
                 {{"serve", "tcp://192.0.2.1:80"}, 2, "can be reached from other machines, so it needs --token"},
                 {{"serve", "tcp://127.example.org:80"}, 2, "so it needs --token"},
                 {{"serve", "tcp://127.0.0.1:0", "--page", "p.html"}, 2, "--page needs an address ws://"},
                 {{"serve", "tcp://127.0.0.1:0", "--token", "/no/file"}, 1, "/no/file: cannot be opened"},
                 {{"serve", "-", "--clients", "0"}, 2, "--clients needs a number from 1 to 100000, not \"0\""},
                 {{"serve", "-", "--time", "never"}, 2, "--time needs a number of seconds"},
                 {{"serve", "-", "--memory"}, 2, "--memory needs a number of megabytes"},
                 {{"serve", "-", "--fast"}, 2, "there is no option --fast"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        outcome o = tool_run(cases[i].words, "", 0);
        if (o.status != cases[i].status || !strstr(o.err.data, cases[i].says) || count_lines(o.err.data) != 1)
            fail_msg("case %zu: status %d, %s", i, o.status, o.err.data);
        outcome_free(&o);
    }
}

/* ---- many sessions ---- */

static void clients_know_nothing_of_each_other(void **state)
{
    (void)state;
    server s = server_start(NULL);
    bytes line = {NULL, 0, 0};
    enum { CLIENTS = 12 };
    int files[CLIENTS];
    for (int i = 0; i < CLIENTS; i++) {
        char body[200];
        files[i] = i % 2 ? client_connect_tcp(s.tcp) : client_connect_ipc(&s);
        assert_string_equal(client_ask(files[i], &line, WORLD), "{}");
        (void)snprintf(body, sizeof body,
                       "{\"op\":\"body\",\"name\":\"b\",\"shape\":" BALL ",\"place\":{\"translate\":[%d,0,0]}}", i);
        assert_string_equal(client_ask(files[i], &line, body), "{}");
    }
    /* one makes a mistake, one leaves, one leaves in the middle of a request */
    assert_non_null(strstr(client_ask(files[0], &line, "mistake"), "{\"error\":"));
    assert_true(client_is_closed(files[0]));
    (void)close(files[0]);
    (void)close(files[1]);
    (void)client_send(files[2], "{\"op\":\"sta", 10);
    (void)close(files[2]);
    for (int i = 3; i < CLIENTS; i++) {
        char expected[200];
        (void)snprintf(expected, sizeof expected,
                       "{\"t\":0,\"bodies\":[{\"name\":\"b\",\"translate\":[%d,0,0],\"rotate\":[0,0,0,1]}]}", i);
        assert_string_equal(client_ask(files[i], &line, "{\"op\":\"states\"}"), expected);
    }
    /* many requests at once, one of them in pieces */
    (void)client_send(files[3], "\n\n{\"op\":\"test\"}\n{\"op\":\"te", 25);
    (void)client_send(files[3], "st\"}\n  \n{\"op\":\"bye\"}\n", 21);
    for (int i = 0; i < 2; i++) {
        assert_true(line_read(files[3], &line));
        assert_string_equal(line.data, "{\"contacts\":[]}\n");
    }
    assert_true(line_read(files[3], &line));
    assert_string_equal(line.data, "{\"bye\":true}\n");
    assert_true(client_is_closed(files[3]));
    for (int i = 3; i < CLIENTS; i++)
        (void)close(files[i]);
    bytes_free(&line);
    server_stop(&s, SIGTERM);
}

static void clients_memory_and_time_are_limited(void **state)
{
    (void)state;
    server s = server_start(
        (const char *const[]){"--clients", "3", "--memory", "64", "--time", "0.05", "--message", "1", NULL});
    bytes line = {NULL, 0, 0};
    const int good = client_connect_tcp(s.tcp), slow = client_connect_tcp(s.tcp), large = client_connect_tcp(s.tcp);
    assert_string_equal(client_ask(good, &line, WORLD), "{}");
    /* one client too many */
    assert_string_equal(client_ask(slow, &line, WORLD), "{}");
    assert_string_equal(client_ask(large, &line, WORLD), "{}");
    const int late = client_connect_tcp(s.tcp);
    assert_true(line_read(late, &line));
    assert_non_null(strstr(line.data, "as many clients as it takes"));
    assert_true(client_is_closed(late));
    (void)close(late);
    /* a surface of millions of triangles takes long, which nothing cancels, or more memory than there is */
    assert_non_null(
        strstr(client_ask(slow, &line,
                          "{\"op\":\"shape\",\"name\":\"s\",\"shape\":{\"type\":\"nurbs\",\"degree\":[2,2],"
                          "\"counts\":[3,3],\"knots\":[[0,0,0,1,1,1],[0,0,0,1,1,1]],\"points\":[[0,0,0],[0,1,1]"
                          ",[0,2,0],[1,0,1],[1,1,9],[1,2,1],[2,0,0],[2,1,1],[2,2,0]],\"tolerance\":1e-7}}"),
               "{\"error\":\""));
    assert_true(client_is_closed(slow));
    /* a message without end */
    char *spaces = malloc(1 << 20);
    assert_non_null(spaces);
    memset(spaces, '[', 1 << 20);
    for (int i = 0; i < 3 && client_send(large, spaces, 1 << 20); i++)
        ;
    free(spaces);
    /* the first one has noticed nothing */
    assert_string_equal(client_ask(good, &line, "{\"op\":\"states\"}"), "{\"t\":0,\"bodies\":[]}");
    (void)close(slow);
    (void)close(large);
    (void)close(good);
    bytes_free(&line);
    server_stop(&s, SIGINT);
}

/* ---- tokens and websockets ---- */

/* A handshake of RFC 6455 with the key of its example; `origin` may be NULL. Returns the connection. */
static int web_connect(int port, const char *origin)
{
    char request[400];
    bytes line = {NULL, 0, 0};
    const int file = client_connect_tcp(port);
    (void)snprintf(request, sizeof request,
                   "GET /any HTTP/1.1\r\nHost: localhost\r\nupgrade: WebSocket\r\nConnection: keep-alive, Upgrade\r\n"
                   "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s%s%s\r\n",
                   origin ? "Origin: " : "", origin ? origin : "", origin ? "\r\n" : "");
    assert_true(client_send(file, request, strlen(request)));
    bool accepted = false;
    while (line_read(file, &line) && strcmp(line.data, "\r\n") != 0)
        accepted = accepted || strstr(line.data, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") != NULL;
    assert_true(accepted);
    bytes_free(&line);
    return file;
}

/* Sends a frame with the mask 1 2 3 4. */
static void frame_send(int file, unsigned first, const char *text, size_t size)
{
    unsigned char frame[300] = {(unsigned char)first, (unsigned char)(0x80 | (size < 126 ? size : 126))};
    size_t head = 2;
    if (size >= 126) {
        frame[2] = (unsigned char)(size >> 8);
        frame[3] = (unsigned char)size;
        head = 4;
    }
    for (unsigned char i = 0; i < 4; i++)
        frame[head++] = (unsigned char)(i + 1);
    assert_true(head + size < sizeof frame);
    for (size_t i = 0; i < size; i++)
        frame[head + i] = (unsigned char)((unsigned char)text[i] ^ (i % 4 + 1));
    assert_true(client_send(file, frame, head + size));
}

/* Receives a short frame and returns its first byte; `text` gets the contents. 0 at the end. */
static unsigned frame_receive(int file, char text[300])
{
    unsigned char head[4];
    size_t size, got = 0;
    if (recv(file, head, 2, MSG_WAITALL) != 2)
        return 0;
    size = head[1];
    if (size == 126) {
        assert_int_equal(recv(file, head + 2, 2, MSG_WAITALL), 2);
        size = (size_t)head[2] << 8 | head[3];
    }
    assert_true(size < 300);
    for (; got < size; got++)
        assert_int_equal(recv(file, text + got, 1, MSG_WAITALL), 1);
    text[size] = '\0';
    return head[0];
}

enum { TEXT = 0x81, BINARY = 0x82, PART = 0x01, REST = 0x80, CLOSE = 0x88, PING = 0x89, PONG = 0x8A };

static void websockets_follow_the_standard(void **state)
{
    (void)state;
    server s = server_start(NULL);
    char text[300];
    const int file = web_connect(s.web, NULL); /* a program, not a page */
    frame_send(file, TEXT, WORLD "\n", strlen(WORLD) + 1);
    assert_int_equal(frame_receive(file, text), TEXT);
    assert_string_equal(text, "{}\n");
    /* a message in two parts with a ping between them, and a request that ends in the next message */
    frame_send(file, PART, "{\"op\":", 6);
    frame_send(file, PING, "are you there", 13);
    assert_int_equal(frame_receive(file, text), PONG);
    assert_string_equal(text, "are you there");
    frame_send(file, REST, "\"test\"", 6);
    frame_send(file, BINARY, "}\n", 2);
    assert_int_equal(frame_receive(file, text), TEXT);
    assert_string_equal(text, "{\"contacts\":[]}\n");
    frame_send(file, CLOSE, "\x03\xe8", 2);
    assert_int_equal(frame_receive(file, text), CLOSE);
    assert_memory_equal(text, "\x03\xe8", 2);
    assert_int_equal(frame_receive(file, text), 0);
    (void)close(file);
    /* an error ends the session with a closing frame */
    const int wrong = web_connect(s.web, NULL);
    frame_send(wrong, TEXT, "wrong\n", 6);
    assert_int_equal(frame_receive(wrong, text), TEXT);
    assert_memory_equal(text, "{\"error\":", 9);
    assert_int_equal(frame_receive(wrong, text), CLOSE);
    (void)close(wrong);
    /* frames that the standard forbids: without mask, reserved bits, an unknown kind, a long ping */
    static const char *const bad[] = {"\x81\x01x",
                                      "\xc1\x81"
                                      "1234x",
                                      "\x83\x81"
                                      "1234x",
                                      "\x89\xfe\x01\x01"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const int client = web_connect(s.web, NULL);
        (void)client_send(client, bad[i], strlen(bad[i]));
        (void)frame_receive(client, text);
        while (frame_receive(client, text) != 0)
            ;
        (void)close(client);
    }
    /* no websocket */
    bytes line = {NULL, 0, 0};
    const int browser = client_connect_tcp(s.web);
    (void)client_send(browser, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35);
    assert_true(line_read(browser, &line));
    assert_string_equal(line.data, "HTTP/1.1 426 Upgrade Required\r\n");
    (void)close(browser);
    bytes_free(&line);
    server_stop(&s, SIGTERM);
}

/* A page needs the token, or a known origin; with --token everybody needs it. */
static void pages_and_strangers_need_the_token(void **state)
{
    (void)state;
    char name[] = "/tmp/tact-token-XXXXXX", text[300];
    static const char token[] = "0123456789abcdef\n";
    static const char good[] = "{\"op\":\"hello\",\"token\":\"0123456789abcdef\"}";
    static const char *const bad[] = {"{\"op\":\"hello\",\"token\":\"0123456789abcdeF\"}", "{\"op\":\"hello\"}",
                                      "{\"op\":\"hello\",\"token\":\"\"}", "{\"op\":\"world\"}", "0123456789abcdef"};
    bytes line = {NULL, 0, 0};
    const int file = mkstemp(name);
    assert_true(file >= 0);
    assert_int_equal(write(file, token, sizeof token - 1), sizeof token - 1);
    (void)close(file);
    server s = server_start((const char *const[]){"--token", name, "--origin", "http://good.example", NULL});
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const int client = client_connect_tcp(s.tcp);
        assert_non_null(strstr(client_ask(client, &line, bad[i]), "{\"error\":\"this server needs a hello"));
        assert_true(client_is_closed(client));
        (void)close(client);
    }
    const int client = client_connect_ipc(&s);
    assert_non_null(strstr(client_ask(client, &line, good), "{\"server\":\"tact\""));
    assert_string_equal(client_ask(client, &line, WORLD), "{}");
    (void)close(client);
    server_stop(&s, SIGTERM);
    s = server_start((const char *const[]){"--origin", "http://good.example", NULL});
    static const char *const origins[] = {"http://good.example", "http://bad.example", "null"};
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        const int page = web_connect(s.web, origins[i]);
        frame_send(page, TEXT, WORLD "\n", strlen(WORLD) + 1);
        assert_int_equal(frame_receive(page, text), TEXT);
        if (i == 0)
            assert_string_equal(text, "{}\n");
        else
            assert_non_null(strstr(text, "needs a hello with the right token"));
        (void)close(page);
    }
    server_stop(&s, SIGTERM);
    (void)unlink(name);
    bytes_free(&line);
}

static void file_write(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The page has a token: only this user can read it, even if a file that everybody could read was there before. */
static void page_is_private(void **state)
{
    (void)state;
    char folder[] = "/tmp/tact-page-XXXXXX", viewer[60], source[60], page[60];
    assert_non_null(mkdtemp(folder));
    (void)snprintf(viewer, sizeof viewer, "%s/viewer.html", folder);
    (void)snprintf(source, sizeof source, "%s/live.html", folder);
    (void)snprintf(page, sizeof page, "%s/page.html", folder);
    file_write(source, "<p><!-- tact serve --></p>");
    assert_int_equal(setenv("TACT_VIEWER", viewer, 1), 0);
    for (int exists = 0; exists < 2; exists++) {
        struct stat info;
        if (exists) {
            file_write(page, "old");
            assert_int_equal(chmod(page, 0644), 0);
        }
        server s = server_start((const char *const[]){"--page", page, NULL});
        assert_int_equal(stat(page, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
        const int file = open(page, O_RDONLY);
        bytes text = file_read_all(file);
        (void)close(file);
        assert_non_null(strstr(text.data, "\"token\":\""));
        bytes_free(&text);
        server_stop(&s, SIGTERM);
        assert_int_equal(unlink(page), 0);
    }
    assert_int_equal(unsetenv("TACT_VIEWER"), 0);
    (void)unlink(source);
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_sent_once),
        cmocka_unit_test(contacts_follow_moves),
        cmocka_unit_test(events_come_in_order),
        cmocka_unit_test(worlds_travel_as_bytes),
        cmocka_unit_test(errors_end_the_session),
        cmocka_unit_test(work_is_limited),
        cmocka_unit_test(messages_and_worlds_are_limited),
        cmocka_unit_test(wrong_usage_is_explained),
        cmocka_unit_test(clients_know_nothing_of_each_other),
        cmocka_unit_test(clients_memory_and_time_are_limited),
        cmocka_unit_test(websockets_follow_the_standard),
        cmocka_unit_test(pages_and_strangers_need_the_token),
        cmocka_unit_test(page_is_private),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
