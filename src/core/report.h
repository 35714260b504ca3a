/* Filling in a report. */
#ifndef TACT_CORE_REPORT_H
#define TACT_CORE_REPORT_H

#include <tact/status.h>

#if defined(__GNUC__)
#define TACT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TACT_PRINTF(text, first)
#endif

/* Writes status and sentence (cut if too long) into `report`, which may be NULL; returns the status. */
tact_status tact_report_fill(tact_report *report, tact_status status, const char *format, ...) TACT_PRINTF(3, 4);

/* Marks `report`, which may be NULL, as all well. */
tact_status tact_report_clear(tact_report *report);

#endif
