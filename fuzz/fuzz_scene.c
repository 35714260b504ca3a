/* Scenes of `tact run`: read, then run for a few events with the response that the scene asks for. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "moderate.h"
#include "scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENTS = 50 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    scene s;
    tact_input_error error = {{0}, 0};
    if (tact_scene_read(text, size, NULL, &s, &error)) {
        double last = 0.0;
        tact_event event;
        const double end = s.end < MODERATE_TIME ? s.end : MODERATE_TIME;
        for (int i = 0; i < EVENTS && is_moderate(s.world); i++) {
            if (tact_world_next_event(s.world, end, &event) == TACT_EVENT_NONE)
                break;
            if (!(event.time >= last))
                abort();
            last = event.time;
            if (event.kind == TACT_EVENT_TOUCH)
                (void)tact_scene_respond(s.world, s.response, &event);
        }
        tact_scene_release(&s);
    } else if (error.text[0] == '\0') {
        abort();
    }
    free(text);
    return 0;
}
