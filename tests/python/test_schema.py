"""The JSON Schema of drive descriptions, for editors; tests/schema tries it with one."""

import json

from simulate import simulate


def test_every_parameter_says_what_it_means_and_no_other_is_allowed():
    def visit(node, path):
        if node.get("type") == "object":
            assert node["additionalProperties"] is False, path
            return sum(visit(inner, f"{path}.{name}") for name, inner in node["properties"].items())
        assert node.get("description"), path
        return 1

    assert visit(json.loads(simulate("list", "parameters", "--schema").stdout), "drive") > 400
