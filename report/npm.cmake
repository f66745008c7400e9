# report_npm_install(VARIABLE): installs the packages of package-lock.json once per lock file,
# shared by all builds below the source tree, and sets VARIABLE to node_modules ("" when it failed).
# No package's own script is run. Tests need the development packages too, so all are installed.
function(report_npm_install variable)
    file(SHA256 ${CMAKE_CURRENT_SOURCE_DIR}/package-lock.json lock)
    string(SUBSTRING ${lock} 0 12 lock)
    set(root ${PROJECT_BINARY_DIR})
    string(FIND ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/build/ below)
    if(below EQUAL 0)
        set(root ${PROJECT_SOURCE_DIR}/build)
    endif()
    set(folder ${root}/npm-${lock})
    file(MAKE_DIRECTORY ${folder})
    file(LOCK ${folder} DIRECTORY GUARD FUNCTION TIMEOUT 300)
    if(NOT EXISTS ${folder}/installed)
        file(COPY ${CMAKE_CURRENT_SOURCE_DIR}/package.json
            ${CMAKE_CURRENT_SOURCE_DIR}/package-lock.json DESTINATION ${folder})
        message(STATUS "fetching the packages of the charts (npm ci)")
        execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
            WORKING_DIRECTORY ${folder} RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors
            TIMEOUT 300)
        if(result EQUAL 0)
            file(TOUCH ${folder}/installed)
        else()
            message(STATUS "npm ci failed: ${errors}")
        endif()
    endif()
    set(${variable} "" PARENT_SCOPE)
    if(EXISTS ${folder}/installed)
        set(${variable} ${folder}/node_modules PARENT_SCOPE)
    endif()
endfunction()
