# pl_library(NAME SOURCES a.c b.c [DEPS core model] [LIBS PkgConfig::X])
#   The static library pl_NAME of one folder. DEPS are folders of ours, in the order of the layer
#   table in docs/architecture.md; LIBS are other people's and stay private to the folder.
function(pl_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
    add_library(pl_${name} STATIC ${ARG_SOURCES})
    target_include_directories(pl_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(pl_${name} PRIVATE pl_warnings ${ARG_LIBS})
    foreach(dep IN LISTS ARG_DEPS)
        target_link_libraries(pl_${name} PUBLIC pl_${dep})
    endforeach()
endfunction()

# pl_test(NAME SOURCES t.c [DEPS folder…] [LIBS …] [LABELS unit])
#   A cmocka program, run by ctest as NAME; exit 77 is a skip.
function(pl_test name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS;LABELS" ${ARGN})
    if(NOT ARG_LABELS)
        set(ARG_LABELS unit)
    endif()
    add_executable(${name} ${ARG_SOURCES})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE pl_warnings PkgConfig::CMOCKA ${ARG_LIBS} m)
    foreach(dep IN LISTS ARG_DEPS)
        target_link_libraries(${name} PRIVATE pl_${dep})
    endforeach()
    target_compile_definitions(${name} PRIVATE PL_TEST_DATA="${PROJECT_SOURCE_DIR}/tests")
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${ARG_LABELS}" TIMEOUT 300)
endfunction()

# pl_bench(NAME SOURCES b.c [DEPS …] [LIBS …]): build/<preset>/bench/NAME, its last line one
#   JSON object.
function(pl_bench name)
    cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
    add_executable(bench_${name} ${ARG_SOURCES})
    set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    target_include_directories(bench_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(bench_${name} PRIVATE pl_warnings ${ARG_LIBS} m)
    foreach(dep IN LISTS ARG_DEPS)
        target_link_libraries(bench_${name} PRIVATE pl_${dep})
    endforeach()
endfunction()
