/* The one place where volk's code is compiled. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
