/* Status texts and reports. */
#include "core/report.h"

#include <stdarg.h>
#include <stdio.h>

const char *tact_status_text(tact_status status)
{
    switch (status) {
    case TACT_OK:
        return "ok";
    case TACT_BAD_ARGUMENT:
        return "bad argument";
    case TACT_OUT_OF_MEMORY:
        return "out of memory";
    case TACT_NOT_CONVERGED:
        return "not converged";
    case TACT_CANCELLED:
        return "cancelled";
    }
    return "unknown status";
}

tact_status tact_report_fill(tact_report *report, tact_status status, const char *format, ...)
{
    if (report != NULL) {
        va_list arguments;
        report->status = status;
        va_start(arguments, format);
        (void)vsnprintf(report->text, sizeof report->text, format, arguments);
        va_end(arguments);
    }
    return status;
}

tact_status tact_report_clear(tact_report *report)
{
    if (report != NULL) {
        report->status = TACT_OK;
        report->text[0] = '\0';
    }
    return TACT_OK;
}
