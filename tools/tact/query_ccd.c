/* POSIX, for getline. */
#define _POSIX_C_SOURCE 200809L

#include "query_ccd.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "hex_number.h"
#include "mesh_file_number.h"
#include "mesh_file_source.h"

/* Coordinates of four points at two times. */
#define NUMBER_COUNT 24

/* Bytes of the reason why a line is invalid. */
#define REASON_LENGTH 160

/* Bytes of an answer: a digit, two numbers of 17 digits, spaces, a newline, a terminating zero. */
#define ANSWER_LENGTH 64

/* Reads the numbers of a line that ends with a zero byte; false with the reason. */
static bool line_read(const char *line, const char *end, double x[NUMBER_COUNT], char reason[REASON_LENGTH])
{
    /* skips the first word, the known answer in some files */
    const char *at = mesh_skip_word(mesh_skip_blank(line), end);
    for (int i = 0; i < NUMBER_COUNT; i++) {
        at = mesh_skip_space(at);
        if (at == end) {
            (void)snprintf(reason, REASON_LENGTH, "there are %d numbers after the first word, not %d", i, NUMBER_COUNT);
            return false;
        }
        const char *number_end = tact_hex_read(at, &x[i]);
        if (!number_end)
            number_end = tact_decimal_read(at, &x[i]);
        if (!number_end || (number_end != end && !mesh_is_space(*number_end))) {
            (void)snprintf(reason, REASON_LENGTH, "number %d of %d was expected, not \"%.*s\"", i + 1, NUMBER_COUNT,
                           (int)(mesh_skip_word(at, end) - at < 40 ? mesh_skip_word(at, end) - at : 40), at);
            return false;
        }
        if (!isfinite(x[i])) {
            (void)snprintf(reason, REASON_LENGTH, "number %d is too large for a double", i + 1);
            return false;
        }
        at = number_end;
    }
    if (mesh_skip_space(at) != end) {
        (void)snprintf(reason, REASON_LENGTH, "there are more than %d numbers after the first word", NUMBER_COUNT);
        return false;
    }
    return true;
}

/* Writes the answer with a newline and returns its length. */
static int pair_answer(tact_ccd_kind kind, const double x[NUMBER_COUNT], char text[ANSWER_LENGTH])
{
    tact_vec3 start[4], end[4];
    for (int k = 0; k < 4; k++) {
        start[k] = (tact_vec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
        end[k] = (tact_vec3){x[12 + 3 * k], x[13 + 3 * k], x[14 + 3 * k]};
    }
    tact_ccd found =
        kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, NULL) : tact_ccd_edge_edge(start, end, NULL);
    if (found.status != TACT_OK)
        return snprintf(text, ANSWER_LENGTH, "-1\n");
    if (found.state != TACT_HIT)
        return snprintf(text, ANSWER_LENGTH, "0\n");
    return snprintf(text, ANSWER_LENGTH, "1 %.17g %.17g\n", found.lower, found.upper);
}

int tact_query_ccd_stream(tact_ccd_kind kind, bool flush_each, FILE *in, const char *name, FILE *out, FILE *err)
{
    char *line = NULL;
    size_t capacity = 0;
    int status = 0;
    for (unsigned long long number = 1;; number++) {
        errno = 0;
        ssize_t got = getline(&line, &capacity, in);
        if (got < 0)
            break;
        const char *end = line + got;
        if (mesh_skip_space(line) == end)
            continue;
        double x[NUMBER_COUNT];
        char reason[REASON_LENGTH], answer[ANSWER_LENGTH] = "-1\n";
        int length = 3;
        if (line_read(line, end, x, reason)) {
            length = pair_answer(kind, x, answer);
        } else {
            if (status == 0)
                (void)fprintf(err, "%s:%llu: %s\n", name, number, reason);
            status = 1;
        }
        if (fwrite(answer, 1, (size_t)length, out) != (size_t)length || (flush_each && fflush(out) != 0)) {
            status = 1;
            break;
        }
    }
    /* without end of file, reading failed or memory ran out */
    if (!ferror(out) && !feof(in)) {
        (void)fprintf(err, "%s: cannot be read: %s\n", name, strerror(errno ? errno : EIO));
        status = 1;
    }
    free(line);
    return status;
}
