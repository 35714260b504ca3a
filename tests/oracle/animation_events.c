/*
 * Pairs are culled by the exact positions at the ends of a window, rounded outward: two points whose difference along a
 * direction has one sign at both ends keep it in between. Nothing else is clever here.
 */
#include "oracle/animation_events.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/path_contacts.h"

enum { DIRECTIONS = 13 };

static const double directions[DIRECTIONS][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0},
                                                 {1, 0, 1},  {1, 0, -1}, {0, 1, 1}, {0, 1, -1}, {1, 1, 1},
                                                 {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}};

typedef struct extent {
    double low[DIRECTIONS], high[DIRECTIONS];
} extent;

/* A vertex at a time at which some vertex begins a piece. */
typedef struct state {
    extent before, after;
    bool jumps;
} state;

typedef struct edge {
    uint32_t a, b; /* a < b */
} edge;

typedef struct search {
    const brute_animation *animation;
    double *times; /* of the beginnings and ends of all pieces */
    size_t time_count;
    state *states; /* vertex by vertex, for all times */
    edge *edges;
    size_t edge_count;
    /* by feature, then by time: whether it exists from that time to the next one */
    bool *vertex_exists, *edge_exists, *triangle_exists;
    size_t *first_same; /* of each triangle: the first one with the same vertices */
    brute_event *events;
    size_t count, capacity;
    brute_counts counts;
} search;

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL)
        abort();
    return memory;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static int compare_events(const void *a, const void *b)
{
    const brute_event *x = a, *y = b;
    if (x->lower != y->lower)
        return x->lower < y->lower ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    for (int i = 0; i < 4; i++)
        if (x->index[i] != y->index[i])
            return x->index[i] < y->index[i] ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

/* The times at which something may change, each once. */
static void collect_times(search *s)
{
    const brute_animation *a = s->animation;
    const size_t pieces = a->first_piece[a->vertex_count];
    const size_t most = 2 * pieces + 2 * a->triangle_count;
    s->times = allocate(most, sizeof *s->times);
    for (size_t i = 0; i < pieces; i++) {
        s->times[2 * i] = a->pieces[i].begin;
        s->times[2 * i + 1] = a->pieces[i].end;
    }
    size_t count = 2 * pieces;
    const double begin = a->pieces[0].begin, end = a->pieces[a->first_piece[1] - 1].end;
    for (size_t i = 0; a->lives != NULL && i < 2 * a->triangle_count; i++) {
        const double time = i % 2 == 0 ? a->lives[i / 2].begin : a->lives[i / 2].end;
        if (time > begin && time < end)
            s->times[count++] = time;
    }
    qsort(s->times, count, sizeof *s->times, compare_doubles);
    for (size_t i = 0; i < count; i++)
        if (s->time_count == 0 || s->times[i] != s->times[s->time_count - 1])
            s->times[s->time_count++] = s->times[i];
}

/* The position rounded outward: GMP truncates. Sums of three doubles have an error of at most two units. */
static void extent_set(extent *e, mpq_t position[3])
{
    double x[3];
    for (int c = 0; c < 3; c++)
        x[c] = mpq_get_d(position[c]);
    for (int d = 0; d < DIRECTIONS; d++) {
        double sum = 0.0, size = 0.0;
        for (int c = 0; c < 3; c++) {
            sum += directions[d][c] * x[c];
            size += fabs(directions[d][c] * x[c]);
        }
        const double error = size * 0x1p-50 + 0x1p-1060;
        e->low[d] = sum - error;
        e->high[d] = sum + error;
    }
}

static void compute_states(search *s)
{
    const brute_animation *a = s->animation;
    s->states = allocate(a->vertex_count * s->time_count, sizeof *s->states);
    mpq_t time, before[3], after[3];
    mpq_init(time);
    for (int c = 0; c < 3; c++) {
        mpq_init(before[c]);
        mpq_init(after[c]);
    }
    for (size_t v = 0; v < a->vertex_count; v++) {
        size_t piece = a->first_piece[v];
        const size_t last = a->first_piece[v + 1] - 1;
        if (a->pieces[piece].begin != s->times[0] || a->pieces[last].end != s->times[s->time_count - 1])
            abort(); /* all vertices begin and end together */
        for (size_t i = 0; i < s->time_count; i++) {
            state *here = &s->states[v * s->time_count + i];
            mpq_set_d(time, s->times[i]);
            path_position(before, &a->pieces[piece].path, time);
            extent_set(&here->before, before);
            here->after = here->before;
            if (a->pieces[piece].end == s->times[i] && piece < last) {
                if (a->pieces[piece + 1].begin != a->pieces[piece].end)
                    abort(); /* no gaps */
                piece++;
                path_position(after, &a->pieces[piece].path, time);
                extent_set(&here->after, after);
                for (int c = 0; c < 3; c++)
                    here->jumps |= mpq_equal(before[c], after[c]) == 0;
            }
        }
    }
    for (int c = 0; c < 3; c++) {
        mpq_clear(before[c]);
        mpq_clear(after[c]);
    }
    mpq_clear(time);
}

static void collect_edges(search *s)
{
    const brute_animation *a = s->animation;
    const size_t most = 3 * a->triangle_count + a->edge_count;
    edge *all = allocate(most, sizeof *all);
    for (size_t i = 0; i < most; i++) {
        const uint32_t *of = i < 3 * a->triangle_count ? a->triangles[i / 3] : a->edges[i - 3 * a->triangle_count];
        const uint32_t p = i < 3 * a->triangle_count ? of[i % 3] : of[0];
        const uint32_t q = i < 3 * a->triangle_count ? of[(i + 1) % 3] : of[1];
        if (p == q)
            abort();
        all[i] = (edge){p < q ? p : q, p < q ? q : p};
    }
    qsort(all, most, sizeof *all, compare_edges);
    for (size_t i = 0; i < most; i++)
        if (s->edge_count == 0 || compare_edges(&all[i], &all[s->edge_count - 1]) != 0)
            all[s->edge_count++] = all[i];
    s->edges = all;
}

static bool same_vertices(const uint32_t *a, const uint32_t *b)
{
    for (int i = 0; i < 3; i++)
        if (a[i] != b[0] && a[i] != b[1] && a[i] != b[2])
            return false;
    return true;
}

/* When features exist. */
static void collect_lives(search *s)
{
    const brute_animation *a = s->animation;
    const size_t n = s->time_count;
    s->vertex_exists = allocate(a->vertex_count * n, sizeof *s->vertex_exists);
    s->edge_exists = allocate(s->edge_count * n, sizeof *s->edge_exists);
    s->triangle_exists = allocate(a->triangle_count * n, sizeof *s->triangle_exists);
    s->first_same = allocate(a->triangle_count, sizeof *s->first_same);
    for (size_t t = 0; t < a->triangle_count; t++) {
        size_t first = 0;
        while (!same_vertices(a->triangles[first], a->triangles[t]))
            first++;
        s->first_same[t] = first;
        for (size_t k = 0; k + 1 < n; k++) {
            if (a->lives != NULL && !(a->lives[t].begin <= s->times[k] && s->times[k + 1] <= a->lives[t].end))
                continue;
            s->triangle_exists[first * n + k] = true;
            for (int c = 0; c < 3; c++)
                s->vertex_exists[a->triangles[t][c] * n + k] = true;
            for (size_t e = 0; e < s->edge_count; e++) {
                int ends = 0;
                for (int c = 0; c < 3; c++)
                    ends += a->triangles[t][c] == s->edges[e].a || a->triangles[t][c] == s->edges[e].b;
                s->edge_exists[e * n + k] |= ends == 2;
            }
        }
    }
    for (size_t k = 0; k + 1 < n; k++) { /* elements without faces */
        for (size_t i = 0; i < a->edge_count; i++) {
            s->vertex_exists[a->edges[i][0] * n + k] = s->vertex_exists[a->edges[i][1] * n + k] = true;
            for (size_t e = 0; e < s->edge_count; e++)
                s->edge_exists[e * n + k] |= (s->edges[e].a == a->edges[i][0] && s->edges[e].b == a->edges[i][1]) ||
                                             (s->edges[e].a == a->edges[i][1] && s->edges[e].b == a->edges[i][0]);
        }
        for (size_t i = 0; i < a->point_count; i++)
            s->vertex_exists[a->points[i] * n + k] = true;
    }
}

static size_t part_of(const brute_animation *a, uint32_t vertex)
{
    size_t part = 0;
    while (part < a->part_count && vertex >= a->parts[part].vertex_end)
        part++;
    return part;
}

/* Do contacts between the elements of two vertices count? */
static bool counts_between(const brute_animation *a, uint32_t p, uint32_t q)
{
    if (a->parts == NULL)
        return true;
    const size_t part = part_of(a, p);
    return part != part_of(a, q) || !a->parts[part].no_self_collision;
}

/* Two points on either side of a plane with a fixed normal at both ends of a window are so throughout. */
static bool apart(const extent *const from[4], const extent *const to[4], int of_a)
{
    for (int d = 0; d < DIRECTIONS; d++) {
        bool above = true, below = true;
        for (int i = 0; i < of_a; i++)
            for (int j = of_a; j < 4; j++) {
                above &= from[i]->low[d] > from[j]->high[d] && to[i]->low[d] > to[j]->high[d];
                below &= from[i]->high[d] < from[j]->low[d] && to[i]->high[d] < to[j]->low[d];
            }
        if (above || below)
            return true;
    }
    return false;
}

static void add_event(search *s, const brute_event *event)
{
    if (s->count == s->capacity) {
        s->capacity = 2 * s->capacity + 64;
        brute_event *more = realloc(s->events, s->capacity * sizeof *more);
        if (more == NULL)
            abort();
        s->events = more;
    }
    s->events[s->count++] = *event;
}

/* One pair on its way through time. */
typedef struct walk {
    const uint32_t *vertex; /* four */
    size_t piece[4];
    brute_event next;  /* kind, index and sequence of the next event */
    bool touching;     /* contact at the end of the last window or jump */
    size_t last_event; /* that began this contact; it is lasting if the contact continues */
} walk;

static const state *state_at(const search *s, const walk *w, int k, size_t time)
{
    return &s->states[w->vertex[k] * s->time_count + time];
}

static void add_contacts(search *s, walk *w, const path_contacts *found, bool jump, bool first)
{
    if (!first && found->at_enter != w->touching)
        abort(); /* the end of a window and the start of the next are the same positions */
    for (int i = 0; i < found->count; i++) {
        const path_interval *interval = &found->interval[i];
        if (i == 0 && found->at_enter && w->touching) {
            s->events[w->last_event].lasting |= !interval->instant;
            s->counts.continued++;
            continue;
        }
        w->next.lower = interval->lower;
        w->next.upper = interval->upper;
        w->next.in_jump = jump;
        w->next.lasting = !interval->instant;
        w->last_event = s->count;
        add_event(s, &w->next);
        w->next.sequence++;
        s->counts.in_jumps += jump;
    }
    w->touching = found->at_exit;
}

static void walk_window(search *s, walk *w, size_t enter, size_t exit, bool first)
{
    const brute_animation *a = s->animation;
    const extent *from[4], *to[4];
    linear_path path[4];
    for (int k = 0; k < 4; k++) {
        from[k] = &state_at(s, w, k, enter)->after;
        to[k] = &state_at(s, w, k, exit)->before;
        path[k] = a->pieces[w->piece[k]].path;
    }
    s->counts.windows++;
    path_contacts found = {0};
    if (a->no_culling || !apart(from, to, w->next.kind == TACT_VERTEX_FACE ? 1 : 2)) {
        s->counts.exact++;
        path_contacts_find(&found, w->next.kind, path, s->times[enter], s->times[exit]);
    }
    add_contacts(s, w, &found, false, first);
}

/* The vertices whose pieces end here go on to their next ones. Returns whether the pair jumps, and exists. */
static bool walk_jump(search *s, walk *w, size_t time, bool exists, bool first)
{
    const brute_animation *a = s->animation;
    const extent *before[4], *after[4];
    linear_path from[4], to[4];
    bool jumps = false;
    for (int k = 0; k < 4; k++) {
        before[k] = &state_at(s, w, k, time)->before;
        after[k] = &state_at(s, w, k, time)->after;
        jumps |= state_at(s, w, k, time)->jumps;
        from[k] = a->pieces[w->piece[k]].path;
        if (a->pieces[w->piece[k]].end == s->times[time])
            w->piece[k]++;
        to[k] = a->pieces[w->piece[k]].path;
    }
    if (!jumps || !exists)
        return false;
    s->counts.windows++;
    path_contacts found = {0};
    if (a->no_culling || !apart(before, after, w->next.kind == TACT_VERTEX_FACE ? 1 : 2)) {
        s->counts.exact++;
        path_contacts_jump(&found, w->next.kind, from, to, s->times[time]);
    }
    add_contacts(s, w, &found, true, first);
    return true;
}

/* `exists_a` and `exists_b`: from each time to the next one. */
static void walk_pair(search *s, tact_ccd_kind kind, const uint32_t index[4], const uint32_t vertex[4],
                      const bool *exists_a, const bool *exists_b)
{
    const brute_animation *a = s->animation;
    walk w = {.vertex = vertex, .next = {.kind = kind}};
    memcpy(w.next.index, index, sizeof w.next.index);
    for (int k = 0; k < 4; k++)
        w.piece[k] = a->first_piece[vertex[k]];
    size_t enter = 0;
    bool first = true; /* it has not existed just before */
    for (;;) {
        const bool exists = exists_a[enter] && exists_b[enter];
        double end = a->pieces[w.piece[0]].end;
        for (int k = 1; k < 4; k++)
            end = fmin(end, a->pieces[w.piece[k]].end);
        size_t exit = enter + 1;
        while (s->times[exit] < end && (exists_a[exit] && exists_b[exit]) == exists)
            exit++;
        if (exists)
            walk_window(s, &w, enter, exit, first);
        else
            w.touching = false;
        if (exit + 1 == s->time_count)
            break;
        const bool goes_on = exists_a[exit] && exists_b[exit];
        s->counts.torn += exists && !goes_on && w.touching;
        w.touching = w.touching && goes_on;
        const bool jumped = walk_jump(s, &w, exit, goes_on, !exists);
        s->counts.kept += exists && goes_on && w.touching;
        first = !jumped && !exists;
        enter = exit;
    }
}

static void find_vertex_face(search *s)
{
    const brute_animation *a = s->animation;
    bool *used = allocate(a->vertex_count, sizeof *used);
    for (size_t i = 0; i < s->edge_count; i++)
        used[s->edges[i].a] = used[s->edges[i].b] = true;
    for (size_t i = 0; i < a->point_count; i++)
        used[a->points[i]] = true;
    for (uint32_t v = 0; v < a->vertex_count; v++)
        for (uint32_t f = 0; f < a->triangle_count && used[v]; f++) {
            const uint32_t *t = a->triangles[f];
            if (v != t[0] && v != t[1] && v != t[2] && counts_between(a, v, t[0]) && s->first_same[f] == f)
                walk_pair(s, TACT_VERTEX_FACE, (uint32_t[4]){v, f}, (uint32_t[4]){v, t[0], t[1], t[2]},
                          s->vertex_exists + v * s->time_count, s->triangle_exists + f * s->time_count);
        }
    free(used);
}

static void find_edge_edge(search *s)
{
    for (size_t i = 0; i < s->edge_count; i++)
        for (size_t j = i + 1; j < s->edge_count; j++) {
            const edge *e = &s->edges[i], *f = &s->edges[j];
            const uint32_t ends[4] = {e->a, e->b, f->a, f->b};
            if (e->a != f->a && e->a != f->b && e->b != f->a && e->b != f->b &&
                counts_between(s->animation, e->a, f->a))
                walk_pair(s, TACT_EDGE_EDGE, ends, ends, s->edge_exists + i * s->time_count,
                          s->edge_exists + j * s->time_count);
        }
}

brute_event *brute_animation_events(const brute_animation *animation, size_t *count, brute_counts *counts)
{
    search s = {.animation = animation};
    *count = 0;
    if (animation->vertex_count > 0) {
        collect_times(&s);
        compute_states(&s);
        collect_edges(&s);
        collect_lives(&s);
        find_vertex_face(&s);
        find_edge_edge(&s);
    }
    if (s.events == NULL)
        s.events = allocate(1, sizeof *s.events);
    qsort(s.events, s.count, sizeof *s.events, compare_events);
    *count = s.count;
    if (counts != NULL)
        *counts = s.counts;
    free(s.vertex_exists);
    free(s.edge_exists);
    free(s.triangle_exists);
    free(s.first_same);
    free(s.edges);
    free(s.states);
    free(s.times);
    return s.events;
}
