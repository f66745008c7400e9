# The NVMe probe against a real driver, in the guest of the virtual board.
add_executable(guest_nvme ${CMAKE_CURRENT_SOURCE_DIR}/guest_nvme.c)
target_include_directories(guest_nvme PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(guest_nvme PRIVATE pl_warnings PkgConfig::CMOCKA pl_all m)
add_test(NAME guest_nvme
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest_nvme.py $<TARGET_FILE:guest_nvme>)
set_tests_properties(guest_nvme PROPERTIES LABELS guest TIMEOUT 300 RUN_SERIAL ON
    RESOURCE_LOCK guest)
