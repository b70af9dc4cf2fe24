"""What the tree weighs is counted right, and the picture of its folders is drawn from today's includes."""

import re

from pages.house import PICTURE, arrows, classes_in, implemented_once, lines_of, reduced
from samples import REPOSITORY

TIE = re.compile(r"<title>([\w/]+)&#45;&gt;([\w/]+)</title>")


def test_the_picture_shows_the_includes_of_today():
    drawn = set(TIE.findall((REPOSITORY / PICTURE).read_text().replace("&#47;", "/")))
    now = {(upper, lower) for upper, lowers in arrows().items() for lower in lowers}
    assert drawn == now, "./dev house --picture draws it again"


def test_folders_that_include_each_other_keep_a_way_to_what_both_include():
    assert reduced({"a": {"b", "c"}, "b": {"a", "c"}}) in ({"a": {"b"}, "b": {"a", "c"}}, {"a": {"b", "c"}, "b": {"a"}})


def test_a_class_has_its_own_members_and_functions_and_no_others():
    text = """
    // class Comment { int no_; };
    class Outer final : public Base, private Other {
     public:
      Outer() = default;
      explicit Outer(int a) : a_(a) {}
      [[nodiscard]] int a() const { if (a_ > 0) { return a_; } return b_; }
      virtual void pure() = 0;
      using Name = int;
     private:
      struct Inner { int x = 0; int y = 0; };
      int a_ = 0;
      std::function<void(int)> b_;
      Inner inner_{};
    };
    enum class Kind { one, two };
    """
    outer, inner = classes_in(text)
    assert (outer.name, outer.bases, outer.functions, outer.pure) == ("Outer", ("Base", "Other"), 3, 1)
    assert outer.members == 3 and (inner.name, inner.members, inner.functions) == ("Inner", 2, 0)


def test_an_interface_with_a_second_user_or_a_double_is_none_too_many():
    product = classes_in("struct A { virtual void f() = 0; }; struct B : public A { void f() override {} }; struct C { virtual void g() = 0; }; struct D : public C { };")
    assert [each.name for each in implemented_once(product, [])] == ["A", "C"]
    assert [each.name for each in implemented_once(product, classes_in("class Double : public A { };"))] == ["C"]


def test_lines_and_files_are_counted_by_folder(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.cpp").write_text("one\ntwo\n")
    (tmp_path / "models" / "a.md").write_text("none\n")
    assert lines_of(tmp_path, ["models", "none"]) == (2, 1)
