#include "platforms/output/figure_text.hpp"

#include <catch2/catch.hpp>

using namespace tessera;

TEST_CASE("sizes are said by powers of 1024, with three digits unless they are small and whole") {
  CHECK(figure_text(68719476736.0, "B") == "64.0 GiB");
  CHECK(figure_text(4096.0, "B") == "4 KiB");
  CHECK(figure_text(512.0, "B") == "512 B");
  CHECK(figure_text(1023.0, "B") == "1023 B");
  CHECK(figure_text(1536.0, "B") == "1.50 KiB");
  CHECK(figure_text(102078336.0, "B") == "97.3 MiB");
  CHECK(figure_text(62296.34, "B/s") == "60.8 KiB/s");
}

TEST_CASE("times are said in the unit that leaves a small number, from a minute on in two") {
  CHECK(figure_text(43.6412, "ms") == "43.6 ms");
  CHECK(figure_text(0.0083, "ms") == "8.30 us");
  CHECK(figure_text(238207.0, "ms") == "3 min 58 s");
  CHECK(figure_text(59.99, "s") == "60.0 s");
  CHECK(figure_text(6012.0, "s") == "1 h 40 min");
  CHECK(figure_text(93600.0, "s") == "1 d 2 h");
  CHECK(figure_text(10.14, "years") == "10.1 years");
  CHECK(figure_text(0.0, "ms") == "0 s");
}

TEST_CASE("counts have separators, shares three digits, other units stand behind") {
  CHECK(figure_text(31289.0, "1") == "31,289");
  CHECK(figure_text(1234567.0, "1") == "1,234,567");
  CHECK(figure_text(999.0, "1") == "999");
  CHECK(figure_text(999.4, "1") == "999");
  CHECK(figure_text(999.7, "1") == "1,000");
  CHECK(figure_text(2.7533, "1") == "2.75");
  CHECK(figure_text(0.00093, "1") == "0.00093");
  CHECK(figure_text(0.0, "1") == "0");
  CHECK(figure_text(42.0, "sectors") == "42 sectors");
}

TEST_CASE("energies are said from nanojoules to megajoules") {
  CHECK(figure_text(2701.34, "J") == "2.70 kJ");
  CHECK(figure_text(120.0, "mJ") == "120 mJ");
  CHECK(figure_text(0.0, "J") == "0 J");
}

TEST_CASE("what is undefined is a dash") { CHECK(figure_text(std::nullopt, "ms") == "-"); }
