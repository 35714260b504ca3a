# Writes the completions for shells and the manual pages, as the tool TOOL prints them, under FOLDER as in /usr/share.

file(REMOVE_RECURSE ${FOLDER})

# Writes what `tact help ARGUMENTS` prints to a file.
function(help_write file)
  get_filename_component(folder ${FOLDER}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${TOOL} help ${ARGN} OUTPUT_FILE ${FOLDER}/${file} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${TOOL} help ${ARGN}: ${status}")
  endif()
endfunction()

help_write(bash-completion/completions/tact --completion bash)
help_write(zsh/site-functions/_tact --completion zsh)
help_write(fish/vendor_completions.d/tact.fish --completion fish)
help_write(man/man1/tact.1 --man)
execute_process(COMMAND ${TOOL} help --commands OUTPUT_VARIABLE commands)
string(REGEX MATCHALL "[^\n]+" commands "${commands}")
foreach(command IN LISTS commands)
  help_write(man/man1/tact-${command}.1 --man ${command})
endforeach()
file(TOUCH ${FOLDER}/done)
