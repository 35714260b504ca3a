/* Trajectories and events as CSV and JSON. */
#include <math.h>
#include <string.h>
#include <tact/math.h>

#include "byte_buffer.h"
#include "export.h"
#include "states_file.h"

export_frame tact_export_frame(const tact_transform *start)
{
    /* Gram and Schmidt; the third axis follows, so that a reflection is left to U */
    const tact_vec3 x = tact_vec_normalize(start->x_axis), unit = tact_vec_normalize(start->y_axis);
    const tact_vec3 y = tact_vec_normalize(tact_vec_sub(unit, tact_vec_scale(x, tact_vec_dot(unit, x))));
    const tact_vec3 z = tact_vec_cross(x, y), zero = {0.0, 0.0, 0.0};
    export_frame frame = {.rotation = tact_quat_from_transform((tact_transform){x, y, z, zero})};
    const tact_quat back = tact_quat_conjugate(frame.rotation);
    frame.upper = (tact_transform){tact_quat_rotate(back, start->x_axis), tact_quat_rotate(back, start->y_axis),
                                   tact_quat_rotate(back, start->z_axis), zero};
    /* Rounding leaves some 1e-16 of the length beside the diagonal. */
    const tact_transform *const u = &frame.upper;
    const double rest = fmax(fmax(fabs(u->y_axis.x), fabs(u->z_axis.x)), fabs(u->z_axis.y));
    frame.shears = rest > 1e-12 * fmax(fabs(u->x_axis.x), fmax(fabs(u->y_axis.y), fabs(u->z_axis.z)));
    return frame;
}

export_pose tact_export_pose(const run_data_body *body, const export_frame *frame, const run_piece *piece, double time)
{
    const tact_transform at = tact_run_data_follow(body, piece, time);
    if (!piece)
        return (export_pose){at.origin, frame->rotation};
    const double s = time - piece->time, angle = tact_vec_length(piece->spin) * s;
    tact_quat turn = tact_quat_identity();
    if (angle != 0.0)
        turn = tact_quat_from_axis_angle(piece->spin, angle);
    return (export_pose){
        at.origin, tact_quat_normalize(tact_quat_multiply(turn, tact_quat_multiply(piece->rotation, frame->rotation)))};
}

/* ---- samples ---- */

/* Is called for each sample. */
typedef void sample_write(FILE *out, const run_data *run, size_t body, double time, const export_pose *pose);

static double positive_zero(double x) { return x == 0.0 ? 0.0 : x; } /* -0 is printed as 0 */

/* The pose with a unique quaternion: w is not negative. */
static void sample_at(FILE *out, const run_data *run, size_t i, const export_frame *frame, const run_piece *piece,
                      double time, sample_write *write)
{
    export_pose pose = tact_export_pose(&run->bodies.items[i], frame, piece, time);
    if (pose.rotation.w < 0.0)
        pose.rotation = (tact_quat){-pose.rotation.x, -pose.rotation.y, -pose.rotation.z, -pose.rotation.w};
    write(out, run, i, time, &pose);
}

/* The samples of a body. */
static void body_samples(FILE *out, const run_data *run, size_t i, double every, sample_write *write)
{
    const run_data_body *const body = &run->bodies.items[i];
    const run_piece *const pieces = body->piece_count > 0 ? run->pieces.items + body->first_piece : NULL;
    const export_frame frame = tact_export_frame(&body->transform);
    const double duration = run->end - run->start;
    size_t next = 0; /* the first motion that has not begun */
    double time = run->start;
    for (double k = 0.0;;) {
        while (next < body->piece_count && pieces[next].time <= time)
            next++;
        sample_at(out, run, i, &frame, next > 0 ? &pieces[next - 1] : NULL, time, write);
        if (time >= run->end)
            return;
        if (every > 0.0)
            time = fmin(run->end, run->start + tact_sample_time(++k, every, duration));
        else
            time = next < body->piece_count ? fmin(run->end, pieces[next].time) : run->end;
    }
}

/* ---- CSV ---- */

/* A field of RFC 4180: in quotes if it needs them. */
static void field_write(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        (void)fputs(text, out);
        return;
    }
    (void)fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

static void numbers_write(FILE *out, double time, const export_pose *pose, const char *separator)
{
    const tact_vec3 p = pose->position;
    const tact_quat q = pose->rotation;
    const double numbers[] = {p.x, p.y, p.z, q.x, q.y, q.z, q.w};
    (void)fprintf(out, "%.17g%s", positive_zero(time), separator);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)fprintf(out, "%s%.17g", i > 0 ? "," : "", positive_zero(numbers[i]));
}

static void csv_sample(FILE *out, const run_data *run, size_t body, double time, const export_pose *pose)
{
    field_write(out, run->bodies.items[body].name);
    (void)fputc(',', out);
    numbers_write(out, time, pose, ",");
    (void)fputc('\n', out);
}

static const char *body_name(const run_data *run, uint32_t body)
{
    return body < run->bodies.count ? run->bodies.items[body].name : "";
}

static void csv_events(FILE *out, const run_data *run)
{
    (void)fputs("time,kind,a,b,px,py,pz,nx,ny,nz,speed,f0,f1,f2,f3\n", out);
    for (size_t i = 0; i < run->events.count; i++) {
        const run_event *const e = &run->events.items[i];
        (void)fprintf(out, "%.17g,%s,", positive_zero(e->time), tact_run_data_kind_name(e->kind));
        field_write(out, body_name(run, e->a));
        (void)fputc(',', out);
        field_write(out, body_name(run, e->b));
        const double numbers[] = {e->point.x, e->point.y, e->point.z, e->normal.x, e->normal.y, e->normal.z};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            if (e->has_point)
                (void)fprintf(out, ",%.9g", positive_zero(numbers[k]));
            else
                (void)fputc(',', out);
        if (isfinite(e->speed))
            (void)fprintf(out, ",%.9g", e->speed);
        else
            (void)fputc(',', out);
        for (int k = 0; k < 4; k++)
            if (e->features[k] != RUN_NONE)
                (void)fprintf(out, ",%lu", (unsigned long)e->features[k]);
            else
                (void)fputc(',', out);
        (void)fputc('\n', out);
    }
}

void tact_export_csv(FILE *out, const run_data *run, double every, bool events)
{
    if (events) {
        csv_events(out, run);
        return;
    }
    (void)fputs("body,time,x,y,z,qx,qy,qz,qw\n", out);
    for (size_t i = 0; i < run->bodies.count && !ferror(out); i++)
        body_samples(out, run, i, every, csv_sample);
}

/* ---- JSON ---- */

static void string_write(FILE *out, const char *text)
{
    byte_buffer json = {NULL, 0, 0, false};
    tact_buffer_add_json_string(&json, text);
    if (!json.failed)
        (void)fwrite(json.data, 1, json.size, out);
    tact_buffer_release(&json);
}

static void json_sample(FILE *out, const run_data *run, size_t body, double time, const export_pose *pose)
{
    (void)body;
    (void)fputs(time > run->start ? ",\n  [" : "\n  [", out);
    numbers_write(out, time, pose, ",");
    (void)fputc(']', out);
}

static void json_body(FILE *out, const run_data *run, size_t i, double every)
{
    const run_data_body *const body = &run->bodies.items[i];
    const tact_transform upper = tact_export_frame(&body->transform).upper;
    (void)fputs(i > 0 ? ",\n {\"name\":" : "\n {\"name\":", out);
    string_write(out, body->name);
    (void)fprintf(out, ",\"mass\":%.17g,\"shape\":", body->mass);
    (void)json_dumpf(run->shapes.items[body->shape].info, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
    (void)fprintf(out, ",\"vertices\":%lu,\"scale\":[%.17g,%.17g,%.17g],\"trajectory\":[",
                  (unsigned long)run->shapes.items[body->shape].vertex_count, upper.x_axis.x, upper.y_axis.y,
                  upper.z_axis.z);
    body_samples(out, run, i, every, json_sample);
    (void)fputs("]}", out);
}

static void json_event(FILE *out, const run_data *run, const run_event *e)
{
    (void)fprintf(out, "{\"t\":%.17g,\"kind\":\"%s\",\"a\":", positive_zero(e->time), tact_run_data_kind_name(e->kind));
    string_write(out, body_name(run, e->a));
    if (e->b != RUN_NONE) {
        (void)fputs(",\"b\":", out);
        string_write(out, body_name(run, e->b));
    }
    if (e->has_point)
        (void)fprintf(out, ",\"point\":[%.9g,%.9g,%.9g],\"normal\":[%.9g,%.9g,%.9g]", e->point.x, e->point.y,
                      e->point.z, e->normal.x, e->normal.y, e->normal.z);
    if (isfinite(e->speed))
        (void)fprintf(out, ",\"speed\":%.9g", e->speed);
    if (e->features[0] != RUN_NONE || e->features[1] != RUN_NONE) {
        (void)fputs(",\"features\":", out);
        for (int k = 0; k < 4; k++)
            if (e->features[k] != RUN_NONE)
                (void)fprintf(out, "%c%lu", k > 0 ? ',' : '[', (unsigned long)e->features[k]);
            else
                (void)fprintf(out, "%cnull", k > 0 ? ',' : '[');
        (void)fputc(']', out);
    }
    (void)fputc('}', out);
}

void tact_export_json(FILE *out, const run_data *run, double every)
{
    (void)fputs("{\"title\":", out);
    string_write(out, run->title);
    (void)fprintf(out, ",\"start\":%.17g,\"end\":%.17g,\n\"bodies\":[", positive_zero(run->start),
                  positive_zero(run->end));
    for (size_t i = 0; i < run->bodies.count && !ferror(out); i++)
        json_body(out, run, i, every);
    (void)fputs("],\n\"events\":[", out);
    for (size_t i = 0; i < run->events.count && !ferror(out); i++) {
        (void)fputs(i > 0 ? ",\n " : "\n ", out);
        json_event(out, run, &run->events.items[i]);
    }
    (void)fputs("]}\n", out);
}
