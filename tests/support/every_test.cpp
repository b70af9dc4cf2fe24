// Holds the header that all tests without a drive share, precompiled (tests/CMakeLists.txt).
