# SPDX-License-Identifier: Apache-2.0
#
# cmake -DPROGRAM=graphgen -DFOLDER=folder -P WritePages.cmake: writes the manual page and the completions into the folder, where they are
# installed from.
execute_process(COMMAND "${PROGRAM}" --man-page OUTPUT_FILE "${FOLDER}/graphgen.1" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PROGRAM}" --completion=bash OUTPUT_FILE "${FOLDER}/graphgen.bash" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PROGRAM}" --completion=zsh OUTPUT_FILE "${FOLDER}/_graphgen" COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${PROGRAM}" --completion=fish OUTPUT_FILE "${FOLDER}/graphgen.fish" COMMAND_ERROR_IS_FATAL ANY)
