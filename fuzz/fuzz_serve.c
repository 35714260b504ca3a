/*
 * Sessions of `tact serve`: whatever the lines hold, each is answered by one JSON object, the first error is the last
 * answer, and the session can be released.
 */
#include <stdlib.h>

#include "serve_session.h"
#include "slow_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines of an input, and units of work of a request. */
enum { LINES = 40, WORK = 200 };

/* Whether a request only takes long: then the input is not used. Numbers that bodies move by must be moderate. */
static bool is_slow(const uint8_t *line, size_t length)
{
    json_t *root = json_loadb((const char *)line, length, 0, NULL);
    const char *op = json_string_value(json_object_get(root, "op"));
    const bool about_world = op && (strcmp(op, "body") == 0 || strcmp(op, "move") == 0 || strcmp(op, "world") == 0 ||
                                    strcmp(op, "next") == 0 || strcmp(op, "advance") == 0);
    const bool slow = takes_long(root, line, length) || (about_world && !has_moderate_numbers(root));
    json_decref(root);
    return slow;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const serve_limits limits = {
        .seconds = 10.0, .message = 1 << 16, .memory = (size_t)1 << 28, .worlds = 3, .work = WORK};
    json_writer answer = {0};
    serve_session *session = tact_serve_session_create(&limits);
    bool goes_on = session != NULL;
    for (int i = 0; i < LINES && goes_on && size > 0; i++) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end ? (size_t)(end - data) : size;
        if (is_slow(data, length))
            break;
        goes_on = tact_serve_session_answer(session, (const char *)data, length, &answer);
        json_t *root = json_loadb(answer.text, answer.length, 0, NULL);
        const bool ended = json_object_get(root, "error") != NULL || json_object_get(root, "bye") != NULL;
        if (root == NULL || memchr(answer.text, '\n', answer.length) || goes_on == ended)
            abort();
        json_decref(root);
        const size_t used = length < size ? length + 1 : length;
        data += used;
        size -= used;
    }
    tact_serve_session_release(session);
    tact_json_writer_release(&answer);
    return 0;
}
