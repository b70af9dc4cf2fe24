// Holds the header that all tests of modules share, precompiled (tests/CMakeLists.txt).
