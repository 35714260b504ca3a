/* Shared by the tests of worlds: comparing handles, bodies along the x axis, and a callback that records contacts. */
#ifndef TACT_TEST_WORLD_LOG_H
#define TACT_TEST_WORLD_LOG_H

#include <tact/tact.h>

static inline bool same_body(tact_body a, tact_body b) { return a.index == b.index && a.generation == b.generation; }

static inline tact_body body_at_x(tact_world *w, const tact_shape *shape, double x)
{
    return tact_body_create(w, &(tact_body_def){.shape = shape, .transform = tact_at(x, 0, 0)});
}

/* A response that counts its calls and keeps the last contact. */
typedef struct log_book {
    size_t calls;
    tact_contact last;
    tact_manifold manifold;
} log_book;

static inline void note_contact(void *context, const tact_contact *contact)
{
    log_book *book = context;
    ++book->calls;
    book->last = *contact;
    if (contact->manifold != NULL)
        book->manifold = *contact->manifold;
}

static inline tact_response noting(log_book *book, tact_want want)
{
    return (tact_response){.want = want, .callback = note_contact, .context = book};
}

#endif
