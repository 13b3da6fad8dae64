# SPDX-License-Identifier: Apache-2.0
# What `make package` puts into the .deb and the tarball: program, bundled model, unit, deploy examples, docs, licence.
include(GNUInstallDirs)
set(share ${CMAKE_INSTALL_DATADIR}/seqgpt)
set(doc ${CMAKE_INSTALL_DATADIR}/doc/seqgpt)

install(TARGETS seqgpt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The same program under the names that start the server and the page (src/cli makes the links).
install(FILES ${CMAKE_BINARY_DIR}/seqgpt-server ${CMAKE_BINARY_DIR}/seqgpt-ui DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY models/seqgpt-mini DESTINATION ${share}/models)
install(FILES deploy/seqgpt.service DESTINATION lib/systemd/system)
install(DIRECTORY deploy/ DESTINATION ${doc}/deploy)
install(DIRECTORY docs/ DESTINATION ${doc} FILES_MATCHING PATTERN *.md PATTERN *.svg)
install(FILES README.md README.zh-CN.md DESTINATION ${doc})
install(FILES LICENSE DESTINATION ${doc} RENAME copyright)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/build/package)
set(CPACK_PACKAGE_NAME seqgpt)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Verbatim fields and classes of Chinese business text")
set(CPACK_PACKAGE_CONTACT "The seqgpt maintainers <seqgpt@localhost>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION text)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Extracts named fields from Chinese business text and sorts text into classes, on this machine
alone: every value is a verbatim span of the text. Command line, HTTP server and web page in one
program, with a small bundled model; runs SeqGPT-560M and any BLOOM checkpoint.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/cmake/debian/postinst ${CMAKE_SOURCE_DIR}/cmake/debian/prerm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
