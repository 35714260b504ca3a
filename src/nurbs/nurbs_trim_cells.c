#include "nurbs/nurbs_trim_cells.h"

#include <stdlib.h>
#include <string.h>

#include "nurbs/nurbs_trim_rows.h"

/* ---- following chains ---- */

typedef struct cell_box {
    int32_t low[2], high[2];
} cell_box;

static cell_box box_of(const nurbs_cell *c)
{
    const int shift = NURBS_GRID_LEVEL - c->level;
    return (cell_box){{(int32_t)c->x << shift, (int32_t)c->y << shift},
                      {(int32_t)(c->x + 1) << shift, (int32_t)(c->y + 1) << shift}};
}

typedef struct chain_tracer {
    const nurbs_tessellation *t;
    trim_pieces *out;
    uint32_t root, cell; /* of the patch; the present leaf */
    bool recording;      /* a piece has begun */
    bool crossed;        /* at least one edge was crossed */
    bool stop;           /* end at the next crossing */
    bool stopped;
    bool out_of_memory;
} chain_tracer;

static void record_point(chain_tracer *c, trim_point p)
{
    if (!c->recording)
        return;
    trim_piece *piece = &c->out->pieces.items[c->out->pieces.count - 1];
    const trim_point *last =
        piece->point_count > 0 ? c->out->points.items + piece->first_point + piece->point_count - 1 : NULL;
    if (last != NULL && last->x == p.x && last->y == p.y)
        return;
    if (!trim_point_array_push(&c->out->points, &c->t->allocator, p))
        c->out_of_memory = true;
    else
        piece->point_count++;
}

static void begin_piece(chain_tracer *c, trim_point p, bool closed)
{
    const trim_piece piece = {c->cell, (uint32_t)c->out->points.count, 0, closed};
    if (!trim_piece_array_push(&c->out->pieces, &c->t->allocator, piece)) {
        c->out_of_memory = true;
        return;
    }
    c->recording = true;
    record_point(c, p);
}

/* The leaf at a point with odd coordinates, or on a side of the patch. */
static uint32_t leaf_at(const nurbs_tessellation *t, uint32_t cell, trim_point p)
{
    const nurbs_cell *cells = t->cells.items;
    while (cells[cell].first_child != 0) {
        const cell_box b = box_of(&cells[cell]);
        const bool right = p.x > (b.low[0] + b.high[0]) / 2, upper = p.y > (b.low[1] + b.high[1]) / 2;
        cell = cells[cell].first_child + (right ? 1 : 0) + (upper ? 2 : 0);
    }
    return cell;
}

/* The leaf that the segment from p to q enters through the line `line`, perpendicular to direction d. */
static uint32_t leaf_beyond(const nurbs_tessellation *t, uint32_t cell, trim_point p, trim_point q, int d, int32_t line)
{
    const nurbs_cell *cells = t->cells.items;
    const bool up = d == 0 ? q.x > p.x : q.y > p.y;
    while (cells[cell].first_child != 0) {
        const cell_box b = box_of(&cells[cell]);
        const int32_t middle[2] = {(b.low[0] + b.high[0]) / 2, (b.low[1] + b.high[1]) / 2};
        const bool beyond = up ? line >= middle[d] : line > middle[d]; /* in the half with larger coordinates along d */
        const trim_point corner = d == 0 ? (trim_point){line, middle[1]} : (trim_point){middle[0], line};
        /* moving along +x, a corner to the left is above the segment; along +y, one to the left has a smaller x */
        const bool left = trim_is_left(p, q, corner), larger = d == 0 ? (up ? !left : left) : (up ? left : !left);
        const bool half[2] = {d == 0 ? beyond : larger, d == 0 ? larger : beyond};
        cell = cells[cell].first_child + (half[0] ? 1 : 0) + (half[1] ? 2 : 0);
    }
    return cell;
}

/* The direction perpendicular to the edge through which the segment leaves a box. */
static int exit_direction(const cell_box *b, trim_point p, trim_point q)
{
    if (p.x == q.x || p.y == q.y)
        return p.x == q.x ? 1 : 0;
    const bool right = q.x > p.x, upper = q.y > p.y;
    const trim_point corner = {right ? b->high[0] : b->low[0], upper ? b->high[1] : b->low[1]};
    /* to the upper right, a corner on the left means that the segment passes below it, through the right edge */
    return trim_is_left(p, q, corner) == (right == upper) ? 0 : 1;
}

static int32_t odd_between(double value, int32_t low, int32_t high)
{
    const double k = (value - low - 1.0) / 2.0, most = (high - low) / 2 - 1;
    const double rounded = k < 0.0 ? 0.0 : k > most ? most : k + 0.5;
    return low + 1 + 2 * (int32_t)rounded;
}

static bool contains(const cell_box *b, trim_point p)
{
    return b->low[0] <= p.x && p.x <= b->high[0] && b->low[1] <= p.y && p.y <= b->high[1];
}

/* Follows the segment from p, in the present leaf or before it, to q. */
static void trace_segment(chain_tracer *c, trim_point p, trim_point q)
{
    const nurbs_cell *cells = c->t->cells.items;
    while (!c->stopped && !c->out_of_memory) {
        const cell_box b = box_of(&cells[c->cell]);
        if (contains(&b, q)) {
            record_point(c, q);
            return;
        }
        const int d = exit_direction(&b, p, q), other = 1 - d;
        const int32_t from[2] = {p.x, p.y}, to[2] = {q.x, q.y}, line = to[d] > from[d] ? b.high[d] : b.low[d];
        const uint32_t next = leaf_beyond(c->t, c->root, p, q, d, line);
        const cell_box n = box_of(&cells[next]);
        const int32_t low = b.low[other] > n.low[other] ? b.low[other] : n.low[other],
                      high = b.high[other] < n.high[other] ? b.high[other] : n.high[other];
        const double at = from[other] + (double)(line - from[d]) * (to[other] - from[other]) / (to[d] - from[d]);
        const int32_t along = odd_between(at, low, high);
        const trim_point crossing = d == 0 ? (trim_point){line, along} : (trim_point){along, line};
        record_point(c, crossing);
        c->crossed = true;
        c->stopped = c->stop;
        c->cell = next;
        if (!c->stopped)
            begin_piece(c, crossing, false);
    }
}

static bool trace_chain(const nurbs_tessellation *t, uint32_t first_patch, const nurbs_trim *trim,
                        const trim_chain *chain, trim_pieces *out)
{
    const trim_point *p = trim->points.items + chain->first_point;
    const uint32_t n = chain->point_count, root = t->first_cell[first_patch + chain->patch];
    chain_tracer c = {.t = t, .out = out, .root = root, .cell = leaf_at(t, root, p[0])};
    if (!chain->closed) {
        begin_piece(&c, p[0], false);
        for (uint32_t i = 1; i < n; i++)
            trace_segment(&c, p[i - 1], p[i]);
        return !c.out_of_memory;
    }
    uint32_t first = 0; /* the first segment that leaves a cell */
    while (first < n) {
        const cell_box b = box_of(&t->cells.items[c.cell]);
        if (!contains(&b, p[(first + 1) % n]))
            break;
        first++;
    }
    if (first == n) {
        begin_piece(&c, p[0], true);
        for (uint32_t i = 1; i < n; i++)
            record_point(&c, p[i]);
        return !c.out_of_memory;
    }
    /* that segment, from its first crossing on, the others, and that segment again up to its first crossing */
    for (uint32_t i = 0; i <= n; i++) {
        c.stop = i == n;
        trace_segment(&c, p[(first + i) % n], p[(first + i + 1) % n]);
    }
    return !c.out_of_memory;
}

bool tact_nurbs_trace(const nurbs_tessellation *t, trim_pieces *out)
{
    const nurbs_model *m = t->model;
    *out = (trim_pieces){.cell_count = t->cells.count};
    bool any = false;
    for (uint32_t s = 0; s < m->surface_count; s++) {
        const nurbs_trim *trim = m->trims[s];
        any = any || trim != NULL;
        for (size_t i = 0; trim != NULL && i < trim->chains.count; i++)
            if (!trace_chain(t, m->first_patch[s], trim, &trim->chains.items[i], out))
                return false;
    }
    if (!any)
        return true;
    const size_t count = out->pieces.count;
    out->first = tact_memory_allocate(&t->allocator, t->cells.count + 2, sizeof *out->first);
    out->order = tact_memory_allocate(&t->allocator, count + 1, sizeof *out->order);
    if (out->first == NULL || out->order == NULL)
        return false;
    memset(out->first, 0, (t->cells.count + 2) * sizeof *out->first);
    for (size_t i = 0; i < count; i++) /* counting sort */
        out->first[out->pieces.items[i].cell + 2]++;
    for (size_t i = 2; i < t->cells.count + 2; i++)
        out->first[i] += out->first[i - 1];
    for (size_t i = 0; i < count; i++)
        out->order[out->first[out->pieces.items[i].cell + 1]++] = (uint32_t)i;
    return true;
}

void tact_nurbs_trace_release(trim_pieces *p, const tact_allocator *allocator)
{
    tact_memory_free(allocator, p->first, p->cell_count + 2, sizeof *p->first);
    tact_memory_free(allocator, p->order, p->pieces.count + 1, sizeof *p->order);
    trim_piece_array_release(&p->pieces, allocator);
    trim_point_array_release(&p->points, allocator);
}

/* ---- inside ---- */

bool tact_nurbs_cell_corner_inside(const nurbs_tessellation *t, const nurbs_cell *cell)
{
    const nurbs_model *m = t->model;
    const uint32_t surface = m->patches[cell->patch].surface, patch = cell->patch - m->first_patch[surface];
    const nurbs_trim *trim = m->trims[surface];
    const cell_box b = box_of(cell);
    return (trim->corner_inside[patch] != 0) !=
           tact_nurbs_trim_rows_parity(&trim->rows, patch, (trim_point){b.low[0], b.low[1]});
}

/* ---- polygons ---- */

/* The position of a point on the border of a box, counter-clockwise from its lower left corner. */
static int64_t border_position(const cell_box *b, trim_point p)
{
    const int64_t size = b->high[0] - b->low[0];
    return p.y == b->low[1]    ? p.x - b->low[0]
           : p.x == b->high[0] ? size + (p.y - b->low[1])
           : p.y == b->high[1] ? 2 * size + (b->high[0] - p.x)
                               : 3 * size + (b->high[1] - p.y);
}

/* An end of a piece on the border. */
typedef struct piece_end {
    int64_t position;
    uint32_t piece; /* of the cell */
    bool last;      /* the end of the piece, not its beginning */
    bool used;      /* the arc that begins here was followed */
} piece_end;

ARRAY_OF(piece_end_array, piece_end);

typedef struct cell_cutter {
    const trim_pieces *pieces;
    const trim_point_array *border;
    const tact_allocator *allocator;
    trim_polygons *out;
    cell_box box;
    piece_end_array ends;
    uint32_t first; /* of the cell's pieces in `order` */
    bool inside;    /* at the lower left corner */
} cell_cutter;

static bool emit(cell_cutter *c, trim_point p) { return trim_point_array_push(&c->out->points, c->allocator, p); }

static bool end_loop(cell_cutter *c)
{
    return trim_size_array_push(&c->out->loop_ends, c->allocator, (uint32_t)c->out->points.count);
}

static const trim_piece *piece_of(const cell_cutter *c, uint32_t piece)
{
    return &c->pieces->pieces.items[c->pieces->order[c->first + piece]];
}

static bool emit_piece(cell_cutter *c, uint32_t piece, bool backwards)
{
    const trim_piece *p = piece_of(c, piece);
    for (uint32_t i = 0; i < p->point_count; i++)
        if (!emit(c, c->pieces->points.items[p->first_point + (backwards ? p->point_count - 1 - i : i)]))
            return false;
    return true;
}

/* Emits the vertices of the border between two positions, counter-clockwise; `wraps` past the lower left corner. */
static bool emit_border(cell_cutter *c, int64_t from, int64_t to, bool wraps)
{
    for (int lap = 0; lap < (wraps ? 2 : 1); lap++)
        for (size_t i = 0; i < c->border->count; i++) {
            const int64_t at = border_position(&c->box, c->border->items[i]);
            const bool between = !wraps ? at > from && at < to : lap == 0 ? at > from : at < to;
            if (between && !emit(c, c->border->items[i]))
                return false;
        }
    return true;
}

/* Point i of the piece of an end, counted from that end. */
static trim_point point_from(const cell_cutter *c, const piece_end *e, uint32_t i)
{
    const trim_piece *p = piece_of(c, e->piece);
    return c->pieces->points.items[p->first_point + (e->last ? p->point_count - 1 - i : i)];
}

static int64_t cross_of(trim_point a, trim_point b) { return (int64_t)a.x * b.y - (int64_t)a.y * b.x; }

static trim_point difference(trim_point a, trim_point b) { return (trim_point){a.x - b.x, a.y - b.y}; }

/* The side of a direction: 1 left of `along`, 0 along it, -1 right of it. */
static int side_of(trim_point along, trim_point direction)
{
    const int64_t cross = cross_of(along, direction);
    return (cross > 0) - (cross < 0);
}

/* Whether the piece that begins at end e lies left of that at end f, as seen from the point of the border where both
 * begin. Exact. Pieces that coincide are ordered such that they are nested. */
static bool is_left_of(const cell_cutter *c, const piece_end *e, const piece_end *f)
{
    const uint32_t counts[2] = {piece_of(c, e->piece)->point_count, piece_of(c, f->piece)->point_count};
    trim_point at = point_from(c, e, 0), along = {0, 0};
    for (uint32_t i = 1, k = 1; i < counts[0] && k < counts[1];) {
        const trim_point a = difference(point_from(c, e, i), at), b = difference(point_from(c, f, k), at);
        const int sides[2] = {side_of(along, a), side_of(along, b)};
        const int64_t cross = cross_of(b, a);
        if (sides[0] != sides[1])
            return sides[0] > sides[1];
        if (cross != 0)
            return cross > 0;
        /* the same direction: to the nearer of both points */
        const int64_t lengths[2] = {llabs((int64_t)a.x) + llabs((int64_t)a.y),
                                    llabs((int64_t)b.x) + llabs((int64_t)b.y)};
        along = a;
        at = lengths[0] < lengths[1] ? point_from(c, e, i) : point_from(c, f, k);
        i += lengths[0] <= lengths[1];
        k += lengths[1] <= lengths[0];
    }
    return (e->piece < f->piece) == (e->position < border_position(&c->box, at));
}

/* Sorts the ends counter-clockwise. Where several are at one place, pieces further left come first. */
static void sort_ends(cell_cutter *c)
{
    for (size_t i = 1; i < c->ends.count; i++) { /* few */
        const piece_end e = c->ends.items[i];
        size_t k = i;
        for (; k > 0; k--) {
            const piece_end *before = &c->ends.items[k - 1];
            if (before->position < e.position || (before->position == e.position && !is_left_of(c, &e, before)))
                break;
            c->ends.items[k] = *before;
        }
        c->ends.items[k] = e;
    }
}

/* Whether the arc after end k is inside. */
static bool arc_is_inside(const cell_cutter *c, size_t k) { return c->inside != (k % 2 == 0); }

/* Follows arcs inside and pieces around one loop, from the arc after end k. */
static bool follow_loop(cell_cutter *c, size_t k)
{
    const size_t n = c->ends.count;
    while (!c->ends.items[k].used) {
        c->ends.items[k].used = true;
        const size_t next = (k + 1) % n;
        if (!emit_border(c, c->ends.items[k].position, c->ends.items[next].position, next == 0))
            return false;
        const piece_end *e = &c->ends.items[next];
        if (!emit_piece(c, e->piece, e->last))
            return false;
        for (k = 0; k < n; k++) /* the other end of the piece */
            if (c->ends.items[k].piece == e->piece && c->ends.items[k].last != e->last)
                break;
        if (k == n)
            break; /* cannot happen */
    }
    return end_loop(c);
}

static bool cut(cell_cutter *c, uint32_t piece_count)
{
    for (uint32_t i = 0; i < piece_count; i++) {
        const trim_piece *p = piece_of(c, i);
        if (p->closed) {
            if (!emit_piece(c, i, false) || !end_loop(c))
                return false;
            continue;
        }
        const trim_point *points = c->pieces->points.items + p->first_point;
        for (int last = 0; last < 2; last++) {
            const piece_end e = {border_position(&c->box, points[last == 0 ? 0 : p->point_count - 1]), i, last != 0,
                                 false};
            if (!piece_end_array_push(&c->ends, c->allocator, e))
                return false;
        }
    }
    sort_ends(c);
    if (c->ends.count == 0 && c->inside) {
        for (size_t i = 0; i < c->border->count; i++)
            if (!emit(c, c->border->items[i]))
                return false;
        return end_loop(c);
    }
    for (size_t k = 0; k < c->ends.count; k++)
        if (arc_is_inside(c, k) && !c->ends.items[k].used && !follow_loop(c, k))
            return false;
    return true;
}

bool tact_nurbs_cut_cell(const nurbs_tessellation *t, const trim_pieces *pieces, uint32_t cell,
                         const trim_point_array *border, trim_polygons *out)
{
    const nurbs_cell *q = &t->cells.items[cell];
    cell_cutter c = {pieces,    border, &t->allocator,       out,
                     box_of(q), {0},    pieces->first[cell], tact_nurbs_cell_corner_inside(t, q)};
    out->points.count = out->loop_ends.count = 0;
    const bool fine = cut(&c, pieces->first[cell + 1] - pieces->first[cell]);
    piece_end_array_release(&c.ends, &t->allocator);
    return fine;
}
