#include "knee.h"

int knee_abi(void)
{
    return KNEE_ABI;
}
