/* Writes what happens in a scene to a run (run_file.h): the motions of all bodies, events and persistent contacts. */
#ifndef TACT_TOOL_RUN_CAPTURE_H
#define TACT_TOOL_RUN_CAPTURE_H

#include "run_file.h"
#include "scene.h"

/* Times at which the points of persistent contacts are written, for the whole run. */
#define CAPTURE_SAMPLES 100

typedef struct run_capture {
    motion_observer observer; /* must be first */
    const scene *scene;
    const uint32_t *numbers; /* of the bodies, by their index; NULL: their user data are the bodies of the scene */
    run_file run;
    run_contact *contacts, *written; /* scratch; the contacts written last */
    size_t contact_capacity, written_capacity, written_count;
    bool failed; /* out of memory */
} run_capture;

/* Writes a body of the scene, which has been added to its end. */
void tact_capture_body(run_capture *capture, const scene_body *body);

/* Opens the outputs, writes all bodies, and observes the world from now on. The capture must not be moved. On failure
 * prints one line to stderr, and there is nothing to close. */
bool tact_capture_open(run_capture *capture, const run_paths *paths, const char *command, const char *title,
                       const scene *s);

/* Writes an event, before it is responded to. */
void tact_capture_event(run_capture *capture, const tact_event *event);

/* Writes the points of persistent contacts as of now, if they have changed. */
void tact_capture_contacts(run_capture *capture);

/* Closes the outputs; if `keep` is false they are discarded. False after an error, printed to stderr. */
bool tact_capture_close(run_capture *capture, bool keep);

#endif
