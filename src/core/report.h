/* Filling in a tact_report. */
#ifndef TACT_CORE_REPORT_H
#define TACT_CORE_REPORT_H

#include <tact/status.h>

#if defined(__GNUC__)
#define TACT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TACT_PRINTF(text, first)
#endif

/* Writes the status and a sentence, truncated if too long, into `report`, which may be NULL. Returns the status. */
tact_status tact_report_fill(tact_report *report, tact_status status, const char *format, ...) TACT_PRINTF(3, 4);

/* Sets `report`, which may be NULL, to TACT_OK with an empty text. Returns TACT_OK. */
tact_status tact_report_clear(tact_report *report);

#endif
