# SPDX-License-Identifier: Apache-2.0
# polytrace-ui and polytrace-fleet. The rooms below are theirs alone: the command polytrace is built
# without them, and without the libraries that they need.

polytrace_room(warehouse COLD DEPENDS polytrace_base OpenSSL::Crypto ${CMAKE_DL_LIBS})
target_include_directories(polytrace_warehouse SYSTEM PRIVATE "${POLYTRACE_CURL}")
target_compile_definitions(polytrace_warehouse PRIVATE
                           POLYTRACE_SCHEMA_FOLDER="${CMAKE_SOURCE_DIR}/src/warehouse/sql")
file(GLOB schema_files CONFIGURE_DEPENDS src/warehouse/sql/*.sql)
polytrace_embeds(src/warehouse/schema.cpp ${schema_files})
polytrace_room(http COLD DEPENDS polytrace_base Boost::headers OpenSSL::SSL)
polytrace_room(fleet COLD DEPENDS polytrace_service polytrace_warehouse)
polytrace_room(server COLD DEPENDS polytrace_fleet polytrace_http)
target_compile_definitions(polytrace_server PRIVATE POLYTRACE_VERSION="${PROJECT_VERSION}")
include(page_files)
polytrace_page_files(polytrace_server)
polytrace_embeds(src/server/assets.cpp)  # page_files.inc has sums of what it embeds
polytrace_room(cli_store COLD FOLDERS cli/store DEPENDS polytrace_fleet polytrace_cli)

if(POLYTRACE_UI)
  polytrace_room(cli_ui COLD FOLDERS cli/ui DEPENDS polytrace_server polytrace_cli_store)
  polytrace_program(polytrace-ui ui polytrace_cli_ui)
endif()

if(POLYTRACE_FLEET)
  polytrace_room(collector DEPENDS polytrace_service polytrace_warehouse polytrace_http)
  target_include_directories(polytrace_collector SYSTEM PRIVATE "${POLYTRACE_TOML}"
                             "${POLYTRACE_PROTOZERO}")
  target_compile_definitions(polytrace_collector PRIVATE POLYTRACE_VERSION="${PROJECT_VERSION}"
                             TOML_EXCEPTIONS=0 POLYTRACE_HAS_NATS=$<BOOL:${nats_FOUND}>)
  if(nats_FOUND)
    target_link_libraries(polytrace_collector PRIVATE PkgConfig::nats)
  endif()
  polytrace_room(cli_fleet COLD FOLDERS cli/fleet DEPENDS polytrace_collector polytrace_server
                 polytrace_cli_store)
  polytrace_program(polytrace-fleet fleet polytrace_cli_fleet)
endif()
