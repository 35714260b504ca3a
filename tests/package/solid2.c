#include <stdio.h>
#include <tact/solid2.h>

static int calls;

static void touched(void *client, DtObjectRef one, DtObjectRef other, const DtCollData *data)
{
    (void)client, (void)one, (void)other, (void)data;
    calls++;
}

int main(void)
{
    int ball = 0, crate = 0;
    DtShapeRef sphere = dtSphere(1.0), box = dtBox(2.0, 2.0, 2.0);
    dtCreateObject(&ball, sphere);
    dtCreateObject(&crate, box);
    dtSetDefaultResponse(touched, DT_SIMPLE_RESPONSE, NULL);
    dtSelectObject(&ball);
    dtLoadIdentity();
    dtTranslate(1.5, 0.0, 0.0);
    dtTest();
    printf("SOLID 2.0: %d contact\n", calls);
    dtDeleteObject(&ball);
    dtDeleteObject(&crate);
    dtDeleteShape(sphere);
    dtDeleteShape(box);
    return calls == 1 ? 0 : 1;
}
