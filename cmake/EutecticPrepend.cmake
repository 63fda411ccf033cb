# cmake -DTEXT=FILE -DHEADER=FILE -P EutecticPrepend.cmake: puts the text before what the header says, once.
file(READ "${TEXT}" text)
file(READ "${HEADER}" header)
string(FIND "${header}" "${text}" at)
if(NOT at EQUAL 0)
    file(WRITE "${HEADER}" "${text}${header}")
endif()
