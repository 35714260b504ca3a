/* Lines of `tact query`: whatever the line holds, the answer is one JSON object, and an error is explained. */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "query.h"
#include "slow_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *request = json_loadb((const char *)data, size, 0, NULL);
    const bool slow = takes_long(request, data, size);
    json_decref(request);
    if (slow)
        return 0;
    query_session session = {.report_parts = size % 2 == 1};
    json_writer answer = {0};
    tact_input_error error = {{0}, 0};
    const bool good = tact_query_answer(&session, (const char *)data, size, &answer, &error);
    json_t *root = json_loadb(answer.text, answer.length, 0, NULL);
    if (root == NULL || good != (json_object_get(root, "error") == NULL) || good != (error.text[0] == '\0'))
        abort();
    json_decref(root);
    tact_json_writer_release(&answer);
    tact_mesh_cache_release(&session.cache);
    return 0;
}
