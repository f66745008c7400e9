# The warning set as one interface target: every library, binary and test links pl_warnings.
add_library(pl_warnings INTERFACE)
target_compile_options(pl_warnings INTERFACE
    -Wall -Wextra -Wshadow -Wundef -Wvla -Wconversion -Wno-sign-conversion -Wdouble-promotion
    -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wpointer-arith -Wwrite-strings
    $<$<BOOL:${PCIELAT_WERROR}>:-Werror>)
if(PCIELAT_SANITIZE)
    target_compile_options(pl_warnings INTERFACE -fsanitize=address,undefined
        -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(pl_warnings INTERFACE -fsanitize=address,undefined)
endif()
