# What link/ decodes against what lspci decodes, on the dumps of real machines.
add_executable(decode_dump ${CMAKE_CURRENT_LIST_DIR}/decode_dump.c)
target_link_libraries(decode_dump PRIVATE pl_warnings pl_all)
add_test(NAME link_lspci COMMAND ${Python3_EXECUTABLE} -B
    ${CMAKE_CURRENT_LIST_DIR}/test_aspm_lspci.py $<TARGET_FILE:decode_dump>
    ${PROJECT_SOURCE_DIR}/tests/boards/dumps)
set_tests_properties(link_lspci PROPERTIES SKIP_RETURN_CODE 77 LABELS integration)
