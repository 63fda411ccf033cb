# What `cmake --install` copies: the scheduler, the autodiff library with what it is made of, their headers and the
# package that find_package(Eutectic) reads. Everything is found relative to that package, so the prefix may be moved.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Sets OUT to the libraries of this project that LIBRARY links, itself included.
function(_eutectic_closure out library)
    set(closure ${library})
    get_target_property(linked ${library} INTERFACE_LINK_LIBRARIES)
    foreach(dependency IN LISTS linked)
        if(dependency MATCHES "^eutectic_")
            _eutectic_closure(more ${dependency})
            list(APPEND closure ${more})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES closure)
    set(${out} ${closure} PARENT_SCOPE)
endfunction()

_eutectic_closure(libraries eutectic_autodiff)
list(APPEND libraries eutectic_arena eutectic_device eutectic_library)
get_property(product_libraries GLOBAL PROPERTY EUTECTIC_LIBRARIES)
list(TRANSFORM product_libraries PREPEND eutectic_library_)
list(APPEND libraries ${product_libraries})
set(installed ${libraries} eutectic_rewrites eutectic_definitions)
list(REMOVE_DUPLICATES installed)
install(TARGETS ${installed} eutectic_plugin EXPORT EutecticTargets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/eutectic")
# What is copied: all that scripts/install builds.
install(TARGETS eutectic_pair EXPORT EutecticTargets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/eutectic")  # headers alone
set(readers "")
if(TARGET eutectic-read-code)  # where LLVM's libraries are
    set(readers eutectic-read-code)
    install(TARGETS eutectic-read-code RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
add_custom_target(installed DEPENDS ${installed} eutectic_plugin eutectic ${readers})
# The command finds the plugin beside itself, and libHalide where it was at the build.
if(NOT EUTECTIC_WHEEL)
    set_target_properties(eutectic PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
# What loads the plugin has a libHalide, as a rule; in a wheel there is one beside its folder.
set_target_properties(eutectic_plugin PROPERTIES INSTALL_RPATH "$ORIGIN/../../halide/lib64")
install(TARGETS eutectic EXPORT EutecticTargets RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
if(TARGET eutectic_mpi)
    set_target_properties(eutectic_mpi PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS eutectic_mpi LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
set_target_properties(eutectic PROPERTIES EXPORT_NAME command)
set_target_properties(eutectic_plugin PROPERTIES EXPORT_NAME Eutectic)
set_target_properties(eutectic_rewrites PROPERTIES EXPORT_NAME rewrites)
set_target_properties(eutectic_definitions PROPERTIES EXPORT_NAME definitions)
install(FILES schedules/rewrites.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/eutectic/schedules")
install(FILES schedules/elementary/elementary.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/eutectic/schedules/elementary")
set(folders "")
foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^eutectic_" "" name ${library})
    get_target_property(folder ${library} EUTECTIC_FOLDER)
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
    list(APPEND folders "${folder}")
endforeach()
list(APPEND folders src/pair)
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders)
    string(REGEX REPLACE "^src/" "" include_name "${folder}")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}/"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/eutectic/${include_name}"
        FILES_MATCHING PATTERN "*.h")
endforeach()

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/Eutectic")
configure_package_config_file(cmake/EutecticConfig.cmake.in "${PROJECT_BINARY_DIR}/EutecticConfig.cmake"
    INSTALL_DESTINATION "${package_directory}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/EutecticConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/EutecticConfig.cmake"
    "${PROJECT_BINARY_DIR}/EutecticConfigVersion.cmake"
    cmake/EutecticArguments.cmake
    cmake/EutecticHelpers.cmake
    cmake/EutecticKernel.cmake
    cmake/EutecticOutputs.cmake
    cmake/EutecticPacked.cmake
    cmake/EutecticPick.cmake
    cmake/EutecticPrepend.cmake
    cmake/EutecticTorch.cmake
    cmake/EutecticUnregistered.cmake
    DESTINATION "${package_directory}")
# Compiled where PyTorch is: by projects with libraries for it.
install(DIRECTORY src/pytorch/ DESTINATION "${package_directory}/pytorch" FILES_MATCHING PATTERN "*.h" PATTERN "*.cpp")
install(FILES apps/python/eutectic/torch/threads.c DESTINATION "${package_directory}/pytorch")
install(FILES src/pair/library_arguments.h DESTINATION "${package_directory}/pair")
install(EXPORT EutecticTargets NAMESPACE Eutectic:: DESTINATION "${package_directory}")
# What describes the JSON that is written, for programs that read it.
install(FILES src/report/report.schema.json src/report/targets.schema.json apps/eutectic/inspect.schema.json autodiff/contract/pair.schema.json
    DESTINATION "${CMAKE_INSTALL_DATADIR}/eutectic")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
