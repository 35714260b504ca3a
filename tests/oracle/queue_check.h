/* A validator of the event queue. */
#ifndef ORACLE_QUEUE_CHECK_H
#define ORACLE_QUEUE_CHECK_H

#include "event/queue.h"

/* Whether no event comes before its parent in the heap, and each id has the right heap position. */
bool tact_event_queue_check(const event_queue *q);

#endif
