/*
 * A Fibonacci heap: a circular list of trees. A node that becomes earlier than its parent is cut, and so is a parent
 * that has lost two children. Removing the first node links trees of equal rank until all ranks differ.
 */
#include <stdlib.h>

#include "queue_kind.h"

enum { RANKS = 64 };

typedef struct fibonacci_node {
    uint32_t parent, child, left, right; /* left, right: circular list of siblings */
    uint32_t rank;
    bool marked, present;
} fibonacci_node;

typedef struct fibonacci {
    queue_time *times;
    fibonacci_node *nodes;
    uint32_t first; /* the earliest root; QUEUE_NONE: empty */
} fibonacci;

static void release(void *q)
{
    fibonacci *f = q;
    free(f->times);
    free(f->nodes);
    free(f);
}

static void *create(uint32_t id_count)
{
    fibonacci *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    *f = (fibonacci){malloc(id_count * sizeof *f->times), calloc(id_count, sizeof *f->nodes), QUEUE_NONE};
    if (!f->times || !f->nodes) {
        release(f);
        return NULL;
    }
    return f;
}

/* Adds a node to the circular list that contains `ring`, and returns the list. */
static uint32_t ring_add(fibonacci_node *n, uint32_t ring, uint32_t i)
{
    if (ring == QUEUE_NONE) {
        n[i].left = n[i].right = i;
        return i;
    }
    n[i].left = ring;
    n[i].right = n[ring].right;
    n[n[i].right].left = i;
    n[ring].right = i;
    return ring;
}

/* Removes a node from its circular list, and returns another node of the list. */
static uint32_t ring_remove(fibonacci_node *n, uint32_t i)
{
    if (n[i].right == i)
        return QUEUE_NONE;
    n[n[i].left].right = n[i].right;
    n[n[i].right].left = n[i].left;
    return n[i].right;
}

static void add_root(fibonacci *f, uint32_t i)
{
    f->nodes[i].parent = QUEUE_NONE;
    f->nodes[i].marked = false;
    f->first = ring_add(f->nodes, f->first, i);
    if (queue_before(f->times, i, f->first))
        f->first = i;
}

static void cut(fibonacci *f, uint32_t i)
{
    fibonacci_node *n = f->nodes;
    for (uint32_t parent = n[i].parent; parent != QUEUE_NONE; parent = n[i].parent) {
        const uint32_t rest = ring_remove(n, i);
        n[parent].child = n[parent].child == i || rest == QUEUE_NONE ? rest : n[parent].child;
        --n[parent].rank;
        add_root(f, i);
        if (!n[parent].marked) {
            n[parent].marked = n[parent].parent != QUEUE_NONE;
            return;
        }
        i = parent;
    }
}

/* Links roots of equal rank and finds the first. */
static void consolidate(fibonacci *f)
{
    fibonacci_node *n = f->nodes;
    uint32_t by_rank[RANKS], at = f->first;
    for (int k = 0; k < RANKS; k++)
        by_rank[k] = QUEUE_NONE;
    while (at != QUEUE_NONE) {
        uint32_t i = at;
        at = ring_remove(n, i);
        while (by_rank[n[i].rank] != QUEUE_NONE) {
            uint32_t other = by_rank[n[i].rank];
            by_rank[n[i].rank] = QUEUE_NONE;
            if (queue_before(f->times, other, i)) {
                const uint32_t swap = i;
                i = other;
                other = swap;
            }
            n[other].parent = i;
            n[other].marked = false;
            n[i].child = ring_add(n, n[i].child, other);
            ++n[i].rank;
        }
        by_rank[n[i].rank] = i;
    }
    f->first = QUEUE_NONE;
    for (int k = 0; k < RANKS; k++)
        if (by_rank[k] != QUEUE_NONE)
            add_root(f, by_rank[k]);
}

static void cancel(void *q, uint32_t id)
{
    fibonacci *f = q;
    fibonacci_node *n = f->nodes;
    if (!n[id].present)
        return;
    cut(f, id);
    const bool was_first = f->first == id;
    const uint32_t rest = ring_remove(n, id);
    f->first = was_first ? rest : f->first;
    for (uint32_t child = n[id].child; child != QUEUE_NONE;) {
        const uint32_t next = ring_remove(n, child);
        n[child].parent = QUEUE_NONE;
        n[child].marked = false;
        f->first = ring_add(n, f->first, child);
        child = next;
    }
    n[id].present = false;
    if (was_first)
        consolidate(f);
}

static void set(void *q, uint32_t id, double time, uint64_t key)
{
    fibonacci *f = q;
    fibonacci_node *n = f->nodes;
    const queue_time old = f->times[id];
    if (n[id].present && (old.time < time || (old.time == time && old.key < key)))
        cancel(f, id);
    f->times[id] = (queue_time){time, key};
    if (!n[id].present) {
        n[id] = (fibonacci_node){.child = QUEUE_NONE, .present = true};
        add_root(f, id);
        return;
    }
    if (n[id].parent != QUEUE_NONE && queue_before(f->times, id, n[id].parent))
        cut(f, id);
    else if (n[id].parent == QUEUE_NONE && queue_before(f->times, id, f->first))
        f->first = id;
}

static uint32_t first(void *q) { return ((fibonacci *)q)->first; }

const queue_kind tact_queue_fibonacci = {"Fibonacci heap", create, release, set, cancel, first};
