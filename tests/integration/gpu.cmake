# lavapipe only, whatever else is installed, with the validation layer watching every call.
file(GLOB PL_LAVAPIPE_ICD /usr/share/vulkan/icd.d/lvp_icd*.json)
set(PL_LAVAPIPE_ENVIRONMENT
    "VK_DRIVER_FILES=${PL_LAVAPIPE_ICD}" "VK_ICD_FILENAMES=${PL_LAVAPIPE_ICD}"
    "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation" "LP_NUM_THREADS=2"
    "ASAN_OPTIONS=detect_leaks=0") # the driver and the layer keep theirs

function(pl_gpu_test name)
    pl_test(${name} SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/${name}.c DEPS all LABELS gpu)
    target_include_directories(${name} PRIVATE ${PROJECT_BINARY_DIR})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${PL_LAVAPIPE_ENVIRONMENT}"
        FAIL_REGULAR_EXPRESSION "VUID-;Validation Error;Validation Warning;UNASSIGNED-")
endfunction()

pl_gpu_test(test_gpu_lavapipe)
pl_gpu_test(test_gpu_bins)
pl_gpu_test(test_gpu_absent)
pl_gpu_test(test_gpu_no_loader)
set_tests_properties(test_gpu_absent PROPERTIES ENVIRONMENT
    "VK_DRIVER_FILES=/dev/null;VK_ICD_FILENAMES=/dev/null;ASAN_OPTIONS=detect_leaks=0")
foreach(test IN ITEMS test_gpu_faults test_gpu_files)
    pl_gpu_test(${test})
    target_sources(${test} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/fake_gpu.c)
endforeach()
