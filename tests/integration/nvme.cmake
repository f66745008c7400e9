# The NVMe probe against a real driver, in the guest of the virtual board.
foreach(program IN ITEMS guest_nvme guest_fault)
    add_executable(${program} ${CMAKE_CURRENT_SOURCE_DIR}/${program}.c)
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${program} PRIVATE pl_warnings PkgConfig::CMOCKA pl_all m)
endforeach()
add_test(NAME guest_nvme
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest_nvme.py $<TARGET_FILE:guest_nvme>)
set_tests_properties(guest_nvme PROPERTIES LABELS guest TIMEOUT 300 RUN_SERIAL ON
    RESOURCE_LOCK guest)
add_test(NAME guest_monitor
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest_monitor.py $<TARGET_FILE:pcielat>
        $<TARGET_FILE:guest_fault>)
set_tests_properties(guest_monitor PROPERTIES LABELS guest TIMEOUT 700 RUN_SERIAL ON
    RESOURCE_LOCK guest SKIP_RETURN_CODE 77)
add_test(NAME guest_gone
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest_gone.py $<TARGET_FILE:pcielat>)
set_tests_properties(guest_gone PROPERTIES LABELS guest TIMEOUT 500 RUN_SERIAL ON
    RESOURCE_LOCK guest)
add_test(NAME guest_nvme_faults
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest_nvme_faults.py $<TARGET_FILE:pcielat>)
set_tests_properties(guest_nvme_faults PROPERTIES LABELS guest TIMEOUT 500 RUN_SERIAL ON
    RESOURCE_LOCK guest)
add_test(NAME guest_bursts
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest_bursts.py $<TARGET_FILE:pcielat>)
set_tests_properties(guest_bursts PROPERTIES LABELS guest TIMEOUT 600 RUN_SERIAL ON
    RESOURCE_LOCK guest)
# The release build measures, as the bench does by itself.
add_test(NAME guest_bench_fio
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest_bench_fio.py build/release)
set_tests_properties(guest_bench_fio PROPERTIES LABELS guest TIMEOUT 200 RUN_SERIAL ON
    RESOURCE_LOCK guest)
