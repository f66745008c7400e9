# cmake --install, and a simple Debian package with `cpack -G DEB` in the build folder.
find_program(PL_SCDOC scdoc)
find_program(PL_GZIP gzip)

# Man pages are written in scdoc; without it nothing else is missed.
if(PL_SCDOC AND PL_GZIP)
    foreach(page IN ITEMS pcielat.1 pcielat-result.5)
        set(source ${PROJECT_SOURCE_DIR}/docs/man/${page}.scd)
        set(output ${PROJECT_BINARY_DIR}/man/${page}.gz)
        string(REGEX MATCH "[0-9]$" section ${page})
        add_custom_command(OUTPUT ${output} DEPENDS ${source} VERBATIM
            COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
            COMMAND sh -c "\"$1\" <\"$2\" >\"$3.roff\" && \"$4\" -9n <\"$3.roff\" >\"$3\""
                sh ${PL_SCDOC} ${source} ${output} ${PL_GZIP})
        list(APPEND pages ${output})
        install(FILES ${output} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endforeach()
    add_custom_target(man ALL DEPENDS ${pages})
else()
    message(STATUS "scdoc is not there: no man pages")
endif()

install(TARGETS pcielat RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES completions/pcielat.bash RENAME pcielat
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_pcielat DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES completions/pcielat.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
file(GLOB documents docs/*.md)
install(FILES README.md ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
file(GLOB schemas schema/*.json)
install(FILES ${schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/pcielat)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The pcielat developers")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "mesa-vulkan-drivers | vulkan-icd")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "PCIe latency of every slot
 Measures how many nanoseconds each PCIe slot costs, how much of that is the
 chipset and how much is link power management, and how sure it is.")
include(CPack)
