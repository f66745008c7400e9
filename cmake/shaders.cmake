# GLSL -> SPIR-V at build time, as C arrays and as .spv files for the tests that look at them.
find_program(PL_GLSLANG glslangValidator REQUIRED)
set(PL_SHADER_DIR ${PROJECT_SOURCE_DIR}/shaders)
set(PL_SPIRV_DIR ${PROJECT_BINARY_DIR}/shaders)
file(MAKE_DIRECTORY ${PL_SPIRV_DIR})

# pl_shader(NAME SOURCE x.comp [DEFINES A=1 …]): NAME.spv, NAME.h with uint32_t pl_spirv_NAME[];
# both are appended to PL_SPIRV_HEADERS of the caller.
function(pl_shader name)
    cmake_parse_arguments(ARG "" "SOURCE" "DEFINES" ${ARGN})
    list(TRANSFORM ARG_DEFINES PREPEND -D)
    set(source ${PL_SHADER_DIR}/${ARG_SOURCE})
    set(out ${PL_SPIRV_DIR}/${name})
    set(command ${PL_GLSLANG} --quiet -V --target-env vulkan1.1 -g0 -l ${ARG_DEFINES})
    add_custom_command(
        OUTPUT ${out}.h ${out}.spv
        COMMAND ${command} --vn pl_spirv_${name} --depfile ${out}.d -o ${out}.h ${source}
        COMMAND ${command} -o ${out}.spv ${source}
        DEPENDS ${source}
        DEPFILE ${out}.d
        COMMENT "SPIR-V ${name}"
        VERBATIM)
    set(PL_SPIRV_HEADERS ${PL_SPIRV_HEADERS} ${out}.h PARENT_SCOPE)
endfunction()
