/*
 * `tact-bench keyframes`: all contacts of a swirling cloth (keyframe_scene.h) against its number of triangles, up to
 * 10^6 when selected by name: by windows and by the kinetic separation list, which must find as many contacts. One
 * thread. Also the measures of a kinetic data structure: bytes per triangle, time per event, certificates that one
 * change of a plan examines, and inner against outer events. Outer events change the result of the structure: the boxes
 * of two triangles begin or cease to overlap.
 */
#include "keyframe_methods.h"
#include "suite.h"
#include "table.h"

enum { SIZES = 5, FRAMES = 3 }; /* sizes; key frames */

static const int cells[SIZES] = {45, 90, 180, 360, 708}; /* per side: 4,050 to 1,002,528 triangles */

bool tact_bench_growth_keyframes(const suite *s)
{
    json_t *table = tact_table_begin("Growth: contacts of a key-framed cloth, by number of triangles, per key interval",
                                     "triangles|contacts|windows ms|us each|bytes each|list ms|us each|bytes each|"
                                     "events|us per event|inner|outer|certificates per plan change");
    const int sizes = s->tiny ? 1 : s->quick ? 2 : s->large ? SIZES : 3;
    bool done = table != NULL;
    for (int i = 0; done && i < sizes; i++) {
        keyframe_scene scene;
        keyframe_cost windows, list;
        done = tact_keyframe_swirl(&scene, s->tiny ? 8 : cells[i], FRAMES);
        if (!done)
            break;
        done = tact_keyframes_run(&scene, KEYFRAMES_WINDOWS, 1, NULL, &windows) &&
               tact_keyframes_run(&scene, KEYFRAMES_LIST, 1, NULL, &list);
        const double n = (double)scene.triangle_count, intervals = (double)keyframe_intervals(&scene);
        if (done) {
            *s->wrong += windows.contacts != list.contacts;
            tact_table_row(table, "dffffffffffff", (long)scene.triangle_count, (double)windows.contacts / intervals,
                           windows.ns / 1e6 / intervals, windows.ns / 1e3 / intervals / n, (double)windows.bytes / n,
                           list.ns / 1e6 / intervals, list.ns / 1e3 / intervals / n, (double)list.bytes / n,
                           (double)list.events / intervals, list.update_ns / 1e3 / (double)list.events,
                           (double)(list.events - list.outer_events) / intervals, (double)list.outer_events / intervals,
                           list.changed_certificates);
        }
        tact_keyframe_scene_release(&scene);
    }
    tact_table_note(table, "Time per event: advancing the list alone, without tests of features. Outer: "
                           "the boxes of two triangles begin or cease to overlap. Inner: all other events, of the tree "
                           "and of pairs of boxes.");
    tact_table_plot(table, "us per triangle and interval; bytes per triangle", 0, 1u << 3 | 1u << 4 | 1u << 6 | 1u << 7,
                    -1);
    const bool ended = tact_table_end(s, "growth_keyframes", table);
    return done && ended;
}
