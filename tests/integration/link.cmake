# What link/ decodes against what lspci decodes, on the dumps of real machines.
add_executable(decode_dump ${CMAKE_CURRENT_LIST_DIR}/decode_dump.c)
target_link_libraries(decode_dump PRIVATE pl_warnings pl_all)
add_test(NAME link_lspci COMMAND ${Python3_EXECUTABLE} -B
    ${CMAKE_CURRENT_LIST_DIR}/test_aspm_lspci.py $<TARGET_FILE:decode_dump>
    ${PROJECT_SOURCE_DIR}/tests/boards/dumps)
set_tests_properties(link_lspci PROPERTIES SKIP_RETURN_CODE 77 LABELS integration)

# Against a real kernel, in the guest of the virtual board.
add_executable(guest_link ${CMAKE_CURRENT_LIST_DIR}/guest_link.c)
target_include_directories(guest_link PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(guest_link PRIVATE pl_warnings PkgConfig::CMOCKA pl_all m)

function(guest_link_test name)
    add_test(NAME guest_link_${name} COMMAND ${Python3_EXECUTABLE} -B
        ${CMAKE_CURRENT_SOURCE_DIR}/guest_link.py $<TARGET_FILE:guest_link> ${ARGN})
    set_tests_properties(guest_link_${name} PROPERTIES LABELS guest TIMEOUT 400 RUN_SERIAL ON
        RESOURCE_LOCK guest)
endfunction()

guest_link_test(states states --board X670E)
guest_link_test(off off --board aspm_off)
guest_link_test(plain plain --plain)
