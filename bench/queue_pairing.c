/*
 * A pairing heap: trees of any degree, with first child and next sibling. Removing a node merges its children in pairs
 * from left to right, then from right to left. An event that becomes earlier is cut and merged with the root; one that
 * becomes later is removed and inserted again.
 */
#include <stdlib.h>

#include "queue_kind.h"

typedef struct pairing_node {
    uint32_t child, next, back; /* back: previous sibling, or the parent of a first child */
} pairing_node;

typedef struct pairing {
    queue_time *times;
    pairing_node *nodes; /* back: the id itself if absent, QUEUE_NONE for the root */
    uint32_t root;
} pairing;

static void release(void *q)
{
    pairing *p = q;
    free(p->times);
    free(p->nodes);
    free(p);
}

static void *create(uint32_t id_count)
{
    pairing *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    *p = (pairing){malloc(id_count * sizeof *p->times), malloc(id_count * sizeof *p->nodes), QUEUE_NONE};
    if (!p->times || !p->nodes) {
        release(p);
        return NULL;
    }
    for (uint32_t i = 0; i < id_count; i++)
        p->nodes[i] = (pairing_node){QUEUE_NONE, QUEUE_NONE, i};
    return p;
}

/* Merges two roots: the later one becomes the first child of the other. */
static uint32_t merge(pairing *p, uint32_t a, uint32_t b)
{
    if (a == QUEUE_NONE || b == QUEUE_NONE)
        return a == QUEUE_NONE ? b : a;
    if (queue_before(p->times, b, a)) {
        uint32_t other = a;
        a = b;
        b = other;
    }
    pairing_node *n = p->nodes;
    n[b].next = n[a].child;
    n[b].back = a;
    if (n[a].child != QUEUE_NONE)
        n[n[a].child].back = b;
    n[a].child = b;
    return a;
}

static uint32_t merge_children(pairing *p, uint32_t of)
{
    pairing_node *n = p->nodes;
    uint32_t done = QUEUE_NONE, at = n[of].child; /* merged pairs, the last first, linked by `next` */
    while (at != QUEUE_NONE) {
        const uint32_t a = at, b = n[a].next;
        at = b != QUEUE_NONE ? n[b].next : QUEUE_NONE;
        n[a].next = QUEUE_NONE;
        if (b != QUEUE_NONE)
            n[b].next = QUEUE_NONE;
        const uint32_t pair = merge(p, a, b);
        n[pair].next = done;
        done = pair;
    }
    uint32_t root = QUEUE_NONE;
    while (done != QUEUE_NONE) {
        const uint32_t next = n[done].next;
        n[done].next = QUEUE_NONE;
        root = merge(p, root, done);
        done = next;
    }
    n[of].child = QUEUE_NONE;
    return root;
}

static void cut(pairing *p, uint32_t i)
{
    pairing_node *n = p->nodes;
    if (n[n[i].back].child == i)
        n[n[i].back].child = n[i].next;
    else
        n[n[i].back].next = n[i].next;
    if (n[i].next != QUEUE_NONE)
        n[n[i].next].back = n[i].back;
    n[i].next = n[i].back = QUEUE_NONE;
}

static void cancel(void *q, uint32_t id)
{
    pairing *p = q;
    pairing_node *n = &p->nodes[id];
    if (n->back == id)
        return;
    if (p->root == id) {
        p->root = merge_children(p, id);
    } else {
        cut(p, id);
        p->root = merge(p, p->root, merge_children(p, id));
    }
    if (p->root != QUEUE_NONE)
        p->nodes[p->root].back = QUEUE_NONE;
    n->back = id;
}

static void set(void *q, uint32_t id, double time, uint64_t key)
{
    pairing *p = q;
    const queue_time event = {time, key};
    const bool present = p->nodes[id].back != id;
    const bool later = present && (p->times[id].time < time || (p->times[id].time == time && p->times[id].key < key));
    if (later)
        cancel(p, id);
    else if (present && p->root != id)
        cut(p, id);
    p->times[id] = event;
    if (p->root == id && !later)
        return;
    if (!present || later)
        p->nodes[id] = (pairing_node){QUEUE_NONE, QUEUE_NONE, QUEUE_NONE};
    p->root = merge(p, p->root, id);
    p->nodes[p->root].back = QUEUE_NONE;
}

static uint32_t first(void *q) { return ((pairing *)q)->root; }

const queue_kind tact_queue_pairing = {"pairing heap", create, release, set, cancel, first};
