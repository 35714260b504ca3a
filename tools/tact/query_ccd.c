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

#define NUMBERS 24

/* Room for what is wrong with a line. */
#define REASON_TEXT 160

/* Room for an answer: a digit, two numbers of 17 digits, blanks, the end of the line. */
#define ANSWER_TEXT 64

/* The numbers of a line that ends with a 0; false with a reason. */
static bool line_read(const char *line, const char *end, double x[NUMBERS], char reason[REASON_TEXT])
{
    /* the answer that some files begin with */
    const char *at = mesh_skip_word(mesh_skip_blank(line), end);
    for (int i = 0; i < NUMBERS; i++) {
        at = mesh_skip_space(at);
        if (at == end) {
            (void)snprintf(reason, REASON_TEXT, "there are %d numbers behind the first word, not %d", i, NUMBERS);
            return false;
        }
        const char *behind = tact_hex_read(at, &x[i]);
        if (!behind)
            behind = tact_number_read(at, &x[i]);
        if (!behind || (behind != end && !mesh_is_space(*behind))) {
            (void)snprintf(reason, REASON_TEXT, "number %d of %d was expected, not \"%.*s\"", i + 1, NUMBERS,
                           (int)(mesh_skip_word(at, end) - at < 40 ? mesh_skip_word(at, end) - at : 40), at);
            return false;
        }
        if (!isfinite(x[i])) {
            (void)snprintf(reason, REASON_TEXT, "number %d is too large for a double", i + 1);
            return false;
        }
        at = behind;
    }
    if (mesh_skip_space(at) != end) {
        (void)snprintf(reason, REASON_TEXT, "there are more than %d numbers behind the first word", NUMBERS);
        return false;
    }
    return true;
}

/* The answer, with the end of its line; its length. */
static int pair_answer(tact_ccd_kind kind, const double x[NUMBERS], char text[ANSWER_TEXT])
{
    tact_vec3 start[4], end[4];
    for (int k = 0; k < 4; k++) {
        start[k] = (tact_vec3){x[3 * k], x[3 * k + 1], x[3 * k + 2]};
        end[k] = (tact_vec3){x[12 + 3 * k], x[13 + 3 * k], x[14 + 3 * k]};
    }
    tact_ccd found =
        kind == TACT_VERTEX_FACE ? tact_ccd_vertex_face(start, end, NULL) : tact_ccd_edge_edge(start, end, NULL);
    if (found.status != TACT_OK)
        return snprintf(text, ANSWER_TEXT, "-1\n");
    if (found.state != TACT_HIT)
        return snprintf(text, ANSWER_TEXT, "0\n");
    return snprintf(text, ANSWER_TEXT, "1 %.17g %.17g\n", found.lower, found.upper);
}

int tact_query_ccd_stream(tact_ccd_kind kind, bool prompt, FILE *in, const char *name, FILE *out, FILE *err)
{
    char *line = NULL;
    size_t room = 0;
    int status = 0;
    for (unsigned long long number = 1;; number++) {
        errno = 0;
        ssize_t got = getline(&line, &room, in);
        if (got < 0)
            break;
        const char *end = line + got;
        if (mesh_skip_space(line) == end)
            continue;
        double x[NUMBERS];
        char reason[REASON_TEXT], answer[ANSWER_TEXT] = "-1\n";
        int length = 3;
        if (line_read(line, end, x, reason)) {
            length = pair_answer(kind, x, answer);
        } else {
            if (status == 0)
                (void)fprintf(err, "%s:%llu: %s\n", name, number, reason);
            status = 1;
        }
        if (fwrite(answer, 1, (size_t)length, out) != (size_t)length || (prompt && fflush(out) != 0)) {
            status = 1;
            break;
        }
    }
    /* getline ends without the end of the file when reading failed or memory ran out. */
    if (!ferror(out) && !feof(in)) {
        (void)fprintf(err, "%s: cannot be read: %s\n", name, strerror(errno ? errno : EIO));
        status = 1;
    }
    free(line);
    return status;
}
