/* Which of two engines does the same work at less cost: see engine_choice.h. */
#include "broad/engine_choice.h"

#include "broad/broad_constants.h"

bool tact_engine_choice_decide(engine_choice *c, double working, double other, double change)
{
    if (c->blocked > 0) {
        --c->blocked;
        return false;
    }
    if (!(working > ENGINE_CHOICE_GAIN * other) || !((working - other) * ENGINE_CHOICE_PAYBACK > change))
        return false;
    c->backoff = c->backoff < ENGINE_CHOICE_MAX_BACKOFF ? 2 * c->backoff + 1 : ENGINE_CHOICE_MAX_BACKOFF;
    c->blocked = c->backoff;
    return true;
}
